"""``json``: the scores alone, for a script. ``results.json`` has everything else."""

from __future__ import annotations

from grader.exports.base import Format, only_file
from grader.results.schema import Results, as_json

FORMAT = 1


def grades_json(results: Results) -> str:
    students = [
        {
            "id": student.id,
            "name": student.name,
            "group": student.group,
            "score": student.score,
            "final": student.final,
            "needs_review": student.needs_review,
            "exercises": {e.name: None if e.left_out else e.score for e in student.exercises},
        }
        for student in results.students
    ]
    return as_json(
        {"format": FORMAT, "course": results.course, "provisional": results.provisional, "students": students}
    )


JSON = Format(
    name="json",
    help="The scores as a small JSON table, for scripts.",
    export=lambda results, options: only_file(grades_json(results)),
    takes=("--out",),
    printable=True,
)
