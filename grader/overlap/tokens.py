"""The tokens of a text that looks like Python, found by one regular expression.

A text is not parsed, so one that is no Python has tokens too. Every alternative is possessive: no text, however it is
made, takes more than one pass. Comments and white space have no tokens, strings are all alike, and so are names that
a student chooses: who renames variables or rewrites comments does not change the tokens. Keywords, numbers, operators
and what stands after a dot (``.softmax``) count as they are.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

import msgspec

MAX_TOKENS = 20_000  # of one text; what comes after is not compared

_TOKEN = re.compile(
    r"""
    [\s\\]++ | \#[^\n]*+                                                    # no tokens
    | (?P<string> [A-Za-z]{0,2}+ (?:
        \"\"\" (?:[^"\\] | \\. | "(?!""))*+ (?:\"\"\")?+ | ''' (?:[^'\\] | \\. | '(?!''))*+ (?:''')?+
        | " (?:[^"\\\n] | \\.)*+ "?+ | ' (?:[^'\\\n] | \\.)*+ '?+ ))
    | (?P<attribute> \.[^\W\d]\w*+)
    | (?P<name> [^\W\d]\w*+)
    | (?P<other> \d[\w.]*+ | [-+*/%@&|^<>=!:]=?+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_KEPT = frozenset({*keyword.kwlist, "self", "range", "len", "zip", "enumerate", "min", "max", "sum", "sorted"})


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """What a text says, and where each token of it stands."""

    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]


def tokens_of(text: str, limit: int = MAX_TOKENS) -> Tokens:
    """The tokens of a text, at most ``limit``."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup
        if kind is None:
            continue
        if len(words) == limit:
            break
        word = found[0]
        if kind == "string":
            word = '"'
        elif kind == "name" and word not in _KEPT:
            word = "n"
        words.append(word)
        starts.append(found.start())
        ends.append(found.end())
    return Tokens(words=words, starts=starts, ends=ends)
