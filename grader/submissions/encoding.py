"""The text of a student's file as UTF-8, in whatever encoding an editor has saved it."""

from __future__ import annotations

import codecs
import re

# As Python looks for it: in the first two lines.
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
WIDE = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip


def as_utf8(content: bytes) -> tuple[bytes, str]:
    """The same text in UTF-8 with plain ends of lines, and the encoding that it had if that was another one.

    A file that names its encoding itself is left as it is: Python knows what to do.
    """
    text, encoding = _decode(content)
    if text is None:
        return content, ""
    return text.replace("\r\n", "\n").replace("\r", "\n").encode(), encoding


def _decode(content: bytes) -> tuple[str | None, str]:
    for mark, encoding in WIDE:
        if content.startswith(mark):
            return _try(content, encoding), encoding.upper()
    if content[:200].count(0) > len(content[:200]) // 3:  # without a mark; code is mostly ASCII
        encoding = "utf-16-le" if content[1:2] == b"\0" else "utf-16-be"
        return _try(content, encoding), "UTF-16"
    if any(COOKIE.match(line) for line in content.split(b"\n", 2)[:2]):
        return None, ""
    text = _try(content, "utf-8-sig")
    if text is not None:
        return text, ""
    return _try(content, "cp1252") or content.decode("latin-1"), "Latin-1"


def _try(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeError:
        return None
