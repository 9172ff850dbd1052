"""What ``grader check --json`` says, as the summary of a job of GitHub Actions.

GitHub drops a summary of more than 1024 KiB as a whole. So ours is cut before.
"""

from __future__ import annotations

import html
import sys
from pathlib import Path

import msgspec

from grader.results.records import Verdict
from grader.results.schema import GradedExercise
from grader.text import printable, printable_line

LIMIT = 1_000_000  # bytes; GitHub takes 1,048,576
CUT = "\n\nThe rest is cut: a summary may have no more. `grader check` on your machine shows everything.\n"
MESSAGE = 2000  # characters


class _Checked(msgspec.Struct, frozen=True):
    """An exercise; where its tests could not run there is only the reason."""

    name: str
    fault: str = ""
    verdict: str = ""
    hidden_criteria: int = 0


class _Document(msgspec.Struct, frozen=True):
    passed: bool
    exercises: tuple[msgspec.Raw, ...]


def summary(content: bytes) -> str:
    """The summary as Markdown; ``content`` is the JSON of ``grader check``."""
    try:
        document = msgspec.json.decode(content, type=_Document)
        parts = [_exercise(raw) for raw in document.exercises]
    except msgspec.DecodeError:
        return "## The check did not run\n\nLook at the log of the job for the reason.\n"
    title = "## All public tests passed" if document.passed else "## Something is left to mend"
    return cut("\n".join([title, "", *parts]))


def cut(text: str) -> str:
    """At most as many bytes as GitHub shows, and no half character."""
    content = text.encode()
    if len(content) <= LIMIT:
        return text
    return content[: LIMIT - len(CUT.encode())].decode(errors="ignore") + CUT


def _exercise(raw: msgspec.Raw) -> str:
    head = msgspec.json.decode(raw, type=_Checked)
    if not head.verdict:
        return f"### {_text(head.name)}\n\nThe tests could not run: {_text(head.fault)}\n"
    exercise = msgspec.json.decode(raw, type=GradedExercise)
    lines = [f"### {_text(exercise.title or exercise.name)}", "", "| | criterion | points |", "|---|---|---|"]
    for criterion in exercise.criteria:
        passed = criterion.verdict is Verdict.PASSED
        points = f"{criterion.points if passed else 0} of {criterion.points}"
        lines.append(f"| {'✓' if passed else '✗'} | {_text(criterion.title)} | {points} |")
    first = next((c for c in exercise.criteria if c.verdict is not Verdict.PASSED), None)
    if first is not None:
        words = "\n".join(word for word in (first.message, first.line, f"Hint: {first.hint}") if word)
        lines += ["", f"<pre>{html.escape(printable(words, MESSAGE))}</pre>"]
    lines += ["", f"{head.hidden_criteria} hidden criteria are graded by your teacher.", ""]
    return "\n".join(lines)


def _text(text: str) -> str:
    """On one line, and neither HTML nor a cell of a table."""
    return html.escape(printable_line(text, 300)).replace("|", "&#124;")


if __name__ == "__main__":
    sys.stdout.buffer.write(summary(Path(sys.argv[1]).read_bytes()).encode())
