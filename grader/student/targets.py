"""What a student names on the command line: an exercise, one of its files, a folder, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.errors import GraderError, UnknownExerciseError
from grader.student.notebook import notebook_exercise
from grader.submissions.notebook import SUFFIX


class Target(msgspec.Struct, frozen=True):
    """An exercise, the file or folder with the student's work, and the notebook that it is written from first."""

    exercise: Exercise
    work: Path
    notebook: Path | None = None


def find_targets(course: Course, words: Sequence[str], here: Path) -> tuple[Target, ...]:
    """What the words mean, in the order of the course; without words the exercise of this folder, else all."""
    if not words:
        inside = _exercise_at(course, here.resolve())
        chosen = [inside] if inside else list(course.exercises)
        return tuple(_own(course, exercise) for exercise in chosen)
    found: dict[str, Target] = {}
    for word in words:
        for target in _targets(course, word, here):
            found[target.exercise.name] = target
    return tuple(found[exercise.name] for exercise in course.exercises if exercise.name in found)


def _targets(course: Course, word: str, here: Path) -> list[Target]:
    if word in {exercise.name for exercise in course.exercises}:
        return [_own(course, course.exercise(word))]
    if word.endswith(SUFFIX):
        exercise, notebook = notebook_exercise(course, word)
        return [Target(exercise, course.module(exercise), notebook)]
    path = (here / word).resolve()
    if path.is_dir():
        return _in_folder(course, path)
    inside = _exercise_at(course, path)
    if inside is not None and (path.exists() or path == course.module(inside).resolve()):
        return [_own(course, inside)]
    name = path.stem
    if path.is_file() and name in {exercise.name for exercise in course.exercises}:  # somewhere else
        return [Target(course.exercise(name), path)]
    if path.is_file():
        raise GraderError(
            f"{word}: belongs to no exercise. The file of an exercise is named NAME.py, with the exercise's name."
        )
    raise UnknownExerciseError(Path(word).stem, (exercise.name for exercise in course.exercises))


def _in_folder(course: Course, folder: Path) -> list[Target]:
    inside = _exercise_at(course, folder)
    if inside is not None:
        return [_own(course, inside)]
    if folder in (course.root.resolve(), (course.root / "exercises").resolve()):
        return [_own(course, exercise) for exercise in course.exercises]
    files = {exercise.name: folder / f"{exercise.name}.py" for exercise in course.exercises}
    found = [Target(course.exercise(name), path) for name, path in files.items() if path.is_file()]
    if not found:
        raise GraderError(f"{folder}: there is no file of an exercise in it, such as NAME.py with an exercise's name.")
    return found


def _own(course: Course, exercise: Exercise) -> Target:
    return Target(exercise, course.module(exercise))


def _exercise_at(course: Course, path: Path) -> Exercise | None:
    """The exercise in whose folder this path is."""
    folders = (path, *path.parents)
    return next((e for e in course.exercises if course.folder(e).resolve() in folders), None)
