"""How a call of the student's code can end without a value, as the exception that a test sees."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping, Sequence

from grader.results.records import Verdict
from grader.text import printable
from grader.wire.messages import Failure, NameMissing
from grader.wire.notebook import cell_at, is_notebook

MAX_NAME = 80
MAX_TEXT = 500
MAX_TYPES = 20
MAX_LINES = 5000  # of a student's file: among a million, the number of a line could tell a hidden input
DEFINITION = re.compile(rb"\s*(?:async\s+)?def\s+(\w+)")
PLACE = re.compile(r"(\w+\.py):(\d{1,7})(?: in (\w+))?")


class StudentFailure(Exception):  # noqa: N818  # it reads "student failure" in a test's report
    """The student's side did not answer; ``verdict`` says how, and nothing here is our fault.

    ``message`` may quote the student's exception. ``summary`` may not: a message can carry a hidden test's
    inputs out, so it is all that is shown for hidden criteria.
    """

    def __init__(
        self,
        verdict: Verdict,
        message: str,
        *,
        summary: str = "",
        line: str = "",
        types: tuple[str, ...] = (),
        text: str = "",
        reached: bool = True,
    ) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message
        self.summary = summary or message
        self.line = line
        self.types = types  # the names of the exception's classes, the most special first
        self.text = text  # the exception's own text
        self.reached = reached  # False: the criterion was not even tried


def raised(
    failure: Failure, file: str, sources: Mapping[str, tuple[str, bytes]] | None = None, *, believed: bool = False
) -> StudentFailure:
    """The student's code raised an exception; a NotImplementedError means that it is still a stub.

    With ``sources``, a place in a notebook is named by its cell. Unless the worker is ``believed``, a place that is not
    in them is left out: whoever chooses names could tell hidden inputs by them.
    """
    types = tuple(printable(name, MAX_NAME) for name in failure.types[:MAX_TYPES])
    kind = types[0] if types else "Exception"
    line = printable(failure.frames[-1], MAX_NAME) if failure.frames else ""
    if sources is not None:
        contents = {base_name(name): content for name, content in sources.values()}
        line = in_notebook(line if believed else _existing(line, contents), contents)
    text = printable(failure.message, MAX_TEXT)
    where = f" ({line})" if line else ""
    verdict, summary = Verdict.ERROR, ""
    if kind == "MemoryError" or "can't allocate memory" in text:
        verdict, message = Verdict.MEMORY, f"Your code wanted more memory than there is{where}."
    elif kind == "NotImplementedError":
        place, _, function = line.partition(" in ")
        verdict = Verdict.MISSING
        message = f"{function or 'This part'} is not implemented yet: write it in {place or file}."
    elif "SyntaxError" in types:
        summary = f"{file} is not valid Python{where}."
        message = f"{file} is not valid Python: {text}{where}."
    elif kind == "SystemExit":
        message = f"Your code ended the program by exit(){where}."
    else:
        summary = f"Your code raised {builtin_name(types)}{where}."
        message = f"Your code raised {kind}{where}: {text}" if text else f"Your code raised {kind}{where}."
    return StudentFailure(verdict, message, summary=summary, line=line, types=types, text=text)


def name_missing(failure: NameMissing, file: str, name: str = "") -> StudentFailure:
    """``name`` is what the judge asked for, where the failure's word for it is not to be trusted."""
    near = f" It has {printable(failure.near, MAX_NAME)!r}: is that it?" if failure.near else ""
    problem = f"{file} has no {name or printable(failure.name, MAX_NAME)!r}."
    return StudentFailure(Verdict.MISSING, problem + near, summary=problem)


def builtin_name(types: Sequence[str]) -> str:
    """The first of Python's own exceptions among these; a name of the student's could tell a hidden input."""
    return next(filter(_is_builtin, types), "an exception")


def _is_builtin(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def base_name(filename: str) -> str:
    return filename.replace("\\", "/").rpartition("/")[2]


def shown_file(name: str, sources: Mapping[str, tuple[str, bytes]]) -> str:
    """The file of a module as its author knows it: a notebook, if it was written from one."""
    return f"{name}.ipynb" if name in sources and is_notebook(sources[name][1]) else f"{name}.py"


def in_notebook(line: str, contents: Mapping[str, bytes]) -> str:
    """The place (``ctc.py:35 in f``) as the author of a notebook knows it: ``ctc.ipynb, cell 4, line 3 in f``."""
    found = PLACE.fullmatch(line)
    cell = cell_at(contents.get(found[1], b""), int(found[2])) if found else None
    if found is None or cell is None:
        return line
    function = f" in {found[3]}" if found[3] else ""
    return f"{found[1].removesuffix('.py')}.ipynb, cell {cell[0]}, line {cell[1]}{function}"


def _existing(line: str, contents: Mapping[str, bytes]) -> str:
    """The place, if there is such a line in a student's file of an ordinary length.

    Its function is read off the file, not believed: a name that the worker chooses could tell a hidden input.
    """
    found = PLACE.fullmatch(line)
    content = contents.get(found[1]) if found else None
    lines = content.splitlines() if content is not None else []
    if found is None or not 0 < int(found[2]) <= len(lines) <= MAX_LINES:
        return ""
    place = f"{found[1]}:{found[2]}"
    function = _function_at(lines, int(found[2]))
    return f"{place} in {function}" if function else place


def _function_at(lines: Sequence[bytes], number: int) -> str:
    """The name of the function in which a line stands, by indentation; nothing outside of all functions."""
    depth = _depth(lines[number - 1]) + 1  # the line may be the definition itself
    for line in reversed(lines[:number]):
        if line.strip() and not line.lstrip().startswith(b"#") and _depth(line) < depth:
            depth = _depth(line)
            if match := DEFINITION.match(line):
                return match[1].decode(errors="replace")[:MAX_NAME]
    return ""


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def misused(kind: str) -> StudentFailure:
    """The student's code called a function of the test's with arguments that it cannot take."""
    return StudentFailure(
        Verdict.FAILED, f"Your code called the given function with arguments that it cannot take ({kind})."
    )


def unusable(problem: str) -> StudentFailure:
    """What was handed in cannot even be given to Python."""
    return StudentFailure(Verdict.ERROR, problem)


def not_reached(verdict: Verdict, why: str) -> StudentFailure:
    """What kept every criterion from being tried is told once, and not for each of them."""
    return StudentFailure(verdict, f"Not reached: {why}.", reached=False)


def no_file(file: str) -> StudentFailure:
    return StudentFailure(Verdict.MISSING, f"There is no file {file}.")


def out_of_budget(budget: float) -> StudentFailure:
    return StudentFailure(
        Verdict.TIMEOUT, f"Not reached: all tests together took more than the {budget:g} seconds that there are."
    )


def timed_out(function: str, line: str = "") -> StudentFailure:
    message = f"{function} took too long: is there a loop that does not end, or far too much work?"
    return StudentFailure(Verdict.TIMEOUT, message, line=line)
