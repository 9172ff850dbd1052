"""Verdicts and kinds in the words and signs of pages; no page tells them by colour alone."""

from __future__ import annotations

import msgspec

from grader.results.records import Kind, Verdict


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """How a verdict is shown."""

    word: str  # to a student
    short: str  # in a table for teachers
    letter: str  # in the table's data, by which it is filtered
    tone: str  # good, bad, warn or quiet: the colour beside the words


SIGNS = {
    Verdict.PASSED: Sign(word="passed", short="passed", letter="p", tone="good"),
    Verdict.FAILED: Sign(word="wrong result", short="wrong result", letter="f", tone="bad"),
    Verdict.ERROR: Sign(word="your code raised an error", short="error", letter="e", tone="bad"),
    Verdict.TIMEOUT: Sign(word="took too long", short="out of time", letter="t", tone="warn"),
    Verdict.MEMORY: Sign(word="needed too much memory", short="out of memory", letter="m", tone="warn"),
    Verdict.CRASHED: Sign(word="the program crashed", short="crashed", letter="c", tone="bad"),
    Verdict.TAMPERED: Sign(word="broke the rules of the judge", short="tampered", letter="a", tone="bad"),
    Verdict.MISSING: Sign(word="not there yet", short="missing", letter="n", tone="quiet"),
    Verdict.GRADER_FAULT: Sign(word="not judged: a fault of ours", short="fault of ours", letter="g", tone="warn"),
}

KINDS = {
    Kind.VALUE: "right values",
    Kind.SHAPE: "right shapes",
    Kind.INVARIANCE: "laws that must hold",
    Kind.GRADIENT: "gradients",
    Kind.DEVICE: "any device",
    Kind.ROBUSTNESS: "unusual inputs",
    Kind.EFFICIENCY: "time and memory",
}


def score_text(score: float | None) -> str:
    """One decimal, rounded down: 99.96 is not 100."""
    if score is None:
        return "–"
    return "100" if score >= 100 else f"{int(score * 10 + 1e-6) / 10:.1f}"


def counted(count: int, one: str, many: str = "") -> str:
    """``1 student``, ``2 students``, ``2,000 criteria``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
