"""A picture: figures side by side, with a title above and a note below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from grader.student.pictures import svg

MARGIN, GAP, HEAD, NOTE = 20.0, 36.0, 30.0, 22.0


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
    figures: tuple[Figure, ...]
    notes: Sequence[str] = ()

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self) -> str:
        sizes = [figure.size for figure in self.figures]
        width = sum(w for w, _ in sizes) + GAP * (len(sizes) - 1)
        words = max([9.2 * len(self.title), *(7.6 * len(note) for note in self.notes)])
        height = max(h for _, h in sizes)
        body = [svg.text(MARGIN, MARGIN + 6, self.title, anchor="start", kind="title")]
        x = MARGIN
        for figure, (own, _) in zip(self.figures, sizes, strict=True):
            body += [f'<g transform="translate({svg.number(x)} {svg.number(MARGIN + HEAD)})">', *figure.draw(), "</g>"]
            x += own + GAP
        below = MARGIN + HEAD + height + 14
        for place, note in enumerate(self.notes):
            body.append(svg.text(MARGIN, below + NOTE * place + 6, note, anchor="start", kind="note"))
        return svg.document(max(width, words) + 2 * MARGIN, below + NOTE * len(self.notes) + 8, self.title, body)

    def text(self, *, plain: bool = False) -> str:
        """For a terminal: one figure below the other."""
        parts = [self.title, *("\n".join(figure.lines(plain=plain)) for figure in self.figures), "\n".join(self.notes)]
        words = "\n\n".join(part for part in parts if part)
        return words.encode("ascii", "replace").decode() if plain else words
