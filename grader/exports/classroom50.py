"""``classroom50``: a ``result.json`` in the form ``classroom50/result/v1`` for each student.

Classroom 50 knows only whole numbers, so the points count, and not the weights of the exercises. What results do not
tell (which classroom, which commit) comes from ``--field``, or from the environment of Classroom 50's runner.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from grader.errors import ExportError, did_you_mean
from grader.exports.base import Format, Options, Report, beyond_criteria, shown
from grader.exports.safe import file_names
from grader.results.records import Verdict
from grader.results.schema import GradedStudent, Results, as_json

SCHEMA = "classroom50/result/v1"
FILE_NAME = "result.json"
# Field of the document -> variable of the runner.
FIELDS = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def export(results: Results, options: Options, environment: Mapping[str, str] | None = None) -> Report:
    environment = os.environ if environment is None else environment
    for name in options.fields:
        if name not in FIELDS:
            raise ExportError(f"--field: no field {name!r}{did_you_mean(name, FIELDS)} Fields: {', '.join(FIELDS)}.")
    fields = {name: options.fields.get(name, environment.get(variable, "")) for name, variable in FIELDS.items()}
    fields["review"] = fields["review"] or fields["commit"]
    remarks = [f"--field {name}=…: not given, so it is empty." for name, value in fields.items() if not value]
    files = {}
    folders = file_names([student.id for student in results.students])
    for student, folder in zip(results.students, folders, strict=True):
        if student.needs_review or student.score is None:
            why = "needs your review" if student.needs_review else "has no score"
            remarks.append(f"{shown(student)}: no file, because the student {why}.")
            continue
        if not student.submitted_at:
            remarks.append(f"{shown(student)}: when it was handed in is not known, so `datetime` is empty.")
        remarks += beyond_criteria(student)
        files[f"{folder}/{FILE_NAME}"] = as_json(classroom50_result(student, fields)).encode()
    return Report(files=files, remarks=tuple(remarks))


def classroom50_result(student: GradedStudent, fields: Mapping[str, str]) -> dict[str, Any]:
    tests = [
        {
            "test-name": f"{exercise.name}/{criterion.id}",
            "passed": criterion.verdict is Verdict.PASSED,
            "score": criterion.points if criterion.verdict is Verdict.PASSED else 0,
            "max-score": criterion.points,
        }
        for exercise in student.exercises
        if not exercise.left_out
        for criterion in exercise.criteria
        if criterion.verdict is not Verdict.GRADER_FAULT
    ]
    return {
        "schema": SCHEMA,
        **fields,
        "datetime": _utc(student.submitted_at),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _utc(moment: str | None) -> str:
    """``2026-06-01T14:32:01Z``; empty where it is not known."""
    try:
        found = datetime.fromisoformat(moment or "")
    except ValueError:
        return ""
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


CLASSROOM50 = Format(
    name="classroom50",
    help="A result.json of Classroom 50's for each student, in a folder.",
    export=export,
    needs=("--out",),
    takes=("--field",),
)
