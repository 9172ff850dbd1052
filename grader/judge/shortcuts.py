"""What an exercise forbids, looked for in the student's source; at run time the worker refuses it too."""

from __future__ import annotations

import ast

from grader.judge.compare import Mismatch
from grader.judge.student import Student, source_of

MAX_SOURCE = 100_000  # characters


def assert_not_used(student: Student, *names: str) -> None:
    """The student's source mentions none of these names (``MultiheadAttention``), however they are imported."""
    source = source_of(student)
    if len(source) > MAX_SOURCE:  # parsing takes quadratic time at worst, and no clock can stop it
        problem = f"Your file has more than {MAX_SOURCE} characters: too many to look for what is not allowed."
        raise Mismatch(problem, problem)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it cannot be imported either, which other tests say
    for node in ast.walk(tree):
        found = {ast.Attribute: "attr", ast.Name: "id", ast.alias: "name"}.get(type(node))
        name = getattr(node, found).rpartition(".")[2] if found else ""
        if name in names:
            line = getattr(node, "lineno", 0)
            raise Mismatch(
                f"{name} is not allowed in this exercise (line {line}).", f"{name} is not allowed (line {line})."
            )
