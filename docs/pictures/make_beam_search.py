"""Draws exercises/beam_search/picture.svg: `python docs/pictures/make_beam_search.py` (matplotlib)."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "solutions"))

from beam_search import beam_search, greedy_search  # noqa: E402  # found by the line above

Tokens = tuple[int, ...]

SOS, EOS, A, B = 1, 2, 4, 5
NAMES = {A: "a", B: "b", EOS: "<eos>"}
BEAM_SIZE, MAX_LEN = 2, 4

# The model of the handout: P(a), P(b) and P(<eos>) after what has been said so far.
TABLE = {"": (0.5, 0.4, 0.1), "a": (0.4, 0.25, 0.35), "aa": (0.1, 0.3, 0.6)}
OTHERWISE = (0.05, 0.05, 0.9)

LOOKS = {  # edge and filling of a box
    "kept": ("#1f5fa8", "#dcebfa"),
    "finished: set aside": ("#2b7a3d", "#ddf2e0"),
    "pruned": ("#a0a0a0", "#f5f5f5"),
}
GREEDY = (0, (4, 2))  # a dashed line


def probabilities(tokens: Tokens) -> dict[int, float]:
    said = "".join(NAMES[token] for token in tokens)
    return dict(zip((A, B, EOS), TABLE.get(said, OTHERWISE), strict=True))


def total(tokens: Tokens) -> float:
    return sum(math.log(probabilities(tokens[:i])[token]) for i, token in enumerate(tokens))


def record() -> tuple[list[list[Tokens]], set[Tokens], Tokens]:
    """Run the search: the prefixes that each step was asked about, all that was left at the end, the greedy way."""
    asked: list[list[Tokens]] = []

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        asked.append([tuple(prefix[1:]) for prefix in prefixes])
        rows = [[probabilities(tokens).get(token, 1e-9) for token in range(B + 1)] for tokens in asked[-1]]
        return torch.tensor(rows).log()  # (k, V)

    beam_search(step, sos=SOS, eos=EOS, beam_size=BEAM_SIZE, max_len=MAX_LEN)
    steps = asked.copy()
    # Once more, only to be told everything that was found until then.
    left = beam_search(step, sos=SOS, eos=EOS, beam_size=BEAM_SIZE, max_len=len(steps), n_best=99)
    greedy = greedy_search(step, sos=SOS, eos=EOS, max_len=MAX_LEN)
    return steps, {tuple(found.tokens) for found in left}, tuple(greedy.tokens)


def places(steps: list[list[Tokens]]) -> dict[Tokens, tuple[float, float]]:
    """Where each candidate stands: a column a step, children in the order of their parents and beside these."""
    place: dict[Tokens, tuple[float, float]] = {(): (0.0, 0.0)}
    for column, parents in enumerate(steps, start=1):
        children = [(*parent, token) for parent in parents for token in (A, B, EOS)]
        middle = sum(place[parent][1] for parent in parents) / len(parents)
        for row, tokens in enumerate(children):
            place[tokens] = (1.25 * column, middle + (len(children) - 1) / 2 - row)
    return place


def main() -> None:
    plt.rcParams |= {"svg.hashsalt": "beam_search", "font.size": 9}
    steps, left, greedy = record()
    kept = left.union(*steps)
    place = places(steps)

    figure, axes = plt.subplots(figsize=(9.0, 4.2), layout="constrained")
    for tokens, (x, y) in place.items():
        finished = tokens in kept and tokens[-1:] == (EOS,)
        edge, filling = LOOKS["finished: set aside" if finished else "kept" if tokens in kept else "pruned"]
        if tokens:
            from_x, from_y = place[tokens[:-1]]
            dashes = GREEDY if greedy[: len(tokens)] == tokens else "-"
            width = 1.6 if tokens in kept else 0.8
            axes.plot([from_x, x], [from_y, y], color=edge, linewidth=width, linestyle=dashes, zorder=1)
        said = " ".join(NAMES[token] for token in tokens) or "<sos>"
        label = f"{said}   {math.exp(total(tokens)):.3g}" if tokens else said
        box = {"boxstyle": "round,pad=0.35", "edgecolor": edge, "facecolor": filling, "linewidth": 1.2}
        colour = "#222222" if tokens in kept or not tokens else "#808080"
        axes.text(x, y, label, ha="center", va="center", color=colour, bbox=box, zorder=2)

        note = ""
        if finished:
            note = f"score {total(tokens) / len(tokens):.2f}"
        elif tokens in left:
            note = f"at best {total(tokens) / MAX_LEN:.2f}: stop"
        axes.text(x + 0.36, y, note.replace("-", "−"), ha="left", va="center", color=edge)

    top = max(y for _, y in place.values()) + 0.9
    for column in range(1, len(steps) + 1):
        axes.text(1.25 * column, top, f"step {column}", ha="center", va="center", fontweight="bold")
    for meaning, (edge, filling) in LOOKS.items():
        axes.scatter([], [], marker="s", s=60, edgecolor=edge, facecolor=filling, label=meaning)
    axes.plot([], [], color=LOOKS["kept"][0], linestyle=GREEDY, label="the greedy way")
    axes.legend(loc="lower left", frameon=False)
    axes.set_xlim(-0.35, 1.25 * len(steps) + 1.1)
    axes.set_ylim(min(y for _, y in place.values()) - 0.4, top + 0.3)
    axes.axis("off")
    figure.savefig(ROOT / "exercises/beam_search/picture.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
