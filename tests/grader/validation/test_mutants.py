from pathlib import Path

import pytest

from grader.course import find_course
from grader.course.equivalents import load_equivalents
from grader.errors import GraderError
from grader.validation.mutants import diff, is_equivalent, make_mutants, stale
from grader.validation.specimens import make_specimens
from tests.grader.conftest import write

SOLUTION = '''"""A module."""

import math

import torch

LIMIT = 10


def shown(a: int = 3) -> int:
    return a + 1


def f(x: list[int], *, k: int = 2) -> float:
    """Not this: 1 + 1."""
    ### BEGIN SOLUTION
    if k < 1:
        raise ValueError("k must be 1 or more, not " + str(k))
    total: int | float = 0  # 5 + 5
    for i in range(len(x)):
        total += x[i] * k  # ünïcode
    while total > 9 and not math.isinf(total):
        total = -total
        break
    rest = [y for y in x[1:] if y != 0]
    return max(rest, default=-1) if rest else total
    ### END SOLUTION


class Model:
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        """Not this: 2 + 2."""
        x = x.softmax(dim=-1)
        x = x - torch.zeros(3)
        return self.dropout(x.sum(dim=(0, -2), keepdim=True)[:, None, k, : self.n])
        ### END SOLUTION
'''


def changes():
    """What each line becomes."""
    found = {}
    for mutant in make_mutants(SOLUTION, Path("s.py")):
        found.setdefault(mutant.line, set()).add(mutant.becomes)
    return found


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("if k < 1:", ["if k <= 1:", "if k >= 1:", "if k < 0:", "if k < 2:"]),
        ("for i in range(len(x)):", ["for i in range(len(x) - 1):", "pass"]),
        ("total += x[i] * k", ["total -= x[i] * k", "total += x[i - 1] * k", "total += x[i] / k", "pass"]),
        (
            "while total > 9 and not math.isinf(total):",
            [
                "while total > 9 or not math.isinf(total):",
                "while total > 9 and math.isinf(total):",
                "while not math.isinf(total):",
                "while total > 9:",
                "while total >= 9 and not math.isinf(total):",
            ],
        ),
        ("total = -total", ["total = total", "pass"]),
        ("break", ["pass"]),
        (
            "rest = [y for y in x[1:] if y != 0]",
            [
                "rest = [y for y in x[1:] if y == 0]",
                "rest = [y for y in x[1:] if True]",
                "rest = [y for y in x[:] if y != 0]",
                "rest = [y for y in x[2:] if y != 0]",
            ],
        ),
        (
            "return max(rest, default=-1) if rest else total",
            [
                "return min(rest, default=-1) if rest else total",
                "return max(rest, ) if rest else total",
                "return max(rest, default=-2) if rest else total",
                "return max(rest, default=-1) if not (rest) else total",
                "return total",
            ],
        ),
        ("x = x.softmax(dim=-1)", ["x = x.softmax(dim=0)", "x = x.softmax(dim=-2)", "x = x", "pass"]),
        ("x = x - torch.zeros(3)", ["x = x + torch.zeros(3)", "x = x - torch.ones(3)", "x = x - torch.zeros(4)"]),
        (
            "return self.dropout(x.sum(dim=(0, -2), keepdim=True)[:, None, k, : self.n])",
            [
                "return self.dropout(x.mean(dim=(0, -2), keepdim=True)[:, None, k, : self.n])",
                "return self.dropout(x.sum(dim=(0, -2), )[:, None, k, : self.n])",
                "return self.dropout(x.sum(dim=(0, -2), keepdim=False)[:, None, k, : self.n])",
                "return self.dropout(x.sum(dim=(0, -2), keepdim=True)[:, None, k - 1, : self.n])",
                "return self.dropout(x.sum(dim=(0, -2), keepdim=True)[:, None, k, : ])",
                "return self.dropout(x[:, None, k, : self.n])",
            ],
        ),
    ],
)
def test_what_is_changed(line, becomes):
    assert set(becomes) <= changes()[line]


def test_only_what_students_write_is_changed():
    lines = set(changes())
    assert not any("Not this" in line or "LIMIT" in line or "a + 1" in line or line.startswith("def") for line in lines)
    assert all("int & float" not in becomes for found in changes().values() for becomes in found)
    assert changes()['raise ValueError("k must be 1 or more, not " + str(k))'] == {"pass"}
    assert "-0" not in str(changes())


def test_every_mutant_is_valid_and_another_program():
    mutants = make_mutants(SOLUTION, Path("s.py"))
    assert len({mutant.source for mutant in mutants}) == len(mutants) > 50
    for mutant in mutants:
        compile(mutant.source, "s.py", "exec")
    assert {mutant.function for mutant in mutants} == {"f", "Model.forward"}


def test_the_diff_shows_the_change_only():
    mutant = next(m for m in make_mutants(SOLUTION, Path("s.py")) if m.becomes == "total = total")
    assert diff(SOLUTION, mutant).splitlines()[1:] == ["-        total = -total", "+        total = total"]


def equivalents(tmp_path, body, head="format = 1"):
    path = tmp_path / "equivalents.toml"
    path.write_text(f"{head}\n[[equivalent]]\n{body}\n")
    return load_equivalents(path).equivalent


def test_an_equivalent_is_found_by_its_function_line_and_change(tmp_path):
    mutants = make_mutants(SOLUTION, Path("s.py"))
    body = "function = 'f'\nline = 'total = -total'\nbecomes = 'total = total'\nreason = 'It is 0.'"
    found = equivalents(tmp_path, body)
    assert [m.becomes for m in mutants if is_equivalent(m, found)] == ["total = total"]
    assert stale(found, mutants) == []
    assert stale(equivalents(tmp_path, body.replace("'f'", "'g'")), mutants)
    assert stale(equivalents(tmp_path, body + "\nnth = 2"), mutants)


def test_equivalents_need_a_reason_and_known_keys(tmp_path):
    assert load_equivalents(tmp_path / "nowhere.toml").equivalent == ()
    with pytest.raises(GraderError, match="say why"):
        equivalents(tmp_path, "line = 'a'\nbecomes = 'b'\nreason = ' '")
    with pytest.raises(GraderError, match="reasn"):
        equivalents(tmp_path, "line = 'a'\nbecomes = 'b'\nreason = 'c'\nreasn = 'd'")
    with pytest.raises(GraderError, match="format"):
        equivalents(tmp_path, "line = 'a'\nbecomes = 'b'\nreason = 'c'", head="format = 2")


def test_a_solution_whose_mutants_prove_nothing_is_left_alone(tiny, tmp_path):
    write(tiny / "solutions/equivalents/addition.toml", "format = 1\nnot_mutated = 'It is a test file.'\n")
    course = find_course(tiny)
    specimens = [make_specimens(course, exercise, tmp_path / "specimens", mutate=True) for exercise in course.exercises]
    assert [bool(specimens.mutants) for specimens in specimens] == [False, True]
    assert specimens[0].equivalents.not_mutated == "It is a test file."
