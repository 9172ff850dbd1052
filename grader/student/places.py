"""From the words for a place (``ctc.py:35 in f``) to the line that stands there, and whether a hint belongs there."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.judge.transports.outcomes import base_name
from grader.results.records import CriterionResult, Kind, Verdict
from grader.text import printable_line
from grader.wire.notebook import cell_at

PLACE = re.compile(r"(\w+)\.py:(\d{1,6})")
CELL = re.compile(r"(\w+)\.ipynb, cell (\d{1,6}), line (\d{1,6})")
MAX_LINE = 100


def source_at(words: str, sources: Mapping[str, tuple[str, bytes]]) -> str:
    """The line of the student's file that these words name first; empty if they name none."""
    contents = {base_name(name): content for name, content in sources.values()}
    if found := PLACE.search(words):
        lines = contents.get(f"{found[1]}.py", b"").splitlines()
        number = int(found[2])
    elif found := CELL.search(words):
        content = contents.get(f"{found[1]}.py", b"")
        lines = content.splitlines()
        wanted = int(found[2]), int(found[3])
        number = next((n for n in range(1, len(lines) + 1) if cell_at(content, n) == wanted), 0)
    else:
        return ""
    return (
        printable_line(lines[number - 1].decode(errors="replace").strip(), MAX_LINE) if 0 < number <= len(lines) else ""
    )


def shown_hint(result: CriterionResult) -> str:
    """The hint, where it belongs to what happened: a loop without end or an exception is another matter."""
    criterion = result.criterion
    if result.verdict is Verdict.FAILED or (result.verdict is Verdict.MISSING and criterion.hint):
        return criterion.question or criterion.hint
    efficient = criterion.kind is Kind.EFFICIENCY and not result.message.startswith("Skipped")
    return (criterion.question or criterion.hint) if result.verdict is Verdict.TIMEOUT and efficient else ""
