"""How a call of the student's code can end without a value, as the exception that a test sees."""

from __future__ import annotations

from grader.models import Verdict
from grader.wire.messages import Absent, Failure


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
    ) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message
        self.summary = summary or message
        self.line = line
        self.types = types  # the names of the exception's classes, the most special first
        self.text = text  # the exception's own text


def raised(failure: Failure, file: str) -> StudentFailure:
    """The student's code raised an exception; a NotImplementedError means that it is still a stub."""
    kind = failure.types[0] if failure.types else "Exception"
    line = failure.frames[-1] if failure.frames else ""
    where = f" ({line})" if line else ""
    verdict, summary = Verdict.ERROR, ""
    if kind == "NotImplementedError":
        place, _, function = line.partition(" in ")
        verdict = Verdict.MISSING
        message = f"{function or 'This part'} is not implemented yet: write it in {place or file}."
    elif "SyntaxError" in failure.types:
        message = f"{file} is not valid Python: {failure.message}{where}."
    elif kind == "SystemExit":
        message = f"Your code ended the program by exit(){where}."
    else:
        summary = f"Your code raised {kind}{where}."
        message = f"Your code raised {kind}{where}: {failure.message}" if failure.message else summary
    return StudentFailure(verdict, message, summary=summary, line=line, types=failure.types, text=failure.message)


def absent(failure: Absent, file: str) -> StudentFailure:
    near = f" It has {failure.near!r}: is that it?" if failure.near else ""
    return StudentFailure(Verdict.MISSING, f"{file} has no {failure.name!r}.{near}")


def no_file(file: str) -> StudentFailure:
    return StudentFailure(Verdict.MISSING, f"There is no file {file}.")


def timed_out(function: str) -> StudentFailure:
    return StudentFailure(
        Verdict.TIMEOUT, f"{function} took too long: is there a loop that does not end, or far too much work?"
    )
