"""Notebooks that students hand in."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.submissions.names import defined_names
from grader.submissions.notebook import HEADER, NotebookError, notebook_source, source_of_exercise
from grader.wire.notebook import cell_at
from tests.grader.conftest import write


def notebook(*sources, **metadata) -> bytes:
    cells = [{"cell_type": "code", "source": source, "metadata": metadata} for source in sources]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def test_code_cells_in_order_each_with_its_number_and_nothing_else():
    content = json.dumps({
        "nbformat": 4, "metadata": {}, "cells": [
            {"cell_type": "markdown", "source": "# text"},
            {"cell_type": "code", "source": ["a = 1\n", "b = 2"], "outputs": [{"data": {"image/png": "x"}}]},
            {"cell_type": "code", "source": "check()", "metadata": {"nbgrader": {"locked": True}}},
            {"cell_type": "raw", "source": "raw"},
            {"cell_type": "code", "source": ""},
            {"cell_type": "code", "source": "c = 3\n"},
        ],
    }).encode()  # fmt: skip
    assert notebook_source(content) == HEADER + "# %% cell 2\na = 1\nb = 2\n\n\n# %% cell 6\nc = 3\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("!ls\nx = 1", "# !ls\nx = 1"),
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("%%bash\nls\nx", "# %%bash\n# ls\n# x"),
        ("def f():\n    !ls\n    return 1", "def f():\n#     !ls\n    return 1"),
        ("x = (a\n     != b)", "x = (a\n     != b)"),
        ("x = (a\n     % b)", "x = (a\n     % b)"),
        ("?print", "# ?print"),
        ("attend?", "# attend?"),
        ("torch.nn.Linear??  ", "# torch.nn.Linear??"),
        ("files = !ls\nx = 1", "# files = !ls\nx = 1"),
        ("found = %timeit -o f()", "# found = %timeit -o f()"),
        ("# %% cell 9\nx = 1", "# # %% cell 9\nx = 1"),
        ("ok = a == b\nok != b", "ok = a == b\nok != b"),
    ],
)
def test_what_only_notebooks_understand_becomes_a_comment(source, found):
    assert notebook_source(notebook(source)) == HEADER + "# %% cell 1\n" + found + "\n"


@given(st.lists(st.text(alphabet="ab# %cel1\n\r\x0c\u2028", max_size=40), max_size=6))
def test_every_line_of_the_module_is_a_line_of_its_cell(sources):
    text = notebook_source(notebook(*sources))
    for number, line in enumerate(text.encode().splitlines(), start=1):
        if place := cell_at(text.encode(), number):
            cell, row = place
            assert line.decode().removeprefix("# ") in sources[cell - 1].splitlines()[row - 1]


SEVERAL = notebook(
    "import math",
    "def helper(x):\n    return x",
    "def translate(x):\n    return helper(x)\nclass Encoder:\n    def inner(self): pass",
    "print(translate(1))",
    "def helper(x):\n    return -x",
    "async def decode(x):\n    return x\ndef translate(x):\n    return 'other'",
    "def last(): pass",
)


def test_names_that_a_notebook_defines_are_read_off_its_text():
    def names(content):
        return defined_names(notebook_source(content).encode())

    assert names(SEVERAL) == {"helper", "translate", "Encoder", "decode", "last"}
    assert names(notebook("def ours(): pass", nbgrader={"locked": True})) == frozenset()
    assert names(notebook("def broken(:\n  (", "x = 'def no'", "%%bash\ndef sh")) == {"broken"}


def test_an_exercise_of_several_ends_where_the_next_one_begins():
    first, second = frozenset({"translate", "Encoder"}), frozenset({"translate", "decode"})
    text = source_of_exercise(SEVERAL, first, second)
    assert "return -x" in text
    assert "'other'" not in text
    assert "# %% cell 5" in text
    assert source_of_exercise(SEVERAL, second, first) == notebook_source(SEVERAL)
    assert source_of_exercise(SEVERAL, frozenset({"nowhere"}), first) == notebook_source(SEVERAL)


def test_an_exercise_keeps_what_comes_before_it_even_of_others():
    text = source_of_exercise(SEVERAL, frozenset({"decode"}), frozenset({"Encoder", "last"}))
    assert "class Encoder" in text
    assert "def last" not in text


KEYS = st.sampled_from(["cells", "source", "metadata", "cell_type"])
ATOMS = st.none() | st.booleans() | st.text() | st.integers()
JSON = st.recursive(ATOMS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))


@given(st.binary() | st.text().map(str.encode) | JSON.map(lambda data: json.dumps(data).encode()))
def test_rubbish_is_refused_with_our_error_and_no_other(content):
    try:
        notebook_source(content)
    except NotebookError as error:
        assert "not a Jupyter notebook" in str(error)


def test_a_deep_one_is_refused():
    with pytest.raises(NotebookError):
        notebook_source(b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")


RIGHT = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
STUB = "def add(a, b):\n    raise NotImplementedError\n"


def test_the_file_that_was_worked_on_is_graded(tiny, grader, tmp_path):
    cases = {
        "a notebook alone": (None, RIGHT, 4),
        "beside the untouched stub": (STUB, RIGHT, 4),
        "beside the stub of another system": (STUB.replace("\n", "\r\n"), RIGHT, 4),
        "beside a module that was worked on": (WRONG, RIGHT, 1),
        "untouched": (RIGHT, STUB, 4),
        "no notebook": (STUB, None, 0),
        "broken": (None, None, None),
    }
    write(tiny / "exercises/addition/addition.py", STUB)
    for student, (module, in_notebook, _) in cases.items():
        folder = tmp_path / "submissions" / student
        folder.mkdir(parents=True)
        if module is not None:
            (folder / "addition.py").write_bytes(module.encode())
        if in_notebook is not None:
            (folder / "addition.ipynb").write_bytes(notebook(in_notebook))
    (tmp_path / "submissions/broken/addition.ipynb").write_text("{")
    result = grader(
        "grade",
        tmp_path / "submissions",
        "--out",
        tmp_path / "out",
        "--exercise",
        "addition",
        "--json",
        "--course",
        tiny,
    )
    assert result.exit_code == 4, result.output  # one of them is a question to the teacher
    points = {
        student["id"]: None
        if student["needs_review"]
        else sum(c["points"] for c in student["exercises"][0]["criteria"] if c["verdict"] == "passed")
        for student in json.loads(result.stdout)["students"]
    }
    assert points == {student: points for student, (_, _, points) in cases.items()}
    assert "addition.ipynb is not a Jupyter notebook" in result.stdout


def test_the_stub_is_known_even_where_the_course_was_worked_in(tiny, grader, tmp_path):
    grader("stubs", "addition", "--course", tiny)
    stub = (tiny / "exercises/addition/addition.py").read_text()
    write(tiny / "exercises/addition/addition.py", RIGHT)
    write(tmp_path / "submissions/anna/addition.py", stub)
    write(tmp_path / "submissions/anna/addition.ipynb", notebook(RIGHT).decode())
    result = grader(
        "grade", tmp_path / "submissions", "--out", tmp_path / "out", "--exercise", "addition", "--course", tiny
    )
    assert re.search(r"anna +100\.0", result.stdout), result.stdout


SCRATCH = (
    "import matplotlib_of_nowhere.pyplot as plt\n%matplotlib inline",
    "add?\n1/0",
    "x = (",
    "def train():\n    while True: pass",
    "losses = train()\nplt.plot(losses)",
    "for step in range(10**12):\n    pass",
    "def show():\n    return losses",
    "assert add(1, 1) == 3",
    "raise SystemExit",
)
ANSWER = "ZERO = int('0')\n\ndef add(a, b):\n    return a + b + ZERO"


def grade_one(grader, tiny, tmp_path, content, *options):
    folder = tmp_path / "submissions/anna"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "addition.ipynb").write_bytes(content)
    result = grader(
        "grade", tmp_path / "submissions", "--out", tmp_path / "out", "--exercise", "addition", "--json",
        "--course", tiny, *options,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["students"][0]["exercises"][0]


NOTES = [
    "left out of the notebook: cell 2, line 2 (an expression)",
    "left out of the notebook: cell 3 (not valid Python)",
    "left out of the notebook: cell 5, line 1 (an assignment that nothing needs); line 2 (an expression)",
    "left out of the notebook: cell 6 (a loop)",
    "left out of the notebook: cell 8 (an assertion)",
    "left out of the notebook: cell 9 (a statement)",
    "matplotlib_of_nowhere is not installed here; only code that uses it fails",
]


@pytest.mark.parametrize("options", [(), ("--unconfined",)])
def test_work_around_the_answer_costs_nothing_and_is_listed(tiny, grader, tmp_path, options):
    exercise = grade_one(grader, tiny, tmp_path, notebook(*SCRATCH, ANSWER), *options)
    assert (exercise["score"], exercise["problem"]) == (100.0, "")
    assert exercise["notes"] == NOTES


def test_check_and_grade_agree_on_a_notebook(tiny, grader):
    path = tiny / "exercises/addition/addition.ipynb"
    path.write_bytes(notebook(*SCRATCH, ANSWER))
    result = grader("check", path, "--course", tiny)
    assert result.exit_code == 0, result.output
    assert "all 2 public criteria" in result.output
    output = " ".join(result.output.split())
    assert all(note in output for note in NOTES)
    (tiny / "solutions/addition.py").unlink()  # as students have it
    assert grader("check", path, "--course", tiny).exit_code == 0


@pytest.mark.parametrize("options", [(), ("--unconfined",)])
def test_places_in_a_notebook_are_cells_and_their_lines(tiny, grader, tmp_path, options):
    raising = notebook("import math", "\n\ndef add(a, b):\n    return a + b + nowhere")
    exercise = grade_one(grader, tiny, tmp_path, raising, *options)
    assert {c["line"] for c in exercise["criteria"]} == {"addition.ipynb, cell 2, line 4 in add"}
    broken = notebook("import math", "def helper(): pass\n\ndef add(a, b:\n    return a + b")
    exercise = grade_one(grader, tiny, tmp_path, broken, *options)
    assert exercise["problem"] == "does not import (addition.ipynb, cell 2, line 3: '(' was never closed)"
    assert {(c["message"], c["hint"], c["line"]) for c in exercise["criteria"]} == {
        ("Not reached: the module does not import.", "", "")
    }


def test_check_tells_the_cell_of_a_syntax_error_once(tiny, grader):
    path = tiny / "exercises/addition/addition.ipynb"
    path.write_bytes(notebook("import math", "def add(a, b):\n    return a +"))
    result = grader("check", path, "--course", tiny)
    assert result.exit_code == 1
    assert result.output.count("does not import (addition.ipynb, cell 2, line 2: invalid syntax)") == 1
    assert "Hint" not in result.output
