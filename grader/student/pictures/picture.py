"""A picture: rows of figures, with a title above and notes below."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest
from typing import Protocol

import msgspec

from grader.student.pictures import svg
from grader.text import printable

MARGIN, GAP, HEAD, NOTE = 20.0, 36.0, 30.0, 22.0
COLUMNS, BETWEEN, LONGEST = 80, "   ", 20_000  # of a terminal; characters of a picture
ASCII = str.maketrans({"→": "->", "−": "-", "…": "...", "·": ".", "‹": "<", "›": ">"})


class Figure(Protocol):
    """What can be drawn: as SVG elements from the corner (0, 0) on, and as lines of text."""

    @property
    def size(self) -> tuple[float, float]: ...

    def draw(self) -> list[str]: ...

    def lines(self, *, plain: bool) -> list[str]:
        """For a terminal; ``plain`` where it shows ASCII only."""


class Picture(msgspec.Struct, frozen=True):
    """What ``grader show`` shows. A notebook draws it by itself."""

    title: str
    rows: Sequence[Sequence[Figure]]
    notes: Sequence[str] = ()

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        body = [svg.text(MARGIN, MARGIN + 6, self.title, anchor="start", kind="title")]
        width = max([9.2 * len(self.title), *(7.6 * len(note) for note in self.notes)])
        y = MARGIN + HEAD
        for row in self.rows:
            x = MARGIN
            for figure in row:
                body += [f'<g transform="translate({svg.number(x)} {svg.number(y)})">', *figure.draw(), "</g>"]
                x += figure.size[0] + GAP
            width = max(width, x - GAP - MARGIN)
            y += max(figure.size[1] for figure in row) + 14
        for place, note in enumerate(self.notes):
            body.append(svg.text(MARGIN, y + NOTE * place + 6, note, anchor="start", kind="note"))
        return svg.document(width + 2 * MARGIN, y + NOTE * len(self.notes) + 8, self.title, body)

    def text(self, *, plain: bool = False) -> str:
        """For a terminal: figures of a row side by side where there is room, else one below the other."""
        parts = [self.title]
        for row in self.rows:
            for figure in row:
                lines = figure.lines(plain=plain)
                both = _beside(parts[-1].split("\n"), lines) if figure is not row[0] else lines
                if figure is row[0] or max(map(len, both)) > COLUMNS:
                    parts.append("\n".join(lines))
                else:
                    parts[-1] = "\n".join(both)
        notes = [line for note in self.notes for line in textwrap.wrap(printable(note, LONGEST), COLUMNS - 2)]
        words = printable("\n\n".join(part for part in [*parts, "\n".join(notes)] if part), LONGEST)
        return words.translate(ASCII).encode("ascii", "replace").decode() if plain else words


def _beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    width = max(map(len, left))
    pairs = zip_longest(left, right, fillvalue="")
    return [(first.ljust(width) + BETWEEN + second).rstrip() for first, second in pairs]
