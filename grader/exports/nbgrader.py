"""``nbgrader``: scores into nbgrader's ``gradebook.db``, through nbgrader's own interface.

An exercise becomes an assignment with one notebook, both called like it, and every criterion a grade cell. Only what a
machine may decide is written: the automatic score. A manual score, extra credit and comments belong to people.
"""

from __future__ import annotations

import contextlib
import os
import re
import sysconfig
import warnings
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.course.grade_cells import assignment_name, grade_id
from grader.errors import ExportError
from grader.exports.base import Format, Options, Report, beyond_criteria, exercise_of, names_of, shown
from grader.exports.people import Person, people_of
from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, Results


def export(results: Results, options: Options) -> Report:
    try:
        from nbgrader.api import Gradebook
    except ImportError as error:
        raise ExportError('nbgrader is not installed. `pip install "grader[notebooks]"` brings it.') from error
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    address = options.into if "://" in options.into else f"sqlite:///{options.into}"
    path = address.removeprefix("sqlite:///")
    is_new = path != address and not Path(path).exists()
    try:
        with _programs_beside_python():
            gradebook = Gradebook(address)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own use of its database
                remarks = _write(gradebook, results)
        finally:
            gradebook.close()
    except SQLAlchemyError as error:
        first = str(error).partition("\n")[0]
        raise ExportError(f"--into: {options.into}: the database cannot be used ({first}).") from error
    if is_new:
        remarks.insert(0, f"{path}: there was no such database, so a new one was made.")
    return Report(remarks=tuple(remarks), updated=options.into)


@contextlib.contextmanager
def _programs_beside_python() -> Iterator[None]:
    """nbgrader starts ``alembic`` for a new database, and looks for it on the PATH alone; the venv may not be on it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _write(gradebook: Any, results: Results) -> list[str]:
    remarks = []
    criteria = {name: _criteria(results, name) for name in names_of(results)}
    for name, own in criteria.items():  # before anything is written
        _check_cells(name, _cells(gradebook, name), own)
    for name, own in criteria.items():  # cells first: a submission gets a grade for each cell that is there
        remarks += _write_cells(gradebook, name, own)
    for student in results.students:
        remarks += beyond_criteria(student)
    for person in people_of(results):
        if person.student.needs_review:
            remarks.append(f"{person.shown}: nothing written, because the student needs your review.")
            continue
        if re.search(r"[,\r\n]", person.id):
            remarks.append(
                f"{person.shown}: nothing written: with this id, `nbgrader export` would mix up its columns."
            )
            continue
        _write_student(gradebook, person)
        for exercise in person.student.exercises:
            if problem := _write_grades(gradebook, person, exercise):
                remarks.append(f"{shown(person.student)}: {exercise.name}: {problem}")
    return remarks


def _criteria(results: Results, name: str) -> dict[str, GradedCriterion]:
    exercises = [exercise for student in results.students if (exercise := exercise_of(student, name))]
    return {criterion.id: criterion for exercise in exercises for criterion in exercise.criteria}


def _check_cells(name: str, known: set[str], criteria: dict[str, GradedCriterion]) -> None:
    if known and not known & set(map(grade_id, criteria)):
        raise ExportError(
            f"The gradebook has an assignment {name!r} already, with other grade cells ({', '.join(sorted(known))}). "
            "Name another database, or rename that assignment."
        )


def _write_cells(gradebook: Any, name: str, criteria: dict[str, GradedCriterion]) -> list[str]:
    known = _cells(gradebook, name)
    assignment = assignment_name(name)
    gradebook.update_or_create_assignment(assignment)
    gradebook.update_or_create_notebook(assignment, assignment)
    for criterion in criteria.values():
        gradebook.update_or_create_grade_cell(
            grade_id(criterion.id), assignment, assignment, max_score=float(criterion.points), cell_type="code"
        )
    others = ", ".join(sorted(known - set(map(grade_id, criteria))))
    return [f"{name}: these grade cells are no criteria of the results, and still count: {others}."] if others else []


def _cells(gradebook: Any, name: str) -> set[str]:
    from nbgrader.api import MissingEntry

    try:
        return {cell.name for cell in _notebook(gradebook, name).grade_cells}
    except MissingEntry:
        return set()


def _notebook(gradebook: Any, name: str) -> Any:
    return gradebook.find_notebook(assignment_name(name), assignment_name(name))


def _write_student(gradebook: Any, person: Person) -> None:
    """A student who is there stays as nbgrader knows them; a comma in a name would shift the columns of its export."""
    student = gradebook.update_or_create_student(person.id)
    if person.name and not (student.first_name or student.last_name):
        last, comma, first = person.name.partition(",")
        if not comma:
            first, _, last = person.name.rpartition(" ")
        plain = {"first_name": first, "last_name": last}
        words = {key: " ".join(name.replace(",", " ").split()) for key, name in plain.items()}
        gradebook.update_or_create_student(person.id, **words)


def _write_grades(gradebook: Any, person: Person, exercise: GradedExercise) -> str:
    """The automatic scores of one exercise; says what is left to a person."""
    nothing = exercise.verdict is Verdict.MISSING and not exercise.origin
    if nothing and not _has_submission(gradebook, exercise.name, person.id):
        return ""
    known = {"timestamp": moment} if (moment := _moment(person.student.submitted_at)) else {}
    assignment = assignment_name(exercise.name)
    submission = gradebook.update_or_create_submission(assignment, person.id, **known)
    _complete(gradebook, submission, exercise.name)
    for criterion in exercise.criteria:
        grade = gradebook.find_grade(grade_id(criterion.id), assignment, assignment, person.id)
        grade.auto_score = _points(criterion)
        grade.needs_manual_grade = grade.auto_score is None and grade.manual_score is None
    gradebook.db.commit()
    unknown = [criterion.id for criterion in exercise.criteria if _points(criterion) is None]
    if exercise.fault or unknown:
        return f"the grader was at fault; grade this by hand in nbgrader: {', '.join(unknown) or 'everything'}."
    return ""


def _points(criterion: GradedCriterion) -> float | None:
    if criterion.verdict is Verdict.GRADER_FAULT:
        return None
    return float(criterion.points) if criterion.verdict is Verdict.PASSED else 0.0


def _has_submission(gradebook: Any, name: str, student: str) -> bool:
    from nbgrader.api import MissingEntry

    try:
        return bool(gradebook.find_submission(assignment_name(name), student))
    except MissingEntry:
        return False


def _complete(gradebook: Any, submission: Any, name: str) -> None:
    """A submission that is older than a cell has no grade for it yet."""
    from nbgrader.api import Grade, SubmittedNotebook

    notebook = next((one for one in submission.notebooks if one.name == assignment_name(name)), None)
    if notebook is None:
        notebook = SubmittedNotebook(notebook=_notebook(gradebook, name), assignment=submission)
        gradebook.db.add(notebook)
        gradebook.db.commit()
    known = {grade.cell_id for grade in notebook.grades}
    for cell in _notebook(gradebook, name).grade_cells:
        if cell.id not in known:
            gradebook.db.add(Grade(cell_id=cell.id, notebook=notebook))
    gradebook.db.commit()


def _moment(text: str | None) -> str:
    """A time that nbgrader understands, or nothing."""
    try:
        return datetime.fromisoformat(text or "").isoformat()
    except ValueError:
        return ""


NBGRADER = Format(
    name="nbgrader",
    help="The points into nbgrader's gradebook.db (--into).",
    export=export,
    needs=("--into",),
)
