"""One schema: what is written is what is read, and older files can be read too."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import load_course
from grader.errors import ResultsError
from grader.results.records import (
    Criterion,
    CriterionResult,
    Diagnosis,
    ExerciseResult,
    Finding,
    Kind,
    StudentResult,
    Verdict,
)
from grader.results.schema import Confinement, Origin, as_json, load_results, make_results, read_results


def criterion(number, verdict, points):
    return CriterionResult(
        criterion=Criterion(
            id=f"c{number}", title=f"C{number}", kind=Kind.VALUE, points=points, hint="h", sentence="s", timeout=1.0,
            hidden=bool(number % 2),
        ),
        verdict=verdict, message="m", line="a.py:1",
    )  # fmt: skip


FINDINGS = (
    Finding(mistakes=(Diagnosis(id="d", explanation="e.", hint="f.", severity=20),), criteria=("c0", "c1")),
    Finding(
        mistakes=tuple(Diagnosis(id=id_, explanation="e.", hint="f.") for id_ in "gh"), criteria=("c0",), likeness=True
    ),
)
criteria = st.lists(st.tuples(st.sampled_from(Verdict), st.integers(1, 5)), max_size=4)
origins = st.builds(
    Origin, name=st.text(max_size=5), group=st.lists(st.text(max_size=3), max_size=2).map(tuple),
    submitted_at=st.none() | st.just("2026-11-17T23:25:13+00:00"), attempt=st.none() | st.integers(1, 9),
    notes=st.lists(st.text(max_size=9), max_size=2).map(tuple), files=st.just({"addition": "s01/addition.py"}),
)  # fmt: skip


@given(st.lists(st.tuples(criteria, criteria, origins, st.text(max_size=3)), max_size=3), st.booleans())
def test_what_is_written_is_read(tiny_course, students, provisional):
    results = [
        StudentResult(
            id=f"s{n}",
            exercises=tuple(
                ExerciseResult(
                    name=name,
                    fault=fault,
                    problem=fault,
                    notes=(fault,) * len(found),
                    criteria=tuple(criterion(i, *one) for i, one in enumerate(found)),
                    findings=FINDINGS,
                    explained=provisional,
                )
                for name, found in (("addition", first), ("doubling", second))
            ),
        )
        for n, (first, second, _, fault) in enumerate(students)
    ]
    known = {f"s{n}": origin for n, (_, _, origin, _) in enumerate(students)}
    written = make_results(tiny_course, results, Confinement(level="process"), known, provisional=provisional)
    read = read_results(as_json(written).encode(), "here")
    assert read == written
    assert as_json(read) == as_json(written)
    for student in read.students:
        for exercise in student.exercises:
            assert (exercise.weight, exercise.optional) == (1.0 if exercise.name == "addition" else 3.0, False)
            judged = [c for c in exercise.criteria if c.verdict is not Verdict.GRADER_FAULT]
            assert exercise.points_possible == sum(c.points for c in judged)
            assert exercise.points_earned == sum(c.points for c in judged if c.verdict is Verdict.PASSED)


@pytest.fixture(scope="module")
def tiny_course(tmp_path_factory):
    from tests.grader.conftest import MANIFEST, write

    return load_course(write(tmp_path_factory.mktemp("course") / "course.toml", MANIFEST))


def test_a_graded_class_says_where_files_came_from(tiny, grader, tmp_path):
    for name in ("s01/addition.py", "s02/exercises/addition/addition.py"):
        path = tmp_path / "submissions" / name
        path.parent.mkdir(parents=True)
        path.write_text("def add(a, b):\n    return a + b\n")
    out = tmp_path / "out"
    result = grader("grade", tmp_path / "submissions", "--out", out, "--course", tiny, "--exercise", "addition")
    assert result.exit_code == 0, result.output
    found = load_results(out)
    assert [s.exercises[0].origin for s in found.students] == ["s01/addition.py", "s02/exercises/addition/addition.py"]
    assert [(e.points_earned, e.points_possible, e.title) for s in found.students for e in s.exercises] == [
        (4, 4, "One and one")
    ] * 2
    assert not found.provisional
    assert as_json(found) == (out / "results.json").read_text()


OLD = {
    "format": 1, "course": "Tiny", "confinement": {"level": "landlock", "layers": {"seccomp": None}},
    "students": [
        {"id": "s01", "score": 50.0, "exercises": [
            {"name": "ctc", "score": 50.0, "verdict": "failed", "stand_ins": [], "criteria": [
                {"id": "c1", "title": "C", "kind": "value", "points": 1, "hidden": False, "verdict": "failed",
                 "message": "m", "line": "", "hint": "h", "diagnosis": None, "misconceptions": []}]}]}],
}  # fmt: skip


def test_files_from_before_the_new_keys_can_be_read():
    results = read_results(json.dumps(OLD).encode(), "here")
    (student,) = results.students
    assert (student.score, student.name, student.attempt) == (50.0, "", None)
    assert (student.exercises[0].problem, student.exercises[0].notes) == ("", ())
    assert student.exercises[0].criteria[0].message == "m"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not a results file"),
        (b'{"format": 2, "course": "", "students": []}', "found 2"),
        (b"[]", "not a results file"),
    ],
)
def test_what_is_not_a_results_file_is_told(content, words):
    with pytest.raises(ResultsError, match="here: ") as caught:
        read_results(content, "here")
    assert words in str(caught.value)
