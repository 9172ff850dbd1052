"""Begins an exercise: writes a small one that is complete, and adds its table to ``course.toml``."""

from __future__ import annotations

import json
import keyword
import os
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from grader.authoring import skeleton
from grader.authoring.notebooks import make_notebook
from grader.course import Course, Exercise
from grader.course.helpers import may_help
from grader.course.manifest import FILE_NAME, Manifest, parse_manifest
from grader.course.paths import nearest_manifest
from grader.course.stubs import course_stub
from grader.errors import GraderError, ManifestError
from grader.files import write_atomically

NAME = re.compile(r"[a-z][a-z0-9_]*")


def new_exercise(start: Path, name: str, *, title: str = "", optional: bool = False) -> list[Path]:
    """Write the skeleton of an exercise into the course around ``start``; the files, ``course.toml`` last.

    No file is written over. If one cannot be written, those that were are taken away again.
    """
    check_name(name)
    title = " ".join(title.split()) or name.replace("_", " ").capitalize()
    start = start.resolve()
    manifest = nearest_manifest((start, *start.parents))
    if manifest is None:
        raise ManifestError(start / FILE_NAME, "", "not found here or in any folder above. " + FIRST_TABLE)
    known, text = _with_table(manifest, name, title, optional=optional)
    course = Course(root=manifest.parent, title=known.title, secret="", exercises=known.exercise)
    exercise = course.exercise(name)
    before = [one for one in known.exercise if one.name != name]
    if other := next((one for one in before if f"{name}.py" in one.files), None):
        raise GraderError(f"{name}.py is a file of the exercise {other.name!r}; choose another name.")
    files = _files(course, exercise)
    stub, notebook = course.module(exercise), course.notebook(exercise)
    if there := [path for path in (*files, stub, notebook) if os.path.lexists(path)]:
        found = "".join(f"\n  {path.relative_to(course.root)}" for path in there)
        raise GraderError(f"Nothing was written, because no file is written over. These are there already:{found}\n"
                          "Move them away, or choose another name.")  # fmt: skip
    written: list[Path] = []
    try:
        for path, content in files.items():
            _write(path, content, written)
        _write(stub, course_stub(course, exercise), written)
        if can_make_notebooks():
            _write(notebook, make_notebook(course, exercise), written)
        write_atomically(manifest, text)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return [*written, manifest]


FIRST_TABLE = 'Say --course FOLDER, or begin a course: a file course.toml with format = 1 and title = "…".'


def can_make_notebooks() -> bool:
    """Whether the extra for notebooks is installed; an exercise can begin without."""
    try:
        import nbformat  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def check_name(name: str) -> None:
    """Whether an exercise can be called so: it is the name of a module, of a folder and of two suites."""
    if not NAME.fullmatch(name):
        better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        advice = f"; {better!r} would do" if NAME.fullmatch(better) else ""
        raise GraderError(
            f"{name!r} is no name for an exercise: small letters, digits and _ only, a letter first{advice}."
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise GraderError(f"{name!r} is a word of Python's own; choose another name.")
    if name.startswith("test_"):
        raise GraderError(f"{name!r} would be taken for a test; choose a name that does not begin with test_.")
    if name in sys.stdlib_module_names or name == "data" or not may_help(name) or name in packages_distributions():
        raise GraderError(
            f"There is a module {name!r} already, and a student's module would hide it; choose another name."
        )


def _with_table(manifest: Path, name: str, title: str, *, optional: bool) -> tuple[Manifest, str]:
    """What course.toml says with the table of the new exercise at its end, and as text: comments stay."""
    try:
        old = manifest.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ManifestError(manifest, "", f"cannot be read ({error}).") from error
    if re.search(rf"""^\s*name\s*=\s*['"]{name}['"]""", old, re.MULTILINE):
        raise GraderError(f"There is an exercise {name!r} in {manifest} already; choose another name.")
    end = "\r\n" if "\r\n" in old else "\n"
    table = _fill(skeleton.TABLE, name=name, quoted=json.dumps(title, ensure_ascii=False))
    table += "optional = true\n" if optional else ""
    text = old.rstrip() + end + table.replace("\n", end)
    return parse_manifest(text, manifest), text


def _files(course: Course, exercise: Exercise) -> dict[Path, str]:
    """What an author writes, in the order in which to replace it."""
    taken = [one for one in course.exercises if not one.optional]
    number = f"{len(taken)}{'b' * exercise.optional}"
    texts = {
        course.solution(exercise): skeleton.SOLUTION,
        course.handout(exercise): skeleton.HANDOUT,
        course.public_suite(exercise): skeleton.PUBLIC,
        course.hidden_suite(exercise): skeleton.HIDDEN,
        course.bank(exercise): skeleton.BANK,
        course.variants_folder(exercise) / "another_style.py": skeleton.VARIANT,
    }
    title = exercise.title.replace("\\", "\\\\").replace('"', '\\"')  # it stands in a docstring too
    return {
        path: _fill(text, name=exercise.name, number=number, title=title if path.suffix == ".py" else exercise.title)
        for path, text in texts.items()
    }


def _fill(text: str, **values: str) -> str:
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], text)


def _write(path: Path, content: str, written: list[Path]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            written.append(path)
            file.write(content)
    except OSError as error:
        raise GraderError(f"{path}: cannot be written ({error.strerror}). Nothing was left behind.") from error
