"""Draws exercises/seq2seq/picture.svg from the solution's own attention: `python docs/pictures/make_seq2seq.py`.

It trains two small models, half a minute on one core. Needs matplotlib, which the course itself does not.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import matplotlib as mpl
import torch
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "solutions"), str(ROOT)]

from seq2seq import AttentionDecoder, Encoder, Seq2Seq, Vocabulary, make_batch, train_epoch  # noqa: E402

from data.dates import date_pairs  # noqa: E402  # neither is installed
from data.digits import reverse_pairs  # noqa: E402

Pair = tuple[str, str]


def trained(pairs: list[Pair], source_vocab: Vocabulary, target_vocab: Vocabulary) -> Seq2Seq:
    torch.manual_seed(7)
    rng = random.Random(7)
    model = Seq2Seq(Encoder(len(source_vocab), 32, 64), AttentionDecoder(len(target_vocab), 32, 64))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[9], gamma=0.2)
    for _ in range(12):
        train_epoch(
            model, [make_batch(rng.sample(pairs, 32), source_vocab, target_vocab) for _ in range(20)], optimizer
        )
        schedule.step()
    return model.eval()


@torch.no_grad()
def looks(model: Seq2Seq, pair: Pair, source_vocab: Vocabulary, target_vocab: Vocabulary) -> torch.Tensor:
    """The weights of every step: (T, S)."""
    batch = make_batch([pair], source_vocab, target_vocab)
    memory, state = model.encoder(batch.source, batch.source_lengths)
    rows = []
    for token in batch.target_in.unbind(1):
        _, state, weights = model.decoder(token, state, memory, batch.source > 0)
        rows.append(weights[0])
    return torch.stack(rows)


def draw(axes: plt.Axes, pair: Pair, weights: torch.Tensor, title: str) -> None:
    axes.pcolormesh(weights.numpy(), cmap="Blues", vmin=0, vmax=1, edgecolors="#d0d7de", linewidth=0.5)
    axes.set_title(title, fontsize=10)
    for set_ticks, symbols in zip((axes.set_xticks, axes.set_yticks), pair, strict=True):
        labels = [*symbols.replace(" ", "␣"), "end"]
        set_ticks([place + 0.5 for place in range(len(labels))], labels, fontsize=8, fontfamily="DejaVu Sans")
    axes.xaxis.tick_top()
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def main() -> None:
    mpl.use("svg")
    plt.rcParams["svg.hashsalt"] = "seq2seq"
    torch.set_num_threads(1)
    shown = {
        "reversing digits": (reverse_pairs(2000, seed=7), ("3141592", "2951413")),
        "normalising a date": (date_pairs(2000, seed=7), ("3rd of March, 1999", "1999-03-03")),
    }
    figure, row = plt.subplots(1, 2, figsize=(9.5, 4.2), width_ratios=[8, 19], layout="constrained")
    for axes, (title, (pairs, pair)) in zip(row, shown.items(), strict=True):
        vocabularies = tuple(Vocabulary.from_sequences(side) for side in zip(*pairs, strict=True))
        train = [one for one in pairs if one != pair]
        draw(axes, pair, looks(trained(train, *vocabularies), pair, *vocabularies), title)
    row[0].set_ylabel("a row for each token that is written", fontsize=8)
    figure.savefig(ROOT / "exercises/seq2seq/picture.svg", metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    main()
