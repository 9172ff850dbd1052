"""Implementations that student's tests may ask by data, and the exercise that is made of them, confined."""

import shutil
from pathlib import Path

import pytest

from exercises.edit_distance_tests.questions import checked
from grader.course import find_course
from grader.course.misconceptions import load_misconceptions
from grader.judge import Mismatch
from grader.judge.processes.task import Task
from grader.judge.processes.warm import WarmJudge
from grader.judge.suite.implementations import (
    Trials,
    answering,
    from_source,
    right_implementations,
    wrong_implementations,
)
from grader.judge.transports.inprocess import InProcessTransport
from grader.results.records import Verdict
from grader.results.scoring import exercise_score
from grader.sandbox.layers import find_layers

COURSE = find_course(Path(__file__).parent)
NAME = "edit_distance_tests"
STUB = (COURSE.root / f"exercises/{NAME}/{NAME}.py").read_text(encoding="utf-8")
GIVEN = STUB[: STUB.index("def test_edit_distance")]


def code(text):
    return from_source("made_up", text).load()


def test_answers_are_data_whatever_happens():
    call = answering(code("def edit_distance(a, b, **costs):\n    return (a, b, costs)[costs['insert']]\n"), checked)
    assert call("edit_distance", ["ab", [1, None]], {"insert": 1}) == ("value", [1, None])
    assert call("edit_distance", ["ab", "c"], {"insert": 7}) == ("raises", "IndexError", "tuple index out of range")
    assert call("edit_distance", ["ab", "c"], {}) == ("raises", "KeyError", "'insert'")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((), "is asked as call(function, [source, target], costs)"),
        (("__import__", ["a", "b"], {}), "it has edit_distance, edit_table, alignment, word_error_rate."),
        ((["edit_distance"], ["a", "b"], {}), "is asked as"),
        (("edit_distance", ["a"], {}), "takes two sequences"),
        (("edit_distance", "ab", {}), "takes two sequences"),
        (("edit_distance", ["a", {}], {}), "up to 60 items"),
        (("edit_distance", ["a" * 61, ""], {}), "up to 60 items"),
        (("edit_distance", [["a" * 21], ""], {}), "strings of up to 20 characters"),
        (("edit_distance", [[["a"]], ""], {}), "Items are numbers"),
        (("edit_distance", [[(((((),),),),)], ""], {}), "Items are numbers"),
        (("edit_distance", [[10**5000], ""], {}), "Items are numbers"),
        (("edit_distance", ["a", "b"], {"known": 1}), "takes the costs insert, delete, substitute"),
        (("edit_distance", ["a", "b"], {"insert": "1"}), "A cost is a number up to 1,000,000."),
        (("edit_distance", ["a", "b"], {"insert": float("nan")}), "A cost is a number"),
        (("edit_distance", ["a", "b"], {"insert": 10**400}), "A cost is a number"),
        (("word_error_rate", ["a" * 201, ""], {}), "texts of up to 200 characters"),
        (("word_error_rate", [["a"], ""], {}), "texts of up to 200 characters"),
        (("word_error_rate", ["a", ""], {"insert": 1}), "takes no costs"),
    ],
)
def test_what_no_implementation_could_take_is_objected_to(asked, words):
    call = answering(code("def edit_distance(*_, **__): raise SystemExit"), checked)
    with pytest.raises(Mismatch) as caught:
        call(*asked)
    assert words in str(caught.value) and words in caught.value.summary


def test_nobody_asks_for_ever():
    call = answering(code("def edit_distance(a, b): return 0"), checked)
    for _ in range(2000):
        call("edit_distance", ["", ""], {})
    with pytest.raises(Mismatch, match="more than 2000 times"):
        call("edit_distance", ["", ""], {})


def test_an_implementation_is_made_anew_for_every_run():
    remembering = from_source("r", "seen = []\ndef edit_distance(a, b):\n    seen.append(a)\n    return len(seen)\n")
    for _ in range(2):
        assert answering(remembering.load(), checked)("edit_distance", ["", ""], {}) == ("value", 1)


def test_every_known_mistake_can_be_applied():
    exercise = COURSE.exercise("edit_distance")
    ids = [mistake.id for mistake in load_misconceptions(COURSE.bank(exercise))]
    assert [wrong.name for wrong in wrong_implementations(COURSE, exercise, ids)] == ids
    assert right_implementations(COURSE, exercise)[0].name == "edit_distance"


def test_each_implementation_is_tried_once_for_each_submission():
    class Session:
        transport = InProcessTransport(COURSE.exercise(NAME), {})

    class FakeStudent:
        def __init__(self, session, answer):
            self._session, self.answer, self.runs = session, answer, 0

        def run(self, call):
            self.runs += 1
            return self.answer

    trials, session, one = Trials(checked), Session(), from_source("one", "")
    first, again, other = FakeStudent(session, ["a\x1b"]), FakeStudent(session, []), FakeStudent(Session(), [])
    assert trials.failures(first, one) == trials.failures(again, one) == (r"a\x1b",)
    assert (first.runs, again.runs) == (1, 0)
    assert trials.failures(other, one) == ()
    for nonsense in (None, {"a": 1}, "test_a", [1], [["a"]]):
        with pytest.raises(Mismatch, match="run must return the list"):
            trials.failures(FakeStudent(Session(), nonsense), one)


# The exercise as students have it: without the solution


@pytest.fixture
def released(tmp_path):
    """A course of these two exercises, in which a student has written both."""
    manifest = (COURSE.root / "course.toml").read_text(encoding="utf-8")
    tables = manifest.split("[[exercise]]")
    (tmp_path / "course.toml").write_text("[[exercise]]".join(tables[:3]), encoding="utf-8")
    for name in ("edit_distance", NAME):
        exercise = COURSE.exercise(name)
        (tmp_path / "exercises" / name).mkdir(parents=True)
        shutil.copy(COURSE.public_suite(exercise), tmp_path / "exercises" / name)
    shutil.copy(COURSE.root / f"exercises/{NAME}/questions.py", tmp_path / "exercises" / NAME)
    for name in ("edit_distance", NAME):
        exercise = COURSE.exercise(name)
        shutil.copy(COURSE.solution(exercise), tmp_path / "exercises" / name)
    return tmp_path


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (None, "all 3 public criteria"),
        ("raise OSError('oh')", "Your edit_distance.py, on which your tests are tried here, cannot be imported (oh)."),
        ("def edit_distance(a, b, **_):\n    return 5\n", "These tests fail on your own edit_distance.py (one of the"),
    ],
)
def test_students_try_their_tests_on_their_own_implementation(released, grader, own, words):
    if own:
        (released / "exercises/edit_distance/edit_distance.py").write_text(own)
    result = grader("check", NAME, "--course", released)
    assert words in " ".join(result.output.split())
    assert result.exit_code == bool(own)


# The exercise, confined as for a class


@pytest.fixture(scope="module")
def judge():
    judge = WarmJudge(COURSE, [COURSE.exercise(NAME)], find_layers())
    yield lambda text: judge.grade(Task(exercise=NAME, sources={NAME: (f"{NAME}.py", text.encode())}))
    judge.close(now=True)


REMEMBERS = """
first = []


def test_as_before(implementation):
    answers = [implementation.edit_distance("abc"[:i], "bcab"[i:], insert=2, delete=3) for i in range(4)]
    first.append(answers)
    assert answers == first[0]
"""
WRITES = """
import json, pathlib, tempfile


def test_as_before(implementation):
    answers = [implementation.edit_distance("abc"[:i], "bcab"[i:], insert=2, delete=3) for i in range(4)]
    for folder in (tempfile.gettempdir(), "/tmp", "/dev/shm", "."):
        try:
            file = pathlib.Path(folder) / "first.json"
            if not file.exists():
                file.write_text(json.dumps(answers))
            first = json.loads(file.read_text())
        except OSError:
            continue
        assert first == answers
"""


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ("", "they assert nothing about what is answered"),
        ("def test_a(implementation):\n    assert True\n", "they assert nothing about what is answered"),
        ("def test_a(implementation):\n    implementation.edit_distance('a', 'b') == 1\n", "assert nothing"),
        ("def test_a(implementation):\n    assert False\n", "Your tests fail on 9 of 9 right implementations"),
        (
            "def test_a(implementation):\n    a, b = 'ab', 'abc'\n"
            "    assert implementation.edit_distance(a, b, insert=2) == implementation.edit_distance(b, a, insert=2)\n",
            "Your tests fail on 9 of 9 right implementations",
        ),
        ("def run(call):\n    return []\n", "they assert nothing about what is answered"),
        ("def run(call):\n    return ['x']\n", "Your tests fail on 9 of 9 right implementations"),
        ("def run(call):\n    return 40\n", "run must return the list of the names of the tests that failed."),
        ("def run(call):\n    call('edit_distance', ['a' * 100, ''], {})\n    return []\n", "of up to 60 items"),
        ("def run(call):\n    call('eval', ['1', '1'], {})\n    return []\n", "it has edit_distance, edit_table"),
        (REMEMBERS, "they assert nothing about what is answered"),
        (WRITES, "they assert nothing about what is answered"),
    ],
)
@pytest.mark.proof
def test_tests_that_tell_nothing_get_nothing(judge, tests, words):
    result = judge(GIVEN + tests)
    assert exercise_score(result) == 0
    hidden = [c.message for c in result.criteria if c.criterion.hidden]
    assert words in hidden[0]
    assert all(c.verdict is Verdict.FAILED for c in result.criteria)


@pytest.mark.proof
def test_a_student_is_told_where_mistakes_are_left_and_not_which(judge):
    result = judge(GIVEN + "def test_a(implementation):\n    assert implementation.edit_distance('ab', 'ba') == 2\n")
    messages = {c.criterion.id: c.message for c in result.criteria if not c.passed}
    assert "variants_pass" not in messages
    assert messages["half"].startswith("Your tests find ")
    assert "6 of 6 in alignments" in messages["half"]
    assert not any(mistake.id in messages["half"] for mistake in load_misconceptions(
        COURSE.bank(COURSE.exercise("edit_distance"))
    ))  # fmt: skip
    assert "  not yet  a substitution always costs 1" in messages["wrong_distances"]
