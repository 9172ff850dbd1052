"""Text that came from a student, made safe to show."""

from __future__ import annotations


def printable(text: str, limit: int) -> str:
    """The text without control characters (a terminal would obey them), and no longer than ``limit``."""
    shown = "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text[:limit])
    return shown if len(text) <= limit else shown + " …"


def printable_line(text: str, limit: int) -> str:
    """The same on one line, for names: with a second line one could fake a row of a table."""
    return printable(text, limit).replace("\n", "\\n")
