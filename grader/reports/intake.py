"""What was found in a pile of submissions, for the terminal and as data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grader.course import Course
from grader.submissions import LAYOUTS
from grader.submissions.base import Submission, Unused
from grader.submissions.intake import Intake
from grader.text import printable_line

FORMAT = 1
WIDTH = 24  # columns for a student
WHAT_TO_DO = (
    "Ask the students, or decide: --mapping CSV (student,file,exercise) says what a\n"
    "file is, --accept-near-names takes all near names, and `grader grade` with\n"
    "--zero-unrecognised gives no points for what is open."
)
EXAMPLES = 3  # of files that count for nothing, for each reason
SYSTEM = "was left there by a program"


def as_document(intake: Intake) -> dict[str, Any]:
    """Everything, as docs/submissions.md specifies."""
    return {
        "format": FORMAT,
        "layout": intake.layout,
        "students": [_student(submission) for submission in intake.submissions],
        "unused": [{"student": one.student, "file": one.file, "reason": one.reason} for one in intake.unused],
        "absent": list(intake.absent),
        "not_on_roster": list(intake.strangers),
        "same": [{"exercise": one.exercise, "students": list(one.students)} for one in intake.same],
        "stubs": [{"student": student, "exercise": exercise} for student, exercise in intake.stubs],
    }


def _student(submission: Submission) -> dict[str, Any]:
    origin = submission.origin
    return {
        "id": submission.student,
        "name": origin.name,
        "group": list(origin.group),
        "submitted_at": origin.submitted_at,
        "attempt": origin.attempt,
        "files": origin.files,
        "helpers": {name: sorted(source.helpers) for name, source in submission.sources.items() if source.helpers},
        "question": origin.question,
        "questions": origin.questions,
        "notes": list(origin.notes),
    }


def print_intake(console: Console, intake: Intake, course: Course) -> None:
    """The summary, then each student, then what counts for nothing."""
    print_summary(console, intake)
    _print_students(console, intake, course)
    for submission in intake.submissions:
        for note in submission.origin.notes:
            console.print(f"  {_who(submission)}: {_safe(note)}", soft_wrap=True)
    if intake.unused:
        console.print("\n[bold]Files that count for nothing[/bold]")
        _print_unused(console, intake.unused)
    for same in intake.same:
        console.print(f"The same {same.exercise} came from: {_some(same.students)}", soft_wrap=True)


def print_summary(console: Console, intake: Intake) -> None:
    """What was found in a few lines, with the questions to the teacher first."""
    title = next(layout.title for layout in LAYOUTS if layout.name == intake.layout)
    if intake.questions:
        count = len({submission.student for submission in intake.questions})
        need = "1 student needs" if count == 1 else f"{count} students need"
        console.print(f"[bold]{need} a decision of yours[/bold] (no score until then)")
        for submission in intake.questions:
            _print_questions(console, submission)
        console.print(f"{WHAT_TO_DO}\n", soft_wrap=True)
    students = len({submission.student for submission in intake.submissions})
    files = sum(len(submission.origin.files) for submission in intake.submissions)
    console.print(f"Layout: {title}. {students} students, {files} files that count.")
    if intake.absent:
        console.print(f"Handed in nothing ({len(intake.absent)}): {_some(intake.absent)}", soft_wrap=True)
    if intake.strangers:
        console.print(f"Not on the roster ({len(intake.strangers)}): {_some(intake.strangers)}", soft_wrap=True)
    if intake.stubs:
        who = [f"{student} ({exercise})" for student, exercise in intake.stubs]
        console.print(f"Still the stub ({len(who)}): {_some(who)}", soft_wrap=True)


def _print_questions(console: Console, submission: Submission) -> None:
    """One line for each question: it may be the same for several exercises."""
    origin = submission.origin
    exercises: dict[str, list[str]] = {}
    for exercise, question in origin.questions.items():
        exercises.setdefault(question, []).append(exercise)
    if origin.question:
        console.print(f"  {_who(submission)}: {_safe(origin.question)}", soft_wrap=True)
    for question, names in exercises.items():
        console.print(f"  {_who(submission)}: {', '.join(names)}: {_safe(question)}", soft_wrap=True)


def _print_students(console: Console, intake: Intake, course: Course) -> None:
    """✓ a file counts, = the stub, ? a question, · nothing."""
    stubs = set(intake.stubs)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("student", no_wrap=True, max_width=WIDTH)
    for number, _ in enumerate(course.exercises, start=1):
        table.add_column(str(number), justify="center")
    table.add_column("handed in", no_wrap=True)
    for submission in intake.submissions:
        origin = submission.origin
        marks = [
            "?" if origin.question or e.name in origin.questions
            else "=" if (submission.student, e.name) in stubs
            else "✓" if e.name in origin.files else "·"
            for e in course.exercises
        ]  # fmt: skip
        table.add_row(_who(submission), *marks, escape(printable_line(origin.submitted_at or "", 19)))
    console.print(table)
    names = "  ".join(f"{number}\u00a0{exercise.name}" for number, exercise in enumerate(course.exercises, start=1))
    console.print(f"  {names}\n  ✓ counts   = still the stub   ? a question to you   · nothing handed in\n")


def _print_unused(console: Console, unused: tuple[Unused, ...]) -> None:
    """By reason, with a few examples; the JSON has all."""
    counts = Counter(one.reason for one in unused)
    for reason, count in sorted(counts.items(), key=lambda item: (item[0].startswith(SYSTEM), -item[1], item[0])):
        files = [
            one.file if not one.student else f"{one.student}: {one.file}" for one in unused if one.reason == reason
        ]
        more = f" and {count - EXAMPLES} more" if count > EXAMPLES else ""
        shown = ", ".join(_safe(file) for file in files[:EXAMPLES])
        console.print(f"  {_safe(reason)}: {shown}{more}", soft_wrap=True)


def _some(names: tuple[str, ...] | list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(_name(name) for name in names[:most]) + more


def _who(submission: Submission) -> str:
    """The id, and the name if it tells more."""
    name = submission.origin.name
    return _name(submission.student) + (f" ({_name(name)})" if name and name != submission.student else "")


def _name(name: str) -> str:
    return escape(printable_line(name, 40))


def _safe(text: str) -> str:
    return escape(printable_line(text, 300))
