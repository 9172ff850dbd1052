"""``check_cell("small", "addition")`` in a notebook: one criterion on the notebook's code, as ``grader check`` says it.

The code comes from the notebook as it was saved, read as data: exactly what is graded later. If a cell that ran is not
in the file yet, the student is told to save. Where there is no file (some services hide it), the cells that ran count.

All criteria of a suite are tried at once, in a process of their own, and the results are kept in the notebook's own
namespace until the code changes. Nothing here protects a grade: whoever can run a cell can forge one. Grades come
from ``grader grade``, or from the confined autograder in nbgrader.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator, MutableMapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from grader.course import Course, Exercise, find_course
from grader.course.helpers import may_help
from grader.errors import GraderError
from grader.judge.processes.oneshot import SuitesRun, run_suites
from grader.judge.processes.task import JudgeFault
from grader.results.records import ExerciseResult
from grader.student.check import Checked
from grader.student.check_report import print_criterion, print_explanation
from grader.student.notebook import notebook_course
from grader.student.progress import ExerciseProgress
from grader.student.recognised import findings_of
from grader.submissions.base import read_source
from grader.submissions.names import defined_names
from grader.submissions.notebook import SUFFIX, python_of_cell, source_of_cells

HIDDEN_COURSE = "GRADER_COURSE"  # the environment variable that names the teacher's course, for hidden tests
KEPT = "_grader_results"  # the name in the notebook's namespace under which results are kept
OURS = "grader.student.cells"
STUB = b"is yours to write"
WIDTH = 110


class CheckFailed(Exception):  # noqa: N818  # students read this name
    """A criterion is not passed; the text says why."""

    def _render_traceback_(self) -> list[str]:
        """What Jupyter shows: the words alone, without the lines of our own code."""
        return str(self).splitlines()


def check_cell(criterion: str, exercise: str) -> None:
    """Try one public criterion of an exercise on this notebook: one line if it is passed, else CheckFailed."""
    _check(_public_course(Path.cwd()), criterion, exercise, hidden=False)


def check_hidden_cell(criterion: str, exercise: str) -> None:
    """The same with a hidden criterion, where the teacher's course is: for an autograder that runs notebooks."""
    folder = os.environ.get(HIDDEN_COURSE, "")
    if not folder:
        _fail("Hidden criteria are tested by your teacher.")
    with _told():
        _check(find_course(Path(folder)), criterion, exercise, hidden=True)


def _check(course: Course, criterion: str, name: str, *, hidden: bool) -> None:
    with _told():
        exercise = course.exercise(name)
        content = _code(Path.cwd(), name)
    kept = _namespace().setdefault(KEPT, {})
    key = (name, hidden, hashlib.sha256(content).hexdigest())
    if key not in kept:
        # Whatever a student's threads print meanwhile: in nbgrader, words on stderr would cost this cell its points.
        with contextlib.redirect_stderr(io.StringIO()):
            kept[key] = _run(course, exercise, content, hidden=hidden)
    run: SuitesRun = kept[key]
    result = next((found for found in run.criteria if found.criterion.id == criterion), None)
    if result is None:
        _fail(f"There is no criterion {criterion!r} in the tests of {name!r}. Get a fresh copy of the notebook.")
    output = io.StringIO()
    console = Console(file=output, width=WIDTH, highlight=False, color_system=None, force_jupyter=False)
    print_criterion(console, result)
    if not result.passed and not run.imported.problem:
        findings = findings_of(course, exercise, run.diagnosed)
        whole = ExerciseResult(name=name, criteria=run.criteria, findings=findings)
        checked = Checked(exercise=exercise, progress=ExerciseProgress(), noticed=run.noticed, result=whole)
        print_explanation(console, checked, result)
    lines = [line.rstrip() for line in output.getvalue().splitlines()]
    words = "\n".join(lines if result.passed else [*lines, run.imported.in_full]).rstrip()
    if not result.passed:
        _fail(words)
    print(words.strip())


def _run(course: Course, exercise: Exercise, content: bytes, *, hidden: bool) -> SuitesRun:
    suite = course.hidden_suite(exercise) if hidden else course.public_suite(exercise)
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        module = Path(folder) / f"{exercise.name}.py"
        for name, text in _beside(exercise, Path.cwd()):
            (Path(folder) / f"{name}.py").write_bytes(text)
        module.write_bytes(content)
        try:
            return run_suites(
                [suite], module, budget=exercise.budget, seed=course.secret, cwd=course.root, recognise=not hidden
            )
        except JudgeFault as fault:
            _fail(f"The tests could not be run:\n{fault}")


def _public_course(here: Path) -> Course:
    with _told():
        return notebook_course(here)


def _beside(exercise: Exercise, here: Path) -> Iterator[tuple[str, bytes]]:
    """Modules that the notebook's code may import: the student's own, and those of exercises that it builds on."""
    for path in sorted(here.glob("*.py")):
        if may_help(path.stem) and path.stem not in (exercise.name, *exercise.builds_on):
            yield path.stem, path.read_bytes()
    for name in exercise.builds_on:
        places = (here.parent / name / f"{name}.py", here.parent / name / f"{name}{SUFFIX}", here / f"{name}.py")
        texts = [read_source(path)[0] for path in places if path.is_file()]
        if done := [text for text in texts if text and STUB not in text]:
            yield name, done[0]


def _code(here: Path, name: str) -> bytes:
    """The module that this notebook stands for."""
    ran = _cells_that_ran()
    path = here / f"{name}{SUFFIX}"
    if not path.is_file():
        if not ran:
            raise GraderError(f"{path}: not found. Open the notebook in its own folder, and keep its name.")
        return source_of_cells(ran).encode(errors="backslashreplace")
    content, problem = read_source(path)
    if problem:
        raise GraderError(f"{path}: {problem}")
    if _is_unsaved(content, ran):
        raise GraderError("This notebook has changes that are not saved. Save it, then run this cell again.")
    return content


def _is_unsaved(saved: bytes, ran: Sequence[str]) -> bool:
    """Whether the newest cell that defines something of the file is not in the file."""
    text = saved.decode(errors="replace")
    missing = set(defined_names(saved))
    for cell in reversed(ran):
        python = python_of_cell(cell)
        found = defined_names(python.encode(errors="replace")) & missing
        if found and python.rstrip() not in text:
            return True
        missing -= found
    return False


def _cells_that_ran() -> list[str]:
    """The student's own cells, in the order in which they ran; none outside of Jupyter."""
    history = getattr(getattr(_shell(), "history_manager", None), "input_hist_raw", [])
    return [cell for cell in history if cell.strip() and OURS not in cell]


def _namespace() -> MutableMapping[str, Any]:
    namespace: MutableMapping[str, Any] = getattr(_shell(), "user_ns", {})
    return namespace


def _shell() -> Any:
    """The running IPython, if this is one."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Errors for people in the words of a cell."""
    try:
        yield
    except GraderError as error:
        _fail(str(error))


def _fail(words: str) -> NoReturn:
    raise CheckFailed(words) from None
