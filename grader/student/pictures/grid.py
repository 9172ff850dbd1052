"""A table of numbers: written out, shaded, with a way through it or with arrows between its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from grader.student.pictures import svg

SHADES, PLAIN_SHADES = " ░▒▓█", " .:*#"
NO_NUMBER = "?"  # in the place of a cell that is NaN
CHARACTER, HEADING, TILTED = 8.5, 26.0, 0.71
DARK = 0.8  # from this shade on the colour of the ground can be read better than ink, in a light and a dark picture
STEPS = 20  # so many shades are told apart where cells are small
Cell: TypeAlias = tuple[int, int]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Cells with a shade from 0 to 1; ``words`` are written into them, ``way`` cells are marked.

    A ``signed`` grid has shades from -1 to 1, in two colours.
    """

    shades: Sequence[Sequence[float]]
    words: Sequence[Sequence[str]] = ()
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    heading: str = ""
    way: Sequence[Cell] = ()  # marked cells, one after the other
    arrows: Sequence[tuple[Cell, Cell]] = ()
    signed: bool = False
    cell: float = 34.0

    @property
    def _thin(self) -> bool:
        return self.cell < 14

    @property
    def _wide(self) -> float:
        longest = max((len(word) for row in self.words for word in row), default=0)
        return max(self.cell, CHARACTER * longest + 8) + (30 if self.arrows else 0)

    @property
    def _high(self) -> float:
        return self.cell + (10 if self.arrows else 0)

    @property
    def _left(self) -> float:
        return CHARACTER * max((len(word) for word in self.rows), default=0) + (10 if self.rows else 0)

    @property
    def _tilted(self) -> bool:
        return any(CHARACTER * len(word) > self._wide for word in self.columns)

    @property
    def _top(self) -> float:
        above = CHARACTER * TILTED * max(map(len, self.columns)) + 14 if self._tilted else HEADING
        return (HEADING if self.heading else 0) + (above if self.columns else 0)

    @property
    def size(self) -> tuple[float, float]:
        across = [self._wide * max(map(len, self.shades)), 7.6 * len(self.heading)]
        if self._tilted:
            across += [self._wide * (j + 0.5) + CHARACTER * TILTED * len(word) for j, word in enumerate(self.columns)]
        return self._left + max(across), self._top + self._high * len(self.shades)

    def draw(self) -> list[str]:
        body = []
        if self.heading:
            body.append(svg.text(self._left, HEADING / 2, self.heading, anchor="start", kind="note"))
        for j, word in enumerate(self.columns):
            x = self._middle((0, j))[0]
            if self._tilted:
                body.append(svg.text(x, self._top - 10, word, anchor="start", kind="soft", tilt=-45))
            else:
                body.append(svg.text(x, self._top - HEADING / 2, word, kind="soft"))
        for i, word in enumerate(self.rows):
            body.append(svg.text(self._left - 10, self._middle((i, 0))[1], word, anchor="end", kind="soft"))
        body += self._thin_cells() if self._thin else self._cells()
        body += [svg.line(self._arrow(start, end), "stroke: var(--soft)") for start, end in self.arrows]
        for i, row in enumerate(self.words):
            for j, word in enumerate(row):
                kind = "paper" if self.shades[i][j] > DARK else ""
                body.append(svg.text(*self._middle((i, j)), word, kind=kind))
        return body

    def _cells(self) -> list[str]:
        body = []
        pad = 15 if self.arrows else 0
        cells = [(i, j) for i, row in enumerate(self.shades) for j in range(len(row))]
        for i, j in sorted(cells, key=lambda cell: cell in self.way):  # marked ones last: their edges lie on top
            x, y = self._left + self._wide * j + pad, self._top + self._high * i + (5 if pad else 0)
            edge = "var(--mark); stroke-width: 2.5" if (i, j) in self.way else "var(--line)"
            size = self._wide - 2 * pad, self._high - (10 if pad else 0)
            body.append(svg.box(x, y, *size, f"fill: var(--paper); stroke: {edge}", corner=3))
            if filling := self._filling(self.shades[i][j]):
                body.append(svg.box(x, y, *size, filling, corner=3))
        return body

    def _thin_cells(self) -> list[str]:
        """One element for all cells of a shade: a table of a thousand cells stays small."""
        places: dict[str, list[tuple[float, float]]] = {}
        for i, row in enumerate(self.shades):
            for j, shade in enumerate(row):
                if filling := self._filling(round(shade * STEPS) / STEPS if math.isfinite(shade) else 0.0):
                    corner = (self._left + self._wide * j, self._top + self._high * i)
                    places.setdefault(filling, []).append(corner)
        return [svg.boxes(corners, self.cell, filling) for filling, corners in sorted(places.items())]

    def _filling(self, shade: float) -> str:
        """The style of a cell; nothing to fill: an empty word."""
        strength = svg.number(min(1.0, abs(shade) if self.signed else max(0.0, shade)) if math.isfinite(shade) else 0.0)
        colour = "var(--mark)" if self.signed and shade < 0 else "var(--shade)"
        return "" if strength == "0" else f"fill: {colour}; fill-opacity: {strength}; stroke: none"

    def _middle(self, cell: Cell) -> tuple[float, float]:
        return self._left + self._wide * (cell[1] + 0.5), self._top + self._high * (cell[0] + 0.5)

    def _arrow(self, start: Cell, end: Cell) -> list[tuple[float, float]]:
        (x, y), (to_x, to_y) = self._middle(start), self._middle(end)
        half = self._wide / 2 - 15
        return [(x + half, y), (to_x - half, to_y)]

    def lines(self, *, plain: bool) -> list[str]:
        left = max((len(word) for word in self.rows), default=0)
        width = 1 if self._thin else 2
        if self.words:
            width = max(len(word) for row in self.words for word in row) + (2 if self.way else 1)
            width = max([width, *(len(word) + 1 for word in self.columns)])
        found = [self.heading] if self.heading else []
        if self.columns and all(len(word) <= width for word in self.columns):
            found.append(" " * left + " " + "".join(word.center(width) for word in self.columns).rstrip())
        for i, row in enumerate(self.shades):
            name = (self.rows[i] if self.rows else "").rjust(left)
            if self.words:
                cells = [f"[{word}]" if (i, j) in self.way else word for j, word in enumerate(self.words[i])]
                found.append(f"{name} " + "".join(cell.center(width) for cell in cells).rstrip())
            else:
                signs = "".join(self._sign(shade, plain) * width for shade in row)
                found.append(f"{name} |{signs}|" if name else f"|{signs}|")
        return found

    def _sign(self, shade: float, plain: bool) -> str:
        if not math.isfinite(shade):
            return NO_NUMBER
        share = (shade + 1) / 2 if self.signed else shade
        return (PLAIN_SHADES if plain else SHADES)[min(4, max(0, round(share * 4)))]
