"""``@criterion``: what a test is worth, and what a student reads about it. Points live only here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

from grader.errors import CriterionError, did_you_mean
from grader.results.records import Criterion, Kind

DEFAULT_TIMEOUT = 10.0

Test = TypeVar("Test", bound=Callable[..., None])


def criterion(
    title: str,
    *,
    points: int,
    kind: str,
    hint: str,
    question: str = "",
    step: str = "",
    timeout: float = DEFAULT_TIMEOUT,
    long: bool = False,
) -> Callable[[Test], Test]:
    """Declare a test as a criterion: its title, points, kind, and the hint for whoever fails it.

    A public one may have two more hints: a ``question``, which comes before the hint, and a ``step``, which comes
    last and says nearly what to write. The test's docstring is the sentence that students read, and its name without
    ``test_`` the criterion's id.
    A ``long`` one (it trains a model) is left out where a judge tries the suites on the solutions.
    """
    kinds = [k.value for k in Kind]
    if not isinstance(title, str) or not title.strip():
        raise CriterionError(f"A criterion needs a title, found {title!r}.")
    if isinstance(points, bool) or not isinstance(points, int) or points <= 0:
        raise CriterionError(f"Criterion {title!r}: points must be a positive whole number, found {points!r}.")
    if kind not in kinds:
        raise CriterionError(
            f"Criterion {title!r}: {kind!r} is not a kind{did_you_mean(str(kind), kinds)} Allowed: {', '.join(kinds)}."
        )
    if not isinstance(hint, str) or not hint.strip():
        raise CriterionError(f"Criterion {title!r}: a hint is needed, found {hint!r}.")
    if not timeout > 0:
        raise CriterionError(f"Criterion {title!r}: timeout must be positive, found {timeout!r}.")

    def mark(test: Test) -> Test:
        sentence = " ".join((test.__doc__ or "").split())
        if not sentence:
            raise CriterionError(f"Criterion {title!r}: the test needs a docstring, the sentence that students read.")
        values = Criterion(
            id=test.__name__.removeprefix("test_"),
            title=title,
            kind=Kind(kind),
            points=points,
            hint=hint,
            question=question,
            step=step,
            sentence=sentence,
            timeout=timeout,
            long=long,
            hidden=True,  # until the plugin sees the test beside a stub
        )
        return pytest.mark.criterion(values)(test)  # type: ignore[no-any-return]

    return mark


def criterion_of(item: pytest.Item) -> Criterion | None:
    mark = item.get_closest_marker("criterion")
    return mark.args[0] if mark else None


def check_suite(items: Iterable[pytest.Item]) -> None:
    """Every test of an exercise has a criterion, and no two of its criteria share an id or a title."""
    places: dict[tuple[str, str], str] = {}
    for item in items:
        found = criterion_of(item)
        place = item.nodeid.partition("[")[0]
        if found is None:
            raise CriterionError(
                f"{place}: no criterion. Put @criterion(title, points=…, kind=…, hint=…) above the test."
            )
        for label, value in (("id", found.id), ("title", found.title)):
            first = places.setdefault((label, value), place)
            if first != place:
                raise CriterionError(f"{place}: the {label} {value!r} is taken by {first}; choose another.")
