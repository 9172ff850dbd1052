"""Nobody loses points twice for one mistake: not in an exercise for what is wrong in an earlier one that it builds on.

What failed is judged again with our modules in the place of the student's earlier ones: first for those that lost
points themselves, then for all, because two parts that each follow the contract may still not fit together. The part
of an exercise that failed comes first; only if a criterion fares better there, the other is judged too, because it may
cost a training. The better result counts.

One budget covers all of that, the first attempt included. Who has used it up gets no further attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from grader.grading.tasks import Entry, TaskReader, Work
from grader.results.records import ExerciseResult, Verdict
from grader.results.scoring import exercise_score

Judge = Callable[[Iterable[Work]], Mapping[str, ExerciseResult]]  # works -> results by key
JudgeWhole = Callable[[Iterable[Entry]], list[ExerciseResult]]  # entries -> their results, in the same order


def improve(
    entries: Sequence[Entry],
    results: Sequence[ExerciseResult],
    reader: TaskReader,
    judge: Judge,
    judge_whole: JudgeWhole,
    seconds_for: Callable[[Entry, Work], float],
) -> list[ExerciseResult]:
    """The results of these entries, with a better one wherever stand-ins for earlier exercises give it.

    ``seconds_for`` says how long a part of another attempt at an entry may take; 0 means that there is none.
    """
    improved = list(results)
    pairs = list(zip(entries, results, strict=True))
    full = {(entry.student, entry.exercise) for entry, result in pairs if result.verdict is Verdict.PASSED}
    failed = [n for n, (entry, result) in enumerate(pairs) if entry.own and result.verdict is Verdict.FAILED]
    for with_all in (False, True):
        attempts: dict[int, Entry] = {}
        for number in failed:
            entry = entries[number]
            at_fault = frozenset(name for name in entry.own if (entry.student, name) not in full)
            names = entry.own - at_fault and entry.own if with_all else at_fault
            if names and improved[number].verdict is Verdict.FAILED:
                attempts[number] = reader.with_stand_ins(entry, names)
        parts = {n: first_part(attempt, improved[n]) for n, attempt in attempts.items()}
        times = {n: seconds_for(attempts[n], part) for n, part in parts.items()}
        probes = {n: part.within(times[n]) for n, part in parts.items() if times[n] > 0}
        found = judge(probes.values())
        promising = [n for n, probe in probes.items() if has_gained(found[probe.key], improved[n])]
        wholes = judge_whole([attempts[number] for number in promising])
        for number, whole in zip(promising, wholes, strict=True):
            improved[number] = better(improved[number], whole, attempts[number].stand_ins)
    return improved


def first_part(attempt: Entry, result: ExerciseResult) -> Work:
    """What to judge first: criteria that train only if nothing else failed."""
    only_long = all(found.criterion.long for found in result.criteria if not found.passed)
    return attempt.long if only_long and attempt.long else attempt.short


def has_gained(result: ExerciseResult, before: ExerciseResult) -> bool:
    """Whether a criterion that failed before does not fail now, or we cannot say."""
    failed = {found.criterion.id for found in before.criteria if not found.passed}
    return result.verdict is Verdict.GRADER_FAULT or any(
        found.passed for found in result.criteria if found.criterion.id in failed
    )


def better(own: ExerciseResult, other: ExerciseResult, stand_ins: frozenset[str]) -> ExerciseResult:
    """The one of two results that counts; ``other`` was reached with these stand-ins."""
    if other.verdict is not Verdict.GRADER_FAULT and (exercise_score(other) or 0) <= (exercise_score(own) or 0):
        return own
    return msgspec.structs.replace(other, stand_ins=tuple(sorted(stand_ins)), seam=seam(own, other))


def seam(own: ExerciseResult, other: ExerciseResult) -> str:
    """What went wrong with the student's own modules, and not with stand-ins: the first such failure."""
    mended = {result.criterion.id for result in other.criteria if result.passed}
    first = next((r for r in own.criteria if not r.passed and r.criterion.id in mended), None)
    return f"{first.criterion.title}: {first.message}" if first else ""
