"""Item statistics: by numpy on random classes, by hand on small ones, and through the command line."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.results.records import Verdict
from grader.results.schema import read_results
from grader.results.statistics import EVERYBODY, NEGATIVE, NOBODY, class_items

FAILURES = [v for v in Verdict if v not in (Verdict.PASSED, Verdict.GRADER_FAULT)]


def criterion(number, verdict, points=1, misconceptions=()):
    return {
        "id": f"c{number}", "title": f"Criterion {number}", "kind": "value", "points": points, "hidden": number > 1,
        "verdict": str(verdict), "message": "", "line": "", "hint": "", "diagnosis": None,
        "misconceptions": list(misconceptions),
    }  # fmt: skip


def exercise(criteria, verdict="failed", name="ctc"):
    return {"name": name, "score": 0.0, "verdict": verdict, "criteria": criteria, "stand_ins": []}


def document(exercises):
    """One exercise a student."""
    students = [{"id": f"s{n:02}", "score": 0.0, "exercises": [found]} for n, found in enumerate(exercises)]
    return {"format": 1, "course": "Tiny", "confinement": {}, "students": students}


def items_of(exercises):
    (found,) = class_items(read_results(json.dumps(document(exercises)).encode(), "here")).exercises
    return found


def table_of(passed, points):
    """A class from a table of bools, students by criteria."""
    return [
        exercise([criterion(k, "passed" if ok else "failed", points[k]) for k, ok in enumerate(row)]) for row in passed
    ]


tables = st.integers(2, 6).flatmap(
    lambda width: st.tuples(
        st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=2, max_size=25),
        st.lists(st.integers(1, 5), min_size=width, max_size=width),
    )
)


@given(tables)
def test_difficulty_and_discrimination_are_numpys(table):
    passed, points = np.array(table[0], dtype=float), np.array(table[1])
    for k, item in enumerate(items_of(table_of(*table)).items):
        rest = np.delete(passed * points, k, axis=1).sum(axis=1)
        assert item.difficulty == pytest.approx(passed[:, k].mean())
        assert (item.judged, item.passed) == (len(passed), passed[:, k].sum())
        if len(set(rest)) == 1 or len(set(passed[:, k])) == 1:
            assert item.discrimination is None
        else:
            expected = np.corrcoef(passed[:, k], rest)[0, 1]
            assert item.discrimination == pytest.approx(expected, abs=1e-9)
            assert (NEGATIVE in item.flags) == (item.discrimination < 0 and len(passed) >= 8)


@given(tables, st.randoms())
def test_the_order_of_students_does_not_matter(table, random):
    passed, points = table
    one, other = (items_of(table_of(rows, points)) for rows in (passed, random.sample(passed, len(passed))))
    for here, there in zip(one.items, other.items, strict=True):
        assert (here.passed, here.verdicts) == (there.passed, there.verdicts)
        assert here.discrimination == pytest.approx(there.discrimination, abs=1e-9)


@given(st.lists(st.lists(st.sampled_from(list(Verdict)), min_size=3, max_size=3), min_size=1, max_size=12))
def test_every_verdict_is_counted_once_and_ours_never(verdicts):
    found = items_of([exercise([criterion(k, v) for k, v in enumerate(row)]) for row in verdicts])
    for item in found.items:
        column = [row[int(item.id[1])] for row in verdicts]
        assert "grader_fault" not in item.verdicts
        assert sum(item.verdicts.values()) == item.judged == sum(v is not Verdict.GRADER_FAULT for v in column)
        assert all(column.count(Verdict(name)) == count for name, count in item.verdicts.items())


def test_who_handed_nothing_in_does_not_count():
    absent = exercise([criterion(0, "missing"), criterion(1, "missing")], verdict="missing")
    half = exercise([criterion(0, "passed"), criterion(1, "missing")])
    found = items_of([absent, half, half])
    assert (found.handed_in, found.missing) == (2, 1)
    assert [item.difficulty for item in found.items] == [1.0, 0.0]
    assert [item.flags for item in found.items] == [(EVERYBODY,), (NOBODY,)]


def test_a_single_criterion_has_no_rest_and_a_lonely_student_no_correlation():
    assert [i.discrimination for i in items_of(table_of([[True], [False]], [1])).items] == [None]
    assert [i.discrimination for i in items_of(table_of([[True, False]], [1, 1])).items] == [None, None]


def test_seven_students_are_too_few_to_suspect_a_test():
    rows = [[True, False]] * 3 + [[False, True]] * 4
    assert [i.flags for i in items_of(table_of(rows, [1, 1])).items] == [(), ()]
    assert [i.flags for i in items_of(table_of([*rows, [True, False]], [1, 1])).items] == [(NEGATIVE,)] * 2


def test_a_student_has_a_misconception_once():
    both = exercise([criterion(0, "failed", misconceptions=["swap", "off"]), criterion(1, "error", 1, ["swap"])])
    found = items_of([both, both, exercise([criterion(0, "failed", 1, ["off"]), criterion(1, "passed")])])
    assert found.misconceptions == {"swap or off": 2, "off": 1, "swap": 2}
    assert found.items[0].misconceptions == {"swap or off": 2, "off": 1}
    assert found.items[1].misconceptions == {"swap": 2}


def test_what_nothing_tells_apart_is_one_mistake_and_two_mistakes_are_two():
    failed = exercise([criterion(0, "failed", misconceptions=["swap", "off", "slow"]), criterion(1, "failed")])
    failed["mistakes"] = [
        {"misconceptions": ["swap", "off"], "criteria": ["c0", "c1"]},
        {"misconceptions": ["slow"], "criteria": ["c0"], "likeness": True},
    ]
    found = items_of([failed, failed])
    assert found.misconceptions == {"swap or off": 2, "looks like slow": 2}
    assert found.items[0].misconceptions == {"swap or off": 2, "looks like slow": 2}
    assert found.items[1].misconceptions == {"swap or off": 2}


# Through the command line


@pytest.fixture
def results(tmp_path):
    """A class of nine for two exercises, in one of which a test is wrong."""
    rows = [[True, False, False]] * 4 + [[False, True, False]] * 5
    first = table_of(rows, [2, 1, 1])
    first[0]["criteria"][1] = criterion(1, "timeout", 1, ["swap"])
    found = document(first)
    for number, student in enumerate(found["students"]):
        verdict = "missing" if number else "passed"
        student["exercises"].append(exercise([criterion(0, verdict)], verdict, "attention"))
    (tmp_path / "results.json").write_text(json.dumps(found))
    return tmp_path


def test_the_table_is_readable_at_80_columns(grader, results):
    result = grader("statistics", results)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines())) <= 80
    text = " ".join(result.output.split())
    for words in (
        "ctc 9 handed in, 0 did not",
        "attention 1 handed in, 8 did not",
        "c0 ! 4/9 44% -1.00 5 × failed",
        "3 × failed, 1 × timeout",
        "c2 (hidden) ! 0/9 0% – 9 × failed",
        "Everybody passed: c0.",
        "1 ctc: swap",
        "! ctc, c1: those who passed it did worse on the rest (discrimination -1.00, 9 students).",
        "! ctc, c2: nobody of 9 passed it.",
    ):
        assert words in text, words


def test_one_exercise_of_the_file_itself_as_json(grader, results):
    result = grader("statistics", results / "results.json", "--exercise", "attention", "--json")
    found = json.loads(result.stdout)
    assert (found["format"], found["students"], len(found["exercises"])) == (1, 9, 1)
    (item,) = found["exercises"][0]["items"]
    assert (item["id"], item["difficulty"], item["discrimination"], item["judged"]) == ("c0", 1.0, None, 1)


@pytest.mark.parametrize(
    ("content", "args", "words"),
    [
        (None, [], "not found. `grader grade SUBMISSIONS --out"),
        ("{}", [], "this is not a results file of `grader grade`: Object missing required field `format`"),
        ("nonsense", [], "this is not a results file"),
        ('{"format": 2, "course": "", "students": []}', [], "format: found 2, this grader reads 1."),
        (json.dumps(document([exercise([])])), ["--exercise", "ctx"], "did you mean 'ctc'?"),
    ],
)
def test_what_cannot_be_read_is_said(grader, tmp_path, content, args, words):
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    result = grader("statistics", tmp_path, *args)
    assert result.exit_code == 2
    assert words in result.output


def test_control_characters_of_a_foreign_file_stay_harmless(grader, tmp_path):
    evil = exercise([criterion(0, "failed", misconceptions=["\x1b[2J[red]"])], name="[bold]\x1b[1m")
    (tmp_path / "results.json").write_text(json.dumps(document([evil])))
    result = grader("statistics", tmp_path)
    assert result.exit_code == 0
    assert "\x1b" not in result.output and "[red]" in result.output
