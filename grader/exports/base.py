"""What every format is."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from grader.results.schema import Results


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A way to write results for another program."""

    file_name: str
    render: Callable[[Results], str]
