"""One notebook that holds several exercises: the part of it that is the module of one of them."""

from __future__ import annotations

import re

from grader.submissions.names import defined_names

CELL = re.compile(rb"^# %% cell \d+", re.MULTILINE)  # stands before each cell in the text of a notebook


def notebook_part(text: bytes, own: frozenset[str], others: frozenset[str]) -> bytes:
    """The cells from the first to the last that belong to the exercise.

    ``own`` are the names that only this exercise has, ``others`` those that only others have. What comes after the
    exercise, from the first cell on that is surely another's, is left out: it may define the same name once more, as
    two exercises may both ask for ``translate``.
    """
    starts = [found.start() for found in CELL.finditer(text)]
    if not starts:
        return text
    cells = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    last = max((n for n, cell in enumerate(cells) if defined_names(cell) & own), default=len(cells))
    for number, cell in enumerate(cells):
        if number > last and defined_names(cell) & others:
            return text[: starts[number]]
    return text
