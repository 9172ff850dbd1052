"""``course.toml``: the exercises of the course, their order, weights and files.

The order of the ``[[exercise]]`` tables is the order of the course. Points are not here but in the suites,
prose is in the handouts.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from grader.course.policy import Policy
from grader.errors import ManifestError, did_you_mean

FILE_NAME = "course.toml"
FORMAT = 1

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*$")]
FileName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]+\.py$")]
Positive = Annotated[float, msgspec.Meta(gt=0)]


class Exercise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One exercise as the manifest declares it."""

    name: Name
    title: str
    files: Annotated[tuple[FileName, ...], msgspec.Meta(min_length=1)]  # what a student hands in
    hidden_criteria: Annotated[int, msgspec.Meta(ge=0)]
    hidden_points: Annotated[int, msgspec.Meta(ge=0)] | None = None  # of these; students see their share
    weight: Positive = 1.0
    optional: bool = False  # does not count for those who do not hand it in
    builds_on: tuple[str, ...] = ()  # earlier exercises whose modules it imports
    implementations_of: tuple[str, ...] = ()  # earlier exercises whose solution and known mistakes its suites try
    budget: Positive = 60.0  # seconds that all tests of one submission may take together
    forbidden: tuple[str, ...] = ()  # what students may not call, as "torch.nn.MultiheadAttention"
    due: datetime.datetime | None = None  # if not when the policy says


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    format: int
    title: str
    exercise: Annotated[tuple[Exercise, ...], msgspec.Meta(min_length=1)]
    policy: Policy = Policy()


def read_manifest(path: Path) -> Manifest:
    """What ``course.toml`` says, checked; a mistake in it is a ``ManifestError``."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ManifestError(path, "", f"is not valid TOML: {error}") from error
    return parse_manifest(text, path)


def parse_manifest(text: str, path: Path) -> Manifest:
    """What this text says as ``course.toml``; ``path`` is where it stands, for messages."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(path, "", f"is not valid TOML: {error}") from error
    try:
        manifest = msgspec.convert(raw, Manifest)
    except msgspec.ValidationError as error:
        raise _explain(path, raw, str(error)) from error
    _check(path, manifest)
    return manifest


def _check(path: Path, manifest: Manifest) -> None:
    """What types alone do not say."""
    if manifest.format != FORMAT:
        raise ManifestError(path, "format", f"found {manifest.format}, this grader reads {FORMAT}.")
    earlier: list[str] = []
    for index, exercise in enumerate(manifest.exercise):
        key = f"exercise[{index}]"
        if exercise.name in earlier:
            raise ManifestError(path, f"{key}.name", f"{exercise.name!r} appears twice; names are unique.")
        for field in ("builds_on", "implementations_of"):
            for needed in getattr(exercise, field):
                if needed not in earlier:
                    raise ManifestError(
                        path,
                        f"{key}.{field}",
                        f"{needed!r} is not an earlier exercise{did_you_mean(needed, earlier)} "
                        f"Allowed here: {', '.join(earlier) or 'none, it is the first'}.",
                    )
        if f"{exercise.name}.py" not in exercise.files:
            raise ManifestError(
                path,
                f"{key}.files",
                f"found {list(exercise.files)}; it must contain '{exercise.name}.py', the module under test.",
            )
        earlier.append(exercise.name)


def _explain(path: Path, raw: dict[str, Any], message: str) -> ManifestError:
    """Turn msgspec's message into: which key, what was found, what is allowed."""
    problem, _, place = message.partition(" - at `")
    key = place.rstrip("`").removeprefix("$").removeprefix(".")
    table = Exercise if key.startswith("exercise") else Policy if key.startswith("policy") else Manifest
    known = table.__struct_fields__
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", problem)
    missing = re.fullmatch(r"Object missing required field `(.*)`", problem)
    if unknown or missing:
        name = (unknown or missing)[1]  # type: ignore[index]  # one of the two matched
        key = f"{key}.{name}" if key else name
        if missing:
            return ManifestError(path, key, "is missing.")
        return ManifestError(path, key, f"is not a known key{did_you_mean(name, known)} Allowed: {', '.join(known)}.")
    found: Any = raw
    for step in re.findall(r"[^.\[\]]+", key):
        found = found[int(step)] if step.isdigit() else found[step]
    allowed = problem[0].lower() + problem[1:].replace("`", "")
    return ManifestError(path, key, f"found {found!r}; {allowed}.")
