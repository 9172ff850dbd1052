"""What the findings of a submission say, in words."""

from __future__ import annotations

from collections.abc import Iterable

from grader.results.records import Finding


def explanation_of(finding: Finding) -> str:
    """What was found, as strongly as it is known."""
    explanations = [mistake.explanation for mistake in finding.mistakes]
    words = explanations[0] if len(explanations) == 1 else "Either: " + " Or: ".join(explanations)
    return f"This looks like a known mistake, though not all is explained by it. {words}" if finding.likeness else words


def hint_of(finding: Finding) -> str:
    """What to do about it: nothing where there are several to choose from."""
    return finding.mistakes[0].hint if len(finding.mistakes) == 1 else ""


def words_of(findings: Iterable[Finding]) -> str:
    """All of it, for one criterion."""
    parts = (part for finding in findings for part in (explanation_of(finding), hint_of(finding)))
    return " ".join(filter(None, parts))
