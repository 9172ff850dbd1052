"""From the exception that ended a test to a verdict and the words for it."""

from __future__ import annotations

import msgspec

from grader.judge.suite.compare import Mismatch
from grader.judge.transports.outcomes import StudentFailure, timed_out
from grader.results.records import Criterion, CriterionResult, Verdict
from grader.text import printable

MAX_MESSAGE = 2000

# What a test raises when it handles a result that is of another form than it expects.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def judge_exception(
    criterion: Criterion, error: BaseException | None, answered: bool, *, in_full: bool
) -> CriterionResult:
    """The result of a test that ended with ``error``, or of one that passed.

    ``answered`` says whether the student's code had returned anything: a test that breaks before that broke
    by itself, which is our fault and never the student's. Only ``in_full``, where students run their own code, does the
    message quote what the code returned or said: whatever it met while it was graded could be in there.
    """
    if error is None:
        return CriterionResult(criterion=criterion, verdict=Verdict.PASSED)
    hidden = criterion.hidden or not in_full
    if isinstance(error, StudentFailure):
        # A hint for a criterion that was not tried would lead to the wrong place.
        return CriterionResult(
            criterion=criterion if error.reached else msgspec.structs.replace(criterion, hint=""),
            verdict=error.verdict,
            message=error.summary if hidden else _with_notes(error.message, error),
            line=error.line,
        )
    if isinstance(error, Mismatch):
        return _failed(criterion, error.summary if hidden else _with_notes(str(error), error))
    if isinstance(error, AssertionError):
        return _failed(criterion, criterion.sentence if hidden else _with_notes(str(error), error))
    kind = type(error).__name__
    if kind.startswith("Flaky"):
        return _failed(criterion, "Your code gives different results for the same input.")
    if kind == "Failed" and "Timeout" in str(error):  # pytest-timeout, between two calls of the student's code
        return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=timed_out("Your code").message)
    ours = kind == "SimulationError"  # by name, because its module imports torch
    if answered and isinstance(error, UNREADABLE) and not ours:
        text = "Your result is not of the form that was asked for"
        return _failed(criterion, f"{text} ({kind})." if hidden else f"{text} ({kind}: {error}).")
    return CriterionResult(
        criterion=criterion,
        verdict=Verdict.GRADER_FAULT,
        message=f"The test itself failed with {kind}; this is not your fault.",
    )


def examiner_lost(criterion: Criterion, *, hung: bool) -> CriterionResult:
    """What the student's code returned was more, twice, than the process survived that compared it."""
    if hung:
        message = "What your code returned could not be compared in time: is it far more than was asked for?"
        return CriterionResult(criterion=criterion, verdict=Verdict.TIMEOUT, message=message)
    return _failed(criterion, "What your code returned could not be compared: it is far from what was asked for.")


def _failed(criterion: Criterion, message: str) -> CriterionResult:
    return CriterionResult(criterion=criterion, verdict=Verdict.FAILED, message=printable(message, MAX_MESSAGE))


def _with_notes(message: str, error: BaseException) -> str:
    """The message, and the example for which hypothesis saw it fail."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith("Falsifying example")]
    return "\n".join([message, *notes])


def combine(results: list[CriterionResult]) -> CriterionResult:
    """The one result of a criterion that several tests share: the first that did not pass."""
    return next((result for result in results if not result.passed), results[0])
