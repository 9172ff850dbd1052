"""The zip for Gradescope: everything that grades a submission there, with stable bytes."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterable
from pathlib import Path

import grader
from grader.authoring import run_autograder
from grader.course import Course
from grader.files import make_zip
from grader.grading import keys

SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image. The zip is unpacked in this folder.
set -euo pipefail
cd "$(dirname "$0")"
root="${AUTOGRADER_ROOT:-/autograder}"
export DEBIAN_FRONTEND=noninteractive

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; }

apt-get update
apt-get install -y python3 python3-venv
apt-get install -y bubblewrap || echo "There is no bubblewrap here: a weaker layer of confinement has to do."
python=python3
if ! new_enough "$python"; then
    apt-get install -y python3.11 python3.11-venv
    python=python3.11
fi
new_enough "$python"

"$python" -m venv "$root/venv"
if [ -f course/constraints.txt ]; then
    "$root/venv/bin/pip" install --no-cache-dir -c course/constraints.txt ./package
else
    "$root/venv/bin/pip" install --no-cache-dir ./package
fi
# Solutions and hidden tests are for root alone; student code runs as somebody else where that can be had.
chmod -R go-rwx course settings.json
"""
PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "grader"
version = "{version}"
requires-python = "{python}"
dependencies = {dependencies}

[project.scripts]
grader = "grader.cli:main"

[project.entry-points.pytest11]
grader = "grader.pytest_plugin"

[tool.setuptools.packages.find]
include = ["grader", "grader.*"]

[tool.setuptools.package-data]
grader = ["py.typed", "**/templates/*"]
"""
EXECUTABLE = frozenset({"setup.sh", "run_autograder"})
BESIDE_THE_COURSE = ("pyproject.toml", "constraints.txt")  # pytest's settings, and what is installed
NOT_OURS = {"__pycache__", ".ipynb_checkpoints"}


def autograder_zip(course: Course, exercises: tuple[str, ...], *, hidden: str, quick: bool, unconfined: bool) -> bytes:
    """The same course and settings give the same bytes."""
    settings = {"exercises": list(exercises), "hidden": hidden, "quick": quick, "unconfined": unconfined}
    members = {
        "setup.sh": SETUP.encode(),
        "run_autograder": Path(run_autograder.__file__).read_bytes(),
        "settings.json": (json.dumps(settings, indent=2) + "\n").encode(),
        "package/pyproject.toml": _pyproject().encode(),
    }
    package = Path(grader.__file__).parent
    members |= {f"package/grader/{p.relative_to(package).as_posix()}": p.read_bytes() for p in _files([package])}
    members |= {f"course/{p.relative_to(course.root).as_posix()}": p.read_bytes() for p in course_files(course)}
    return make_zip(members, EXECUTABLE)


def course_files(course: Course) -> list[Path]:
    """What grading needs of the course: what students get, the solutions with the secret, and the hidden suites."""
    deciding = {path for e in course.exercises for path in keys.course_files(course, e, diagnose=True)}
    beside = {course.root / name for name in BESIDE_THE_COURSE}
    needed = {*course.public_files(), *_files([course.solutions]), *deciding, *beside}
    return sorted(path for path in needed if path.is_file())


def _files(folders: Iterable[Path]) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not NOT_OURS & set(path.parts) and not path.name.startswith(".")
    )


def _pyproject() -> str:
    """How pip installs the package in the zip: as it was installed here."""
    metadata = importlib.metadata.metadata("grader")
    required = importlib.metadata.requires("grader") or []
    own = sorted(one for one in required if not re.search(r";.*\bextra\b", one))
    return PYPROJECT.format(
        version=grader.__version__,
        python=metadata["Requires-Python"],
        dependencies=json.dumps(own, indent=4),
    )
