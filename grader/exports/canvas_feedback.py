"""``canvas-feedback``: every student's page in the zip that Canvas takes back as "Upload Submissions".

Canvas finds student and file by the numbers in the name of the file that was downloaded. So the page of a student has
the name of a file that the student handed in.
"""

from __future__ import annotations

import re

from grader.errors import ExportError
from grader.exports.base import Format, Options, Report, shown
from grader.exports.pages import student_page
from grader.files import make_zip
from grader.results.schema import GradedStudent, Results

# doejane_LATE_4711_815_attention.py; anonymous: LATE_anon_x7Yz_815_attention.py
DOWNLOADED = re.compile(r"(?:[^_]+_)+?(?P<id>\d+)_\d+_.+|(?:LATE_)?anon_(?P<anonymous>[^_]+)_\d+_.+")


def export(results: Results, options: Options) -> Report:
    members: dict[str, bytes] = {}
    remarks, not_found = [], []
    for student in results.students:
        name = _member(student)
        if student.needs_review:
            remarks.append(f"{shown(student)}: left out, because the student needs your review.")
        elif not name or name in members:
            not_found.append(f"{shown(student)}: no file of the student has a name that Canvas gave")
        else:
            members[name] = student_page(results, student)
    if not members:
        raise ExportError(
            "There is no page to send: the results do not tell under which names Canvas knows the students. Grade the "
            "zip that you downloaded from Canvas, as it is."
        )
    return Report(files={"": make_zip(members)}, remarks=tuple(remarks), not_found=tuple(not_found))


def _member(student: GradedStudent) -> str:
    """The first name that Canvas gave, in the place of one of the student's files; it may be that of an archive.

    Students choose names of files, too. So the number in it must be the student's own, where the id is a number.
    """
    for part in (part for exercise in student.exercises for part in re.split(r"[/\\]", exercise.origin)):
        if found := DOWNLOADED.fullmatch(part):
            own = found["anonymous"] or found["id"]
            return part if own == student.id or not student.id.isdigit() else ""
    return ""


CANVAS_FEEDBACK = Format(
    name="canvas-feedback",
    help="The students' pages as a zip for Canvas's Upload Submissions.",
    export=export,
    needs=("--out",),
)
