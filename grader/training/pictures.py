"""Pictures of a training run: the loss on its way down, and where a model looks while it writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grader.errors import GraderError


def draw_loss(path: Path, losses: Sequence[tuple[int, float]], title: str) -> None:
    """Mean loss per token over the steps, as SVG or PNG by the path's ending."""
    figure, axes = _figure(6.0, 3.4)
    axes.plot([step for step, _ in losses], [loss for _, loss in losses], color="#1f6feb", linewidth=1.5)
    axes.set_xlabel("step")
    axes.set_ylabel("loss per token")
    axes.set_ylim(bottom=0)
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, bbox_inches="tight", dpi=150)


def draw_attention(path: Path, weights: Any, source: Sequence[str], answer: Sequence[str], title: str) -> None:
    """A row for each symbol that the model wrote, a column for each that it read."""
    columns, rows = [*source, "<eos>"], [*answer, "<eos>"]
    figure, axes = _figure(0.42 * len(columns) + 1.2, 0.36 * len(rows) + 1.0)
    axes.pcolormesh(weights.numpy(), cmap="Blues", vmin=0, vmax=1, edgecolors="#d0d7de", linewidth=0.5)
    axes.set_xticks([i + 0.5 for i in range(len(columns))], columns, fontfamily="monospace")
    axes.set_yticks([i + 0.5 for i in range(len(rows))], rows, fontfamily="monospace")
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_frame_on(False)
    axes.set_title(title, loc="left", fontsize=10)
    figure.savefig(path, bbox_inches="tight", dpi=150)


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure  # without pyplot: no window, nothing global
    except ImportError:
        raise GraderError("Pictures need matplotlib. Run: pip install 'grader[train]'") from None
    figure = Figure(figsize=(width, height))
    return figure, figure.subplots()
