"""Mutants: the solution with one small change, made automatically. A suite that lets one pass has a gap, unless the
mutant does what the solution does.

Only what students write is changed: inside the marks, but neither annotations nor documentation nor the words of
error messages.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from grader.course.equivalents import Equivalent
from grader.course.marks import Region, find_regions
from grader.validation.operators import OPERATORS, Text, is_negative

ANNOTATIONS = ("annotation", "returns", "type_params")


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the solution: ``line`` becomes ``becomes``, both without comments."""

    operator: str
    function: str  # where it is: name, Class.method, or nothing for the module itself
    number: int  # of the line in the solution
    line: str
    becomes: str
    nth: int  # among the changes of this function that read alike
    source: str

    @property
    def id(self) -> str:
        return f"{self.number}: {self.line} → {self.becomes}"


def make_mutants(source: str, path: Path) -> tuple[Mutant, ...]:
    """All mutants of a solution, each text once, in the order of the lines."""
    tree = ast.parse(source)
    text = Text(source, tree)
    regions = find_regions(source, path)
    seen = {_shape(source)}
    mutants: list[Mutant] = []
    alike: Counter[tuple[str, str, str]] = Counter()
    for node, function in _inside(tree, regions, text):
        for operator, propose in OPERATORS.items():
            for start, end, replacement in propose(node, text):
                mutated = (text.data[:start] + replacement.encode() + text.data[end:]).decode()
                shape = _shape(mutated)
                if shape is None or shape in seen:
                    continue
                seen.add(shape)
                number, line, becomes = _first_difference(source, mutated)
                alike[function, line, becomes] += 1
                mutants.append(
                    Mutant(
                        operator=operator,
                        function=function,
                        number=number,
                        line=line,
                        becomes=becomes,
                        nth=alike[function, line, becomes],
                        source=mutated,
                    )
                )
    return tuple(sorted(mutants, key=lambda mutant: mutant.number))


def diff(source: str, mutant: Mutant) -> str:
    """What the mutant changes, as lines with - and +."""
    lines = difflib.unified_diff(source.splitlines(), mutant.source.splitlines(), n=0, lineterm="")
    return "\n".join(list(lines)[2:])


def _inside(tree: ast.Module, regions: list[Region], text: Text) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that students write, with the function that they are in."""

    def visit(node: ast.AST, names: tuple[str, ...], known: frozenset[str]) -> Iterator[tuple[ast.AST, str]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = (*names, node.name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            known = frozenset(a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg))
        if isinstance(node, ast.stmt):
            text.bound[node] = known
        if hasattr(node, "lineno") and any(r.begin < node.lineno < r.end for r in regions):
            yield node, ".".join(names)
        if isinstance(node, ast.comprehension):  # it has no line of its own
            if any(r.begin < node.iter.lineno < r.end for r in regions):
                yield node, ".".join(names)
        elif isinstance(node, ast.Raise | ast.JoinedStr) or is_negative(node):
            return
        for field, value in ast.iter_fields(node):
            if field in ANNOTATIONS:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_documentation(child):
                    yield from visit(child, names, known)
                    known |= _stored(child)

    yield from visit(tree, (), frozenset())


def _stored(node: ast.AST) -> frozenset[str]:
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.For | ast.If | ast.While | ast.With):
        return frozenset()
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _is_documentation(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _shape(source: str) -> str | None:
    """What Python sees of a text, or None where it sees nothing."""
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError):
        return None


def _first_difference(before: str, after: str) -> tuple[int, str, str]:
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    for number, (one, other) in enumerate(lines, start=1):
        if one != other:
            return number, _bare(one), _bare(other)
    raise AssertionError("a mutant differs from its solution")


def _bare(line: str) -> str:
    return line.partition("  #")[0].strip()


def is_equivalent(mutant: Mutant, equivalents: Sequence[Equivalent]) -> bool:
    """Whether somebody has said that it does what the solution does."""
    return any(_is_it(mutant, one) for one in equivalents)


def stale(equivalents: Sequence[Equivalent], mutants: Sequence[Mutant]) -> list[Equivalent]:
    """Those that are no mutant of the solution as it is now."""
    return [one for one in equivalents if not any(_is_it(mutant, one) for mutant in mutants)]


def _is_it(mutant: Mutant, one: Equivalent) -> bool:
    return (mutant.function, mutant.line, mutant.becomes, mutant.nth) == (
        one.function, one.line, one.becomes, one.nth
    )  # fmt: skip
