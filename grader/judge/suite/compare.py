"""Comparisons whose failures speak to a student: where it differs, by how much, what was expected and found.

A ``Mismatch`` has two texts: the full one, for public tests, and a summary for hidden ones. In that stands nothing that
the student's code can choose among many: a shape, a count or a name could tell a hidden input.
"""

from __future__ import annotations

import itertools
import math
import reprlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grader.judge.suite.student import Remote
from grader.judge.transports.outcomes import StudentFailure, builtin_name
from grader.results.records import Verdict
from grader.text import printable
from grader.wire.messages import Handle

# The one place where tolerances stand: (relative, absolute) per dtype.
TOLERANCES = {
    "float16": (1e-2, 1e-3),
    "bfloat16": (2e-2, 1e-2),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-9),
}
PYTHON_FLOAT = (1e-6, 1e-8)
MAX_SHOWN = 200
MAX_NAME = 80
MAX_ROWS, MAX_COLUMNS, MAX_CELL, MAX_WIDTH = 12, 12, 9, 72  # of tables that are shown


class Mismatch(AssertionError):  # noqa: N818  # it reads "mismatch" in a test's report
    """The student's result is not what it should be."""

    def __init__(self, message: str, summary: str) -> None:
        super().__init__(message)
        self.summary = summary


def assert_equal(found: Any, expected: Any, what: str) -> None:
    """``found`` is exactly ``expected``: lists, tuples, dicts, strings and numbers, compared by value."""
    with _side_by_side(found, expected):
        _compare(found, expected, what, "", (0.0, 0.0), top=True)


def assert_close(found: Any, expected: Any, what: str, *, rtol: float | None = None, atol: float | None = None) -> None:
    """``found`` is ``expected`` within the tolerance of its dtype: numbers, tensors, and lists of them."""
    with _side_by_side(found, expected):
        _compare(found, expected, what, "", (rtol, atol), top=True)


@contextmanager
def student_raises(kind: str, *, naming: str = "") -> Iterator[None]:
    """The student's code must raise ``kind``, with a message that names the argument ``naming`` (if one is given)."""
    subject = f"A wrong {naming!r}" if naming else "This input"
    try:
        yield
    except StudentFailure as failure:
        if failure.verdict is not Verdict.ERROR or not failure.reached:
            raise
        if kind not in failure.types:
            problem = f"{subject} must raise {kind}; your code raised {{}} instead."
            found = failure.types[0] if failure.types else "an exception"
            raise Mismatch(problem.format(found), problem.format(builtin_name(failure.types))) from None
        if naming.lower() not in failure.text.lower():
            problem = f"The message of the {kind} must name the argument {naming!r}."
            raise Mismatch(f"{problem} It says: {failure.text!r}", problem) from None
    else:
        problem = f"{subject} must raise {kind}; your code raised nothing."
        raise Mismatch(problem, problem)


def _compare(
    found: Any, expected: Any, what: str, at: str, tolerance: tuple[float | None, float | None], top: bool = False
) -> None:
    place = f" at {at}" if at else ""
    if _is_tensor(expected):
        _compare_tensors(found, expected, what + place, tolerance)
    elif isinstance(expected, list | tuple):
        # Inside a result a list and a tuple mean the same; as the whole result the contract says which.
        fits = type(found) is type(expected) if top else isinstance(found, list | tuple)
        if not fits:
            _wrong_kind(found, expected, what + place)
        if len(found) != len(expected):
            raise Mismatch(
                f"{what}{place} must have {len(expected)} items, it has {len(found)}: "
                f"expected {show(expected)}, found {show(found)}.",
                f"{_kind(expected).capitalize()} has the wrong number of items.",
            )
        for index, pair in enumerate(zip(found, expected, strict=True)):
            _compare(*pair, what, f"{at}[{index}]", tolerance)
    elif isinstance(expected, dict):
        if not isinstance(found, dict):
            _wrong_kind(found, expected, what + place)
        if found.keys() != expected.keys():
            raise Mismatch(
                f"{what}{place} must have the keys {show(list(expected))}, found {show(list(found))}.",
                "A dict has the wrong keys.",
            )
        for key in expected:
            _compare(found[key], expected[key], what, f"{at}[{key!r}]", tolerance)
    elif _is_number(expected):
        _compare_numbers(found, expected, what + place, tolerance)
    elif type(found) is not type(expected):
        _wrong_kind(found, expected, what + place)
    elif found != expected:
        raise Mismatch(f"{what}{place} must be {show(expected)}, found {show(found)}.", "A wrong value.")


def _compare_numbers(found: Any, expected: Any, what: str, tolerance: tuple[float | None, float | None]) -> None:
    if not _is_number(found):
        _wrong_kind(found, expected, what)
    relative, absolute = (
        default if given is None else given for given, default in zip(tolerance, PYTHON_FLOAT, strict=True)
    )
    if found == expected:
        return
    if isinstance(found, float) and math.isnan(found):
        if not (isinstance(expected, float) and math.isnan(expected)):
            raise Mismatch(f"{what} is NaN; expected {expected!r}.", "A value is NaN.")
        return
    try:
        close = abs(found - expected) <= absolute + relative * abs(expected) and not math.isinf(found - expected)
    except OverflowError:  # an integer beyond all floats
        close = False
    if not close:
        raise Mismatch(f"{what} must be {show(expected)}, found {show(found)}.", "A wrong value.")


def _compare_tensors(found: Any, expected: Any, what: str, tolerance: tuple[float | None, float | None]) -> None:
    if not _is_tensor(found):
        _wrong_kind(found, expected, what)
    if found.shape != expected.shape:
        shapes = f"expected {tuple(expected.shape)}"
        raise Mismatch(
            f"{what} has the wrong shape: {shapes}, found {tuple(found.shape)}.", f"A wrong shape: {shapes}."
        )
    if found.dtype != expected.dtype:
        dtypes = f"expected {expected.dtype}"
        raise Mismatch(f"{what} has the wrong dtype: {dtypes}, found {found.dtype}.", f"A wrong dtype: {dtypes}.")
    if found.device != expected.device:
        devices = f"expected {expected.device}"
        raise Mismatch(
            f"{what} is on the wrong device: {devices}, found {found.device}.", f"A wrong device: {devices}."
        )
    defaults = TOLERANCES.get(str(expected.dtype).removeprefix("torch."), (0.0, 0.0))
    relative, absolute = (
        default if given is None else given for given, default in zip(tolerance, defaults, strict=True)
    )
    torch = sys.modules["torch"]
    same = torch.isclose(found, expected, rtol=relative, atol=absolute, equal_nan=True)
    wrong = int((~same).sum())
    if not wrong:
        return
    counts = f"{wrong} of {found.numel()} values differ"
    nans = int(found.isnan().sum()) - int(expected.isnan().sum())
    if nans > 0:
        counts += f", {nans} of them NaN" if nans > 1 else ", one of them NaN"
    # 0-dim tensors have one place, which needs no index.
    first = tuple((~same).nonzero()[0].tolist()) if found.dim() else ()
    difference = (found[~same].double() - expected[~same].double()).abs()
    difference = difference[difference.isfinite()]
    known = difference.numel() and found.dtype != torch.bool
    largest = f", the largest difference is {difference.max().item():.3g}" if known else ""
    at = f" at {list(first)}" if first else ""
    raise Mismatch(
        f"{what} is wrong: {counts}{largest}. "
        f"Expected{at} {_cell(expected[first].item(), '.6g')}, found {_cell(found[first].item(), '.6g')}.",
        "Wrong values, NaN among them." if nans > 0 else "Wrong values.",
    )


@contextmanager
def _side_by_side(found: Any, expected: Any) -> Iterator[None]:
    """To the words for two small tables that differ, both are added, one beside the other."""
    try:
        yield
    except Mismatch as mismatch:
        wanted, given = _table(expected), _table(found)
        if wanted is None or given is None:
            raise
        raise Mismatch(f"{mismatch}\n{_beside(wanted, given)}", mismatch.summary) from None


def _table(value: Any) -> list[list[str]] | None:
    """The rows of a small table, as texts; None for everything else."""
    if _is_tensor(value):
        while value.dim() > 2 and value.shape[0] == 1:
            value = value[0]
        if value.dim() != 2 or value.numel() > MAX_ROWS * MAX_COLUMNS:
            return None
        value = value.tolist()
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_ROWS:
        return None
    if not all(isinstance(row, list | tuple) and len(row) <= MAX_COLUMNS for row in value) or not any(value):
        return None
    if not all(isinstance(cell, int | float) for row in value for cell in row):
        return None
    rows = [[_cell(cell, ".4g") for cell in row] for row in value]
    return rows if all(len(cell) <= MAX_CELL for row in rows for cell in row) else None


def _cell(value: float, form: str) -> str:
    return str(value) if isinstance(value, bool | int) else format(value, form)


def _beside(expected: list[list[str]], found: list[list[str]]) -> str:
    """Both tables in plain characters; in the found one, ``*`` is behind every cell that differs."""
    marked = [
        [cell + ("*" if _at(expected, i, j) != cell else " ") for j, cell in enumerate(row)]
        for i, row in enumerate(found)
    ]
    width = max(len(cell) for table in (expected, marked) for row in table for cell in row)
    left = [" ".join(f"{cell:>{width - 1}}" for cell in row) for row in expected]
    right = [" ".join(f"{cell:>{width}}" for cell in row) for row in marked]
    room = max(len("expected"), *map(len, left))
    if room + max(map(len, right)) + 3 > MAX_WIDTH:
        return "\n".join(["expected", *left, "found", *right])
    pairs = itertools.zip_longest(["expected", *left], ["found", *right], fillvalue="")
    return "\n".join(f"{one:<{room}}   {other}".rstrip() for one, other in pairs)


def _at(table: list[list[str]], i: int, j: int) -> str | None:
    return table[i][j] if i < len(table) and j < len(table[i]) else None


def _wrong_kind(found: Any, expected: Any, what: str) -> None:
    kinds = f"expected {_kind(expected)}, found {_kind(found)}"
    advice = ""
    if _is_tensor(found) and _is_number(expected):
        advice = " (.item() or .tolist() makes plain numbers)"
    elif isinstance(found, Remote | Handle):
        advice = " (only plain Python data and tensors can be returned)"
    raise Mismatch(
        f"{what} is of the wrong kind: {kinds}{advice}.",
        f"The wrong kind of result: expected {_kind(expected)}, found {_kind(found, named=False)}{advice}.",
    )


def _kind(value: Any, *, named: bool = True) -> str:
    if value is None:
        return "nothing (None)"
    if _is_number(value):
        return "a number"
    if _is_tensor(value):
        return "a tensor"
    if isinstance(value, Remote):
        value = value.handle
    if isinstance(value, Handle):
        return f"an object of type {printable(value.kind, MAX_NAME)}" if named else "an object"
    return f"a {type(value).__name__}"


class _Shortened(reprlib.Repr):
    """A repr that costs no more than what is shown of it, whatever the value holds."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxlong, self.maxother = 4, MAX_SHOWN, MAX_SHOWN, MAX_SHOWN
        self.maxlist = self.maxtuple = self.maxdict = 40

    def repr_Tensor(self, value: Any, level: int) -> str:  # noqa: N802  # reprlib looks for this name
        return repr(value) if value.numel() <= 40 else f"a tensor of shape {tuple(value.shape)}"

    def repr_bytes(self, value: bytes, level: int) -> str:
        return repr(value[:MAX_SHOWN])


def show(value: Any) -> str:
    """A result for a message: its repr, cut, and without the work for what is cut."""
    return printable(_Shortened().repr(value), MAX_SHOWN)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_tensor(value: Any) -> bool:
    return "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor)
