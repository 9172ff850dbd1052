"""``grader submit``: what is handed in, what should be known before, and the zip. Nothing is sent anywhere."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.course.given import Given, path_in, read_given
from grader.course.helpers import helpers_of
from grader.course.names import wanted_names
from grader.errors import GraderError, SubmissionError
from grader.files import make_zip, write_atomically
from grader.submissions import limits
from grader.submissions.base import read_source
from grader.submissions.hand_in import HAND_IN, MAX_GROUP, MAX_HAND_IN, HandInFile, digest
from grader.submissions.names import is_clutter
from grader.submissions.tree import shown
from grader.wire.notebook import is_notebook
from grader.worker.source import UNREADABLE, find_mentions

LARGE = 10 << 20  # bytes of a zip: some systems take no more
SHOWN = 5  # files that one warning names


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What is handed in for one exercise."""

    exercise: Exercise
    path: Path  # the module or the notebook
    helpers: tuple[Path, ...] = ()  # modules of the student's own that come along
    warnings: tuple[str, ...] = ()
    problem: str = ""  # why nobody could grade it
    asked: bool = True  # False: it comes along because another exercise builds on it

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix == ".ipynb"

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path, *self.helpers)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to hand in, and the exercises in which nothing was written."""

    parts: tuple[Part, ...]
    not_begun: tuple[Exercise, ...]


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who hands in."""

    student: str
    name: str = ""
    group: tuple[str, ...] = ()  # the others, if several hand in together


def choose_parts(course: Course, names: tuple[str, ...]) -> Choice:
    """For each exercise the file that will be graded; also those that the named ones build on."""
    given = read_given(course)
    asked = {exercise.name for exercise in course.select(names)}
    needed = {name for exercise in course.exercises if exercise.name in asked for name in exercise.builds_on}
    parts, not_begun = [], []
    for exercise in course.exercises:
        if exercise.name not in asked | needed:
            continue
        path, warnings = _file_of(course, exercise, given)
        if path is not None:
            parts.append(_part(course, exercise, path, given, warnings, asked=exercise.name in asked))
        elif exercise.name in asked:
            not_begun.append(exercise)
    return Choice(parts=tuple(parts), not_begun=tuple(not_begun))


def _file_of(course: Course, exercise: Exercise, given: Given) -> tuple[Path | None, list[str]]:
    """The module or the notebook, whichever holds the student's work; None where both are as they were given."""
    module, notebook = course.module(exercise), course.notebook(exercise)
    if module.is_file() and notebook.is_file() and is_notebook(module.read_bytes()):
        return notebook, []  # the module was written from it
    # Where nothing says what was given, the module counts.
    begun = [path for path in (module, notebook) if _is_begun(course, path, given)] if given.starts else [module]
    begun = [path for path in begun if path.is_file()]
    if len(begun) < 2:
        return (begun[0] if begun else None), []
    newer, older = sorted(begun, key=lambda path: path.stat().st_mtime, reverse=True)
    return newer, [
        f"You changed {newer.name} and {older.name}. {newer.name} is newer and is handed in; {older.name} is not."
    ]


def _is_begun(course: Course, path: Path, given: Given) -> bool:
    if not path.is_file():
        return False
    content, problem = read_source(path)
    start = given.starts.get(path_in(course, path))
    return bool(problem) or (bool(content.strip()) and (start is None or start != digest(content)))


def _part(
    course: Course, exercise: Exercise, path: Path, given: Given, warnings: list[str], *, asked: bool
) -> Part:  # fmt: skip
    content, problem = read_source(path)
    if problem:
        return Part(exercise=exercise, path=path, problem=problem, asked=asked)
    missing = [name for name in exercise.files if not (path.parent / name).is_file() and name != f"{exercise.name}.py"]
    warnings += [f"{name} belongs to this exercise, and is not there." for name in missing]
    warnings += _forbidden(course, exercise, content)
    also = [path.parent / name for name in exercise.files if name not in missing and name != f"{exercise.name}.py"]
    known = {one.name for one in course.exercises}
    # Its text is enough, also of a notebook: a helper is known by a word that is its name.
    helpers = [*also, *(one for name, one in sorted(helpers_of([path], known).items()))]
    unknown = _others(course, exercise, {path, *helpers}, given)
    if unknown:
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        warnings.append(f"Not handed in, because your code does not import it: {', '.join(unknown[:SHOWN])}{more}.")
    for helper in helpers:
        _, why = read_source(helper)
        problem = problem or why
    return Part(
        exercise=exercise, path=path, helpers=tuple(helpers), warnings=tuple(warnings), problem=problem, asked=asked
    )  # fmt: skip


def _forbidden(course: Course, exercise: Exercise, content: bytes) -> list[str]:
    names = {name.rpartition(".")[2]: name for name in exercise.forbidden}
    found = find_mentions(content, tuple(names), wanted_names(course, exercise)) if names else []
    mentions = {name: line for name, line in reversed(found) if name != UNREADABLE}
    return [f"Line {mentions[name]} uses {name}, which this exercise forbids." for name in sorted(mentions)]


def _others(course: Course, exercise: Exercise, packed: set[Path], given: Given) -> list[str]:
    """Files of the student's own in the exercise's folder that stay there; known only in a release."""
    if not given.files:
        return []
    folder = course.folder(exercise)
    own = {course.module(exercise), course.notebook(exercise)}
    return [
        shown(path.relative_to(folder).as_posix())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path not in packed | own and path_in(course, path) not in given.files
        and not is_clutter(path.relative_to(folder).parts) and ".bak" not in path.name
    ]  # fmt: skip


def pack(course: Course, who: Who, parts: Iterable[Part], submitted_at: str) -> bytes:
    """The zip: the files as they lie in the course, and ``hand_in.json``. The same input gives the same bytes."""
    members = {path_in(course, path): path.read_bytes() for part in parts for path in part.files}
    said = HandInFile(
        format=1, student=who.student, name=who.name, group=who.group, submitted_at=submitted_at,
        files={path: digest(content) for path, content in sorted(members.items())},
    )  # fmt: skip
    text = msgspec.json.format(msgspec.json.encode(said), indent=2) + b"\n"
    return make_zip({**members, HAND_IN: text})


def remembered(course: Course) -> Who | None:
    """Who handed in last on this machine."""
    try:
        return msgspec.json.decode((course.own / "student.json").read_bytes(), type=Who)
    except (OSError, msgspec.DecodeError):
        return None


def remember(course: Course, who: Who) -> bool:
    """For the next time; False where it cannot be written, which is no reason to fail."""
    try:
        course.own.mkdir(exist_ok=True)
        write_atomically(course.own / "student.json", msgspec.json.encode(who))
    except (OSError, GraderError):
        return False
    return True


def check_who(who: Who) -> Who:
    """Ids as a teacher can use them."""
    ids = [one.strip() for one in (who.student, *who.group)]
    if not all(ids) or any(not one.isprintable() or len(one) > limits.MAX_NAME for one in ids):
        raise SubmissionError("--student: an id is a short line of text. Say the id by which your course knows you.")
    if len(ids) > MAX_GROUP:
        raise SubmissionError(f"--with: a group has at most {MAX_GROUP} members.")
    return Who(student=ids[0], name=who.name.strip(), group=tuple(dict.fromkeys(ids[1:])))


def write_zip(path: Path, content: bytes, who: Who) -> None:
    """Write it whole, over an earlier zip of the same student and over nothing else."""
    if path.is_dir():
        raise SubmissionError(f"{path}: is a folder. Say --out with the name of a file, such as {path / 'mine.zip'}.")
    if path.exists() and _packed_by(path) != who.student:
        raise SubmissionError(f"{path}: is there already, and {who.student} did not pack it. Choose another --out.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SubmissionError(f"{path.parent}: cannot be made ({error.strerror}). Choose another --out.") from error
    write_atomically(path, content)


def _packed_by(path: Path) -> str | None:
    """Whose zip of ours this is; None for any other file."""
    try:
        with zipfile.ZipFile(path) as packed, packed.open(HAND_IN) as said:
            return msgspec.json.decode(said.read(MAX_HAND_IN), type=HandInFile).student
    except (OSError, KeyError, RuntimeError, NotImplementedError, zipfile.BadZipFile, msgspec.DecodeError):
        return None
