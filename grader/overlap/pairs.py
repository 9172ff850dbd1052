"""From the texts of a class to pairs that have much in common.

Fingerprints are looked up in one index for each exercise, so only pairs that share some are looked at. For these the
common parts are found exactly. Not counted are what students were given, and what many different texts have in common:
that is how one writes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from grader.overlap.tokens import Tokens, tokens_of
from grader.overlap.winnowing import RUN, run_hashes, winnow

FORMAT = 1
THRESHOLD = 0.6  # right solutions that are independent of each other stay below 0.5 (docs/similarity.md)
MIN_OWN = 80  # tokens of a student's own, about ten lines: shorter texts are alike by chance
MANY = 10  # different texts that have something in common: only what more have is how one writes it
MANY_SHARE = 0.5  # and more than this share of all different texts
NEAREST = 5  # texts to which a text is compared exactly: of a whole class that copied, all pairs would help nobody
LIKELY = 0.5  # pairs with this much of the threshold by fingerprints are looked at exactly


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """What one student handed in for one exercise."""

    student: str
    attempt: int | None = None
    group: frozenset[str] = frozenset()  # who handed in together
    text: str


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of a pair."""

    id: str
    attempt: int | None = None
    share: float  # of the student's own tokens: how many stand in common parts
    tokens: int  # of the student's own
    lines: tuple[tuple[int, int], ...]  # of the common parts: first and last
    parts: tuple[tuple[int, int], ...]  # the same as places in the text


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two students whose texts for an exercise have much in common."""

    exercise: str
    share: float  # the larger of both
    first: Side
    second: Side


class ExercisePairs(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise over the class."""

    name: str
    compared: int  # texts
    too_short: tuple[str, ...]  # whose own part is too short to say anything
    further: int  # pairs that were not looked at, because both texts have nearer ones
    pairs: tuple[Pair, ...]  # those with the largest shares on both sides first


class ClassPairs(msgspec.Struct, frozen=True, kw_only=True):
    """All exercises over the class."""

    format: int
    course: str
    threshold: float
    names: dict[str, str]  # id -> name, of those in a pair who have one
    exercises: tuple[ExercisePairs, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return tuple(pair for exercise in self.exercises for pair in exercise.pairs)


class _Prepared(msgspec.Struct, frozen=True, kw_only=True):
    text: Text
    tokens: Tokens
    hashes: Sequence[int]
    own: Sequence[bool]  # by token: whether it was not given
    count: int  # own tokens


def class_pairs(
    course: str,
    texts: Mapping[str, Sequence[Text]],
    given: Iterable[str],
    names: Mapping[str, str],
    threshold: float = THRESHOLD,
) -> ClassPairs:
    """The pairs of every exercise; ``texts`` is by exercise, ``given`` is what students were given."""
    boilerplate = given_hashes(given)
    exercises = tuple(find_pairs(name, found, boilerplate, threshold) for name, found in texts.items())
    ids = {side.id for exercise in exercises for pair in exercise.pairs for side in (pair.first, pair.second)}
    return ClassPairs(
        format=FORMAT,
        course=course,
        threshold=threshold,
        names={id_: names[id_] for id_ in sorted(ids) if names.get(id_)},
        exercises=exercises,
    )


def given_hashes(texts: Iterable[str]) -> frozenset[int]:
    """The hashes of everything that students were given."""
    return frozenset(value for text in texts for value in run_hashes(tokens_of(text).words))


def find_pairs(
    exercise: str, texts: Sequence[Text], given: frozenset[int] = frozenset(), threshold: float = THRESHOLD
) -> ExercisePairs:
    """All pairs whose larger share reaches the threshold; members of a group are no pair."""
    everything = [_prepare(text, given) for text in texts]
    prepared = [one for one in everything if one.count >= MIN_OWN]
    common = _common(prepared) | given
    near, further = _candidates(prepared, common, threshold)
    best: dict[frozenset[str], Pair] = {}
    for one, other in near:
        pair = _pair(exercise, one, other, common)
        who = frozenset({one.text.student, other.text.student})
        if pair.share >= threshold and (who not in best or pair.share > best[who].share):
            best[who] = pair
    return ExercisePairs(
        name=exercise,
        compared=len(prepared),
        too_short=tuple(dict.fromkeys(one.text.student for one in everything if one.count < MIN_OWN)),
        further=further,
        pairs=tuple(sorted(best.values(), key=lambda p: (-p.first.share - p.second.share, p.first.id))),
    )


def _prepare(text: Text, given: frozenset[int]) -> _Prepared:
    tokens = tokens_of(text.text)
    hashes = run_hashes(tokens.words)
    own = [not covered for covered in _covered(hashes, given, len(tokens.words))]
    return _Prepared(text=text, tokens=tokens, hashes=hashes, own=own, count=sum(own))


def _covered(hashes: Sequence[int], wanted: frozenset[int], length: int) -> list[bool]:
    """By token, whether it stands in a run whose hash is wanted."""
    covered = [False] * length
    reach = 0
    for place in [place for place, value in enumerate(hashes) if value in wanted]:
        start = place if place > reach else reach
        reach = place + RUN
        covered[start:reach] = [True] * (reach - start)
    return covered


def _common(prepared: Sequence[_Prepared]) -> frozenset[int]:
    """The hashes that many different texts have; equal texts are one, else a text that many copied would be common."""
    different = {tuple(one.hashes) for one in prepared}
    counts = Counter(value for hashes in different for value in set(hashes))
    limit = max(MANY, int(MANY_SHARE * len(different)))
    return frozenset(value for value, count in counts.items() if count > limit)


def _candidates(
    prepared: Sequence[_Prepared], common: frozenset[int], threshold: float
) -> tuple[list[tuple[_Prepared, _Prepared]], int]:
    """Pairs that share enough fingerprints to be looked at: of each text the nearest; and how many others there are."""
    prints = [{one.hashes[place] for place in winnow(one.hashes)} - common for one in prepared]
    index: dict[int, list[int]] = {}
    for number, found in enumerate(prints):
        for value in found:
            index.setdefault(value, []).append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in index.values():
        shared.update(combinations(numbers, 2))
    likely: dict[tuple[int, int], float] = {}
    for (one, other), count in shared.items():
        share = count / min(len(prints[one]), len(prints[other]))
        if share >= LIKELY * threshold and not _together(prepared[one].text, prepared[other].text):
            likely[one, other] = share
    taken: Counter[int] = Counter()
    near = []
    for one, other in sorted(likely, key=lambda pair: (-likely[pair], pair)):
        if min(taken[one], taken[other]) < NEAREST:
            near.append((prepared[one], prepared[other]))
            taken.update((one, other))
    return near, len(likely) - len(near)


def _together(one: Text, other: Text) -> bool:
    return bool(({one.student} | one.group) & ({other.student} | other.group))


def _pair(exercise: str, one: _Prepared, other: _Prepared, common: frozenset[int]) -> Pair:
    both = (frozenset(one.hashes) & frozenset(other.hashes)) - common
    first, second = _side(one, both), _side(other, both)
    return Pair(exercise=exercise, share=max(first.share, second.share), first=first, second=second)


def _side(one: _Prepared, both: frozenset[int]) -> Side:
    covered = _covered(one.hashes, both, len(one.own))
    counted = [own and found for own, found in zip(one.own, covered, strict=True)]
    parts = _parts(one.tokens, counted)
    return Side(
        id=one.text.student,
        attempt=one.text.attempt,
        share=round(sum(counted) / one.count, 3),
        tokens=one.count,
        lines=tuple(_lines(one.text.text, parts)),
        parts=parts,
    )


def _parts(tokens: Tokens, counted: Sequence[bool]) -> tuple[tuple[int, int], ...]:
    """The common parts as places in the text."""
    parts: list[tuple[int, int]] = []
    begin: int | None = None
    for place, found in enumerate([*counted, False]):
        if found and begin is None:
            begin = place
        elif not found and begin is not None:
            parts.append((tokens.starts[begin], tokens.ends[place - 1]))
            begin = None
    return tuple(parts)


def _lines(text: str, parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines of the parts; parts in lines that follow each other are told as one."""
    found: list[tuple[int, int]] = []
    line, place = 1, 0
    for start, end in parts:
        first = line + text.count("\n", place, start)
        line = first + text.count("\n", start, end)
        place = end
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((first, line))
    return found
