"""The proofs of an exercise for the terminal: the matrix of misconceptions and criteria, and a line for each proof."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from grader.course import Course
from grader.files import write_atomically
from grader.results.schema import as_json as render
from grader.validation.records import Cell, ExerciseProof, Mutation, Proof, proofs_document

WIDTH = 80
GROUP = 5  # columns stand together, so that an eye can count them
SHOWN = 8  # problems of one proof; the rest are counted
MARKS = {Cell.PASSES: "·", Cell.FAILS: "○", Cell.EXPECTED: "●", Cell.FAULT: "!"}


def print_proofs(
    console: Console, course: Course, exercises: tuple[ExerciseProof, ...], *, page: Path | None, as_json: bool
) -> None:
    """The proofs as text or JSON, and as a page if one is wanted."""
    if page:
        write_atomically(page, matrix_page(course.title, exercises))
    if as_json:
        print(render(proofs_document(exercises)), end="")
        return
    for exercise in exercises:
        print_proof(console, exercise)
    print_summary(console, exercises)
    if page:
        console.print(f"Written: {escape(str(page))}", soft_wrap=True)


def matrix_page(title: str, exercises: Sequence[ExerciseProof]) -> str:
    """The proofs as one HTML page."""
    from grader.reports.pages import render_page

    classes = {Cell.PASSES: "passes", Cell.FAILS: "fails", Cell.EXPECTED: "expected", Cell.FAULT: "fault"}
    return render_page("matrix.html.jinja", title=title, exercises=exercises, marks=MARKS, classes=classes)


def print_proof(console: Console, exercise: ExerciseProof) -> None:
    """Matrix, legend, proofs, and the mutants that survived."""
    console.print(f"\n[bold]{exercise.name}[/bold]  {escape(exercise.title)}")
    if exercise.rows:
        console.print()
        for line in matrix_lines(exercise):
            console.print(escape(line), no_wrap=True, crop=False)
        console.print()
        for line in legend_lines(exercise):
            console.print(escape(line), no_wrap=True, crop=False)
    console.print()
    for proof in exercise.proofs:
        _print_line(console, proof)
    if exercise.mutation:
        _print_survivors(console, exercise.mutation)


def print_summary(console: Console, exercises: tuple[ExerciseProof, ...]) -> None:
    """One line for all of it."""
    broken = [exercise.name for exercise in exercises if not exercise.holds]
    mistakes = sum(len(exercise.rows) for exercise in exercises)
    count = f"{len(exercises)} exercise{'s' * (len(exercises) != 1)}, {mistakes} misconceptions"
    if broken:
        console.print(f"\n[red]✗[/red] {count}: to mend in {', '.join(broken)}.")
    else:
        console.print(f"\n[green]✓[/green] {count}: every proof holds.")


def matrix_lines(exercise: ExerciseProof) -> list[str]:
    """Ids at the left, a character for each criterion, the scores at the right; at most 80 columns."""
    count = len(exercise.criteria)
    cells = count + (count - 1) // GROUP
    room = WIDTH - len("  ") - len(" ") - cells - len(" score once")
    width = min(room, max((len(row.id) for row in exercise.rows), default=0))
    numbers = range(1, count + 1)
    tens = _grouped([str(n // 10) if n >= 10 else " " for n in numbers])
    lines = [f"  {'':{width}} {tens}".rstrip()] if count >= 10 else []
    lines.append(f"  {'misconception':{width}.{width}} {_grouped([str(n % 10) for n in numbers])} score once")
    for row in exercise.rows:
        label = row.id if len(row.id) <= width else row.id[: width - 1] + "…"
        score, once = ("–" if value is None else f"{value:.0f}" for value in (row.score, row.once))
        lines.append(f"  {label:{width}} {_grouped([MARKS[cell] for cell in row.cells])} {score:>5} {once:>4}".rstrip())
    lines.append(f"  {MARKS[Cell.EXPECTED]} fails, expected   {MARKS[Cell.FAILS]} fails   {MARKS[Cell.PASSES]} passes")
    lines.append("  score: as the points say   once: where a mistake costs once")
    return lines


def legend_lines(exercise: ExerciseProof) -> list[str]:
    """The criteria by number, and how much each catches."""
    width = min(38, max((len(criterion.id) for criterion in exercise.criteria), default=0))
    lines = [f"   #  {'criterion':{width}} {'':6}  catches  alone  points"]
    for index, criterion in enumerate(exercise.criteria):
        all_of_them, alone = exercise.catches(index)
        seen = "hidden" if criterion.hidden else "public"
        lines.append(
            f"  {index + 1:2}  {criterion.id:{width}.{width}} {seen}  {all_of_them:7}  {alone:5}  {criterion.points:6}"
        )
    return lines


def _grouped(characters: list[str]) -> str:
    parts = ["".join(characters[start : start + GROUP]) for start in range(0, len(characters), GROUP)]
    return " ".join(parts)


def _print_line(console: Console, proof: Proof) -> None:
    mark = "[green]✓[/green]" if proof.holds else "[red]✗[/red]"
    console.print(f"  {mark} {escape(proof.claim)}: {escape(proof.finding)}")
    for problem in proof.problems[:SHOWN]:
        console.print(Padding(escape(problem), (0, 0, 0, 6)))
    if len(proof.problems) > SHOWN:
        console.print(f"      … and {len(proof.problems) - SHOWN} more (--json has all)")
    if proof.problems and proof.remedy:
        words, *commands = proof.remedy.splitlines()
        console.print(Padding(f"→ {escape(words)}", (0, 0, 0, 6)))
        for command in commands:  # in one piece, to be copied
            console.print(f"        {escape(command)}", soft_wrap=True)


def _print_survivors(console: Console, mutation: Mutation) -> None:
    for survivor in mutation.survivors:
        console.print(f"\n  survived: {escape(survivor.place)} {escape(survivor.function)}")
        for line in survivor.diff.splitlines():
            console.print(f"    {escape(line)}", soft_wrap=True)
