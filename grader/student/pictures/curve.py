"""A curve over steps, such as a loss on its way down."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.student.pictures import svg

WIDE, HIGH, LEFT, FOOT = 520.0, 240.0, 52.0, 40.0
ROWS, COLUMNS = 12, 60


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Finite numbers at equal distances, up to the step ``last``; the axis begins at 0."""

    values: Sequence[float]
    last: int
    across: str = "step"
    up: str = "loss"

    @property
    def size(self) -> tuple[float, float]:
        return LEFT + WIDE, HIGH + FOOT

    @property
    def _top(self) -> float:
        return max([*self.values, 1e-9]) * 1.05

    def draw(self) -> list[str]:
        body = []
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            y = HIGH * (1 - share)
            body.append(svg.line([(LEFT, y), (LEFT + WIDE, y)], "stroke: var(--line)"))
            body.append(svg.text(LEFT - 8, y, f"{self._top * share:.2f}", anchor="end", kind="note"))
        count = len(self.values)
        places = [
            (LEFT + WIDE * n / max(1, count - 1), HIGH * (1 - value / self._top)) for n, value in enumerate(self.values)
        ]
        body.append(svg.line(places, "stroke: var(--shade); stroke-width: 2.5; stroke-linejoin: round"))
        body.append(svg.text(LEFT, HIGH + 18, "1", kind="note"))
        body.append(svg.text(LEFT + WIDE, HIGH + 18, str(self.last), anchor="end", kind="note"))
        body.append(svg.text(LEFT + WIDE / 2, HIGH + 18, f"{self.across} ({self.up} upwards)", kind="note"))
        return body

    def lines(self, *, plain: bool) -> list[str]:
        count = len(self.values)
        width = max(len(self.across) + 4, min(COLUMNS, count))
        shown = [self.values[n * (count - 1) // max(1, width - 1)] for n in range(width)]
        heights = [round((ROWS - 1) * value / self._top) for value in shown]
        sign = "*" if plain else "•"
        found = []
        for row in range(ROWS - 1, -1, -1):
            name = f"{self._top * row / (ROWS - 1):6.2f} |"
            found.append(name + "".join(sign if height == row else " " for height in heights).rstrip())
        last = str(self.last)
        return [*found, " " * 7 + "+" + "-" * width, f"{'':8}1{self.across.center(width - 1 - len(last))}{last}"]
