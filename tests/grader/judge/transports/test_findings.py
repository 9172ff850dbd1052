"""What is said about a student's files as a whole, and what a worker cannot make us say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.transports.findings import ask_survey, check_survey, describe_notes, describe_problem
from grader.judge.transports.outcomes import StudentFailure, raised, shown_file
from grader.results.records import Verdict
from grader.wire.messages import Failure, Surveyed
from grader.wire.notebook import HEADER, LeftOut, LeftOutKind

NOTEBOOK = (HEADER + "# %% cell 2\nx = 1\nprint(x)\nprint(x)\n\n\n# %% cell 5\nfor i in x:\n    pass\n").encode()
SOURCES = {"a": ("a.py", NOTEBOOK), "b": ("b.py", b"import seaborn\nfrom google.colab import drive\n")}
EXPRESSION, LOOP = LeftOutKind.EXPRESSION, LeftOutKind.LOOP


def answer(**fields):
    return [{"module": "a", **fields}]


def test_an_answer_that_cannot_be_true_is_left_out():
    lines = [[0, 1], [2, 1], [4, 400], [-3, 4]]
    wrong = [{"first": first, "last": last, "kind": "loop"} for first, last in lines]
    (found,) = check_survey(answer(left_out=wrong, line=999, error="\x1b[31m" + "x" * 999), SOURCES)
    assert (found.left_out, found.line) == ((), 0)
    assert "\x1b" not in found.error
    assert len(found.error) < 150
    said = ["seaborn", "google.colab", "google.col", "born", "os; rm", "secret", "a b", "", "x" * 99]
    (found,) = check_survey([{"module": "b", "absent": said}], SOURCES)
    assert found.absent == ("seaborn", "google.colab")
    assert check_survey([{"module": "elsewhere"}], SOURCES) == ()


@pytest.mark.parametrize("value", [None, 3, "x", [3], [{}], {"module": "a"}, answer(left_out=[{"kind": "secret"}])])
def test_an_answer_of_another_form_is_none(value):
    assert check_survey(value, SOURCES) == ()


def test_what_was_left_out_is_told_cell_by_cell():
    parts = (
        LeftOut(5, 6, EXPRESSION),
        LeftOut(4, 4, LeftOutKind.ASSIGNMENT),
        LeftOut(10, 11, LOOP),
        LeftOut(1, 1, LOOP),
    )
    assert describe_notes([Surveyed(module="a", left_out=parts)], SOURCES, ["a"]) == (
        "left out of the notebook: cell 2, lines 2-3 (an expression); line 1 (an assignment that nothing needs)",
        "left out of the notebook: cell 5 (a loop)",
    )
    absent = Surveyed(module="b", absent=("seaborn",))
    assert describe_notes([absent], SOURCES, ["a"]) == ()
    assert describe_notes([absent], SOURCES, ["b"]) == ("seaborn is not installed here; only code that uses it fails",)


@given(st.integers(1, 200))
def test_the_list_has_an_end(count):
    text = HEADER + "".join(f"# %% cell {n}\nprint()\n" for n in range(1, count + 1))
    parts = tuple(LeftOut(4 + 2 * n, 4 + 2 * n, EXPRESSION) for n in range(count))
    notes = describe_notes([Surveyed(module="a", left_out=parts)], {"a": ("a.py", text.encode())}, ["a"])
    assert len(notes) == min(count, 21)
    assert count <= 20 or f"parts of {count - 20} more cells" in notes[-1]


def test_the_words_of_an_exception_are_not_in_a_problem():
    failure = raised(Failure(types=("Mine", "KeyError"), message="secret", frames=("c.py:1",)), "b.py", SOURCES)
    assert describe_problem(failure, (), SOURCES, "b") == "does not import (KeyError)"
    known = raised(Failure(types=("Mine", "KeyError"), message="secret", frames=("b.py:1",)), "b.py", SOURCES)
    assert describe_problem(known, (), SOURCES, "b") == "does not import (b.py:1: KeyError)"
    assert describe_problem(known, (), SOURCES, "b", in_full=True) == "does not import (b.py:1: Mine: secret)"


def test_a_syntax_error_is_told_in_the_words_of_the_fresh_worker():
    failure = raised(Failure(types=("SyntaxError",), message="secret", frames=("a.py:4",)), "a.py", SOURCES)
    surveyed = [Surveyed(module="b", error="other", line=1), Surveyed(module="a", error="invalid syntax", line=5)]
    assert (
        describe_problem(failure, surveyed, SOURCES, "a") == "does not import (a.ipynb, cell 2, line 2: invalid syntax)"
    )
    assert describe_problem(failure, surveyed[:1], SOURCES, "a") == "does not import (b.py:1: other)"
    other = raised(Failure(types=("ValueError",), message=""), "a.py", SOURCES)
    assert describe_problem(other, surveyed[:1], SOURCES, "a") == "does not import (ValueError)"


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.TIMEOUT, "took too long"),
        (Verdict.CRASHED, "ended its process"),
        (Verdict.MEMORY, "wanted more memory than there is"),
        (Verdict.TAMPERED, "broke the conversation with the judge"),
    ],
)
def test_an_import_that_raises_nothing_is_told_too(verdict, words):
    assert describe_problem(StudentFailure(verdict, "secret"), (), SOURCES, "a") == f"does not import ({words})"


def test_a_survey_is_not_asked_with_stand_ins():
    sources = {**SOURCES, "c": ("stand_ins/c.py", b"ours")}
    asked = ask_survey("a", sources, ("f",))
    assert set(asked.sources) == {"a", "b"}
    assert asked.modules == ("a", "b", "c")


def test_a_place_in_a_notebook_is_a_cell_and_its_line():
    failure = Failure(types=("KeyError",), message="", frames=("a.py:5 in f",))
    assert raised(failure, "a.py", SOURCES, believed=True).line == "a.ipynb, cell 2, line 2 in f"
    assert raised(failure, "a.py", SOURCES).line == "a.ipynb, cell 2, line 2"
    before = Failure(types=("KeyError",), message="", frames=("a.py:1",))
    assert raised(before, "a.py", SOURCES).line == "a.py:1"
    assert (shown_file("a", SOURCES), shown_file("b", SOURCES)) == ("a.ipynb", "b.py")
