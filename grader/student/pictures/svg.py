"""The few elements of SVG that our figures need. Equal input gives equal bytes on every machine."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from grader.text import visible

# A figure has a ground of its own, so that it can be read on a light page and on a dark one.
STYLE = """
svg { --ink: #1f2328; --soft: #6b7280; --line: #d0d7de; --paper: #ffffff; --shade: #0969da; --mark: #bc4c00;
      --good: #1a7f37; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --paper: #0d1117; --shade: #4493f8; --mark: #f0883e;
        --good: #3fb950; }
}
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink); }
.title { font: 600 15px system-ui, "DejaVu Sans", sans-serif; }
.note { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
.soft { fill: var(--soft); }
.paper { fill: var(--paper); }
""".strip()


def number(value: float) -> str:
    """At most two decimals and no ``-0``."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text(x: float, y: float, words: str, *, anchor: str = "middle", kind: str = "", tilt: float = 0) -> str:
    """Words whose middle is at this height; ``tilt`` turns them by so many degrees."""
    chosen = f" class={quoteattr(kind)}" if kind else ""
    chosen += f' transform="rotate({number(tilt)} {number(x)} {number(y)})"' if tilt else ""
    words = visible(words).replace("\n", " ")
    place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" dominant-baseline="central"'
    return f'<text {place}{chosen} xml:space="preserve">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, style: str, *, corner: float = 0) -> str:
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect {place} rx="{number(corner)}" style={quoteattr(style)}/>'


def boxes(corners: list[tuple[float, float]], side: float, style: str) -> str:
    """Many squares of the same size and look as one element."""
    square = f"h{number(side)}v{number(side)}h-{number(side)}z"
    return f'<path d="{"".join(f"M{number(x)} {number(y)}{square}" for x, y in corners)}" style={quoteattr(style)}/>'


def line(points: list[tuple[float, float]], style: str) -> str:
    places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline points="{places}" style={quoteattr("fill: none; " + style)}/>'


def document(width: float, height: float, title: str, body: list[str]) -> str:
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(title)} {size}>'
    ground = f'<rect width="{number(width)}" height="{number(height)}" rx="8" class="paper"/>'
    return "\n".join([head, f"<style>\n{STYLE}\n</style>", ground, *body, "</svg>", ""])
