"""What ``grader check`` says, readable at 80 columns, without colours and without Unicode."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.status import Status

from grader.course import Course, Exercise
from grader.judge.processes.events import Collected, Event, Finished, Noticed, Started
from grader.results.explained import explanation_of, hint_of
from grader.results.records import CriterionResult, Verdict
from grader.results.scoring import points_of
from grader.student.check import Checked, first_to_mend
from grader.student.places import shown_hint
from grader.student.progress import ExerciseProgress, Progress

MARKS = {Verdict.PASSED: ("✓", "green"), Verdict.FAILED: ("✗", "red")}
MAX_LINE = 150  # characters
MAX_LINES = 12  # of the student's own prints
PLAIN = str.maketrans({
    "✓": "+", "✗": "x", "…": "...", "×": "x", "–": "-", "—": "-", "→": "->", "‘": "'", "’": "'", "“": '"', "”": '"',
    "≤": "<=", "≥": ">=", "ᵀ": "^T", "·": "*", "√": "sqrt", "─": "-",
})  # fmt: skip


class PlainFile:
    """A text file that takes every character: those that it cannot write become plain ones, or question marks."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.encoding = file.encoding or "ascii"

    def write(self, text: str) -> int:
        plain = text.translate(PLAIN).encode(self.encoding, errors="replace").decode(self.encoding)
        return self.file.write(plain)

    def flush(self) -> None:
        self.file.flush()

    def isatty(self) -> bool:
        return self.file.isatty()

    def fileno(self) -> int:
        return self.file.fileno()


def has_unicode(file: TextIO) -> bool:
    try:
        "✓…".encode(file.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def student_console() -> Console:
    """The terminal, whatever characters it knows."""
    file = sys.stdout if has_unicode(sys.stdout) else PlainFile(sys.stdout)
    return Console(file=file, highlight=False, emoji=False)  # type: ignore[arg-type]


class Activity:
    """What is being done, while somebody waits: on a terminal a line that moves, elsewhere a line per exercise."""

    def __init__(self, status: Status | None, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.status = status
        self.titles: dict[str, str] = {}

    def tell(self, exercise: Exercise, event: Event | None) -> None:
        if self.status is None:
            if event is None and not self.quiet:  # on stderr: a file with the results has nothing else
                print(f"{exercise.name}: its tests run ...", file=sys.stderr, flush=True)
            return
        doing = "starting"
        if isinstance(event, Collected):
            self.titles = {criterion.id: criterion.title for criterion in event.criteria}
        elif isinstance(event, Started):
            doing = self.titles.get(event.id, event.id)
        elif not isinstance(event, Finished | Noticed) and event is not None:
            return
        self.status.update(f"{exercise.name}: {escape(doing)}")


@contextmanager
def activity(console: Console) -> Iterator[Activity]:
    in_notebook = "JPY_PARENT_PID" in os.environ  # Jupyter shows by itself that a cell runs
    if not console.is_terminal or in_notebook:
        yield Activity(None, quiet=in_notebook)
        return
    with console.status("", spinner="line") as status:
        yield Activity(status)


def print_checked(console: Console, checked: Checked, *, verbose: bool = False) -> None:
    """What passed, what did not, and what to look at first; one line where all is well."""
    exercise, result = checked.exercise, checked.result
    if checked.green and not verbose:
        progress = checked.progress
        since = "" if result else f", unchanged since {ago(progress.checked)}"
        console.print(
            f"[green]✓[/green] [bold]{exercise.name}[/bold]  all {len(progress.verdicts)} public criteria{since}"
        )
        _print_notes(console, checked)
        return
    console.print(f"\n[bold]{exercise.name}[/bold]  {escape(exercise.title)}{' (optional)' * exercise.optional}")
    if result is None:
        console.print(f"  [red]{escape(checked.fault)}[/red]" if checked.fault else "  Unchanged: --again runs it.")
        return
    first = first_to_mend(result)
    if result.problem:  # told once, and not for every criterion
        console.print(f"  [red]✗[/red] {escape(result.problem)}")
        _print_indented(console, checked.sources.get("", ""), 6)
    else:
        for one in result.criteria:
            print_criterion(console, one)
            if one is first or (verbose and not one.passed):
                print_explanation(console, checked, one)
    earned, possible = points_of(result.criteria)
    passed = sum(one.passed for one in result.criteria)
    console.print(f"  {passed} of {len(result.criteria)} public criteria, {earned} of {possible} points so far.")
    console.print(f"  {share(exercise, possible)}")
    others = [one for one in result.criteria if one.verdict in (Verdict.FAILED, Verdict.ERROR) and one is not first]
    if others and not verbose and not result.problem:
        console.print(f"  [dim]`grader check -v {exercise.name}` explains the others too.[/dim]")
    _print_notes(console, checked)


def print_criterion(console: Console, result: CriterionResult) -> None:
    mark, colour = MARKS.get(result.verdict, ("✗", "yellow"))
    verdict = "" if result.verdict in MARKS else f" ({result.verdict})"
    points = result.criterion.points if result.passed else 0
    title = f"{escape(result.criterion.title)}{verdict}"
    console.print(f"  [{colour}]{mark}[/{colour}] {title}  [dim]{points}/{result.criterion.points}[/dim]")


def print_explanation(console: Console, checked: Checked, result: CriterionResult, indent: int = 6) -> None:
    """What it asks, what was found, where, what the student's code printed, and a hint if it belongs there."""
    for text in explanation(checked, result):
        _print_indented(console, text, indent)


def explanation(checked: Checked, result: CriterionResult) -> Iterator[str]:
    criterion = result.criterion
    noticed = checked.noticed.get(criterion.id)
    yield criterion.sentence
    yield result.message
    place = result.line or (noticed.place if noticed else "")
    if place and place not in result.message and result.verdict is not Verdict.MISSING:
        yield f"It was in {place}:" if result.verdict is Verdict.TIMEOUT else f"In {place}:"
    if (source := checked.sources.get(criterion.id)) and result.verdict is not Verdict.MISSING:
        yield f"    {source}"
    if noticed and noticed.printed.strip():
        yield "\n".join(["Your code printed:", *_printed(noticed)])
    findings = checked.result.findings_of(criterion.id) if checked.result else ()
    for finding in findings:
        yield f"Probably: {explanation_of(finding)}"
    if hint := next(filter(None, map(hint_of, findings)), "") or shown_hint(result):
        yield f"Hint: {hint}"
        left = len(criterion.hints) - max(1, checked.progress.hints.get(criterion.id, 0))
        if left > 0:
            yield f"`grader hint {checked.exercise.name}` has {left} more."


def share(exercise: Exercise, public: int) -> str:
    """How much of the grade the public criteria are."""
    rest = f"{exercise.hidden_criteria} hidden criteria are graded by your teacher."
    if exercise.hidden_points is None or not public + exercise.hidden_points:
        return rest
    percent = round(100 * public / (public + exercise.hidden_points))
    return f"The public criteria are {percent} % of the grade; {rest}"


def print_next(console: Console, course: Course, progress: Progress, checked: Sequence[Checked]) -> None:
    """After all is green, what comes next."""
    if not checked or not all(one.green for one in checked):
        return
    following = next_exercise(course, progress)
    if following is None:
        console.print("next: nothing is left to write. The hidden criteria are your teacher's.")
    else:
        console.print(f"next: {following.name} ({escape(following.title)})")


def next_exercise(course: Course, progress: Progress) -> Exercise | None:
    """The first exercise that is not green; those that count for everybody come first."""
    left = [exercise for exercise in course.exercises if not progress.of(exercise).green]
    return next((exercise for exercise in left if not exercise.optional), next(iter(left), None))


def ago(when: datetime.datetime | None, now: datetime.datetime | None = None) -> str:
    """How long ago, in words."""
    if when is None:
        return "never"
    seconds = ((now or datetime.datetime.now(datetime.UTC)) - when).total_seconds()
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "a moment ago"


def points_line(progress: ExerciseProgress) -> str:
    return f"{progress.earned} of {progress.possible} points"


def _printed(noticed: Noticed) -> list[str]:
    lines = noticed.printed.rstrip().split("\n")
    shown = [f"    {line[:MAX_LINE]}{' …' * (len(line) > MAX_LINE)}" for line in lines[:MAX_LINES]]
    left = len(lines) - MAX_LINES
    if noticed.dropped:
        shown.append(f"    … and {noticed.dropped:,} characters more")
    elif left > 0:
        shown.append(f"    … and {left} lines more")
    return shown


def _print_notes(console: Console, checked: Checked) -> None:
    for note in checked.result.notes if checked.result else ():
        console.print(Padding(f"[dim]{escape(note)}[/dim]", (0, 0, 0, 2)))
    if not checked.kept:
        console.print("  [dim]Progress is not kept: the folder .grader of the course cannot be written.[/dim]")


def _print_indented(console: Console, text: str, indent: int) -> None:
    if text:
        console.print(Padding(escape(text), (0, 0, 0, indent)))
