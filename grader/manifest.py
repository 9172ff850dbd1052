"""``course.toml``: the exercises of the course, their order, weights, prerequisites and files.

The order of the ``[[exercise]]`` tables is the order of the course. Points are not here but in the suites,
prose is in the handouts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from grader.errors import ManifestError, UnknownExerciseError, did_you_mean

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
    weight: Positive = 1.0
    optional: bool = False  # does not count for those who do not hand it in
    prerequisites: tuple[str, ...] = ()
    builds_on: tuple[str, ...] = ()  # earlier exercises whose modules it imports
    budget: Positive = 60.0  # seconds that all tests of one submission may take together
    forbidden: tuple[str, ...] = ()  # what students may not call, as "torch.nn.MultiheadAttention"


class _Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    title: str
    seed: int
    exercise: Annotated[tuple[Exercise, ...], msgspec.Meta(min_length=1)]


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The course and where its parts lie."""

    root: Path
    title: str
    seed: int
    exercises: tuple[Exercise, ...]

    def exercise(self, name: str) -> Exercise:
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        raise UnknownExerciseError(name, (exercise.name for exercise in self.exercises))

    def select(self, names: tuple[str, ...]) -> tuple[Exercise, ...]:
        """The named exercises in the order of the course; all where none is named."""
        wanted = {self.exercise(name).name for name in names}
        return tuple(e for e in self.exercises if e.name in wanted or not names)

    @property
    def weights(self) -> dict[str, float]:
        return {exercise.name: exercise.weight for exercise in self.exercises}

    @property
    def optional(self) -> frozenset[str]:
        """The names of the exercises that count only for those who hand them in."""
        return frozenset(exercise.name for exercise in self.exercises if exercise.optional)

    def folder(self, exercise: Exercise) -> Path:
        return self.root / "exercises" / exercise.name

    def module(self, exercise: Exercise) -> Path:
        """What students write; to begin with, the stub."""
        return self.folder(exercise) / f"{exercise.name}.py"

    def notebook(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / f"{exercise.name}.ipynb"

    def handout(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / "handout.md"

    def stand_in(self, name: str) -> Path:
        """The module that takes the place of a student's own where a later exercise builds on it."""
        return self.root / "solutions" / "stand_ins" / f"{name}.py"

    def solution(self, exercise: Exercise) -> Path:
        return self.root / "solutions" / f"{exercise.name}.py"

    def public_suite(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / f"test_{exercise.name}.py"

    def hidden_suite(self, exercise: Exercise) -> Path:
        return self.root / "tests" / "hidden" / f"test_{exercise.name}.py"


def find_course(start: Path) -> Course:
    """The course whose ``course.toml`` is in ``start`` or the nearest folder above it."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return load_course(folder / FILE_NAME)
    raise ManifestError(
        start / FILE_NAME,
        "",
        "not found here or in any folder above. Run this inside the course repository, or say --course FOLDER.",
    )


def load_course(path: Path) -> Course:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ManifestError(path, "", f"is not valid TOML: {error}") from error
    try:
        manifest = msgspec.convert(raw, _Manifest)
    except msgspec.ValidationError as error:
        raise _explain(path, raw, str(error)) from error
    _check(path, manifest)
    return Course(root=path.parent, title=manifest.title, seed=manifest.seed, exercises=manifest.exercise)


def _check(path: Path, manifest: _Manifest) -> None:
    """What types alone do not say."""
    if manifest.format != FORMAT:
        raise ManifestError(path, "format", f"found {manifest.format}, this grader reads {FORMAT}.")
    earlier: list[str] = []
    for index, exercise in enumerate(manifest.exercise):
        key = f"exercise[{index}]"
        if exercise.name in earlier:
            raise ManifestError(path, f"{key}.name", f"{exercise.name!r} appears twice; names are unique.")
        for field in ("prerequisites", "builds_on"):
            for needed in getattr(exercise, field):
                if needed not in earlier:
                    raise ManifestError(
                        path,
                        f"{key}.{field}",
                        f"{needed!r} is no earlier exercise{did_you_mean(needed, earlier)} "
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
    known = (Exercise if key.startswith("exercise") else _Manifest).__struct_fields__
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", problem)
    missing = re.fullmatch(r"Object missing required field `(.*)`", problem)
    if unknown or missing:
        name = (unknown or missing)[1]  # type: ignore[index]  # one of the two matched
        key = f"{key}.{name}" if key else name
        if missing:
            return ManifestError(path, key, "is missing.")
        return ManifestError(path, key, f"is no known key{did_you_mean(name, known)} Allowed: {', '.join(known)}.")
    found: Any = raw
    for step in re.findall(r"[^.\[\]]+", key):
        found = found[int(step)] if step.isdigit() else found[step]
    allowed = problem[0].lower() + problem[1:].replace("`", "")
    return ManifestError(path, key, f"found {found!r}; {allowed}.")
