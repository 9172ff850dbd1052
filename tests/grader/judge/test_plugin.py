"""The plugin as an author and a student meet it: through pytest, in a small course."""

import json
import textwrap

import pytest

HEADER = "from grader.judge import assert_close, assert_equal, criterion, student_raises\n"


@pytest.fixture
def suite(tiny, pytester):
    """Run a public suite for ``addition`` made of ``tests`` on a student's ``code``."""

    def run(tests, code="def add(a, b):\n    return a + b\n", *options, hidden=False):
        where = tiny / ("tests/hidden" if hidden else "exercises/addition") / "test_addition.py"
        where.write_text(HEADER + textwrap.dedent(tests))
        (tiny / "exercises/addition/addition.py").write_text(textwrap.dedent(code))
        events = tiny / "events"
        result = pytester.runpytest_inprocess(
            where, f"--rootdir={tiny}", "--import-mode=importlib", "-p", "no:cacheprovider",
            f"--grader-events={events}", *options,
        )  # fmt: skip
        lines = events.read_text().splitlines() if events.exists() else []
        finished = [json.loads(line)["result"] for line in lines if '"finished"' in line[:20]]
        result.verdicts = {r["criterion"]["id"]: (r["verdict"], r.get("message", "")) for r in finished}
        return result

    return run


def one_test(body, criterion='"A", points=1, kind="value", hint="h"', arguments="student"):
    return (
        f'@criterion({criterion})\ndef test_a({arguments}):\n    """Sentence."""\n'
        + textwrap.indent(body, "    ")
        + "\n\n\n"
    )


def test_a_plain_pytest_run_gives_words_and_points(tiny, pytester):
    (tiny / "exercises/addition/addition.py").write_text("def add(a, b):\n    return a\n")
    result = pytester.runpytest_inprocess(tiny / "exercises/addition", f"--rootdir={tiny}")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "Small sums (2 points): failed",
            "  One and one is two.",
            "  add(1, 1) must be 2, found 1.",
            "  Hint: Use +.",
            "addition: 1 of 3 points in these tests",
            "FAILED*test_small*",
        ]
    )


@pytest.mark.parametrize(
    ("code", "verdict", "words"),
    [
        ("def add(a, b):\n    raise NotImplementedError('x')", "missing", "add is not implemented yet"),
        ("def ad(a, b): ...", "missing", "It has 'ad'"),
        ("def add(a, b)\n    return 1", "error", "Not reached: the module does not import."),
        ("import sys\nsys.exit(0)", "error", "Not reached"),
        ("import nowhere_at_all\ndef add(a, b):\n    return nowhere_at_all.f()", "error", "ModuleNotFoundError"),
        ("def add(a, b):\n    assert False, 'mine'", "error", "AssertionError (addition.py:2 in add): mine"),
        ("def add(a, b):\n    exit()", "error", "exit()"),
        ("def add(a, b):\n    return add(a, b)", "error", "RecursionError"),
        ("add = 3", "error", "TypeError"),
        ("def add(a, b):\n    return None", "failed", "found nothing (None)"),
        ("def add(a, b):\n    return (x for x in [])", "failed", "an object of type generator"),
        ("def add(a, b):\n    while True: pass", "timeout", "add took too long"),
        ("while True: pass", "timeout", "Not reached"),
        ("\0", "error", "Not reached"),
    ],
)
def test_what_a_student_does_wrong_becomes_a_verdict(suite, code, verdict, words):
    tests = one_test(
        "assert_equal(student.add(1, 1), 2, 'add(1, 1)')", '"A", points=1, kind="value", hint="h", timeout=1'
    )
    found, message = suite(tests, code).verdicts["a"]
    assert found == verdict
    assert words in message


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def add(a, b)\n    return 1", "does not import (addition.py:1: expected ':')"),
        ("import sys\nsys.exit(0)", "does not import (addition.py:2: SystemExit: 0)"),
        (
            "import nowhere_at_all\nx = nowhere_at_all.f()",
            "does not import (addition.py:2: ModuleNotFoundError: nowhere",
        ),
        ("1 / 0", "does not import (addition.py:1: ZeroDivisionError: division by zero)"),
        ("while True: pass", "does not import (addition.py:1: took too long)"),
        ("\0", "null bytes)"),
    ],
)
def test_a_module_that_does_not_import_says_so_once_and_gives_no_hints(suite, code, words):
    timeout = 1 if "while" in code else 30
    values = f'points=1, kind="value", hint="try harder", timeout={timeout}'
    tests = "".join(one_test("student.add(1, 1)", f'"{n}", {values}').replace("test_a", f"test_{n}") for n in "abc")
    result = suite(tests, code)
    output = result.stdout.str()
    assert {message for _, message in result.verdicts.values()} == {"Not reached: the module does not import."}
    assert output.count(words) == 1
    assert "try harder" not in output


def test_an_exception_of_the_import_is_not_the_one_that_a_test_expects(suite):
    tests = one_test("with student_raises('ValueError'):\n        student.add(1, 1)")
    assert suite(tests, "raise ValueError").verdicts["a"][0] == "error"


def test_a_test_that_breaks_before_the_student_answers_is_our_fault(suite):
    assert suite(one_test("1 / 0")).verdicts["a"][0] == "grader_fault"
    assert suite(one_test("student.add(1, 1); raise OSError")).verdicts["a"][0] == "grader_fault"


def test_a_test_that_cannot_read_a_result_blames_the_result(suite):
    tests = one_test("student.add(1, 1)[0]")
    verdict, message = suite(tests).verdicts["a"]
    assert verdict == "failed"
    assert "not of the form" in message


def test_hidden_criteria_show_no_values_and_no_messages(suite):
    tests = one_test("assert_equal(student.add(12345, 1), 12346, 'add(12345, 1)')")
    for code in ("def add(a, b):\n    return a - b", "def add(a, b):\n    raise KeyError(a)"):
        verdict, message = suite(tests, code, hidden=True).verdicts["a"]
        assert verdict in ("failed", "error")
        assert "12345" not in message
        assert message


@pytest.mark.attack
def test_after_two_timeouts_a_function_is_not_called_again(suite):
    tests = "".join(
        one_test("student.add(1, 1)", f'"{n}", points=1, kind="value", hint="h", timeout=1').replace(
            "test_a", f"test_{n}"
        )
        for n in "abcde"
    ) + one_test("student.ok(1)", '"f", points=1, kind="value", hint="h"').replace("test_a", "test_f")
    code = "calls = []\ndef add(a, b):\n    print('CALLED')\n    while True: pass\ndef ok(a):\n    return a\n"
    result = suite(tests, code, "-s")
    assert {v for k, (v, _) in result.verdicts.items() if k != "f"} == {"timeout"}
    assert result.verdicts["f"][0] == "passed"
    assert result.stdout.str().count("CALLED") == 2


def test_parametrised_tests_are_one_criterion(suite):
    tests = 'import pytest\n@pytest.mark.parametrize("n", [1, 2, 3])\n' + one_test(
        "assert_equal(student.add(n, 0), min(n, 2), 'add')", arguments="student, n"
    )
    assert suite(tests).verdicts == {"a": ("failed", "add must be 2, found 3.")}


def test_seeds_of_hidden_tests_depend_on_course_and_test_and_those_of_public_ones_on_the_test_alone(suite):
    tests = one_test("import random\nstudent.show(rng.random(), random.random())", arguments="student, rng")
    code = "def show(*numbers):\n    print('DRAWN', numbers)\n"

    def drawn(*options, hidden):
        output = suite(tests, code, "-s", *options, hidden=hidden).stdout.str()
        return [line.partition("DRAWN")[2] for line in output.splitlines() if "DRAWN" in line]

    assert drawn("--grader-seed=1", hidden=True) == drawn("--grader-seed=1", hidden=True)
    assert drawn("--grader-seed=1", hidden=True) != drawn("--grader-seed=2", hidden=True)
    assert drawn("--grader-seed=1", hidden=False) == drawn("--grader-seed=2", hidden=False) == drawn(hidden=False)


def test_hypothesis_is_seeded_and_a_public_failure_shows_a_small_example(suite):
    tests = "from hypothesis import given, strategies as st\n" + one_test(
        "assert_equal(student.add(n, 0), n, f'add({n}, 0)')", arguments="student, n"
    ).replace("def test_a", "@given(n=st.integers())\ndef test_a")
    code = "def add(a, b):\n    return min(a, 10)"
    verdict, message = suite(tests, code).verdicts["a"]
    assert verdict == "failed"
    assert "add(11, 0) must be 11, found 10" in message
    assert suite(tests, code, hidden=True).verdicts["a"] == ("failed", "A wrong value.")


def test_a_student_who_answers_differently_each_time_fails(suite):
    tests = "from hypothesis import given, strategies as st\n" + one_test(
        "assert_equal(student.add(n, 0), n, 'add')", arguments="student, n"
    ).replace("def test_a", "@given(n=st.integers())\ndef test_a")
    code = "count = 0\ndef add(a, b):\n    global count\n    count += 1\n    return 99 if count == 3 else a"
    assert suite(tests, code).verdicts["a"][0] == "failed"


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        (one_test("pass", '"A", points=0, kind="value", hint="h"'), "points must be a positive whole number, found 0"),
        (one_test("pass", '"A", points=-2, kind="value", hint="h"'), "found -2"),
        (one_test("pass", '"A", points=1.5, kind="value", hint="h"'), "found 1.5"),
        (one_test("pass", '"A", points=1, kind="valu", hint="h"'), "did you mean 'value'?"),
        (one_test("pass", '"A", points=1, kind="value", hint=""'), "a hint is needed"),
        (one_test("pass", '"", points=1, kind="value", hint="h"'), "needs a title"),
        (one_test("pass", '"A", points=1, kind="value", hint="h", timeout=0'), "timeout must be positive"),
        (one_test("pass").replace('"""Sentence."""', "pass"), "needs a docstring"),
        (one_test("pass") + one_test("pass").replace("test_a", "test_b"), "the title 'A' is taken"),
        (one_test("pass").partition("\n")[2], "no criterion"),
    ],
)
def test_a_criterion_that_makes_no_sense_is_an_error_at_collection(suite, tests, words):
    result = suite(tests)
    assert result.ret not in (0, 1)
    assert words in result.stdout.str() + result.stderr.str()


def test_ids_are_unique_over_public_and_hidden(tiny, pytester):
    hidden = tiny / "tests/hidden/test_addition.py"
    hidden.write_text(hidden.read_text().replace("test_any", "test_zero"))
    result = pytester.runpytest_inprocess(
        tiny / "exercises/addition", hidden, f"--rootdir={tiny}", "--import-mode=importlib"
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*the id 'zero' is taken by*"])


def test_a_suite_of_no_exercise_is_an_error(tiny, pytester):
    stray = tiny / "tests/hidden/test_nothing.py"
    stray.write_text(HEADER + one_test("pass"))
    result = pytester.runpytest_inprocess(stray, f"--rootdir={tiny}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*belongs to no exercise*"])


def test_ordinary_tests_are_left_alone(pytester):
    pytester.makepyfile("def test_x():\n    assert 1 == 2\n")
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["E*assert 1 == 2"])


def test_a_submission_can_be_a_file_or_a_folder(tiny, pytester):
    elsewhere = tiny / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "addition.py").write_text("def add(a, b):\n    return 0\n")
    for path in (elsewhere, elsewhere / "addition.py"):
        result = pytester.runpytest_inprocess(
            tiny / "exercises/addition", f"--rootdir={tiny}", f"--grader-submission={path}"
        )
        result.assert_outcomes(failed=2)


# Outside a course, and beside its suites

OWN_STUDENT = """
import pytest


@pytest.fixture
def student():
    return "Ada"


def test_own(student):
    assert student == "Ada"
"""


def test_another_project_may_have_a_student_of_its_own(pytester):
    pytester.makepyfile(OWN_STUDENT)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_outside_a_course_nothing_of_ours_is_there(pytester):
    pytester.makepyfile("def test_a(student):\n    pass\n")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'student' not found*"])
    assert "criterion" not in pytester.runpytest_inprocess("--markers").stdout.str()
    pytester.makeconftest(
        "import sys\n\ndef pytest_sessionfinish():\n    print([m for m in sys.modules if m.startswith('grader')])\n"
    )
    assert "['grader', 'grader.pytest_plugin']" in pytester.runpytest_subprocess().stdout.str()


def test_a_test_beside_the_suites_may_have_a_student_of_its_own(tiny, pytester):
    (tiny / "tests/test_other.py").write_text(OWN_STUDENT)
    pytester.runpytest_inprocess(tiny / "tests/test_other.py", f"--rootdir={tiny}").assert_outcomes(passed=1)


def test_a_test_of_no_exercise_that_asks_for_our_student_is_told_so(tiny, pytester):
    (tiny / "tests/test_other.py").write_text("def test_a(student):\n    pass\n")
    result = pytester.runpytest_inprocess(tiny / "tests/test_other.py", f"--rootdir={tiny}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*this test belongs to no exercise*"])
