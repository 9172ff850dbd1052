"""A class ten times as large costs ten times as much: counted in work and in memory, not in seconds.

`python benchmarks/scaling.py` measures the same in seconds, with real judges.
"""

import gc
import sys
import tracemalloc
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec.structs import replace

from grader.course import load_course
from grader.exports import FORMATS
from grader.exports.base import Options
from grader.grading.attempts import Attempted
from grader.grading.run import ClassRun
from grader.grading.settings import Settings
from grader.reports.write import write_pages
from grader.results import schema
from grader.results.adjustments import Adjustment, adjusted
from grader.results.gradebook import open_gradebook
from grader.results.keeping import add_to
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, Verdict
from grader.results.schema import GradedExercise, GradedStudent, Results
from grader.submissions.intake import read_class
from grader.submissions.tree import Member, Tree
from tests.grader.conftest import make_tiny, write


class Word(str):
    """A string that counts how often it is compared."""

    compared: ClassVar[list[int]] = [0]

    def __eq__(self, other):
        self.compared[0] += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def comparisons(work):
    before = Word.compared[0]
    work()
    return Word.compared[0] - before


class Invented:
    """A backend that knows the results: every third submission is wrong, and its message is its own."""

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        pass

    def judge(self, works):
        for work in works:
            number = int(work.student[1:])
            verdict = Verdict.FAILED if number % 3 == 0 else Verdict.PASSED
            yield work, ExerciseResult(name=work.task.exercise, criteria=tuple(self.criteria(number, verdict)))

    def criteria(self, number, verdict):
        for place in range(4):
            criterion = Criterion(
                id=f"test_{place}", title="A title " + "that is long " * 5, kind=Kind.VALUE, points=1,
                hint="Think. " * 9, sentence="What it looks at. " * 5, timeout=1.0, hidden=False,
            )  # fmt: skip
            own = verdict if place == 0 else Verdict.PASSED
            message = f"differs for {number % 7}" if own is Verdict.FAILED else ""
            yield CriterionResult(criterion=criterion, verdict=own, message=message)


def make_class(folder, size):
    for number in range(size):
        write(folder / f"s{number:05}/addition.py", f"def add(a, b):\n    return a + b  # {number}\n")
    return folder


def grade(folder: Path, size: int) -> Results:
    """Everything from the files to the pages and exports, but for the judging."""
    course = load_course(make_tiny(folder / "course") / "course.toml")
    chosen = course.select(("addition",))
    settings = Settings(course=course, exercises=chosen, seed="1", jobs=1, layers=None)
    attempted = Attempted(read_class(make_class(folder / "class", size), course).submissions)
    with open_gradebook(folder / "out") as gradebook:
        run = ClassRun(settings, attempted.submissions, gradebook, Invented())
        run.judge_short(lambda work: None)
        run.judge_long(lambda work: None)
    results = attempted.results(course, run.students(), settings.confinement, provisional=False)
    (folder / "out" / schema.FILE_NAME).write_bytes(b"".join(schema.results_json(results)))
    write_pages(schema.load_results(folder / "out"), folder / "out")
    for name in ("csv", "json", "junit", "gradescope"):
        FORMATS[name].export(results, Options(out=folder / name))
    return results


def calls(work) -> int:
    """How many functions are called, Python's own included."""
    count = 0

    def look(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    gc.disable()  # what it calls, and when, depends on all that ran before
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def test_the_same_work_for_each_submission_whatever_the_size_of_the_class(tmp_path):
    grade(tmp_path / "warm", 10)  # templates are compiled, modules imported
    counted = {size: calls(lambda size=size: grade(tmp_path / str(size), size)) for size in (60, 120, 240)}
    first, second = (counted[120] - counted[60]) / 60, (counted[240] - counted[120]) / 120
    assert second < 1.05 * first, counted


def test_nothing_is_searched_in_a_list_once_for_each_student():
    """A search in a list calls no function, so it is seen in comparisons only."""

    def compared(size):
        names = [f"s{number}" for number in range(size)]
        members = tuple(Member(parts=(Word(name), "a.py"), read_bytes=lambda limit: b"") for name in names)
        tree = Tree(path=Path(), kind="folder", members=members, folders=frozenset((Word(n),) for n in names))
        exercise = GradedExercise(name="a", verdict=Verdict.PASSED, criteria=(), score=100.0, points_possible=1)
        students = tuple(GradedStudent(id=Word(name), exercises=(exercise,)) for name in names)
        old = Results(format=1, course="c", students=students)
        new = replace(old, students=tuple(replace(s, id=Word(s.id)) for s in students[::2]))
        by_hand = [
            Adjustment(number=n, at="", because="", exercise="a", student=Word(name), add=1)
            for n, name in enumerate(names)
        ]
        return comparisons(
            lambda: (
                tree.only([Word(name) for name in names]),
                add_to(old, new, everybody=False, digests={}),
                adjusted(old, by_hand),
            )
        )

    assert 0 < compared(400) < 2.2 * compared(200)


@pytest.mark.parametrize("size", [0, 1, 3])
def test_results_written_a_student_at_a_time_are_the_same_file(size, tmp_path):
    results = grade(tmp_path, 3)
    odd = '\n"]}, [\\ \u2028 é []'
    students = tuple(replace(student, name=odd, notes=(odd,)) for student in results.students[:size])
    results = replace(results, course=odd, students=students)
    assert b"".join(schema.results_json(results)).decode() == schema.as_json(results)


def test_what_students_share_is_in_memory_once_and_the_file_never(tmp_path):
    results = grade(tmp_path, 210)
    criteria = [criterion for student in results.students for criterion in student.exercises[0].criteria]
    assert len(criteria) == 840
    assert len({id(criterion) for criterion in criteria}) == 4 + 7, "passed ones, and the failed one with each message"
    whole = (tmp_path / "out" / schema.FILE_NAME).stat().st_size
    tracemalloc.start()
    try:
        for _ in schema.results_json(results):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < whole / 10
