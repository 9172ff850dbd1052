"""Notebooks as authors make them and as students run them."""

import json
import re
import sys
from pathlib import Path

import pytest

from grader.authoring.notebooks import make_notebook, make_source_notebook
from grader.course import find_course
from grader.course.stubs import course_stub
from grader.submissions.notebook import HEADER, notebook_source
from tests.grader.conftest import write

EXERCISES = [exercise.name for exercise in find_course(Path(__file__).parent).exercises]


@pytest.mark.parametrize("name", EXERCISES)
def test_the_notebook_is_up_to_date_valid_and_holds_the_stub(course, name):
    import nbformat
    from nbgrader.nbgraderformat.v3 import MetadataValidatorV3

    exercise = course.exercise(name)
    text = course.notebook(exercise).read_text(encoding="utf-8")
    assert text == make_notebook(course, exercise), "run: grader notebooks"
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    MetadataValidatorV3().validate_nb(notebook)
    code = re.sub(r"(?m)^# %% cell \d+$", "", notebook_source(text.encode()))
    assert code.split() == HEADER.split() + course_stub(course, exercise).split()
    grade_ids = [cell.metadata.nbgrader.grade_id for cell in notebook.cells]
    assert len(set(grade_ids)) == len(grade_ids)


@pytest.mark.parametrize("name", EXERCISES)
def test_nothing_of_the_solution_is_in_the_notebook(course, name):
    code = course.notebook(course.exercise(name)).read_text(encoding="utf-8")
    assert "SOLUTION" not in code
    assert "is yours to write" in code


@pytest.mark.parametrize("name", EXERCISES)
def test_the_picture_shows_in_the_notebook_as_a_page(course, name):
    from nbconvert import HTMLExporter

    path = course.notebook(course.exercise(name))
    page, _ = HTMLExporter(embed_images=True).from_filename(str(path))
    assert len(re.findall(r'<img alt="[^"]+" src="data:image/svg\+xml;base64,', page)) == 1


def test_a_student_works_in_the_notebook_and_checks_there(tiny, grader):
    import nbclient
    import nbformat

    write(
        tiny / "exercises/addition/handout.md",
        "# Sums\n\nAdd.\n\n## What to write\n\n`add`\n\n## What to try\n\nMore.\n",
    )
    (tiny / "exercises/addition/addition.py").unlink()
    assert grader("stubs", "addition", "--course", tiny).exit_code == 0
    assert grader("notebooks", "addition", "--check", "--course", tiny).exit_code == 1
    assert grader("notebooks", "addition", "--course", tiny).output == "exercises/addition/addition.ipynb: written\n"
    assert grader("notebooks", "addition", "--check", "--course", tiny).exit_code == 0
    path = tiny / "exercises/addition/addition.ipynb"
    notebook = nbformat.read(path, as_version=4)
    kinds = [(cell.cell_type, cell.source.split("\n")[0]) for cell in notebook.cells]
    assert [kind for kind, _ in kinds] == ["markdown"] * 2 + ["code"] * 2 + ["markdown"] * 2 + ["code"] * 3
    assert [line for _, line in kinds[4:6]] == ["## What to try", "## What is graded"]
    answer = notebook.cells[2]
    assert answer.metadata.nbgrader.solution
    assert "yours to write" in answer.source
    answer.source = "%time print('hello')\ndef add(a, b):\n    return a + b\n"
    nbformat.write(notebook, path)
    notebook.metadata.kernelspec.name = "python3"
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    output = re.sub(r"\x1b\[\d+m", "", "".join(out.get("text", "") for out in notebook.cells[3].outputs))
    assert output.startswith("✓ addition"), "nothing moves in a notebook"
    assert notebook.cells[6].outputs[0].text == "✓ Small sums  2/2\n"
    assert "all 2 public criteria" in " ".join(output.split())
    module = (tiny / "exercises/addition/addition.py").read_text()
    assert module.startswith("# Written from a notebook")
    assert "# %time" in module
    assert "yours to write" in (tiny / "exercises/addition/addition.py.bak").read_text()


def test_every_criterion_has_a_grade_cell_and_hidden_ones_only_say_what_they_look_at(tiny):
    write(tiny / "exercises/addition/handout.md", "# Sums\n")
    course = find_course(tiny)
    text = make_notebook(course, course.exercise("addition"))
    cells = {c["metadata"]["nbgrader"]["grade_id"]: c for c in json.loads(text)["cells"]}
    graded = {
        name: c["metadata"]["nbgrader"]["points"] for name, c in cells.items() if c["metadata"]["nbgrader"]["grade"]
    }
    assert graded == {"small": 2, "zero": 1, "any": 1}
    assert all(cells[name]["metadata"]["nbgrader"]["locked"] and not cells[name]["outputs"] for name in graded)
    assert "".join(cells["small"]["source"]).splitlines() == [
        "# Small sums (2 points)", "# One and one is two.", "from grader.student.cells import check_cell", "",
        'check_cell("small", "addition")',
    ]  # fmt: skip
    assert "".join(cells["any"]["source"]).splitlines() == [
        "# Any sum (1 point)", "# Sums of numbers that nobody knows beforehand.",
        "# Hidden: your teacher's tests look at it.",
    ]  # fmt: skip
    assert text == make_notebook(course, course.exercise("addition"))


def test_the_teachers_notebook_has_the_solution_and_the_hidden_tests_and_is_else_the_same(course):
    for exercise in course.exercises:
        source, given = (json.loads(make(course, exercise))["cells"] for make in (make_source_notebook, make_notebook))
        metadata = {cell["id"]: cell["metadata"] for cell in source}
        assert {cell["id"]: cell["metadata"] for cell in given}.items() <= metadata.items()
        code = "\n".join("".join(cell["source"]) for cell in source if cell["metadata"]["nbgrader"]["solution"])
        assert code.split() == course.solution(exercise).read_text(encoding="utf-8").split()
        for cell in source:
            text = "".join(cell["source"])
            assert text.count("### BEGIN SOLUTION") == text.count("### END SOLUTION")
        hidden = sum("### BEGIN HIDDEN TESTS" in "".join(cell["source"]) for cell in source)
        assert hidden == exercise.hidden_criteria


def test_a_notebook_is_found_by_its_path_and_by_its_name(tiny, grader):
    cell = {"cell_type": "code", "source": "def add(a, b):\n    return a + b", "metadata": {}}
    path = tiny / "exercises/addition/addition.ipynb"
    path.write_text(json.dumps({"cells": [cell], "nbformat": 4}))
    for name in (path, "addition.ipynb"):
        result = grader("check", name, "--course", tiny)
        assert result.exit_code == 0, result.output
        assert "all 2 public criteria" in result.output
        assert "✓ doubling" not in result.output
    result = grader("check", "doubling.ipynb", "--course", tiny)
    assert result.exit_code == 2
    assert "no such notebook" in result.output


def test_without_nbformat_it_says_what_to_install(course, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbformat", None)
    with pytest.raises(Exception, match=r"grader\[notebooks\]"):
        make_notebook(course, course.exercises[0])


def test_a_definition_keeps_its_comment_and_decorator(tiny):
    write(tiny / "exercises/addition/handout.md", "# Sums\n")
    write(tiny / "solutions/addition.py", '''
        """Sums."""

        import functools


        # Adding is quick, remembering quicker.
        @functools.cache
        def add(a, b):
            ### BEGIN SOLUTION
            return a + b
            ### END SOLUTION
        ''')  # fmt: skip
    course = find_course(tiny)
    cells = json.loads(make_notebook(course, course.exercise("addition")))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["metadata"]["nbgrader"]["solution"]]
    assert code[0].endswith("import functools")
    assert code[1].startswith("# Adding is quick, remembering quicker.\n@functools.cache\ndef add")
