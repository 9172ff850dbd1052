"""A tree that grows from left to right: the candidates of a search."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.student.pictures import svg

COLOURS = {"kept": "var(--shade)", "finished": "var(--good)", "pruned": "var(--line)"}
SIGNS = {"kept": "+", "finished": "*", "pruned": "-"}
WIDE, HIGH, HEAD = 230.0, 40.0, 28.0


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate; ``parent`` is the place of its parent in the list of nodes."""

    words: str
    step: int
    kind: str = "kept"  # or "finished", "pruned"
    parent: int | None = None
    note: str = ""


class Tree(msgspec.Struct, frozen=True):
    nodes: Sequence[Node]

    @property
    def _columns(self) -> list[list[int]]:
        last = max(node.step for node in self.nodes)
        return [[n for n, node in enumerate(self.nodes) if node.step == step] for step in range(last + 1)]

    @property
    def size(self) -> tuple[float, float]:
        return WIDE * len(self._columns) - 20, HEAD + HIGH * max(map(len, self._columns))

    def draw(self) -> list[str]:
        places: dict[int, tuple[float, float]] = {}
        tallest = max(map(len, self._columns))
        body = []
        for step, column in enumerate(self._columns):
            if step:
                body.append(svg.text(WIDE * step + 90, HEAD / 2, f"step {step}", kind="note"))
            above = (tallest - len(column)) / 2
            places |= {n: (WIDE * step, HEAD + HIGH * (above + row + 0.5)) for row, n in enumerate(column)}
        for n, node in enumerate(self.nodes):
            if node.parent is not None:
                from_x, from_y = places[node.parent]
                style = f"stroke: {COLOURS[node.kind]}; stroke-width: {1 if node.kind == 'pruned' else 2}"
                body.append(svg.line([(from_x + self._width(node.parent), from_y), places[n]], style))
        for n, node in enumerate(self.nodes):
            x, y = places[n]
            ground = f"fill: var(--paper); stroke: {COLOURS[node.kind]}; stroke-width: 1.6"
            body.append(svg.box(x, y - 14, self._width(n), 28, ground, corner=6))
            body.append(svg.text(x + 9, y, node.words, anchor="start", kind="soft" if node.kind == "pruned" else ""))
            if node.note:
                body.append(svg.text(x + self._width(n) + 6, y, node.note, anchor="start", kind="note"))
        return body

    def _width(self, place: int) -> float:
        return 8.5 * len(self.nodes[place].words) + 18

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
        return [*found, "", "+ kept   * finished   - pruned"]
