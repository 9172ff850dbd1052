"""Draws exercises/multihead_attention/picture.svg: `python docs/pictures/make_multihead_attention.py` (matplotlib).

Everything shown is the output of solutions/multihead_attention.py; only the weights of the four heads are set by hand,
so that each of them asks a question that one can read off the picture.
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
sys.path.insert(0, str(ROOT / "solutions"))
from multihead_attention import MultiHeadAttention, causal_mask, padding_mask  # noqa: E402

WORDS = ["the", "cat", "saw", "the", "dog", "‹pad›", "‹pad›"]
HEADS = ["the word before?", "the same word?", "how it began?", "everything so far?"]
SIZE = 8  # features of a head; there are as many for positions, and for words
INK, FAINT, EDGE = "#1f2937", "#9ca3af", "#d1d5db"
ALLOWED, HIDDEN = "#2a9d8f", "#f3f4f6"
SCALE = LinearSegmentedColormap.from_list("weights", ["#ffffff", "#9ec9e2", "#1d5f93", "#0b2545"])


def sentence() -> torch.Tensor:
    """Each position as a one-hot of its place and a one-hot of its word: (1, L, D)."""
    length = len(WORDS)
    x = torch.zeros(1, length, 4 * SIZE)
    for place, word in enumerate(WORDS):
        x[0, place, place] = 1.0
        x[0, place, SIZE + sorted(set(WORDS)).index(word)] = 1.0
    return x


def four_heads() -> MultiHeadAttention:
    """Queries and keys such that each head looks for something else; a match scores 8 / sqrt(8)."""
    module = MultiHeadAttention(4 * SIZE, 4)
    places, words = slice(0, SIZE), slice(SIZE, 2 * SIZE)
    before, same, first = (slice(head * SIZE, (head + 1) * SIZE) for head in range(3))
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
        module.q_proj.weight[before, places] = 8 * torch.eye(SIZE).roll(-1, dims=0)  # place t asks for place t - 1
        module.k_proj.weight[before, places] = torch.eye(SIZE)
        module.q_proj.weight[same, words] = 8 * torch.eye(SIZE)
        module.k_proj.weight[same, words] = torch.eye(SIZE)
        module.q_proj.bias[first] = 8 * torch.eye(SIZE)[0]  # whoever asks, it asks for place 0
        module.k_proj.weight[first, places] = torch.eye(SIZE)
    return module.eval()  # the fourth head keeps its zeros: it finds all alike


def frame(axes: Axes, title: str, *, rows: bool = True) -> None:
    """Words on both sides, and light grey for what is hidden."""
    length = len(WORDS)
    axes.set_title(title, fontsize=9, color=INK, pad=5)
    axes.set_xticks(range(length), WORDS, fontsize=6.5, rotation=60)
    axes.set_yticks(range(length), WORDS if rows else [""] * length, fontsize=6.5)
    axes.tick_params(length=0, colors=INK, pad=2)
    axes.set_facecolor(HIDDEN)
    axes.set_xlim(-0.5, length - 0.5)
    axes.set_ylim(length - 0.5, -0.5)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_color(EDGE)


def cells(axes: Axes, values: torch.Tensor, mask: torch.Tensor, *, numbers: bool) -> None:
    for row, column in mask.nonzero().tolist():
        value = float(values[row, column])
        colour = SCALE(value) if numbers else ALLOWED
        corner = (column - 0.5, row - 0.5)
        axes.add_patch(plt.Rectangle(corner, 1, 1, facecolor=colour, edgecolor=EDGE, linewidth=0.6, clip_on=False))
        if numbers and value >= 0.1:
            shade = "#ffffff" if value > 0.4 else INK
            text = f"{value:.1f}".removeprefix("0")
            axes.text(column, row, text, ha="center", va="center", fontsize=5.5, color=shade)


def main() -> None:
    fonts = ["DejaVu Sans", "Verdana"]
    plt.rcParams |= {"svg.hashsalt": "multihead_attention", "svg.fonttype": "none", "font.sans-serif": fonts}
    length, x = len(WORDS), sentence()
    causal = causal_mask(length)  # (L, L)
    padding = padding_mask(torch.tensor([5]), max_len=length)[:, None, :].expand(1, length, length)  # (1, L, L)
    both = padding & causal  # (1, L, L)
    with torch.no_grad():
        _, weights = four_heads()(x, x, x, both)  # (1, 4, L, L)

    figure = plt.figure(figsize=(8.6, 5.2), facecolor="white")
    top = figure.add_gridspec(1, 3, left=0.15, right=0.86, top=0.93, bottom=0.60, wspace=0.35)
    bottom = figure.add_gridspec(1, 4, left=0.06, right=0.985, top=0.42, bottom=0.10, wspace=0.32)
    for place, (mask, title) in enumerate(
        ((causal, "causal_mask(7)"), (padding[0], "padding_mask([5], 7)"), (both[0], "both"))
    ):
        axes = figure.add_subplot(top[place])
        frame(axes, title, rows=place == 0)
        cells(axes, mask, mask, numbers=False)
    for sign, at in (("&", 0.373), ("=", 0.630)):
        figure.text(at, 0.765, sign, fontsize=15, color=INK, ha="center", va="center")
    figure.text(0.09, 0.765, "who asks", fontsize=8, color=FAINT, rotation=90, ha="center", va="center")
    figure.text(0.505, 0.515, "who is asked", fontsize=8, color=FAINT, ha="center", va="center")
    for head, question in enumerate(HEADS):
        axes = figure.add_subplot(bottom[head])
        frame(axes, f"head {head}: {question}")
        cells(axes, weights[0, head], both[0], numbers=True)
    target = ROOT / "exercises" / "multihead_attention" / "picture.svg"
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
