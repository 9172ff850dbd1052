"""Finds what students must not see in what they would get: lines of solutions, variants, stand-ins, hidden tests and
misconceptions, and the secret.

Lines are compared word by word, without regard to spaces, quotes, commas, comment marks and where a line ends, so that
a line is found in a string, a comment, a table or a paragraph too. A short line (``return table``) says nothing by
itself; it is looked for together with the lines that follow it. What students get on purpose is no secret: the stub,
the titles and sentences of hidden criteria, the words about mistakes that show in public tests (known_mistakes.json),
and whatever an author lists in ``solutions/public_lines.txt``.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.course.known_mistakes import FILE_NAME, without_words
from grader.course.marks import find_regions
from grader.course.misconceptions import load_bank
from grader.course.stubs import course_stub
from grader.errors import GraderError

LEAST_LETTERS = 20  # of what tells something, without spaces and punctuation
LEAST_WORDS = 4
WORD = re.compile(r"\w+")
TOKEN = re.compile(r"\w+|[^\w\s#,;\"'`\\]")  # what is left out changes nothing, or differs from file to file
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')  # of JSON
TAG = re.compile(r"<[^<>]*>")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
IMPORT = re.compile(r"\s*(?:import \w[\w., ]*(?:#.*)?$|from [\w.]+ import\b)")

Tokens = tuple[str, ...]


class Leak(msgspec.Struct, frozen=True, order=True):
    """Something that must not be there."""

    file: str
    line: int
    last: int  # the line in which it ends
    what: str  # whose line it is
    text: str  # the hidden line, or lines


class Secret(msgspec.Struct, frozen=True):
    """Something to look for: a line that says something, or a few short ones together."""

    tokens: Tokens
    what: str
    text: str


def scan(course: Course, files: Mapping[str, bytes]) -> tuple[Leak, ...]:
    """Every place in these files where something shows that must stay hidden."""
    secrets = _by_beginning(secret_lines(course))
    found = set()
    for name, content in files.items():
        if Path(name).name == FILE_NAME:
            content = without_words(content)
        if course.secret and course.secret.encode() in content:
            line = content[: content.index(course.secret.encode())].count(b"\n") + 1
            found.add(Leak(name, line, line, "the secret of the course", "…"))
        for text in _readings(name, content.decode(errors="replace")):
            for line, last, secret in _occurrences(text, secrets):
                found.add(Leak(name, line, last, secret.what, secret.text))
    return tuple(sorted(found))


def refuse_leaks(leaks: Iterable[Leak], public_lines: Path) -> None:
    """An error that names what was found, and what to do."""
    shown = [f"  {leak.file}:{leak.line}: {leak.what}: {leak.text}" for leak in leaks]
    if shown:
        more = f"\n  and {len(shown) - 20} more" if len(shown) > 20 else ""
        raise GraderError(
            "Students would see what must stay hidden, so nothing was written:\n" + "\n".join(shown[:20]) + more
            + f"\nTake it out. Lines that students may see go into {public_lines}, as they stand."
        )  # fmt: skip


def secret_lines(course: Course) -> list[Secret]:
    """Everything that must stay hidden, and that says something."""
    public = [course_stub(course, exercise) for exercise in course.exercises]
    if course.public_lines.is_file():
        public.append(course.public_lines.read_text(encoding="utf-8"))
    found: dict[Tokens, Secret] = {}
    for exercise in course.exercises:
        for what, blocks in _hidden(course, exercise):
            for secret in _telling(what, blocks):
                found.setdefault(secret.tokens, secret)
    secrets = _by_beginning(found.values())
    for text in public:
        for _, _, secret in _occurrences([(line, 0) for line in text.splitlines()], secrets):
            found.pop(secret.tokens, None)
    return list(found.values())


# What is hidden: blocks of lines that belong together


def _hidden(course: Course, exercise: Exercise) -> Iterator[tuple[str, list[list[str]]]]:
    name = exercise.name
    solution = course.solution(exercise)
    text = solution.read_text(encoding="utf-8")
    lines = text.splitlines()
    regions = find_regions(text, solution)
    yield f"the solution of {name}", [_without_imports(lines[r.begin : r.end - 1]) for r in regions]
    if course.hidden_suite(exercise).is_file():
        yield f"the hidden tests of {name}", _suite_blocks(course.hidden_suite(exercise))
    if course.bank(exercise).is_file():
        for mistake in load_bank(course.bank(exercise)).misconception:
            prose = [SENTENCE_END.split(text) for text in (mistake.explanation, mistake.hint)]
            code = [_without_imports(text.splitlines()) for text in (mistake.replace, mistake.code)]
            yield f"the misconception {mistake.id} of {name}", [*prose, *code]
    for path in (course.stand_in(name), *course.variants(exercise)):
        if path.is_file():
            what = "the stand-in for" if path == course.stand_in(name) else f"the variant {path.stem} of"
            yield f"{what} {name}", [_without_imports(path.read_text(encoding="utf-8").splitlines())]


def _suite_blocks(path: Path) -> list[list[str]]:
    """The lines of a hidden suite but for what may be told: titles, hints and sentences of criteria, and imports."""
    text = path.read_text(encoding="utf-8")
    told: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        marks = [one for one in node.decorator_list if isinstance(one, ast.Call) and _is_criterion(one.func)]
        parts: list[ast.expr | ast.stmt] = [*marks]
        if marks and ast.get_docstring(node) is not None:
            parts.append(node.body[0])
        for part in parts:
            told |= set(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    blocks: list[list[str]] = [[]]
    for number, line in enumerate(_without_imports(text.splitlines()), start=1):
        if number in told:
            blocks.append([])
        else:
            blocks[-1].append(line)
    return blocks


def _is_criterion(called: ast.expr) -> bool:
    return isinstance(called, ast.Name) and called.id == "criterion"


def _without_imports(lines: list[str]) -> list[str]:
    """The same lines, empty where a module is imported: these stand everywhere."""
    kept, opened = [], False
    for line in lines:
        begins = IMPORT.match(line) is not None
        kept.append("" if begins or opened else line)
        opened = (opened or (begins and "(" in line)) and ")" not in line
    return kept


def _telling(what: str, blocks: list[list[str]]) -> Iterator[Secret]:
    """Each line, with as many of the next ones as it takes to say something; at the end, of those before."""
    for block in blocks:
        lines = [(line.strip(), tokens) for line in block if (tokens := _tokens(line))]
        for first in range(len(lines)):
            begin, end = first, first + 1
            while not (telling := _tells(_together(lines[begin:end]))) and end - begin < len(lines):
                begin, end = (begin, end + 1) if end < len(lines) else (begin - 1, end)
            if telling:
                shown = " / ".join(text for text, _ in lines[begin:end])
                yield Secret(_together(lines[begin:end]), what, shown)


def _together(lines: Iterable[tuple[str, list[str]]]) -> Tokens:
    return tuple(token for _, tokens in lines for token in tokens)


def _tells(tokens: Iterable[str]) -> bool:
    words = [token for token in tokens if WORD.match(token)]
    return len(words) >= LEAST_WORDS and sum(map(len, words)) >= LEAST_LETTERS


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text.replace("\\n", " "))


# Where it is looked for: the texts of a file, each as lines with their numbers in the file


def _readings(name: str, text: str) -> Iterator[list[tuple[str, int]]]:
    """The file as it stands, and as its reader sees it: without JSON's quotes, or without tags."""
    lines = text.split("\n")
    yield [(line, number) for number, line in enumerate(lines, start=1)]
    if name.endswith((".ipynb", ".json")):
        yield [
            (json.loads(quoted, strict=False), number)
            for number, line in enumerate(lines, start=1)
            for quoted in STRING.findall(line)
        ]
    elif name.endswith((".html", ".svg", ".md")):
        bare = TAG.sub(lambda tag: "\n" * tag[0].count("\n"), text)
        yield [(html.unescape(line), number) for number, line in enumerate(bare.split("\n"), start=1)]


def _by_beginning(secrets: Iterable[Secret]) -> dict[Tokens, list[Secret]]:
    found: dict[Tokens, list[Secret]] = {}
    for secret in secrets:
        found.setdefault(secret.tokens[:LEAST_WORDS], []).append(secret)
    return found


def _occurrences(
    lines: Iterable[tuple[str, int]], secrets: dict[Tokens, list[Secret]]
) -> Iterator[tuple[int, int, Secret]]:
    """Which secrets stand in this text, with the lines in which they begin and end."""
    tokens: list[str] = []
    numbers: list[int] = []
    for line, number in lines:
        here = _tokens(line)
        tokens += here
        numbers += [number] * len(here)
    everything = tuple(tokens)
    for place, number in enumerate(numbers):
        for secret in secrets.get(everything[place : place + LEAST_WORDS], ()):
            end = place + len(secret.tokens)
            if everything[place:end] == secret.tokens:
                yield number, numbers[end - 1], secret
