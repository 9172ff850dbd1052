"""The page of a class, for its teacher: whom to look at first, the table, and who failed alike."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from grader.files import safe_name
from grader.reports.items import sentence
from grader.reports.pages import render_page
from grader.reports.words import KINDS, SIGNS, counted, score_text
from grader.results.distribution import Distribution, bin_of, course_distribution, distributions
from grader.results.groups import ErrorGroup, Groups, error_groups
from grader.results.records import Verdict
from grader.results.review import STANDING_OUT, reviews, slowest, standing_out, verdict_counts
from grader.results.schema import GradedExercise, GradedStudent, Results
from grader.results.statistics import SUSPICIOUS, ClassItems, class_items

FILE_NAME = "class.html"
STUDENTS = "students"  # the folders beside the page
GROUPS = "groups"
SHOWN_GROUPS = 100  # each group has its file; the page shows the largest
SHOWN_NAMES = 24  # as links; the list to copy has all
FLAGS = {
    "negative_discrimination": "better students fail it",
    "nobody_passed": "nobody passed",
    "everybody_passed": "everybody passed",
}


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A score in the table."""

    text: str
    shade: str  # s0 (low) to s5, s6 (full), or "absent" where nothing was handed in
    letters: str  # of the verdicts that are not "passed"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    page: str
    total: Cell
    cells: tuple[Cell, ...]
    final: Cell
    remarks: str


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar of a histogram, in the units of its picture."""

    x: int
    y: float
    height: float
    count: int
    label: str


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A histogram, and the same in words."""

    distribution: Distribution
    bars: tuple[Bar, ...]
    words: str


class ShownGroup(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    group: ErrorGroup
    names: tuple[tuple[str, str], ...]  # (name, page) of the first students
    ids: str  # one a line
    unlisted: int  # students whose id cannot stand in a list
    command: str


def render(results: Results, *, groups: Groups | None = None, folder: str = "FOLDER", similar: str = "") -> str:
    """The page as HTML; ``folder`` is where it will stand, as a command names it.

    ``similar`` is the page on submissions that have much in common, if there is one beside it.
    """
    groups = error_groups(results) if groups is None else groups
    statistics = class_items(results)
    known = {student.id: student for student in results.students}
    exercises = results.students[0].exercises if results.students else ()
    return render_page(
        "class_page.html.jinja",
        style="style.css",
        script="class_page.js",
        results=results,
        exercises=exercises,
        similar=similar,
        has_final=any(student.final is not None for student in results.students),
        rows=[_row(student) for student in results.students],
        reviews=reviews(results),
        course_chart=chart(course_distribution(results)),
        charts=[chart(distribution) for distribution in distributions(results)],
        groups=[shown_group(n, g, known, folder) for n, g in enumerate(groups.groups[:SHOWN_GROUPS], start=1)],
        more_groups=groups.groups[SHOWN_GROUPS:],
        alone=groups.alone,
        statistics=statistics,
        suspicious=_suspicious(statistics),
        misconceptions=_misconceptions(results),
        verdicts=verdict_counts(results),
        standing_out=standing_out(results),
        slowest=slowest(results),
        known=known,
        signs=SIGNS,
        kinds=KINDS,
        flags=FLAGS,
        page_of=page_of,
        label=label,
        score_text=score_text,
        counted=counted,
        shown_names=SHOWN_NAMES,
    )


def page_of(student: GradedStudent) -> str:
    """Where the page of a student stands, seen from the page of the class."""
    return f"{STUDENTS}/{safe_name(student.id)}.html"


def label(student: GradedStudent) -> str:
    """The name of a student in a list: not longer than fits."""
    text = student.name or student.id or "(no name)"
    return text if len(text) <= 60 else f"{text[:58]}…"


def id_list(group: ErrorGroup) -> str:
    """What `grader grade --students` reads: an id a line. One that is more than a line would name somebody else."""
    return "".join(f"{id_}\n" for id_ in group.students if id_.splitlines() == [id_.strip()])


def command(exercise: str, number: int, folder: str) -> str:
    """What grades the students of a group again, and nobody else."""
    file = f"{folder.rstrip('/')}/{GROUPS}/{number}.txt"
    return f"grader grade SUBMISSIONS --out FOLDER --exercise {shlex.quote(exercise)} --students {shlex.quote(file)}"


def shown_group(number: int, group: ErrorGroup, known: Mapping[str, GradedStudent], folder: str) -> ShownGroup:
    students = [known[id_] for id_ in group.students[:SHOWN_NAMES]]
    return ShownGroup(
        number=number,
        group=group,
        names=tuple((label(student), page_of(student)) for student in students),
        ids=(ids := id_list(group)).rstrip("\n"),
        unlisted=len(group.students) - ids.count("\n"),
        command=command(group.exercise, number, folder),
    )


def chart(distribution: Distribution) -> Chart:
    """Bars 20 wide in a picture of 220 by 64; the highest bar reaches the top."""
    top = max(distribution.bins, default=0) or 1
    bars = []
    for number, count in enumerate(distribution.bins):
        height = round(60 * count / top, 1) if count else 0.0
        bars.append(Bar(x=20 * number, y=64 - height, height=height, count=count, label=_range(number)))
    words = ", ".join(f"{bar.label}: {bar.count}" for bar in bars if bar.count) or "nobody has a score"
    return Chart(distribution=distribution, bars=tuple(bars), words=f"Students by score. {words}.")


def _range(number: int) -> str:
    return "100" if number == 10 else f"{10 * number} to {10 * number + 9}"


def _row(student: GradedStudent) -> Row:
    return Row(
        id=student.id if student.name and student.name != student.id else "",
        name=label(student),
        page=page_of(student),
        total=_cell(student.score, ()),
        cells=tuple(_exercise_cell(exercise) for exercise in student.exercises),
        final=_cell(student.final, ()),
        remarks=_remarks(student),
    )


def _exercise_cell(exercise: GradedExercise) -> Cell:
    found = {criterion.verdict for criterion in exercise.criteria}
    if exercise.fault:
        found.add(Verdict.GRADER_FAULT)
    if exercise.left_out:
        return Cell(text="–", shade="absent", letters=SIGNS[Verdict.MISSING].letter)
    if exercise.verdict is Verdict.MISSING:
        return Cell(text=score_text(exercise.score), shade="absent", letters=SIGNS[Verdict.MISSING].letter)
    return _cell(exercise.score, [verdict for verdict in Verdict if verdict in found])


def _cell(score: float | None, verdicts: Sequence[Verdict]) -> Cell:
    return Cell(
        text=score_text(score),
        shade="" if score is None else f"s{(bin_of(score) + 1) // 2 if score < 100 else 6}",
        letters="".join(SIGNS[verdict].letter for verdict in verdicts if verdict is not Verdict.PASSED),
    )


def _remarks(student: GradedStudent) -> str:
    """``missing: attention; ctc: 3 × out of time``: what the scores do not tell."""
    absent = [e.name for e in student.exercises if e.verdict is Verdict.MISSING and not e.left_out and not e.question]
    remarks = [f"missing: {', '.join(absent)}"] if absent else []
    remarks += [f"{exercise.name}: a question to you" for exercise in student.exercises if exercise.question]
    remarks += [f"{exercise.name}: {words}" for exercise in student.exercises for words in exercise.adjustments]
    remarks += student.policy
    for exercise in student.exercises:
        counts = Counter(criterion.verdict for criterion in exercise.criteria)
        worst = next((verdict for verdict in STANDING_OUT if counts[verdict]), None)
        if exercise.fault:
            remarks.append(f"{exercise.name}: fault of ours")
        elif exercise.problem:
            remarks.append(f"{exercise.name}: {exercise.problem}")
        elif worst:
            remarks.append(f"{exercise.name}: {counts[worst]} × {SIGNS[worst].short}")
    return "; ".join(remarks)


def _suspicious(statistics: ClassItems) -> list[tuple[str, str, str]]:
    """(exercise, title, sentence) of every criterion that deserves a look."""
    return [
        (exercise.name, item.title, sentence(item, flag))
        for exercise in statistics.exercises
        for item in exercise.items
        for flag in item.flags
        if flag in SUSPICIOUS
    ]


def _misconceptions(results: Results) -> list[tuple[str, str, str, list[GradedStudent]]]:
    """(exercise, mistake, its words, who has it), the most frequent first; what nothing tells apart is one mistake."""
    found: dict[tuple[str, str], list[GradedStudent]] = {}
    words: dict[tuple[str, str], str] = {}
    for student in results.students:
        for exercise in student.exercises:
            of_student = (mistake for c in exercise.criteria for mistake in exercise.mistakes_of(c))
            for name, text in {mistake.name: mistake.words for mistake in of_student}.items():
                found.setdefault((exercise.name, name), []).append(student)
                words.setdefault((exercise.name, name), text)
    ranked = sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [(exercise, mistake, words.get((exercise, mistake), ""), who) for (exercise, mistake), who in ranked]
