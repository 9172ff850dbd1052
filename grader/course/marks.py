"""``### BEGIN SOLUTION`` and ``### END SOLUTION``: the parts of a solution that students write themselves.

The marks are nbgrader's. They are comments that stand alone on their line, and enclose whole statements.
"""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import msgspec

from grader.errors import MarkError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
# Close enough to have been meant as a mark; a typing error must not release a solution.
LIKE_A_MARK = re.compile(r"#+\s*(BEGIN|END)[\s_-]*SOLUTIONS?\b|#+\s*SOLUTIONS?[\s_-]*(BEGIN|END)\b", re.IGNORECASE)


class Region(msgspec.Struct, frozen=True):
    """Lines (counted from 1) of the two marks, and their indentation."""

    begin: int
    end: int
    indent: str


def find_regions(source: str, path: Path) -> list[Region]:
    """The marked regions in order; marks that do not pair up are errors."""
    regions: list[Region] = []
    opened: tuple[int, str] | None = None
    for line, indent, mark in _marks(source, path):
        if mark == BEGIN and opened:
            raise MarkError(
                path, line, f"{BEGIN!r} inside the region that begins in line {opened[0]}; close that first."
            )
        if mark == BEGIN:
            opened = (line, indent)
        elif opened is None:
            raise MarkError(path, line, f"{END!r} without a {BEGIN!r} before it.")
        elif indent != opened[1]:
            raise MarkError(path, line, f"{END!r} is not indented as its {BEGIN!r} in line {opened[0]}.")
        else:
            regions.append(Region(opened[0], line, indent))
            opened = None
    if opened:
        raise MarkError(path, opened[0], f"{BEGIN!r} is never closed; add {END!r}.")
    return regions


def _marks(source: str, path: Path) -> list[tuple[int, str, str]]:
    marks = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        line = error.args[1][0] if isinstance(error, tokenize.TokenError) else error.lineno or 1
        raise MarkError(path, line, f"is not valid Python: {error.args[0]}") from error
    for token in tokens:
        if token.type != tokenize.COMMENT or not LIKE_A_MARK.match(token.string):
            continue
        line, column = token.start
        mark = token.string.rstrip()
        if mark not in (BEGIN, END):
            raise MarkError(path, line, f"{mark!r} is not a mark; the marks are {BEGIN!r} and {END!r}.")
        if token.line[:column].strip():
            raise MarkError(path, line, f"{mark!r} must stand alone on its line.")
        marks.append((line, token.line[:column], mark))
    return marks
