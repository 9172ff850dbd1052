"""What students are told about their mistakes: ids as words, from the file beside the exercise."""

from __future__ import annotations

from grader.course import Course, Exercise
from grader.course.known_mistakes import read_known_mistakes
from grader.judge.processes.events import Diagnosed
from grader.results.records import Diagnosis, Finding


def findings_of(course: Course, exercise: Exercise, diagnosed: Diagnosed | None) -> tuple[Finding, ...]:
    """The mistakes that were recognised, with what to tell the student."""
    if diagnosed is None:
        return ()
    known = {
        one.id: Diagnosis(id=one.id, explanation=one.explanation, hint=one.hint)
        for one in read_known_mistakes(course, exercise).mistakes
    }
    return tuple(
        Finding(
            mistakes=tuple(known[id_] for id_ in found.mistakes if id_ in known),
            criteria=found.criteria,
            likeness=found.likeness,
        )
        for found in diagnosed.found
    )
