"""Text that came from a student, made safe to show."""

from __future__ import annotations

import re

# Control characters, those that change the direction of writing, and what is no character at all.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e0fff]"
)


def printable(text: str, limit: int) -> str:
    """The text without control characters (a terminal would obey them), and no longer than ``limit``."""
    shown = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text[:limit])
    return shown if len(text) <= limit else shown + " …"


def printable_line(text: str, limit: int) -> str:
    """The same on one line, for names: with a second line one could fake a row of a table."""
    return printable(text, limit).replace("\n", "\\n")


def visible(text: str) -> str:
    """The text for a page: what nobody would see, or what turns the text around it, is written out (``\\u202e``).

    Unlike a terminal a page can show every letter, so everything else stays, joiners of Persian or emoji too.
    """
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text) if _UNSEEN.search(text) else text
