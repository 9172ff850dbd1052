"""Where everything of a course lies, and which of it students get.

This module alone knows the paths. What is public is listed here once (``public_files``); everything else in the
course's folder is for teachers.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.course.manifest import FILE_NAME, Exercise, read_manifest
from grader.course.policy import Policy
from grader.course.secrets import read_secret
from grader.errors import ManifestError, UnknownExerciseError

SECRET_FOLDERS = ("solutions", "tests")  # students never get these
NOT_OURS = ("__pycache__", ".ipynb_checkpoints")


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The course and where its parts lie."""

    root: Path
    title: str
    secret: str  # hidden inputs are drawn from it; empty where there are no solutions
    exercises: tuple[Exercise, ...]
    policy: Policy = Policy()

    # Exercises

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

    # What students get

    @property
    def manifest(self) -> Path:
        return self.root / FILE_NAME

    @property
    def given(self) -> Path:
        """What students were given, with hashes; it lies in a release only."""
        return self.root / "release.json"

    def folder(self, exercise: Exercise) -> Path:
        return self.root / "exercises" / exercise.name

    def module(self, exercise: Exercise) -> Path:
        """What students write; to begin with, the stub."""
        return self.folder(exercise) / f"{exercise.name}.py"

    def notebook(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / f"{exercise.name}.ipynb"

    def handout(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / "handout.md"

    def public_suite(self, exercise: Exercise) -> Path:
        return self.folder(exercise) / f"test_{exercise.name}.py"

    @property
    def progress(self) -> Path:
        """Where a student's progress is kept: what was checked when, and which hints were shown."""
        return self.root / ".grader" / "progress.json"

    @property
    def data(self) -> Path:
        """Python modules that make or read what models are trained on; suites draw from them too."""
        return self.root / "data"

    def public_files(self) -> tuple[Path, ...]:
        """Every file of the course that students get, as it lies here: the module may be somebody's work."""
        found = [self.manifest, *sorted(self.data.glob("*.py"))]
        for exercise in self.exercises:
            found += sorted(path for path in self.folder(exercise).rglob("*") if _is_for_students(path))
        return tuple(path for path in found if path.is_file())

    def is_public(self, path: Path) -> bool:
        """Whether students get this file."""
        return path.resolve() in {file.resolve() for file in self.public_files()}

    @property
    def own(self) -> Path:
        """Where a student's machine keeps what it remembers; it is in no release and is not handed in."""
        return self.root / ".grader"

    # What students never get

    @property
    def secret_folders(self) -> tuple[Path, ...]:
        return tuple(self.root / name for name in SECRET_FOLDERS)

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    def solution(self, exercise: Exercise) -> Path:
        return self.solutions / f"{exercise.name}.py"

    @property
    def public_lines(self) -> Path:
        """Lines of hidden files that students may see all the same."""
        return self.solutions / "public_lines.txt"

    def stand_in(self, name: str) -> Path:
        """The module that takes the place of a student's own where a later exercise builds on it."""
        return self.solutions / "stand_ins" / f"{name}.py"

    def bank(self, exercise: Exercise) -> Path:
        """The known mistakes."""
        return self.solutions / "misconceptions" / f"{exercise.name}.toml"

    def equivalents(self, exercise: Exercise) -> Path:
        """The mutants that no test can kill."""
        return self.solutions / "equivalents" / f"{exercise.name}.toml"

    def hidden_suite(self, exercise: Exercise) -> Path:
        return self.root / "tests" / "hidden" / f"test_{exercise.name}.py"

    def suites(self, exercise: Exercise) -> tuple[Path, Path]:
        """The public suite and the hidden one."""
        return self.public_suite(exercise), self.hidden_suite(exercise)

    def variants(self, exercise: Exercise) -> tuple[Path, ...]:
        """Right solutions in other styles."""
        return tuple(sorted(self.variants_folder(exercise).glob("*.py")))

    def variants_folder(self, exercise: Exercise) -> Path:
        return self.root / "tests" / "variants" / exercise.name

    def garbage(self, exercise: Exercise) -> tuple[Path, ...]:
        """Modules that compute nothing right and must get next to nothing."""
        return tuple(sorted((self.root / "tests" / "garbage" / exercise.name).glob("*.py")))

    def reimplemented(self, exercise: Exercise) -> Path:
        """Known mistakes in programs of another style, by which the diagnosis is measured."""
        return self.root / "tests" / "diagnosis" / f"{exercise.name}.toml"

    @property
    def proofs(self) -> Path:
        """Where ``grader validate`` keeps its verdicts."""
        return self.root / ".grader" / "validate"


def find_course(start: Path) -> Course:
    """The course whose ``course.toml`` is in ``start`` or the nearest folder above it."""
    start = start.resolve()
    manifest = nearest_manifest((start, *start.parents))
    if manifest is None:
        raise ManifestError(
            start / FILE_NAME,
            "",
            "not found here or in any folder above. Run this inside the course repository, or say --course FOLDER.",
        )
    return load_course(manifest)


def nearest_manifest(folders: Iterable[Path]) -> Path | None:
    """The ``course.toml`` in the first of these folders that has one."""
    return next((folder / FILE_NAME for folder in folders if (folder / FILE_NAME).is_file()), None)


def load_course(path: Path) -> Course:
    manifest = read_manifest(path)
    secret = read_secret(path.parent / "solutions")
    return Course(
        root=path.parent, title=manifest.title, secret=secret, exercises=manifest.exercise, policy=manifest.policy
    )  # fmt: skip


def _is_for_students(path: Path) -> bool:
    return not path.name.startswith(".") and ".bak" not in path.name and not set(path.parts) & set(NOT_OURS)
