"""Text from students as cells, file names and XML: it must stay text there."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Characters that a terminal obeys, and those that change the direction of writing: one row could look like another's.
CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0))}
DIRECTIONS = {
    code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
FORMULAS = ("=", "+", "-", "@")
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 has no way to write these
MAX_NAME = 100


def spreadsheet_text(name: str) -> str:
    """A spreadsheet would take some names for formulas, and obey; an apostrophe makes them text."""
    shown = name.translate(CONTROLS | DIRECTIONS)
    return f"'{shown}" if shown.startswith(FORMULAS) else shown


def xml_text(text: str) -> str:
    """The text with a visible escape in the place of each character that XML cannot hold."""
    return NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def file_names(names: Sequence[str]) -> list[str]:
    """A name of a file for each, no two the same, not even where capitals do not count."""
    taken: set[str] = set()
    found = []
    for name in names:
        plain = re.sub(r"[^\w.@+ -]", "_", name)[:MAX_NAME].strip(" .") or "student"
        own, number = plain, 2
        while own.casefold() in taken:
            own, number = f"{plain} ({number})", number + 1
        taken.add(own.casefold())
        found.append(own)
    return found
