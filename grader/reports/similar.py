"""Pairs of submissions that have much in common, for the terminal and as a page that shows both texts side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grader.overlap.pairs import ClassPairs, Pair, Side, Text
from grader.reports.words import counted
from grader.text import printable_line

FILE_NAME = "similar.html"
SHOWN_ROWS = 40  # in the terminal
SHOWN_TEXTS = 100  # pairs of a page with both texts; the others are in its table
MAX_TEXT = 40_000  # characters of a text on a page
CONTEXT = 4  # lines before and after a common part
NAME = 16  # columns for a student
ADVICE = (
    "This is a reason to look, and no more. There may be one obvious way to write it, a book, a lecture, or work "
    "together that you allowed. Read both texts, and ask."
)


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a text."""

    text: str
    common: bool


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A pair with both texts."""

    number: int
    pair: Pair
    sides: tuple[tuple[Side, tuple[Piece, ...]], ...]


def print_similar(console: Console, found: ClassPairs) -> None:
    """How many pairs there are, the first of them as a table, and how to take it."""
    console.print(escape(summary(found)))
    if not found.pairs:
        return
    console.print(ADVICE)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("exercise", max_width=20, overflow="fold")
    for _ in range(2):
        table.add_column("student", no_wrap=True, max_width=NAME)
        table.add_column("share", justify="right", no_wrap=True)
        table.add_column("of", justify="right", no_wrap=True)
    for pair in found.pairs[:SHOWN_ROWS]:
        cells = [pair.exercise]
        for side in (pair.first, pair.second):
            cells += [escape(printable_line(side.id, NAME)), percent(side.share), f"{side.tokens:,}"]
        table.add_row(*cells)
    console.print(table)
    if len(found.pairs) > SHOWN_ROWS:
        console.print(f"… and {len(found.pairs) - SHOWN_ROWS} others; the page and --json have all.")


def summary(found: ClassPairs) -> str:
    """A sentence on what was found, and one each on what was too short or too much to be compared."""
    compared = sum(exercise.compared for exercise in found.exercises)
    short = sum(len(exercise.too_short) for exercise in found.exercises)
    pairs = counted(len(found.pairs), "pair has", "pairs have")
    text = f"{counted(compared, 'text')} compared: {pairs} {percent(found.threshold)} or more in common."
    text += f" {counted(short, 'text')} too short to compare." * bool(short)
    further = sum(exercise.further for exercise in found.exercises)
    if further:
        others = counted(further, "further pair was", "further pairs were")
        text += f" Many are alike, so each was compared to the nearest: {others} not."
    return text


def similar_page(found: ClassPairs, texts: Mapping[str, Sequence[Text]]) -> str:
    """The page; ``texts`` is by exercise, as it was compared."""
    from grader.reports.pages import render_page

    known = {(name, text.student, text.attempt): text.text for name, several in texts.items() for text in several}
    shown = []
    for number, pair in enumerate(_ranked(found)[:SHOWN_TEXTS], start=1):
        sides = tuple(
            (side, pieces(known[pair.exercise, side.id, side.attempt], side)) for side in (pair.first, pair.second)
        )
        shown.append(Shown(number=number, pair=pair, sides=sides))
    return render_page(
        "similar.html.jinja",
        style="style.css",
        found=found,
        summary=summary(found),
        advice=ADVICE,
        ranked=_ranked(found),
        shown=shown,
        label=lambda id_: found.names.get(id_, id_) or "(no name)",
        percent=percent,
        counted=counted,
        lines=lines_text,
    )


def pieces(text: str, side: Side) -> tuple[Piece, ...]:
    """The text in stretches, those in common marked. Of the others long ones are shortened, and that is said."""
    found: list[Piece] = []
    place = 0
    for start, end in side.parts:
        found += [Piece(text=_shortened(text[place:start], first=not place), common=False)]
        found += [Piece(text=text[start:end], common=True)]
        place = end
    found.append(Piece(text=_shortened(text[place:], last=True), common=False))
    room = MAX_TEXT
    kept = []
    for piece in found:
        if piece.text and room > 0:
            kept.append(Piece(text=piece.text[:room], common=piece.common))
            room -= len(piece.text)
    if room < 0:
        kept.append(Piece(text=f"\n… {counted(-room, 'character')} more", common=False))
    return tuple(kept)


def _shortened(text: str, *, first: bool = False, last: bool = False) -> str:
    """What stands between common parts, with a few lines next to each."""
    lines = (text.rstrip("\n") if last else text).split("\n")
    head = 0 if first else CONTEXT + 1
    tail = 0 if last else CONTEXT + 1
    gone = len(lines) - head - tail
    if gone <= CONTEXT:
        return text
    return "\n".join([*lines[:head], f"… {counted(gone, 'line')} …", *lines[len(lines) - tail :]])


def lines_text(side: Side) -> str:
    """``3–9, 14``: the lines of the common parts."""
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in side.lines[:20]) + (
        ", …" if len(side.lines) > 20 else ""
    )


def percent(share: float) -> str:
    """Rounded down: 99.6 % is not all."""
    return f"{int(share * 100 + 1e-6)} %"


def _ranked(found: ClassPairs) -> list[Pair]:
    return sorted(found.pairs, key=lambda pair: -pair.first.share - pair.second.share)
