"""Wrong programs of other people: ``tests/diagnosis/foreign`` holds together.

They were written from handout and stub alone, without a look at the bank of known mistakes: edits of right programs in
several styles, each with its true cause in words.
"""

import ast
import tomllib
from pathlib import Path

import pytest

FOREIGN = Path(__file__).parents[3] / "diagnosis" / "foreign"
FILES = sorted(FOREIGN.glob("*.toml"))
LEAST_SINGLE, LEAST_DOUBLE = 150, 30


def load(file):
    """(name, causes, text of the right program, edits)"""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    for kind in ("mistake", "double"):
        for entry in document[kind]:
            base = FOREIGN / file.stem / f"{entry['base']}.py"
            causes = entry["causes"] if kind == "double" else [entry["cause"]]
            yield entry["name"], causes, base.read_text(encoding="utf-8"), entry["edits"]


def test_there_are_enough_single_and_double_mistakes():
    causes = [len(causes) for file in FILES for _, causes, _, _ in load(file)]
    assert causes.count(1) >= LEAST_SINGLE
    assert causes.count(2) >= LEAST_DOUBLE


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_mistake_is_an_edit_of_a_right_program(file):
    entries = list(load(file))
    assert len({name for name, *_ in entries}) == len(entries)
    for name, causes, right, edits in entries:
        wrong = right
        for edit in edits:
            assert wrong.count(edit["find"]) == 1, name
            wrong = wrong.replace(edit["find"], edit["replace"])
        ast.parse(wrong)
        assert wrong != right, name
        assert all(causes), name
