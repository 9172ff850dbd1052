"""``grader release``: the repository that students get, as files in memory. The same course gives the same bytes."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import click
import msgspec

import grader
from grader.authoring.handouts import handout_page
from grader.authoring.notebooks import make_notebook
from grader.authoring.scan import refuse_leaks, scan
from grader.authoring.student_part import student_part
from grader.authoring.workflow import PATH as WORKFLOW
from grader.authoring.workflow import workflow
from grader.course import Course, Exercise
from grader.course.given import Given
from grader.course.stubs import course_stub
from grader.errors import GraderError
from grader.files import write_atomically
from grader.submissions.base import read_text
from grader.submissions.tree import Member

GUIDE = "docs/students.md"
BESIDE = ("LICENSE", "constraints.txt", GUIDE)  # of the course's own folder, if they are there
# What a teacher leaves in a release who tried it: it belongs to nobody's files.
LEFT_BEHIND = {".git", ".venv", ".grader", ".pytest_cache", ".hypothesis", "__pycache__", "grader.egg-info"}
IGNORED = "__pycache__/\n*.egg-info/\n.venv/\n.pytest_cache/\n.hypothesis/\n.grader/\nruns/\n*.py.bak*\n/*.zip\n"
PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "grader"
version = "{version}"
requires-python = ">=3.11"
dependencies = {dependencies}

[project.optional-dependencies]
notebooks = ["jupyterlab>=4.0"]
train = {train}

[project.scripts]
grader = "grader.cli:main"

[project.entry-points.pytest11]
grader = "grader.pytest_plugin"

[tool.setuptools.packages.find]
include = ["grader", "grader.*"]

[tool.setuptools.package-data]
grader = ["py.typed"]

[tool.pytest.ini_options]
testpaths = ["exercises"]
pythonpath = ["."]
addopts = ["--import-mode=importlib"]
"""
COLAB = """\
# In Colab this gets the course and installs what you need. Elsewhere it does nothing.
import importlib.util, os, sys

REPOSITORY = "{repository}"  # the address of the course, if you copied this notebook
if "google.colab" in sys.modules and importlib.util.find_spec("grader") is None:
    get_ipython().system(f"git clone --quiet --depth 1 {{REPOSITORY}} /content/course")
    get_ipython().system(f'"{{sys.executable}}" -m pip install --quiet -e /content/course')
    os.chdir("/content/course/exercises/{name}")
    sys.path.insert(0, "/content/course")
"""
COLAB_CHECK = """\
if "google.colab" in __import__("sys").modules:  # Colab keeps your notebook elsewhere: bring it here as it is now
    import json, pathlib
    from google.colab import _message
    now = _message.blocking_request("get_ipynb", timeout_sec=60)["ipynb"]
    pathlib.Path("{name}.ipynb").write_text(json.dumps(now), encoding="utf-8")
"""


def make_release(course: Course, commands: tuple[click.Command, ...], repository: str = "") -> dict[str, bytes]:
    """Every file by its path; a file that shows what must stay hidden is an error."""
    given = _given_files(course, repository)
    own = student_part(commands)
    pieces = {**own, **given, **_around(course, own, given, commands, repository)}
    refuse_leaks(scan(course, pieces), course.public_lines)
    starts = {
        f"exercises/{e.name}/{e.name}{suffix}": _digest(_code(f"{e.name}{suffix}", given[_path(e, suffix)]))
        for e in course.exercises
        for suffix in (".py", ".ipynb")
    }
    listed = Given(files={path: _digest(content) for path, content in sorted(pieces.items())}, starts=starts)
    pieces["release.json"] = msgspec.json.format(msgspec.json.encode(listed), indent=1) + b"\n"
    return dict(sorted(pieces.items()))


def write_release(out: Path, pieces: Mapping[str, bytes]) -> None:
    """Write the files into a folder that holds nothing else; a former release there is replaced, ``.git`` stays."""
    listed = _former(out)
    strange = [path for path in _existing(out) if path not in listed and path not in pieces]
    if strange:
        raise GraderError(
            f"{out}: holds {strange[0]}, which is not of a release. Choose an empty folder, or a former release."
        )
    for path in listed - pieces.keys():
        (out / path).unlink(missing_ok=True)
    try:
        for path, content in pieces.items():
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(out / path, content)
    except OSError as error:
        raise GraderError(f"{out}: cannot be written ({error.strerror}). Choose another folder.") from error


def _existing(out: Path) -> list[str]:
    found = [path.relative_to(out) for path in out.rglob("*") if path.is_file() or path.is_symlink()]
    return sorted(path.as_posix() for path in found if not LEFT_BEHIND & set(path.parts))


def _former(out: Path) -> set[str]:
    try:
        return {"release.json", *msgspec.json.decode((out / "release.json").read_bytes(), type=Given).files}
    except (OSError, msgspec.DecodeError):
        return set()


def _given_files(course: Course, repository: str) -> dict[str, bytes]:
    """What ``Course`` lists as public, with fresh stubs and notebooks, and handouts as pages too."""
    found = {path.relative_to(course.root).as_posix(): path.read_bytes() for path in course.public_files()}
    for exercise in course.exercises:
        name = exercise.name
        found[_path(exercise, ".py")] = course_stub(course, exercise).encode()
        setup = COLAB.format(repository=repository, name=name)
        found[_path(exercise, ".ipynb")] = make_notebook(
            course, exercise, setup, COLAB_CHECK.format(name=name)
        ).encode()
        found[f"exercises/{name}/handout.html"] = handout_page(course, exercise).encode()
    return found


def _around(
    course: Course, own: Mapping[str, bytes], given: Mapping[str, bytes], commands: tuple[click.Command, ...],
    repository: str,
) -> dict[str, bytes]:  # fmt: skip
    """What a repository needs beside the course."""
    names = {command.name for command in commands}
    found = {name: (course.root / name).read_bytes() for name in BESIDE if (course.root / name).is_file()}
    task = "watch" if "watch" in names else "check"
    texts = {
        "README.md": _readme(course, repository),
        "AGENTS.md": _template("AGENTS.md"),
        "start.py": _template("start.py.txt"),
        "pyproject.toml": _pyproject({**own, **given}),
        ".gitignore": IGNORED,
        ".devcontainer/devcontainer.json": _template("devcontainer.json").replace(
            '"{title}"', json.dumps(course.title)
        ),
        ".vscode/settings.json": _template("settings.json"),
        ".vscode/tasks.json": _template("tasks.json").replace("{task}", task),
        ".vscode/extensions.json": '{ "recommendations": ["ms-python.python", "ms-toolsai.jupyter"] }\n',
        WORKFLOW: workflow(()),
    }
    if "constraints.txt" not in found:  # the workflow and the container name it
        texts["constraints.txt"] = "# Nothing is pinned.\n"
    return {**found, **{path: text.encode() for path, text in texts.items()}}


def _readme(course: Course, repository: str) -> str:
    slug = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", repository)
    rows = []
    for exercise in course.exercises:
        folder = f"exercises/{exercise.name}"
        cells = [
            f"{exercise.title}{' (optional)' * exercise.optional}",
            f"[{exercise.name}.py]({folder}/{exercise.name}.py)",
            f"[handout]({folder}/handout.md)",
        ]
        if slug:
            address = f"https://colab.research.google.com/github/{slug[1]}/blob/main/{folder}/{exercise.name}.ipynb"
            cells.append(f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({address})")
        rows.append(f"| {' | '.join(cells)} |")
    values = {
        "title": course.title, "exercises": "\n".join(rows), "first": course.exercises[0].name,
        "colab_head": " | in the browser" if slug else "", "colab_line": "|---" if slug else "",
        "commands": f" [{GUIDE}]({GUIDE}) explains them." if (course.root / GUIDE).is_file() else "",
    }  # fmt: skip
    text = _template("README.md")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _pyproject(pieces: Mapping[str, bytes]) -> str:
    """Of what the grader requires here, what the files for students name."""
    text = b"\n".join(content for path, content in sorted(pieces.items()) if path.endswith(".py")).decode()
    always, train = _required()
    always = [one for one in always if _is_named(one, text)]
    return PYPROJECT.format(
        version=grader.__version__, dependencies=json.dumps(always, indent=4), train=json.dumps(train)
    )  # fmt: skip


def _required() -> tuple[list[str], list[str]]:
    """What the grader always requires, and what ``grader train`` does besides.

    Its own ``pyproject.toml`` counts where it is there: what an environment says of it may be from an earlier day.
    """
    beside = Path(grader.__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(beside.read_text(encoding="utf-8")).get("project", {}) if beside.is_file() else {}
    if project.get("name") == "grader":
        return sorted(project["dependencies"]), sorted(project["optional-dependencies"]["train"])
    required = sorted(importlib.metadata.requires("grader") or [])
    train = [one.partition(";")[0].strip() for one in required if re.search(r"extra == ['\"]train['\"]", one)]
    return [one for one in required if "extra" not in one], train


def _is_named(requirement: str, text: str) -> bool:
    found = re.match(r"[\w-]+", requirement)
    name = found[0].replace("-", "_") if found else ""
    return re.search(rf"^\s*(?:import|from) {name}\b|[\"']{name}[\"']", text, re.MULTILINE) is not None


def _path(exercise: Exercise, suffix: str) -> str:
    return f"exercises/{exercise.name}/{exercise.name}{suffix}"


def _code(name: str, content: bytes) -> bytes:
    return read_text(Member(parts=(name,), read_bytes=lambda limit: content, size=len(content)))[0]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _template(name: str) -> str:
    return files("grader.authoring").joinpath("templates", name).read_text(encoding="utf-8")
