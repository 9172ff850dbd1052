"""The key of a result: a hash of what was judged and of everything that decides about the verdict.

Two students with the same files share a key, and so one judgement. A changed suite, solution, secret, grader,
confinement, Python or torch gives other keys, and so new judgements.
"""

from __future__ import annotations

import ast
import hashlib
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

import grader
from grader.course import Course, Exercise
from grader.grading.settings import Settings

# Parts of the grader that come before or after judging: what they do changes no verdict.
WITHOUT_INFLUENCE = {
    "authoring", "cli", "exports", "overlap", "reports", "student", "submissions", "training", "validation",
    "results/schema.py", "results/statistics.py", "results/adjustments.py", "results/diff.py", "results/explained.py",
    "results/final.py", "results/groups.py", "results/keeping.py", "results/policies.py", "results/rescoring.py",
}  # fmt: skip


# Of what course.toml says about an exercise: a title, a weight or a due date changes no verdict.
DECIDING = ("name", "files", "builds_on", "implementations_of", "budget", "forbidden")


def fingerprint(settings: Settings, exercise: Exercise) -> str:
    """A hash of everything that decides about a grade besides the student's files."""
    return hash_files([], extra=f"{decisive(settings, exercise)} {settings.seed}")


def decisive(settings: Settings, exercise: Exercise) -> dict[str, str]:
    """What decides about a grade besides the student's files and the secret, by its name for people.

    It says the same on every machine that gives the same verdicts, wherever course and grader lie there.
    """
    confinement = settings.confinement  # what was judged under other layers is judged anew
    layers = [name for name, why in confinement.layers.items() if not why]
    how = [getattr(exercise, field) for field in DECIDING]
    files = course_files(settings.course, exercise, diagnose=settings.diagnose)
    return {
        "grader": grader.__version__,
        "Python": platform.python_version(),
        "torch": metadata.version("torch"),
        "confinement": f"{confinement.level} ({', '.join(layers) or 'no layer'})",
        "the files of the grader": hash_files(grader_files()),
        f"the files of the course for {exercise.name}": hash_files(files, extra=f"{how}"),
    }


def course_files(course: Course, exercise: Exercise, *, diagnose: bool) -> list[Path]:
    """The files of the course that decide about a grade in this exercise."""
    suites = course.suites(exercise)
    files = [*suites, course.solution(exercise), *imported_files(course.root, suites)]
    files += [course.solution(course.exercise(name)) for name in exercise.builds_on]  # which names of theirs are wanted
    if diagnose:
        files.append(course.bank(exercise))
    for earlier in map(course.exercise, exercise.implementations_of):
        files += [course.solution(earlier), course.bank(earlier), *course.variants(earlier)]
    return files


def grader_files() -> list[Path]:
    """The files of the grader itself that decide about grades."""
    package = Path(grader.__file__).parent
    return [path for path in package.rglob("*.py") if not _without_influence(path.relative_to(package))]


def _without_influence(path: Path) -> bool:
    return path.parts[0] in WITHOUT_INFLUENCE or path.as_posix() in WITHOUT_INFLUENCE


def imported_files(root: Path, suites: Iterable[Path]) -> list[Path]:
    """The modules in the course's folder that the suites import, at any remove, and the conftests that pytest adds."""
    found: set[Path] = set()
    waiting = list(suites)
    for suite in suites:
        folders = [folder for folder in suite.parents if folder == root or root in folder.parents]
        waiting += [folder / "conftest.py" for folder in folders]
    while waiting:
        file = waiting.pop()
        if file.is_file() and file not in found:
            found.add(file)
            waiting += _imports(file, root)
    return sorted(found - set(suites))


def _imports(file: Path, root: Path) -> Iterator[Path]:
    """Where the modules that this file imports would lie, if they are the course's own."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # then it imports nothing
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            places = [(root, alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = file.parents[node.level - 1] if node.level else root
            module = node.module.split(".") if node.module else []
            places = [(start, [*module, *more]) for more in ([], *([alias.name] for alias in node.names))]
        else:
            continue
        for start, parts in places:
            for length in range(len(parts) + 1):
                place = start.joinpath(*parts[:length])
                yield place / "__init__.py"
                if length:
                    yield place.with_suffix(".py")


def hash_files(files: Iterable[Path], *, extra: str = "") -> str:
    """A hash of the files' names and contents; files that do not exist count as such."""
    digest = hashlib.sha256(extra.encode())
    for file in sorted(files):
        content = file.read_bytes() if file.is_file() else None
        digest.update(f"{file.name}\0{'absent' if content is None else len(content)}\0".encode())
        digest.update(content or b"")
    return digest.hexdigest()


def hash_sources(sources: Mapping[str, tuple[str, bytes]], *, extra: str = "") -> str:
    """A hash of what a student handed in for one exercise."""
    digest = hashlib.sha256(extra.encode())
    for name, (_, content) in sorted(sources.items()):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
