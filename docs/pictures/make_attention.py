"""Draws exercises/attention/picture.svg from the solution's own weights: `python docs/pictures/make_attention.py`.

Needs matplotlib, which the course itself does not.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import torch
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "solutions"))

from attention import DotScorer, ScaledDotScorer, attend  # noqa: E402  # the solution is no package

SOURCE = ["das", "kleine", "Haus", "ist", "alt", "<pad>", "<pad>"]
TARGET = ["the", "small", "house", "is", "old", "<pad>"]
WIDTH = 64


def sentences() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Keys for the source; queries for the target, each a faint copy of the key that it is looking for; a mask."""
    torch.manual_seed(12)
    keys = torch.randn(1, len(SOURCE), WIDTH)
    query = 0.3 * keys[:, : len(TARGET)] + torch.randn(1, len(TARGET), WIDTH)
    real = torch.tensor([word != "<pad>" for word in SOURCE])
    asking = torch.tensor([word != "<pad>" for word in TARGET])
    return query, keys, real & asking[:, None]  # (Q, K)


def draw(axes: plt.Axes, weights: torch.Tensor, title: str) -> None:
    axes.pcolormesh(weights.numpy(), cmap="Blues", vmin=0, vmax=1.15, edgecolors="#d0d7de", linewidth=0.6)
    for q, row in enumerate(weights.tolist()):
        for k, weight in enumerate(row):
            if 0 < weight < 0.005:
                continue  # next to nothing; what is exactly 0 is written
            text = f"{weight:.2f}".lstrip("0") if 0 < weight < 0.995 else f"{weight:.0f}"
            colour = "white" if weight > 0.6 else "#57606a" if weight < 0.1 else "#24292f"
            axes.text(k + 0.5, q + 0.5, text, ha="center", va="center", fontsize=7.5, color=colour)
    axes.set_title(title, fontsize=10)
    axes.set_xticks([k + 0.5 for k in range(len(SOURCE))], SOURCE, rotation=45, ha="left", fontsize=8)
    axes.xaxis.tick_top()
    axes.set_yticks([q + 0.5 for q in range(len(TARGET))], TARGET, fontsize=8)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def main() -> None:
    mpl.use("svg")
    plt.rcParams["svg.hashsalt"] = "attention"
    query, keys, mask = sentences()
    panels = {
        "dot product: too sure": attend(DotScorer(), query, keys, keys),
        "divided by √d: it doubts": attend(ScaledDotScorer(), query, keys, keys),
        "… and with a mask": attend(ScaledDotScorer(), query, keys, keys, mask),
    }
    figure, row = plt.subplots(1, len(panels), figsize=(10.5, 3.5), sharey=True, layout="constrained")
    for axes, (title, (_, weights)) in zip(row, panels.items(), strict=True):
        draw(axes, weights[0], title)
    row[0].set_ylabel("a row for each query", fontsize=8)
    figure.savefig(ROOT / "exercises/attention/picture.svg", metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    main()
