"""Results of a small class, as `grader grade` writes them."""

import pytest

from grader.results.records import Kind, Verdict
from grader.results.schema import Confinement, GradedCriterion, GradedExercise, GradedStudent, Results, as_json
from tests.grader.conftest import MANIFEST


def criterion(name, verdict=Verdict.PASSED, points=2, hidden=False, message="", hint=""):
    return GradedCriterion(
        id=name, title=name.capitalize(), kind=Kind.VALUE, points=points, hidden=hidden, verdict=verdict,
        message=message, hint=hint,
    )  # fmt: skip


def exercise(name, score, *criteria, title="", origin="", optional=False, verdict=None, **more):
    verdict = verdict or (Verdict.PASSED if score == 100 else Verdict.FAILED)
    possible = [c.points for c in criteria if c.verdict is not Verdict.GRADER_FAULT]
    earned = [c.points for c in criteria if c.verdict is Verdict.PASSED]
    return GradedExercise(
        name=name, score=score, verdict=verdict, criteria=criteria, title=title or name.capitalize(), origin=origin,
        optional=optional, points_earned=sum(earned), points_possible=sum(possible), **more,
    )  # fmt: skip


def student(id, score, *exercises, **more):  # noqa: A002
    return GradedStudent(id=id, score=score, exercises=exercises, **more)


def results_of(*students, **more):
    return Results(format=1, course="Tiny", confinement=Confinement(level="landlock"), students=students, **more)


def simple(id, score, **more):  # noqa: A002
    """A student with one exercise and the same score in it."""
    verdict = Verdict.PASSED if score == 100 else Verdict.FAILED
    return student(id, score, exercise("addition", score, criterion("small", verdict)), **more)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write results as a file, and say where; the course is here."""
    (tmp_path / "course.toml").write_text(MANIFEST)
    monkeypatch.chdir(tmp_path)

    def write(*students, **more):
        path = tmp_path / "results.json"
        path.write_text(as_json(results_of(*students, **more)))
        return path

    return write
