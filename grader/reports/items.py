"""Item statistics for the terminal: a table per exercise at 80 columns, then what deserves a look, in sentences."""

from __future__ import annotations

from collections import Counter

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from grader.results.records import Verdict
from grader.results.statistics import (
    EVERYBODY,
    NEGATIVE,
    NOBODY,
    SUSPICIOUS,
    ClassItems,
    ExerciseItems,
    Item,
)
from grader.text import printable

SHOWN = 10  # misconceptions of the class
MAX_NAME = 60
ADVICE = {
    NEGATIVE: "those who passed it did worse on the rest (discrimination {discrimination:+.2f}, {judged} students). "
    "Does it test something else, or is its expected value wrong?",
    NOBODY: "nobody of {judged} passed it. Is the contract clear, and does the handout say it?",
}


def print_items(console: Console, statistics: ClassItems) -> None:
    """Everything that the statistics say, for a teacher."""
    for exercise in statistics.exercises:
        _print_exercise(console, exercise)
    _print_misconceptions(console, statistics)
    _print_suspicious(console, statistics)


def sentence(item: Item, flag: str) -> str:
    """What a suspicious item's flag means."""
    return ADVICE[flag].format(judged=item.judged, discrimination=item.discrimination or 0.0)


def _print_exercise(console: Console, exercise: ExerciseItems) -> None:
    console.print(f"\n[bold]{_name(exercise.name)}[/bold]  {exercise.handed_in} handed in, {exercise.missing} did not")
    if not exercise.items:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("criterion", ratio=1)
    table.add_column("passed", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("discr.", justify="right", no_wrap=True)
    table.add_column("not passed", max_width=24)
    for item in exercise.items:
        mark = " [red]![/red]" if item.suspicious else ""
        discrimination = "–" if item.discrimination is None else f"{item.discrimination:+.2f}"
        others = [f"{count} × {verdict}" for verdict, count in item.verdicts.items() if verdict != Verdict.PASSED.value]
        table.add_row(
            f"{_name(item.id)}{' (hidden)' if item.hidden else ''}{mark}",
            f"{item.passed}/{item.judged}",
            "–" if item.difficulty is None else f"{item.difficulty:.0%}",
            discrimination,
            ", ".join(others),
        )
    console.print(table)
    if easy := [item.id for item in exercise.items if EVERYBODY in item.flags]:
        console.print(Padding(f"Everybody passed: {', '.join(map(_name, easy))}.", (0, 0, 0, 2)))


def _print_misconceptions(console: Console, statistics: ClassItems) -> None:
    counts = Counter(
        {(e.name, mistake): count for e in statistics.exercises for mistake, count in e.misconceptions.items()}
    )
    if not counts:
        return
    console.print("\n[bold]Most frequent misconceptions[/bold] (students)")
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    for (exercise, mistake), count in ranked[:SHOWN]:
        console.print(f"  {count:>3}  {_name(exercise)}: {_name(mistake)}")
    if len(ranked) > SHOWN:
        console.print(f"       and {len(ranked) - SHOWN} others; --json has all")


def _print_suspicious(console: Console, statistics: ClassItems) -> None:
    sentences = [
        f"! {_name(exercise.name)}, {_name(item.id)}: {sentence(item, flag)}"
        for exercise in statistics.exercises
        for item in exercise.items
        for flag in item.flags
        if flag in SUSPICIOUS
    ]
    if sentences:
        console.print("\n[bold]Items to look at[/bold]")
        for text in sentences:
            console.print(Padding(text, (0, 0, 0, 2)))


def _name(text: str) -> str:
    """Names come from a file, which anybody may have written."""
    return escape(printable(text, MAX_NAME))
