"""A tree that grows from left to right: the candidates of a search."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.student.pictures import svg

COLOURS = {"kept": "var(--shade)", "finished": "var(--good)", "pruned": "var(--line)"}
SIGNS = {"kept": "+", "finished": "*", "pruned": "-"}
LEGEND = {"kept": "kept", "finished": "finished: set aside", "pruned": "pruned"}
DASHES = "; stroke-dasharray: 6 4"
HIGH, HEAD, BETWEEN, CHARACTER, SMALL = 40.0, 28.0, 60.0, 8.5, 7.0


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate; ``parent`` is the place of its parent in the list of nodes."""

    words: str
    step: int
    kind: str = "kept"  # or "finished", "pruned"
    parent: int | None = None
    note: str = ""
    dashed: bool = False  # the line to its parent


class Tree(msgspec.Struct, frozen=True):
    nodes: Sequence[Node]
    dashes: str = ""  # what a dashed line means

    @property
    def _columns(self) -> list[list[int]]:
        last = max(node.step for node in self.nodes)
        return [[n for n, node in enumerate(self.nodes) if node.step == step] for step in range(last + 1)]

    @property
    def _lefts(self) -> list[float]:
        """Where each column begins, and where the last ends."""
        found = [0.0]
        for column in self._columns:
            widest = max(self._width(n) + SMALL * len(self.nodes[n].note) for n in column)
            found.append(found[-1] + widest + BETWEEN)
        return found

    @property
    def size(self) -> tuple[float, float]:
        return max(self._lefts[-1] - BETWEEN + 8, 560.0), 2 * HEAD + HIGH * max(map(len, self._columns))

    def draw(self) -> list[str]:
        places: dict[int, tuple[float, float]] = {}
        tallest = max(map(len, self._columns))
        body = []
        for step, (column, left) in enumerate(zip(self._columns, self._lefts, strict=False)):
            if step:
                body.append(svg.text(left, HEAD / 2, f"step {step}", anchor="start", kind="note"))
            above = (tallest - len(column)) / 2
            places |= {n: (left, HEAD + HIGH * (above + row + 0.5)) for row, n in enumerate(column)}
        kinds = list(COLOURS)
        for n in sorted(range(len(self.nodes)), key=lambda n: kinds.index(self.nodes[n].kind), reverse=True):
            node = self.nodes[n]  # what was kept lies on top
            if node.parent is not None:
                from_x, from_y = places[node.parent]
                style = f"stroke: {COLOURS[node.kind]}; stroke-width: {1 if node.kind == 'pruned' else 2}"
                # Straight on past the widest box of the column, so that no line runs behind another box.
                edge = from_x + max(self._width(other) for other in self._columns[self.nodes[node.parent].step])
                way = [(from_x + self._width(node.parent), from_y), (edge, from_y), places[n]]
                body.append(svg.line(way, style + DASHES * node.dashed))
        for n, node in enumerate(self.nodes):
            x, y = places[n]
            body.append(_box(x, y - 14, self._width(n), 28, node.kind))
            body.append(svg.text(x + 9, y, node.words, anchor="start", kind="soft" if node.kind == "pruned" else ""))
            if node.note:
                body.append(svg.text(x + self._width(n) + 6, y, node.note, anchor="start", kind="note"))
        return body + self._legend(HEAD + HIGH * tallest + HEAD / 2)

    def _legend(self, y: float) -> list[str]:
        body, x = [], 0.0
        for kind, words in LEGEND.items():
            body += [_box(x, y - 7, 14, 14, kind), svg.text(x + 22, y, words, anchor="start", kind="note")]
            x += 22 + SMALL * len(words) + 24
        if self.dashes:
            body.append(svg.line([(x, y), (x + 30, y)], "stroke: var(--shade); stroke-width: 2" + DASHES))
            body.append(svg.text(x + 38, y, self.dashes, anchor="start", kind="note"))
        return body

    def _width(self, place: int) -> float:
        return CHARACTER * len(self.nodes[place].words) + 18

    def lines(self, *, plain: bool) -> list[str]:
        found: list[str] = []

        def add(place: int, depth: int) -> None:
            node = self.nodes[place]
            sign = SIGNS[node.kind] if depth else " "
            found.append(f"{'    ' * depth}{sign} {node.words}{'   ' + node.note if node.note else ''}")
            for child, other in enumerate(self.nodes):
                if other.parent == place:
                    add(child, depth + 1)

        add(0, 0)
        return [*found, "", "   ".join(f"{sign} {LEGEND[kind]}" for kind, sign in SIGNS.items())]


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    ground = f"fill: var(--paper); stroke: {COLOURS[kind]}; stroke-width: 1.6"
    return svg.box(x, y, width, height, ground, corner=min(6.0, height / 4))
