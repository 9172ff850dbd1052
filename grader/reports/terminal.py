"""Results for the terminal, readable at 80 columns and without colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from grader.course import Exercise
from grader.results.records import CriterionResult, ExerciseResult, Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results
from grader.results.scoring import points_of
from grader.sandbox.layers import Layers
from grader.text import printable_line

MARKS = {Verdict.PASSED: ("✓", "green"), Verdict.FAILED: ("✗", "red")}
REMARKABLE = (
    Verdict.GRADER_FAULT, Verdict.TAMPERED, Verdict.CRASHED, Verdict.MEMORY, Verdict.TIMEOUT, Verdict.ERROR,
)  # fmt: skip
ROOM = 20  # columns of a table for the student and the total


def print_check(console: Console, exercise: Exercise, result: ExerciseResult | str) -> None:
    """What passed, what did not, one sentence and the hint for the first failure, and the points so far."""
    console.print(f"\n[bold]{exercise.name}[/bold]  {escape(exercise.title)}{' (optional)' * exercise.optional}")
    if isinstance(result, str):
        console.print(f"  [red]{escape(result)}[/red]")
        return
    first = next((r for r in result.criteria if not r.passed), None)
    if result.problem:  # told once, and not for every criterion
        console.print(f"  [red]✗[/red] {escape(result.problem)}")
    else:
        for criterion in result.criteria:
            print_criterion(console, criterion, explained=criterion is first)
    earned, possible = points_of(result.criteria)
    passed = sum(r.passed for r in result.criteria)
    console.print(f"  {passed} of {len(result.criteria)} public criteria, {earned} of {possible} points so far.")
    console.print(f"  {exercise.hidden_criteria} hidden criteria are graded by your teacher.")
    for note in result.notes:
        console.print(Padding(f"[dim]{escape(note)}[/dim]", (0, 0, 0, 2)))


def print_criterion(console: Console, result: CriterionResult, *, explained: bool) -> None:
    """One line, and below it what is wrong, if that is to be ``explained``."""
    mark, colour = MARKS.get(result.verdict, ("✗", "yellow"))
    verdict = "" if result.verdict in MARKS else f" ({result.verdict})"
    points = result.criterion.points if result.passed else 0
    title = f"{escape(result.criterion.title)}{verdict}"
    console.print(f"  [{colour}]{mark}[/{colour}] {title}  [dim]{points}/{result.criterion.points}[/dim]")
    if explained:
        for text in (result.criterion.sentence, result.message, f"Hint: {result.criterion.hint}"):
            console.print(Padding(escape(text), (0, 0, 0, 6)))


def print_class(console: Console, results: Results) -> None:
    """The table of scores, and a remark on each zero that has another reason than a wrong answer."""
    table = Table(
        title=results.course, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    table.add_column("student", no_wrap=True)
    names = [exercise.name for exercise in results.students[0].exercises] if results.students else []
    headings, legend = _headings(names, console.width)
    for heading in headings:
        table.add_column(heading, justify="right", min_width=5)
    table.add_column("total", justify="right", style="bold", no_wrap=True)
    has_final = any(student.final is not None for student in results.students)
    if has_final:
        table.add_column("final", justify="right", style="bold", no_wrap=True)
    for student in results.students:
        scores = [_exercise_score(exercise) for exercise in student.exercises]
        final = [_score(student.final)] if has_final else []
        total = "?" if student.needs_review else _score(student.score)
        table.add_row(escape(printable_line(student.id, 40)), *scores, total, *final)
    console.print(table)
    if legend:
        console.print(Padding(Columns(legend, padding=(0, 2)), (0, 0, 1, 2)))
    if results.provisional:
        console.print("Provisional: criteria that train a model are still to come.\n")
    for student in results.students:
        if remarks := _remarks(student):
            console.print(f"  {escape(printable_line(student.id, 40))}: {escape('; '.join(remarks))}")


def _headings(names: Sequence[str], width: int) -> tuple[list[str], list[str]]:
    """The names as headings of columns, broken at underscores; numbers and a legend where they do not fit."""
    words = [name.replace("_", "_\n") for name in names]
    columns = sum(2 + max(5, *map(len, word.split("\n"))) for word in words)
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
