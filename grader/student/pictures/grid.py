"""A table of numbers: written out, shaded, with a way through it or with arrows between its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from grader.student.pictures import svg

SHADES, PLAIN_SHADES = " ░▒▓█", " .:*#"
CHARACTER, HEADING = 8.5, 26.0
Cell: TypeAlias = tuple[int, int]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Cells with a shade from 0 to 1; ``words`` are written into them, ``way`` cells are marked."""

    shades: Sequence[Sequence[float]]
    words: Sequence[Sequence[str]] = ()
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    heading: str = ""
    way: Sequence[Cell] = ()  # marked cells, one after the other
    arrows: Sequence[tuple[Cell, Cell]] = ()
    cell: float = 34.0

    @property
    def _wide(self) -> float:
        longest = max((len(word) for row in self.words for word in row), default=0)
        return max(self.cell, CHARACTER * longest + 12) + (26 if self.arrows else 0)

    @property
    def _high(self) -> float:
        return self.cell + (10 if self.arrows else 0)

    @property
    def _left(self) -> float:
        return CHARACTER * max((len(word) for word in self.rows), default=0) + (10 if self.rows else 0)

    @property
    def _top(self) -> float:
        return (HEADING if self.heading else 0) + (HEADING if self.columns else 0)

    @property
    def size(self) -> tuple[float, float]:
        across = max(self._wide * len(self.shades[0]), CHARACTER * len(self.heading) - self._left)
        return self._left + across, self._top + self._high * len(self.shades)

    def draw(self) -> list[str]:
        body = []
        if self.heading:
            body.append(svg.text(self._left, HEADING / 2, self.heading, anchor="start", kind="note"))
        for j, word in enumerate(self.columns):
            body.append(svg.text(self._middle((0, j))[0], self._top - HEADING / 2, word, kind="soft"))
        for i, word in enumerate(self.rows):
            body.append(svg.text(self._left - 10, self._middle((i, 0))[1], word, anchor="end", kind="soft"))
        body += self._cells()
        body += [svg.line(self._arrow(start, end), "stroke: var(--soft)") for start, end in self.arrows]
        if self.way:
            places = [self._middle(cell) for cell in self.way]
            body.append(svg.line(places, "stroke: var(--mark); stroke-width: 2; opacity: .55"))
        if self.words:
            for i, row in enumerate(self.words):
                for j, word in enumerate(row):
                    dark = self.shades[i][j] > 0.55
                    body.append(svg.text(*self._middle((i, j)), word, kind="paper" if dark else ""))
        return body

    def _cells(self) -> list[str]:
        body = []
        pad = 13 if self.arrows else 0
        thin = self.cell < 14
        cells = [(i, j) for i, row in enumerate(self.shades) for j in range(len(row))]
        for i, j in sorted(cells, key=lambda cell: cell in self.way):  # marked ones last: their edges lie on top
            shade = self.shades[i][j]
            x, y = self._left + self._wide * j + pad, self._top + self._high * i + (5 if pad else 0)
            edge = "var(--mark); stroke-width: 2" if (i, j) in self.way else "none" if thin else "var(--line)"
            size = self._wide - 2 * pad, self._high - (10 if pad else 0)
            ground = f"fill: var(--paper); stroke: {edge}"
            filling = f"fill: var(--shade); fill-opacity: {svg.number(min(1.0, max(0.0, shade)))}; stroke: none"
            if not thin:
                body.append(svg.box(x, y, *size, ground, corner=3))
            if svg.number(shade) != "0":
                body.append(svg.box(x, y, *size, filling, corner=0 if thin else 3))
        return body

    def _middle(self, cell: Cell) -> tuple[float, float]:
        return self._left + self._wide * (cell[1] + 0.5), self._top + self._high * (cell[0] + 0.5)

    def _arrow(self, start: Cell, end: Cell) -> list[tuple[float, float]]:
        (x, y), (to_x, to_y) = self._middle(start), self._middle(end)
        half = self._wide / 2 - 13
        return [(x + half, y), (to_x - half, to_y)]

    def lines(self, *, plain: bool) -> list[str]:
        signs = PLAIN_SHADES if plain else SHADES
        width = max((len(word) for row in self.words for word in row), default=0) + 2 if self.words else 2
        left = max((len(word) for word in self.rows), default=0)
        found = [self.heading] if self.heading else []
        if self.columns and (self.words or max(map(len, self.columns)) <= width):
            width = max(width, *(len(word) + 1 for word in self.columns)) if self.words else width
            found.append(" " * left + " " + "".join(word.center(width) for word in self.columns).rstrip())
        for i, row in enumerate(self.shades):
            name = (self.rows[i] if self.rows else "").rjust(left)
            if self.words:
                cells = [f"[{word}]" if (i, j) in self.way else word for j, word in enumerate(self.words[i])]
                found.append(f"{name} " + "".join(cell.center(width) for cell in cells).rstrip())
            else:
                levels = [min(4, max(0, round(shade * 4))) for shade in row]
                found.append(f"{name} |" + "".join(signs[level] * width for level in levels) + "|")
        return found
