"""Notebooks that students hand in."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.submissions.notebook import HEADER, NotebookError, notebook_source
from tests.grader.conftest import write


def notebook(*sources, **metadata) -> bytes:
    cells = [{"cell_type": "code", "source": source, "metadata": metadata} for source in sources]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def test_code_cells_in_order_and_nothing_else():
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
    assert notebook_source(content) == HEADER + "a = 1\nb = 2\n\n\nc = 3\n"


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
    ],
)
def test_what_only_notebooks_understand_becomes_a_comment(source, found):
    assert notebook_source(notebook(source)) == HEADER + found + "\n"


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
