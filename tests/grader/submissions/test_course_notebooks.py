"""The notebooks of this course, with right answers and the scratch work that people leave behind."""

import json

import pytest

from grader.authoring.notebooks import _definitions

SCRATCH = (
    "import matplotlib_of_nowhere.pyplot as plt\nfrom google_of_nowhere.colab import drive\n%matplotlib inline",
    "attend?\n1/0",
    "x = (",
    "import time\nlosses = [time.sleep(1000) for _ in range(100)]\nplt.plot(losses)",
    "def show_losses():\n    return losses, torch.nn.CTCLoss",
    "assert False",
    "for i in range(10**12):\n    pass",
    "raise SystemExit",
    "with open('x') as f:\n    text = f.read()",
    "y = undefined_name\nz = 1/0",
    "!pip install seaborn\ndrive.mount('/x')",
)


def code(source):
    return {"cell_type": "code", "metadata": {}, "source": source}


@pytest.mark.proof
def test_right_answers_among_scratch_work_get_all_points(course, grader, tmp_path):
    folder = tmp_path / "submissions/anna"
    folder.mkdir(parents=True)
    names = ("ctc", "attention", "seq2seq")  # the last one builds on the second
    for name in names:
        exercise = course.exercise(name)
        notebook = json.loads(course.notebook(exercise).read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["locked"]]
        pieces = _definitions(course.solution(exercise).read_text(encoding="utf-8"))
        for number, (_, piece) in enumerate(pieces):
            cells += [code(piece), code(SCRATCH[number % len(SCRATCH)])]
        cells += map(code, SCRATCH)
        (folder / f"{name}.ipynb").write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")
    chosen = [option for name in names for option in ("--exercise", name)]
    result = grader(
        "grade", tmp_path / "submissions", "--out", tmp_path / "out", "--quick", "--json",
        "--course", course.root, *chosen,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    (student,) = json.loads(result.stdout)["students"]
    assert {e["name"]: (e["score"], e["problem"]) for e in student["exercises"]} == dict.fromkeys(names, (100.0, ""))
    for exercise in student["exercises"]:
        assert not exercise["stand_ins"]
        assert any("(not valid Python)" in note for note in exercise["notes"])
        assert "matplotlib_of_nowhere, google_of_nowhere are not installed" in exercise["notes"][-1]
