"""``gradescope``: a ``results.json`` of Gradescope's for each student."""

from __future__ import annotations

import re
from typing import Any

from grader.exports.base import Format, Options, Report, grade_of, shown
from grader.exports.safe import file_names
from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, Results, as_json
from grader.text import printable, printable_line

FILE_NAME = "results.json"
LIMIT = 4000  # characters of one message


def export(results: Results, options: Options) -> Report:
    files, remarks = {}, []
    folders = file_names([student.id for student in results.students])
    for student, folder in zip(results.students, folders, strict=True):
        if student.needs_review or student.score is None:
            why = "needs your review" if student.needs_review else "has no score"
            remarks.append(f"{shown(student)}: no file, because the student {why}.")
            continue
        document = as_json(gradescope_results(student, options, provisional=results.provisional))
        files[f"{folder}/{FILE_NAME}"] = document.encode()
    return Report(files=files, remarks=tuple(remarks))


def gradescope_results(student: GradedStudent, options: Options, *, provisional: bool = False) -> dict[str, Any]:
    """The document; its score is the student's, not the sum of the tests, because exercises have weights."""
    return {
        "score": round((grade_of(student) or 0.0) * options.points / 100, 2),
        "output": _summary(student, provisional),
        "output_format": "md",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": [
            _test(exercise, criterion, f"{first}.{second}", options.hidden)
            for first, exercise in enumerate(student.exercises, start=1)
            if not exercise.left_out
            for second, criterion in enumerate(exercise.criteria, start=1)
        ],
    }


def _test(exercise: GradedExercise, criterion: GradedCriterion, number: str, hidden: str) -> dict[str, Any]:
    passed = criterion.verdict is Verdict.PASSED
    fault = criterion.verdict is Verdict.GRADER_FAULT
    words = (
        ("The grader was at fault here. This counts neither for nor against you.",)
        if fault
        else (criterion.message, criterion.line, criterion.diagnosis or "", f"Hint: {criterion.hint}" * (not passed))
    )
    test: dict[str, Any] = {
        "name": f"{exercise.name}: {criterion.title}",
        "number": number,
        "output": printable("\n".join(word for word in words if word and word != "Hint: "), LIMIT),
        "tags": [exercise.name, criterion.kind],
        "visibility": hidden if criterion.hidden else "visible",
        "extra_data": {"exercise": exercise.name, "criterion": criterion.id, "verdict": criterion.verdict},
    }
    if not fault:  # without a score it is shown, and counts nothing
        test |= {
            "score": criterion.points if passed else 0,
            "max_score": criterion.points,
            "status": "passed" if passed else "failed",
        }
    return test


def _summary(student: GradedStudent, provisional: bool) -> str:
    lines = ["| exercise | score |", "|---|---|"]
    for exercise in student.exercises:
        grade = None if exercise.left_out else grade_of(exercise)
        score = "–" if grade is None else f"{grade:g} of 100"
        lines.append(f"| {_markdown(exercise.title or exercise.name)} | {score} |")
    notes = [f"{exercise.name}: {note}" for exercise in student.exercises for note in _notes(exercise)]
    notes += student.policy
    if provisional:
        notes.append("Provisional: criteria that train a model are still to come.")
    return "\n".join([*lines, *(f"\n{_markdown(note)}" for note in notes)]) + "\n"


def _notes(exercise: GradedExercise) -> list[str]:
    notes = [*filter(None, [exercise.problem]), *exercise.notes, *exercise.adjustments]
    if exercise.verdict is Verdict.MISSING and not exercise.left_out:
        notes.append("nothing was handed in, or it is still the stub.")
    if exercise.verdict is Verdict.GRADER_FAULT:
        notes.append("a part could not be graded through a fault of the grader; it costs you no points.")
    if exercise.stand_ins:
        notes.append(f"graded with the course's {', '.join(exercise.stand_ins)}, because the score is better so.")
    return notes


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~$&-])", r"\\\1", printable_line(text, 300))


GRADESCOPE = Format(
    name="gradescope",
    help="A results.json of Gradescope's for each student, in a folder.",
    export=export,
    needs=("--out",),
    takes=("--points", "--hidden"),
)
