"""What `inspect` and `grade` share: how submissions are read."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from grader.errors import SubmissionError

if TYPE_CHECKING:
    from grader.course import Course
    from grader.submissions.intake import Intake

DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M%z", "%Y-%m-%dT%H:%M:%S%z"]
OPTIONS = (
    click.option("--layout", default="", metavar="NAME", help="How the files lie, if that is not recognised."),
    click.option(
        "--roster", type=click.Path(path_type=Path), metavar="CSV",
        help="Who is in the class: id, name, email, section, group.",
    ),
    click.option(
        "--mapping", type=click.Path(path_type=Path), metavar="CSV",
        help="Which file is which exercise: student, file, exercise.",
    ),
    click.option("--accept-near-names", is_flag=True, help="Grade files whose names are nearly right."),
    click.option(
        "--due", type=click.DateTime(DATES), metavar="TIME",
        help="Of a repository the last commit before this counts.",
    ),
    click.option("--attempts", type=click.Choice(["last", "best"]), help="Which attempt counts, if not the policy's."),
)  # fmt: skip


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How to read, as the options say."""

    layout: str
    roster: Path | None
    mapping: Path | None
    accept_near_names: bool
    due: datetime.datetime | None
    attempts: str | None


def intake_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the command gets them all in ``reading``."""
    names = Reading.__struct_fields__

    def run(**values: Any) -> Any:
        reading = Reading(**{name: values.pop(name) for name in names})
        return command(reading=reading, **values)

    run.__doc__ = command.__doc__
    run.__name__ = command.__name__
    found: Callable[..., Any] = run
    for option in reversed(OPTIONS):
        found = option(found)
    # click keeps what other decorators said already
    found.__click_params__ += getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    return found


def take_in(path: Path, course: Course, reading: Reading, *, out: Path | None = None) -> Intake:
    """The class that lies there; ``out`` is where results go, which is no student."""
    from grader.submissions.choice import Rules
    from grader.submissions.intake import Attempts, read_class
    from grader.submissions.mapping import read_mapping
    from grader.submissions.roster import read_roster

    if out is not None and path.is_dir() and out.resolve() == path.resolve():
        raise SubmissionError(f"{out}: results cannot go where the submissions lie. Choose another --out.")
    names = [exercise.name for exercise in course.exercises]
    return read_class(
        path,
        course,
        layout=reading.layout,
        rules=Rules(
            accept_near_names=reading.accept_near_names,
            mapping=read_mapping(reading.mapping, names) if reading.mapping else {},
        ),
        roster=read_roster(reading.roster) if reading.roster else None,
        due=reading.due.timestamp() if reading.due else None,
        attempts=Attempts(reading.attempts or course.policy.attempts),
    )
