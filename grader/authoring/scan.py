"""Finds what students must not see in what they would get: lines of solutions, hidden tests, misconceptions and
stand-ins, and the secret.

A line counts if it says something: short ones (``return table``) stand everywhere, and so do imports. What students get
on purpose is no secret either: the stub, the titles and sentences of hidden criteria, and whatever an author lists in
``solutions/public_lines.txt``.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.course.marks import find_regions
from grader.course.misconceptions import load_bank
from grader.course.stubs import course_stub
from grader.errors import GraderError

LEAST_LETTERS = 20  # of a line that tells something, without spaces and punctuation
LEAST_WORDS = 4
WORD = re.compile(r"\w+")
HEAD = re.compile(r"\s*(?:import \w|from [\w.]+ import|(?:async )?def \w|class \w)")


class Leak(msgspec.Struct, frozen=True, order=True):
    """A line that must not be there."""

    file: str
    line: int
    what: str  # whose line it is


def scan(course: Course, files: Mapping[str, bytes]) -> tuple[Leak, ...]:
    """Every place in these files where something shows that must stay hidden."""
    secrets = secret_lines(course)
    found = []
    for name, content in sorted(files.items()):
        if course.secret and course.secret.encode() in content:
            found.append(Leak(name, 0, "the secret of the course"))
        for number, line in enumerate(_lines(name, content), start=1):
            if what := secrets.get(_plain(line)):
                found.append(Leak(name, number, what))
    return tuple(found)


def refuse_leaks(leaks: Iterable[Leak], public_lines: Path) -> None:
    """An error that names what was found, and what to do."""
    shown = [f"  {leak.file}:{leak.line}: {leak.what}" for leak in leaks]
    if shown:
        more = f"\n  and {len(shown) - 20} more" if len(shown) > 20 else ""
        raise GraderError(
            "Students would see what must stay hidden, so nothing was written:\n" + "\n".join(shown[:20]) + more
            + f"\nTake it out. A line that students may see goes into {public_lines}, as it stands."
        )  # fmt: skip


def secret_lines(course: Course) -> dict[str, str]:
    """Each line that must stay hidden, with whose line it is."""
    found: dict[str, str] = {}
    public: set[str] = set()
    if course.public_lines.is_file():
        public |= {_plain(line) for line in course.public_lines.read_text(encoding="utf-8").splitlines()}
    for exercise in course.exercises:
        public |= {_plain(line) for line in course_stub(course, exercise).splitlines()}
        for what, lines in _hidden(course, exercise):
            for line in lines:
                if _tells(line):
                    found.setdefault(_plain(line), what)
    return {line: what for line, what in found.items() if line not in public}


def _hidden(course: Course, exercise: Exercise) -> Iterable[tuple[str, list[str]]]:
    name = exercise.name
    solution = course.solution(exercise)
    text = solution.read_text(encoding="utf-8")
    lines = text.splitlines()
    regions = find_regions(text, solution)
    inside = {line for r in regions for line in lines[r.begin : r.end - 1]}
    yield f"the solution of {name}", [line for line in _code_lines(solution) if line in inside]
    if course.hidden_suite(exercise).is_file():
        yield f"the hidden tests of {name}", _hidden_test_lines(course, exercise)
    if course.bank(exercise).is_file():
        for mistake in load_bank(course.bank(exercise)).misconception:
            told = [mistake.explanation, mistake.hint, *mistake.replace.splitlines(), *mistake.code.splitlines()]
            yield f"the misconception {mistake.id} of {name}", told
    for path in (course.stand_in(name), *course.variants(exercise)):
        if path.is_file():
            what = "the stand-in for" if path == course.stand_in(name) else f"the variant {path.name} of"
            yield f"{what} {name}", _code_lines(path)


def _hidden_test_lines(course: Course, exercise: Exercise) -> list[str]:
    """What public suites say is not hidden: suites are written alike."""
    suites = [course.public_suite(one) for one in course.exercises]
    texts = [suite.read_text(encoding="utf-8") for suite in suites if suite.is_file()]
    public = {_plain(line) for text in texts for line in text.splitlines()}
    return [line for line in _code_lines(course.hidden_suite(exercise)) if _plain(line) not in public]


def _code_lines(path: Path) -> list[str]:
    """All lines but imports, decorators (titles and hints of criteria), the heads of functions, and docstrings."""
    text = path.read_text(encoding="utf-8")
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            told |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            told |= set(range(first, node.body[0].lineno))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            told |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return [line for number, line in enumerate(text.splitlines(), start=1) if number not in told]


def _lines(name: str, content: bytes) -> list[str]:
    """The lines as a reader sees them."""
    text = content.decode(errors="replace")
    if name.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    elif name.endswith((".html", ".svg")):
        text = html.unescape(re.sub(r"</?(code|pre|p|li|td|em|strong)[^>]*>", "", text))
    return text.splitlines()


def _plain(line: str) -> str:
    """A line without what changes nothing: spaces, a comment's mark, a trailing comma."""
    return re.sub(r"\s+", "", line).lstrip("#>-*").rstrip(",;")


def _tells(line: str) -> bool:
    if HEAD.match(line):
        return False
    words = WORD.findall(line)
    return len(words) >= LEAST_WORDS and sum(map(len, words)) >= LEAST_LETTERS
