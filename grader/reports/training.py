"""A training run as it goes, and what came of it, for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from grader.training.run import Step


@contextmanager
def live_progress(console: Console, title: str, done: int, total: int) -> Iterator[Callable[[Step], None]]:
    """A bar where someone is looking, and lines with samples everywhere."""
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}  {task.fields[speed]} tokens/s"), TimeRemainingColumn(),
    )  # fmt: skip
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total, completed=done, loss="–", speed="–")

        def show(step: Step) -> None:
            loss = "–" if step.loss is None else f"{step.loss:.3f}"
            bar.update(task, completed=step.step, loss=loss, speed=f"{step.tokens_per_second:.0f}")
            if step.samples:
                samples = "   ".join(f"{source} → {answer}" for source, answer in step.samples)
                bar.console.print(f"[dim]{step.step:>6}[/dim]  loss {loss}  {escape(samples)}", highlight=False)

        yield show


def print_outcome(
    console: Console,
    *,
    symbol: str,
    sequence: str,
    found: tuple[float, float],
    label: str,
    published: Sequence[tuple[str, float | None, float]],
) -> None:
    """The model's error rates, beside published ones where there are any."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("error rates on unseen data")
    table.add_column(symbol, justify="right")
    table.add_column(sequence, justify="right")
    for who, symbols, sequences in published:
        table.add_row(escape(who), _percent(symbols), _percent(sequences))
    table.add_row(f"[bold]{escape(label)}[/bold]", *map(_percent, found))
    console.print(table)


def _percent(rate: float | None) -> str:
    return "" if rate is None else f"{100 * rate:.1f} %"
