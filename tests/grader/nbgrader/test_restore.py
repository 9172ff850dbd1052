"""Before nbgrader reads a notebook, its cells are again those that were given out."""

import logging
import types

import pytest

pytest.importorskip("nbgrader")

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from traitlets.config import LoggingConfigurable

from grader.nbgrader import RestoreCells
from grader.nbgrader.restore import restore

ABOUT = {"grade": True, "grade_id": "test_small", "locked": True, "points": 2.0, "schema_version": 3, "solution": False}
KNOWN = {"test_small": {**ABOUT, "task": False}}


def cell(about, source="test()"):
    return new_code_cell(source, metadata={} if about is None else {"nbgrader": about})


def names(notebook):
    return [one.metadata.get("nbgrader", {}).get("grade_id") for one in notebook.cells]


def test_a_cell_has_what_was_given_out_whatever_it_says_itself():
    notebook = new_notebook(cells=[cell({**ABOUT, "points": 1000, "locked": False, "solution": True})])
    assert restore(notebook, KNOWN) == {"test_small"}
    assert notebook.cells[0].metadata.nbgrader == KNOWN["test_small"]


@pytest.mark.parametrize(
    "about", [None, {}, "damaged", {"grade": True}, {**ABOUT, "grade_id": "renamed"}, {**ABOUT, "grade_id": ["x"]}]
)
def test_a_cell_that_fits_nothing_becomes_an_ordinary_cell(about):
    notebook = new_notebook(cells=[cell(about)])
    assert restore(notebook, KNOWN) == set()
    assert "nbgrader" not in notebook.cells[0].metadata


def test_of_copied_cells_the_first_counts():
    notebook = new_notebook(cells=[cell(ABOUT, "first"), cell(ABOUT, "second")])
    assert restore(notebook, KNOWN) == {"test_small"}
    assert names(notebook) == ["test_small", None]


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a student's notebook; nbgrader's database knows two tests, an answer, an essay and a task."""
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # it starts a process to learn that
    address = f"sqlite:///{tmp_path}/gradebook.db"
    given = [
        cell({"grade_id": "addition-code-add"}), cell({"grade_id": "test_small"}), cell({"grade_id": "test_any"}),
        new_markdown_cell("", metadata={"nbgrader": {"grade_id": "essay"}}),
        new_markdown_cell("", metadata={"nbgrader": {"grade_id": "project"}}),
    ]  # fmt: skip
    source = tmp_path / "source/addition/addition.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=given), source)
    book = ("addition", "addition")
    with Gradebook(address) as gradebook:
        gradebook.add_assignment("addition")
        gradebook.add_notebook(*book)
        for name, points in (("test_any", 1), ("test_small", 2)):
            gradebook.add_grade_cell(name, *book, max_score=points, cell_type="code")
            gradebook.add_source_cell(name, *book, cell_type="code", locked=True, source=f"{name}()", checksum="c")
        gradebook.add_grade_cell("essay", *book, max_score=3, cell_type="markdown")
        gradebook.add_task_cell("project", *book, max_score=5, cell_type="markdown")
        for name in ("addition-code-add", "essay"):
            gradebook.add_solution_cell(name, *book)
        for name, kind in (("addition-code-add", "code"), ("essay", "markdown"), ("project", "markdown")):
            gradebook.add_source_cell(name, *book, cell_type=kind, locked=name == "project", source="")
    converter = LoggingConfigurable()
    converter.coursedir = types.SimpleNamespace(
        source_directory="source", format_path=lambda step, student, name: str(tmp_path / step / name)
    )

    def run(notebook):
        preprocessor = RestoreCells(parent=LoggingConfigurable(parent=converter))
        about = {"student": "anna", "assignment": "addition", "notebook": "addition", "db_url": address}
        return preprocessor.preprocess(notebook, {"nbgrader": about})[0]

    return run


def test_grade_cells_that_are_gone_come_back_in_the_teachers_order(read, caplog):
    caplog.set_level(logging.WARNING)
    notebook = read(new_notebook(cells=[cell(None, "def add(a, b): return a + b")]))
    assert names(notebook) == [None, "test_small", "test_any"]
    assert [one.source for one in notebook.cells[1:]] == ["test_small()", "test_any()"]
    assert notebook.cells[1].metadata.nbgrader["points"] == 2
    assert "anna: grade cells were missing, and came back: test_small, test_any" in caplog.text


def test_what_a_teacher_grades_by_hand_keeps_its_kind(read):
    kept = [cell({"grade_id": name}) for name in ("addition-code-add", "test_small", "test_any", "essay", "project")]
    notebook = read(new_notebook(cells=kept))
    kinds = {
        one.metadata.nbgrader["grade_id"]: {
            what for what in ("grade", "solution", "task", "locked") if one.metadata.nbgrader[what]
        }
        for one in notebook.cells
    }
    assert kinds == {
        "addition-code-add": {"solution"},
        "test_small": {"grade", "locked"},
        "test_any": {"grade", "locked"},
        "essay": {"grade", "solution"},
        "project": {"task", "locked"},
    }
    assert notebook.cells[4].metadata.nbgrader["points"] == 5


def test_a_notebook_of_an_older_format_has_no_ids_afterwards(read):
    notebook = new_notebook(cells=[cell(None)])
    notebook.nbformat_minor = 4
    notebook = read(notebook)
    assert not any("id" in one for one in notebook.cells)
    nbformat.validate(notebook)
