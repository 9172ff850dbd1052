"""Results for the terminal, readable at 80 columns and without colours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from grader.results.records import Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results
from grader.text import printable_line

if TYPE_CHECKING:  # confinement is for Linux, and this module for all systems
    from grader.sandbox.layers import Layers

REMARKABLE = (
    Verdict.GRADER_FAULT, Verdict.TAMPERED, Verdict.CRASHED, Verdict.MEMORY, Verdict.TIMEOUT, Verdict.ERROR,
)  # fmt: skip
NARROW = 7  # columns of a table for a score
ROOM = 20  # columns of a table for the student and the total


def print_class(console: Console, results: Results) -> None:
    """The table of scores, and a remark on each zero that has another reason than a wrong answer."""
    names = [exercise.name for exercise in results.students[0].exercises] if results.students else []
    headings, legend = _headings(names, console.width)
    has_final = any(student.final is not None for student in results.students)
    parts = _parts(len(headings), console.width) if legend else [slice(None)]
    for number, columns in enumerate(parts):
        table = Table(
            title="" if number else results.course, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False,
            collapse_padding=True,
        )  # fmt: skip
        table.add_column("student", no_wrap=True)
        for heading in headings[columns]:
            table.add_column(heading, justify="right", min_width=5)
        is_last = number == len(parts) - 1
        for heading in ("total", *["final"] * has_final) if is_last else ():
            table.add_column(heading, justify="right", style="bold", no_wrap=True)
        for student in results.students:
            scores = [_exercise_score(exercise) for exercise in student.exercises[columns]]
            table.add_row(
                escape(printable_line(student.id, 40)), *scores, *(_totals(student, has_final) if is_last else ())
            )
        console.print(table)
    if legend:
        console.print(Padding(Columns(legend, padding=(0, 2)), (0, 0, 1, 2)))
    if results.provisional:
        console.print("Provisional: criteria that train a model are still to come.\n")
    for student in results.students:
        if remarks := _remarks(student):
            console.print(f"  {escape(printable_line(student.id, 40))}: {escape('; '.join(remarks))}")


def _totals(student: GradedStudent, has_final: bool) -> list[str]:
    total = "?" if student.needs_review else _score(student.score)
    return [total, _score(student.final)] if has_final else [total]


def _parts(count: int, width: int) -> list[slice]:
    """Which scores each table has: all of them if they fit, else several tables of about the same size."""
    tables = math.ceil(count / max(1, (width - ROOM) // NARROW))
    each = math.ceil(count / tables)
    return [slice(start, start + each) for start in range(0, count, each)]


def _headings(names: Sequence[str], width: int) -> tuple[list[str], list[str]]:
    """The names as headings of columns, broken at underscores; numbers and a legend where they do not fit."""
    words = [name.replace("_", "_\n") for name in names]
    columns = sum(max(NARROW, *(2 + len(line) for line in word.split("\n"))) for word in words)
    if columns + ROOM <= width:
        return words, []
    numbers = [str(number) for number, _ in enumerate(names, start=1)]
    return numbers, [f"{number} {name}" for number, name in zip(numbers, names, strict=True)]


def confinement_line(layers: Layers | None) -> str:
    if layers is None:
        return "NONE. Student code ran as you, with your files and your network (--unconfined)."
    if layers.level == "landlock":
        return f"landlock, seccomp, limits; without bubblewrap ({layers.bubblewrap})"
    return "bubblewrap, " + ("" if layers.landlock else "landlock, ") + "seccomp, limits"


def _remarks(student: GradedStudent) -> list[str]:
    """``ctc: 24 × error``, ``missing: ctc, attention``, ``needs a decision: ctc``: what the scores do not say."""
    missing, asked, remarks = [], [], []
    for exercise in student.exercises:
        counts = Counter(result.verdict for result in exercise.criteria)
        worst = next((verdict for verdict in REMARKABLE if counts[verdict]), None)
        if exercise.fault:
            remarks.append(f"{exercise.name}: could not be graded ({exercise.fault.partition(chr(10))[0]})")
        elif exercise.left_out and not exercise.question:
            continue
        elif exercise.question:
            asked.append(exercise.name)
        elif exercise.verdict is Verdict.MISSING:
            missing.append(exercise.name)
        elif exercise.problem:
            remarks.append(f"{exercise.name}: {exercise.problem}")
        elif worst:
            remarks.append(f"{exercise.name}: {counts[worst]} × {worst}")
        if exercise.stand_ins:
            modules = ", ".join(exercise.stand_ins)
            why = f" ({exercise.seam})" if exercise.seam else ""
            remarks.append(f"{exercise.name}: graded with the course's {modules}, because the score is better so{why}")
        remarks += [f"{exercise.name}: {words}" for words in exercise.adjustments]
    lists = {"needs a decision": asked, "missing": missing}
    return [*(f"{what}: {', '.join(names)}" for what, names in lists.items() if names), *remarks, *student.policy]


def _exercise_score(exercise: GradedExercise) -> str:
    return "?" if exercise.question else _score(None if exercise.left_out else exercise.score)


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.1f}"
