"""``moodle-feedback``: every student's page in the zip that Moodle takes as feedback files.

Moodle looks only at the number in ``Full name_123_assignsubmission_file/feedback.html``, and finds it by the
underscores. So the name must have none.
"""

from __future__ import annotations

import re

from grader.errors import ExportError
from grader.exports.base import Format, Options, Report
from grader.exports.pages import student_page
from grader.exports.people import Person, people_of
from grader.files import make_zip
from grader.results.schema import Results

FOLDER = re.compile(r"(?:^|/)([^/_]*)_(\d+)_assignsubmission_[a-z]+", re.IGNORECASE)
MEMBER = "feedback.html"


def export(results: Results, options: Options) -> Report:
    members: dict[str, bytes] = {}
    taken: set[str] = set()
    remarks, not_found = [], []
    for person in people_of(results):
        number = _participant(person)
        name = re.sub(r"[^\w .'-]|_", " ", person.name or person.student.name)[:80].strip(" .") or "Participant"
        folder = f"{name}_{number}_assignsubmission_file"
        if person.student.needs_review:
            remarks.append(f"{person.shown}: left out, because the student needs your review.")
        elif not number:
            not_found.append(f"{person.shown}: the number that Moodle has for the student is not known")
        elif number in taken:
            remarks.append(f"{person.shown}: left out, because another page is for participant {number} already.")
        else:
            taken.add(number)
            members[f"{folder}/{MEMBER}"] = student_page(results, person.student)
    if not members:
        raise ExportError(
            "There is no page to send: the results do not tell under which names Moodle knows the students. Grade the "
            "zip that you downloaded from Moodle, as it is."
        )
    return Report(files={"": make_zip(members)}, remarks=tuple(remarks), not_found=tuple(not_found))


def _participant(person: Person) -> str:
    """The number in the id, or else in the folder in which the student's files came."""
    if person.id.isascii() and person.id.isdigit():
        return person.id
    if person.id != person.student.id:
        return ""  # the folder of a group has the number of the group
    folders = (FOLDER.search(exercise.origin) for exercise in person.student.exercises)
    return next((found[2] for found in folders if found), "")


MOODLE_FEEDBACK = Format(
    name="moodle-feedback",
    help="The students' pages as a zip of feedback files for Moodle.",
    export=export,
    needs=("--out",),
)
