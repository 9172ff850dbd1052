"""Which exercise a test file belongs to, and where the student's files for it are."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.manifest import FILE_NAME, Course, Exercise, load_course


class Suite(msgspec.Struct, frozen=True):
    """One test file of one exercise."""

    course: Course
    exercise: Exercise
    hidden: bool

    def student_files(self, submission: Path | None) -> dict[str, Path]:
        """Module name → file. A submission that is a file stands for the exercise's main module.

        Of the exercises that this one builds on, a stand-in takes the place of what is not there.
        """
        earlier = {name: self._earlier(name, submission) for name in self.exercise.builds_on}
        if submission is not None and not submission.is_dir():
            return {**earlier, self.exercise.name: submission, **self._modules(submission.parent, main=False)}
        return {**earlier, **self._modules(submission or self.course.folder(self.exercise), main=True)}

    def _earlier(self, name: str, submission: Path | None) -> Path:
        folder = self.course.folder(self.course.exercise(name))
        if submission is not None and submission.parent != self.course.folder(self.exercise):
            folder = submission if submission.is_dir() else submission.parent
        own = folder / f"{name}.py"
        return own if own.is_file() else self.course.stand_in(name)

    def _modules(self, folder: Path, main: bool) -> dict[str, Path]:
        names = [file.removesuffix(".py") for file in self.exercise.files]
        return {name: folder / f"{name}.py" for name in names if main or name != self.exercise.name}


def find_suite(path: Path) -> Suite | None:
    """The suite that this file is, or None if it is an ordinary test."""
    if not path.name.startswith("test_"):
        return None
    for folder in path.resolve().parents[:3]:
        manifest = folder / FILE_NAME
        if manifest.is_file():
            break
    else:
        return None
    course = load_course(manifest)
    for exercise in course.exercises:
        if path.resolve() == course.public_suite(exercise).resolve():
            return Suite(course, exercise, hidden=False)
        if path.resolve() == course.hidden_suite(exercise).resolve():
            return Suite(course, exercise, hidden=True)
    return None
