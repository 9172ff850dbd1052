"""Draws exercises/positional_encoding/picture.svg: `python docs/pictures/make_positional_encoding.py` (matplotlib)."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "solutions"))

from positional_encoding import sinusoidal_encoding  # noqa: E402  # found by the line above

LENGTH, D_MODEL = 64, 32
COLOURS = "RdBu_r"


def main() -> None:
    plt.rcParams |= {"svg.hashsalt": "positional_encoding", "font.size": 9, "axes.titlesize": 10}
    table = sinusoidal_encoding(LENGTH, D_MODEL)  # (64, 32)
    products = table @ table.T  # (64, 64)

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.6), layout="constrained")

    shown = left.imshow(table, cmap=COLOURS, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    left.set_title("The encoding: one row a position, d_model = 32")
    left.set_xlabel("column (fast pairs on the left, slow ones on the right)")
    left.set_ylabel("position")
    left.set_xticks(range(0, D_MODEL, 4))
    left.set_yticks(range(0, LENGTH, 8))
    figure.colorbar(shown, ax=left, shrink=0.8)

    shown = right.imshow(products, cmap="viridis", aspect="auto", interpolation="nearest")
    right.set_title("Dot products of all rows: distance is all that counts")
    right.set_xlabel("position")
    right.set_ylabel("position")
    right.set_xticks(range(0, LENGTH, 8))
    right.set_yticks(range(0, LENGTH, 8))
    figure.colorbar(shown, ax=right, shrink=0.8)

    target = ROOT / "exercises/positional_encoding/picture.svg"
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
