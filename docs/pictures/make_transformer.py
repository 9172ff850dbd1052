"""Draws exercises/transformer/picture.svg: `python docs/pictures/make_transformer.py` (matplotlib, half a minute).

Everything shown is the output of solutions/transformer.py: its learning rate, and the cross-attention of a model that
it has trained to reverse numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "solutions"), str(ROOT)]
from seq2seq import Vocabulary, make_batch  # noqa: E402
from transformer import Transformer, learning_rate, train  # noqa: E402

from data.digits import reverse_pairs  # noqa: E402

NUMBER = "51364"
INK, FAINT, EDGE = "#1f2937", "#9ca3af", "#d1d5db"
COLOURS = {32: "#0b2545", 64: "#1d5f93", 256: "#2a9d8f"}
SCALE = LinearSegmentedColormap.from_list("weights", ["#ffffff", "#9ec9e2", "#1d5f93", "#0b2545"])


def reversing_weights() -> torch.Tensor:
    """Where a trained model looks in the source while it writes NUMBER backwards, as a mean of its heads: (T, S)."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    digits = Vocabulary("0123456789")
    model = Transformer(14, 14, d_model=32, num_heads=4, num_layers=1, d_ff=64, dropout=0.0)
    train(model, reverse_pairs(4000, seed=1, longest=6), digits, digits, epochs=8, batch_size=64)
    seen = []
    model.decoder_layers[0].cross_attention.register_forward_hook(lambda *call: seen.append(call[-1][1]))
    batch = make_batch([(NUMBER, NUMBER[::-1])], digits, digits)
    with torch.no_grad():
        model.eval()(batch.source, batch.target_in)
    return seen[0][0].mean(dim=0)  # (H, T, S) -> (T, S)


def plain(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=9, color=INK, pad=7)
    axes.tick_params(length=0, colors=INK, labelsize=8, pad=4)
    for spine in axes.spines.values():
        spine.set_color(EDGE)


def draw_rates(axes: Axes) -> None:
    steps = range(1, 1001)
    for width, colour in COLOURS.items():
        rates = [learning_rate(step, width, 100) for step in steps]
        axes.plot(steps, rates, color=colour, linewidth=1.6)
        height = rates[619] + (0.0005 if width == 32 else -0.0011)  # above the first curve, below the others
        axes.text(620, height, f"d_model = {width}", fontsize=8, color=colour)
    axes.axvline(100, color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_xlim(0, 1000)
    axes.set_ylim(0, 0.0195)
    axes.set_xticks([100, 400, 1000])
    axes.set_yticks([0, 0.005, 0.01, 0.015])
    axes.set_xlabel("step", fontsize=8, color=FAINT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    plain(axes, "learning_rate(step, d_model, warmup=100)")


def draw_weights(axes: Axes, weights: torch.Tensor) -> None:
    said, read = [*NUMBER[::-1], "‹eos›"], [*NUMBER, "‹eos›"]
    for row, column in torch.cartesian_prod(torch.arange(len(said)), torch.arange(len(read))).tolist():
        value = float(weights[row, column])
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(plt.Rectangle(corner, 1, 1, facecolor=SCALE(value), edgecolor=EDGE, linewidth=0.6))
        if value >= 0.1:
            shade = "#ffffff" if value > 0.4 else INK
            text = f"{value:.1f}".removeprefix("0")
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=shade)
    axes.set_xlim(-0.5, len(read) - 0.5)
    axes.set_ylim(len(said) - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.set_xticks(range(len(read)), read)
    axes.set_yticks(range(len(said)), said)
    axes.set_xlabel("the source, read", fontsize=8, color=FAINT)
    axes.set_ylabel("the target, to be said", fontsize=8, color=FAINT)
    plain(axes, "cross-attention, after 504 steps")


def main() -> None:
    fonts = ["DejaVu Sans", "Verdana"]
    plt.rcParams |= {"svg.hashsalt": "transformer", "svg.fonttype": "none", "font.sans-serif": fonts}
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6), facecolor="white", width_ratios=[1.25, 1])
    draw_rates(left)
    draw_weights(right, reversing_weights())
    figure.subplots_adjust(left=0.07, right=0.985, top=0.9, bottom=0.14, wspace=0.2)
    figure.savefig(ROOT / "exercises" / "transformer" / "picture.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
