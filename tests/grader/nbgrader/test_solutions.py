"""Students get the stub that ``grader stubs`` writes, cut into the cells of the teacher's notebook."""

from pathlib import Path

import pytest

pytest.importorskip("nbgrader")

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.errors import MarkError
from grader.nbgrader import StubSolutions
from grader.nbgrader.solutions import stub_cells

HERE = Path("addition.ipynb")
IMPORTS = "import math\nimport operator"
HELPER = "### BEGIN SOLUTION\ndef _sum(a, b):\n    return operator.add(a, b)\n### END SOLUTION"
ADD = "def add(a, b):\n    ### BEGIN SOLUTION\n    return _sum(a, b)\n    ### END SOLUTION"
HALF_TURN = "def half_turn():\n    return math.pi"


def test_each_cell_keeps_its_place_and_loses_only_what_is_the_solutions():
    assert stub_cells([IMPORTS, HELPER, ADD, HALF_TURN], HERE) == [
        "import math",
        "",
        'def add(a, b):\n    raise NotImplementedError("add is yours to write")',
        HALF_TURN,
    ]


def test_a_notebook_without_answers_stays_as_it_is():
    assert stub_cells([], HERE) == []


def test_a_solution_without_marks_stops_before_anything_is_given_out():
    with pytest.raises(MarkError, match="students would get the whole solution"):
        stub_cells(["def add(a, b):\n    return a + b"], HERE)


def test_a_cell_that_was_all_solution_is_gone_and_other_cells_stay():
    def answer(source):
        return new_code_cell(source, metadata={"nbgrader": {"solution": True}})

    notebook = new_notebook(cells=[new_markdown_cell("Add."), answer(HELPER), answer(ADD), new_code_cell("add(1, 2)")])
    notebook, _ = StubSolutions().preprocess(notebook, {"nbgrader": {"notebook": "addition"}})
    assert [cell.source.partition("\n")[0] for cell in notebook.cells] == ["Add.", "def add(a, b):", "add(1, 2)"]
