"""``results.json``: everything that was found out, as specified in docs/results.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from grader.manifest import Course
from grader.models import CriterionResult, ExerciseResult, StudentResult
from grader.sandbox.layers import Layers
from grader.scoring import course_score, exercise_score

FORMAT = 1


def results_document(course: Course, students: Sequence[StudentResult], confinement: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "course": course.title,
        "confinement": confinement,
        "students": [
            {
                "id": student.id,
                "score": rounded(course_score(student, course.weights, course.optional)),
                "exercises": [exercise_document(exercise) for exercise in student.exercises],
            }
            for student in students
        ],
    }


def confinement_document(layers: Layers | None) -> dict[str, Any]:
    """Which layers were in force; null where a layer was, else why not."""
    if layers is None:
        return {"level": "process", "layers": {}}
    reasons = msgspec.structs.asdict(layers)
    return {"level": layers.level, "layers": {name: why or None for name, why in reasons.items()}}


def exercise_document(exercise: ExerciseResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": exercise.name,
        "score": rounded(exercise_score(exercise)),
        "verdict": exercise.verdict.value,
        "criteria": [criterion_document(result) for result in exercise.criteria],
        "stand_ins": list(exercise.stand_ins),
    }
    return {**document, "fault": exercise.fault} if exercise.fault else document


def criterion_document(result: CriterionResult) -> dict[str, Any]:
    criterion = result.criterion
    return {
        "id": criterion.id,
        "title": criterion.title,
        "kind": criterion.kind.value,
        "points": criterion.points,
        "hidden": criterion.hidden,
        "verdict": result.verdict.value,
        "message": result.message,
        "line": result.line,
        "hint": "" if result.passed else criterion.hint,
        "diagnosis": " ".join(f"{d.explanation} {d.hint}" for d in result.diagnoses) or None,
        "misconceptions": [diagnosis.id for diagnosis in result.diagnoses],
    }


def rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 2)


def as_json(document: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
