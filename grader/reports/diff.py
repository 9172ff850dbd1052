"""What differs between two results, for the terminal (at 80 columns) and as a web page."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from grader.reports.words import SIGNS, counted
from grader.results.diff import (
    CriterionChange,
    CriterionDiff,
    Direction,
    ExerciseChange,
    Judged,
    Person,
    Reason,
    ResultsDiff,
    RunChange,
    StudentChange,
)
from grader.text import printable_line

SHOWN = 50  # students with every criterion in the terminal; the page and --json have all
NAME = 24  # columns for a student
NAMES = 12  # students in a list
REASONS = {
    Reason.FILE: "another file",
    Reason.OTHER_FILE: "file of another exercise",
    Reason.CRITERIA: "other criteria or points",
    Reason.JUDGING: "same file, judged otherwise",
    Reason.TRAINING: "without training",
    Reason.STAND_INS: "other stand-ins",
    Reason.DECISION: "a decision of yours",
    Reason.FAULT: "a fault of ours",
    Reason.COURSE: "other exercises or weights",
    Reason.UNKNOWN: "the results do not tell",
}
EXPLAINED = {
    Reason.FILE: "The student's file for the exercise is another one.",
    Reason.OTHER_FILE: "A file of the student for another exercise is another one, and this one may build on it.",
    Reason.CRITERIA: "The suites have other criteria now, or other points for them.",
    Reason.JUDGING: "The same files were judged otherwise: a test, the solution, the secret or the grader changed, "
    "or a time limit was near.",
    Reason.TRAINING: "Criteria that train a model were left out (--quick), or still to come, in one of the two runs.",
    Reason.STAND_INS: "Other modules of the course stood in for the student's own.",
    Reason.DECISION: "A question to the teacher was answered, or a new one is open.",
    Reason.FAULT: "A fault of the grader came or went.",
    Reason.COURSE: "The exercises, or what they weigh, are others.",
    Reason.UNKNOWN: "Neither file says it. The results have no hash of the student's file, or only one of them has.",
}
SIGN = {Direction.UP: "▲", Direction.DOWN: "▼", Direction.SAME: "=", Direction.SCORED: "●", Direction.UNSCORED: "○"}


def print_diff(console: Console, diff: ResultsDiff) -> None:
    """The summary, what changed in the tests, who moved, and then each of them with exercises and criteria."""
    for line in summary_lines(diff):
        console.print(escape(line))
    _print_criteria(console, diff)
    if not diff.moved:
        return
    _print_students(console, diff)
    for student in diff.moved[:SHOWN]:
        _print_student(console, student)
    if len(diff.moved) > SHOWN:
        console.print(f"\n… and {len(diff.moved) - SHOWN} others; --page and --json have all.")


def summary_lines(diff: ResultsDiff) -> list[str]:
    """How many moved and why, then what makes the two results hard to compare."""
    summary = diff.summary
    words = [f"{summary.up} up", f"{summary.down} down", f"{summary.same} the same"]
    words += [f"{summary.scored} without a score before"] * bool(summary.scored)
    words += [f"{summary.unscored} without a score now"] * bool(summary.unscored)
    lines = [f"{counted(summary.students, 'student')}: {', '.join(words)}."]
    if summary.reasons:
        reasons = "; ".join(f"{REASONS[Reason(name)]}: {count}" for name, count in summary.reasons.items())
        lines.append(f"Why they moved: {reasons}.")
    lines += [f"New: {_people(diff.added)}."] * bool(diff.added)
    lines += [f"No longer there: {_people(diff.removed)}."] * bool(diff.removed)
    unmoved = len(diff.students) - len(diff.moved)
    if unmoved:
        lines.append(f"The same score in spite of other verdicts or points: {counted(unmoved, 'student')}.")
    if diff.runs:
        lines.append(f"The two runs differ: {'; '.join(map(_run, diff.runs))}.")
    if diff.old_course != diff.new_course:
        lines.append(f"Two courses: {_line(diff.old_course, 60)} and {_line(diff.new_course, 60)}.")
    for which, exercises in (("old", diff.only_old), ("new", diff.only_new)):
        if exercises:
            names = ", ".join(_line(name, 40) for name in exercises)
            lines.append(f"Only the {which} results have: {names}. The totals are of other exercises.")
    for which, provisional in (("old", diff.old_provisional), ("new", diff.new_provisional)):
        if provisional:
            lines.append(f"The {which} results are provisional: criteria that train a model are still to come.")
    return lines


def diff_page(diff: ResultsDiff) -> str:
    """The same as one page of HTML, with all students."""
    from grader.reports.pages import render_page

    told = {reason for student in diff.students for reason in student.reasons}
    told |= {reason for student in diff.students for exercise in student.exercises for reason in exercise.reasons}
    return render_page(
        "diff.html.jinja",
        style="style.css",
        diff=diff,
        lines=summary_lines(diff)[1:],
        unmoved=[student for student in diff.students if not student.moved],
        reasons=REASONS,
        explained={reason: text for reason, text in EXPLAINED.items() if reason in told},
        signs=SIGNS,
        sign=SIGN,
        score=score_text,
        change=change_text,
        declared=declared_text,
        counted=counted,
    )


def score_text(score: float | None) -> str:
    """Two decimals where there are two: a change of a hundredth is a change."""
    return "–" if score is None else f"{score:.1f}" if round(score, 1) == score else f"{score:.2f}"


def change_text(change: StudentChange | ExerciseChange) -> str:
    """``+12.5`` or ``−3.25``; nothing where a side has no score."""
    if change.old_score is None or change.new_score is None:
        return ""
    difference = round(change.new_score - change.old_score, 2)
    return f"{'+' if difference > 0 else '−' if difference < 0 else '±'}{score_text(abs(difference))}"


def declared_text(criterion: CriterionDiff) -> str:
    """What became of a criterion in its suite."""
    if criterion.points_before is None:
        return f"new, {counted(criterion.points_after or 0, 'point')}"
    if criterion.points_after is None:
        return f"gone, {counted(criterion.points_before, 'point')}"
    if criterion.declared_otherwise:
        return f"points {criterion.points_before} → {criterion.points_after}"
    return ""


def _print_criteria(console: Console, diff: ResultsDiff) -> None:
    if not diff.criteria:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("exercise", max_width=20, overflow="fold")
    table.add_column("criterion", overflow="fold", ratio=1)
    table.add_column("now pass", justify="right", no_wrap=True)
    table.add_column("no longer", justify="right", no_wrap=True)
    table.add_column("in the suite", no_wrap=True)
    for one in diff.criteria:
        table.add_row(
            escape(_line(one.exercise, 40)),
            f"{escape(_line(one.id, 60))}{' (hidden)' * one.hidden}",
            str(one.now_pass or "·"),
            str(one.no_longer_pass or "·"),
            declared_text(one) or "·",
        )
    console.print("\n[bold]Where[/bold] (students)")
    console.print(table)


def _print_students(console: Console, diff: ResultsDiff) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("student", no_wrap=True, max_width=NAME)
    table.add_column("", no_wrap=True)
    table.add_column("old", justify="right", no_wrap=True)
    table.add_column("new", justify="right", no_wrap=True)
    table.add_column("change", justify="right", no_wrap=True)
    table.add_column("why", ratio=1)
    for student in diff.moved:
        table.add_row(
            escape(_line(student.id, NAME)),
            SIGN[student.direction],
            score_text(student.old_score),
            score_text(student.new_score),
            change_text(student),
            ", ".join(REASONS[reason] for reason in student.reasons),
        )
    console.print("[bold]Who[/bold]")
    console.print(table)


def _print_student(console: Console, student: StudentChange) -> None:
    name = f"  {escape(_line(student.name, 40))}" if student.name and student.name != student.id else ""
    scores = f"{score_text(student.old_score)} → {score_text(student.new_score)}"
    console.print(f"\n[bold]{escape(_line(student.id, 40))}[/bold]{name}  {scores}", soft_wrap=True)
    for exercise in student.exercises:
        why = ", ".join(REASONS[reason] for reason in exercise.reasons)
        moved = f"{score_text(exercise.old_score)} → {score_text(exercise.new_score)}"
        console.print(Padding(f"{escape(_line(exercise.name, 40))}  {moved}  [dim]{why}[/dim]", (0, 0, 0, 2)))
        for change in exercise.criteria:
            text = f"{_line(change.id, 60)}{' (hidden)' * change.hidden}: {criterion_text(change)}"
            console.print(Padding(escape(text), (0, 0, 0, 4)))


def criterion_text(change: CriterionChange) -> str:
    """``failed → passed, points 1 → 3``."""
    if change.before is None and change.after is not None:
        return f"new: {_judged(change.after)}"
    if change.after is None and change.before is not None:
        return f"gone: was {_judged(change.before)}"
    before, after = change.before, change.after
    assert before is not None and after is not None
    words = []
    if before.verdict is not after.verdict:
        words.append(f"{before.verdict} → {after.verdict}")
    else:
        words.append(str(after.verdict))
    if before.points != after.points:
        words.append(f"points {before.points} → {after.points}")
    return ", ".join(words)


def _judged(side: Judged) -> str:
    return f"{side.verdict}, {counted(side.points, 'point')}"


def _run(change: RunChange) -> str:
    if change.what == "secret":
        return "another secret, so other hidden inputs"
    if change.what == "quick":
        return f"only the {'old' if change.before == 'yes' else 'new'} one is --quick"
    return f"{change.what} {_line(change.before, 30)} → {_line(change.after, 30)}"


def _people(people: tuple[Person, ...]) -> str:
    more = f" and {len(people) - NAMES} others" if len(people) > NAMES else ""
    return ", ".join(_line(person.id, 40) for person in people[:NAMES]) + more


def _line(text: str, limit: int) -> str:
    return printable_line(text, limit)
