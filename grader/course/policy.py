"""The policy of a course, as ``[policy]`` in ``course.toml`` declares it: due dates, penalties, what counts."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

import msgspec

Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How scores become grades. The defaults change nothing."""

    due: datetime.datetime | None = None  # of every exercise that has no date of its own
    grace_minutes: Amount = 0.0  # so much later is not late
    penalty_per_day: Percent = 0.0  # of 100, for each day that has begun
    penalty_steps: tuple[tuple[Amount, Percent], ...] = ()  # or: (more than so many days late, so much of 100)
    max_penalty: Percent = 100.0
    attempts: Literal["last", "best"] = "last"
    drop_lowest: Count = 0  # so many of the exercises that are not optional
    extra_credit: Amount = 0.0  # an optional exercise adds up to so much on top, and does not count otherwise
    max_total: Amount = 100.0
    one_mistake_costs_once: bool = False  # known mistakes that explain everything cost their severities, and no more
    extensions: str = ""  # a CSV with student, exercise (or nothing: all), due
