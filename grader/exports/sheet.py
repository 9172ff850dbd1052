"""A CSV file of somebody else's in which we change single cells.

The file is not read into a table and written anew: that would lose how it was quoted, and with it what its owner relies
on. Instead every cell knows where it stands in the text. To fill a cell is to replace these characters, and all others
stay. The encoding is one that gives back the same bytes, and this is checked.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from grader.errors import ExportError

DELIMITERS = (",", ";", "\t")
BYTE_ORDERS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
GUARDED = re.compile(r'="(.*)"', re.DOTALL)  # ="=name": a spreadsheet takes it for text


class Cell(msgspec.Struct, frozen=True):
    """Where a cell stands in the text, quotes included, and what it means."""

    start: int
    end: int
    value: str


Row = tuple[Cell, ...]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    encoding: str
    delimiter: str
    rows: tuple[Row, ...]

    def value(self, row: int, column: int) -> str:
        """What a cell says, without the spaces around it; empty where the row is too short."""
        cells = self.rows[row]
        return cells[column].value.strip() if 0 <= column < len(cells) else ""

    @property
    def header(self) -> list[str]:
        return [cell.value.strip() for cell in self.rows[0]] if self.rows else []

    def filled(self, new: Mapping[tuple[int, int], str]) -> bytes:
        """The file with these cells, (row, column), replaced. Everything else stays as it is, byte for byte."""
        pieces, done = [], 0
        for (row, column), value in sorted(new.items()):
            cell = self.rows[row][column]
            quoted = self.text.startswith('"', cell.start) or self.delimiter in value
            pieces += [self.text[done : cell.start], f'"{value}"' if quoted else value]
            done = cell.end
        return "".join([*pieces, self.text[done:]]).encode(self.encoding)


def read_sheet(content: bytes, where: str, fits: Callable[[Sequence[Row]], bool]) -> Sheet:
    """The file with its own delimiter: the one under which it ``fits``, else the one that makes the most columns."""
    text, encoding = _decoded(content)
    candidates = []
    for delimiter in DELIMITERS:
        try:
            candidates.append((delimiter, _rows(text, delimiter)))
        except ValueError as error:
            problem = str(error)
    if not candidates:
        raise ExportError(f"{where}: {problem}. Download the file again, and do not edit it before.")
    chosen = next((c for c in candidates if fits(c[1])), None) or max(
        candidates, key=lambda c: len(c[1][0]) if c[1] else 0
    )
    return Sheet(text=text, encoding=encoding, delimiter=chosen[0], rows=chosen[1])


def _decoded(content: bytes) -> tuple[str, str]:
    """The text, a byte order mark included, and the encoding that makes exactly these bytes of it."""
    if content[:2] in BYTE_ORDERS:
        guesses = [BYTE_ORDERS[content[:2]]]
    elif b"\0" in content[:200]:
        guesses = ["utf-16-le", "utf-16-be"] if content[1:2] == b"\0" else ["utf-16-be", "utf-16-le"]
    else:
        guesses = []
    for encoding in (*guesses, "utf-8", "cp1252"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == content:
            return text, encoding
    return content.decode("latin-1"), "latin-1"


def _rows(text: str, delimiter: str) -> tuple[Row, ...]:
    """All cells; a ``ValueError`` says where a quote is not closed."""
    # One of: ="guarded", "quoted" and what may stand behind it, anything else. `*+` never gives back what it took.
    stop = rf"[^{delimiter}\r\n]*+"
    pattern = re.compile(
        rf'="(?P<guarded>(?:[^"\r\n]|"")*+)"(?=[{delimiter}\r\n]|\Z)|"(?P<quoted>(?:[^"]|"")*+)"(?P<behind>{stop})|{stop}'
    )
    rows: list[Row] = []
    row: list[Cell] = []
    position = 1 if text.startswith("\ufeff") else 0
    while position < len(text) or row:
        found = pattern.match(text, position)
        if found is None:  # the last alternative takes nothing, too
            raise ValueError("cannot be read")
        if found.lastgroup is None and found[0].startswith('"'):
            line = text.count("\n", 0, position) + 1
            raise ValueError(f"line {line}: a quotation mark is not closed")
        row.append(Cell(found.start(), found.end(), _value(found)))
        position = found.end()
        if text.startswith(delimiter, position):
            position += 1
            continue
        rows.append(tuple(row))
        row = []
        position += 2 if text.startswith("\r\n", position) else 1
    return tuple(rows)


def _value(found: re.Match[str]) -> str:
    if found["guarded"] is not None:
        return found["guarded"].replace('""', '"')
    if found["quoted"] is None:
        return found[0]
    value = found["quoted"].replace('""', '"') + found["behind"]
    guarded = GUARDED.fullmatch(value)
    return guarded[1].replace('""', '"') if guarded else value
