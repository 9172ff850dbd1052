"""Draws pictures of handouts from the solutions: `python docs/pictures/make_handouts.py`.

Most are what `grader show` draws. The one of edit_distance_tests shows which of four tests finds which mistake.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grader.course import find_course
from grader.files import write_atomically
from grader.student.pictures import Grid, Picture
from grader.student.show import drawings

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS_OF_THEIR_OWN = {"positional_encoding", "seq2seq", "transformer"}  # beside this one
COSTS = {"insert": 2, "delete": 3, "substitute": 4}


def words() -> list[tuple[str, str]]:
    draw = random.Random(1)
    return [("".join(draw.choices("abC", k=draw.randint(0, 6))), "".join(draw.choices("abc", k=5))) for _ in range(50)]


def is_a_number(implementation: Any) -> None:
    for source, target in words():
        assert implementation.edit_distance(source, target) >= 0


def insertion_costs(implementation: Any) -> None:
    assert implementation.edit_distance("ab", "abc", **COSTS) == COSTS["insert"]


def cells_follow(implementation: Any) -> None:
    for source, target in words():
        table = implementation.edit_table(source, target, **COSTS)
        for i in range(len(source) + 1):
            for j in range(len(target) + 1):
                ways = [table[i - 1][j] + COSTS["delete"]] if i else []
                ways += [table[i][j - 1] + COSTS["insert"]] if j else []
                if i and j:
                    ways.append(table[i - 1][j - 1] + COSTS["substitute"] * (source[i - 1] != target[j - 1]))
                assert table[i][j] == min(ways, default=0)
        assert implementation.edit_distance(source, target, **COSTS) == table[-1][-1]


def steps_replayed(implementation: Any) -> None:
    for source, target in words():
        steps = implementation.alignment(source, target, **COSTS)
        cost = sum(COSTS.get(kind, 0) for kind, _, _ in steps)
        assert "".join(old for _, old, _ in steps if old) == source
        assert "".join(new for _, _, new in steps if new) == target
        assert cost == implementation.edit_distance(source, target, **COSTS)


TESTS = {
    "number": is_a_number,
    "insertion": insertion_costs,
    "cells": cells_follow,
    "replay": steps_replayed,
}


def finds(test: Callable[[Any], None], implementation: Any) -> bool:
    try:
        test(implementation)
    except Exception:  # anything but a return is a finding
        return True
    return False


def which_finds_which() -> Picture:
    suite = importlib.import_module("exercises.edit_distance_tests.test_edit_distance_tests")
    right = vars(importlib.import_module("edit_distance"))
    mistakes = suite.DISTANCES | suite.OTHERS
    assert not any(finds(test, SimpleNamespace(**right)) for test in TESTS.values())
    found = [
        [finds(test, SimpleNamespace(**{**right, **change(right)})) for test in TESTS.values()]
        for change in mistakes.values()
    ]
    grid = Grid(shades=[[0.6 * cell for cell in row] for row in found], rows=list(mistakes), columns=list(TESTS))
    notes = (
        "number: the result is at least 0; insertion: one insertion costs what it should;",
        "cells: each cell follows from its neighbours; replay: the steps of an alignment, replayed",
    )
    return Picture("Which test finds which wrong implementation: filled = found", [[grid]], notes)


def main() -> None:
    sys.path[:0] = [str(ROOT / "solutions"), str(ROOT)]
    drawn_here = {name: draw for name, draw in drawings(find_course(ROOT)).items() if name not in SCRIPTS_OF_THEIR_OWN}
    pictures = {name: draw(vars(importlib.import_module(name))) for name, draw in drawn_here.items()}
    pictures["edit_distance_tests"] = which_finds_which()
    for name, picture in pictures.items():
        write_atomically(ROOT / "exercises" / name / "picture.svg", picture.svg())


if __name__ == "__main__":
    main()
