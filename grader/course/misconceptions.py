"""``solutions/misconceptions/<name>.toml``: known mistakes, each as a small edit of the solution."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Annotated

import msgspec

from grader.course.tables import read_table
from grader.errors import MisconceptionError

FORMAT = 1


class Misconception(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mistake: how it is made, what to tell whoever made it, and which criteria must see it."""

    id: str
    explanation: str
    hint: str
    caught_by: tuple[str, ...]
    severity: Annotated[int, msgspec.Meta(ge=1, le=100)] = 100  # percent that a teacher would take off for it alone
    idea: str = ""  # the id of another mistake that has the same idea, in another place
    costs_more: str = ""  # why it may cost more than 40 % of the exercise
    find: str = ""  # with replace: text that occurs exactly once in the solution
    replace: str = ""
    function: str = ""  # with code: a whole function, replaced
    code: str = ""


class Bank(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The known mistakes of one exercise."""

    format: int
    misconception: tuple[Misconception, ...]
    justified: dict[str, str] = {}  # criterion that catches nothing alone -> why it is there


def load_misconceptions(path: Path) -> tuple[Misconception, ...]:
    return load_bank(path).misconception


def load_bank(path: Path) -> Bank:
    bank = read_table(path, Bank, FORMAT)
    seen: set[str] = set()
    for mistake in bank.misconception:
        if mistake.id in seen:
            raise MisconceptionError(path, mistake.id, "appears twice; ids are unique.")
        seen.add(mistake.id)
        if bool(mistake.find) == bool(mistake.function):
            raise MisconceptionError(path, mistake.id, "needs either find and replace, or function and code.")
        if not mistake.caught_by:
            raise MisconceptionError(path, mistake.id, "caught_by names no criterion.")
    for mistake in bank.misconception:
        if mistake.idea and (mistake.idea not in seen or mistake.idea == mistake.id):
            raise MisconceptionError(path, mistake.id, f"idea: the bank has no other {mistake.idea!r}.")
    return bank


def apply_misconception(mistake: Misconception, solution: str, path: Path) -> str:
    """The solution with the mistake in it; ``path`` is the bank's, for messages."""
    if mistake.find:
        count = solution.count(mistake.find)
        if count != 1:
            raise MisconceptionError(
                path, mistake.id, f"find must occur once in the solution, it occurs {count} times."
            )
        wrong = solution.replace(mistake.find, mistake.replace)
    else:
        wrong = _replace_function(mistake, solution, path)
    try:
        ast.parse(wrong)
    except SyntaxError as error:
        raise MisconceptionError(path, mistake.id, f"leaves invalid Python: {error}") from error
    return wrong


def _replace_function(mistake: Misconception, solution: str, path: Path) -> str:
    """``function`` is a name, or Class.method; the code replaces it with its decorators, at its indentation."""
    body: list[ast.stmt] = ast.parse(solution).body
    node: ast.AST | None = None
    for part in mistake.function.split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        node = next((n for n in body if isinstance(n, kinds) and n.name == part), None)
        if node is None:
            raise MisconceptionError(path, mistake.id, f"the solution has no {mistake.function!r}.")
        body = node.body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    lines = solution.splitlines()
    indent = " " * node.col_offset
    code = [indent + line if line.strip() else "" for line in mistake.code.strip("\n").splitlines()]
    lines[first - 1 : node.end_lineno] = code
    return "\n".join(lines) + "\n"
