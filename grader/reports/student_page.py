"""The page of one student: the score, what to do first, and every criterion in words.

It can be handed to the student as it is. It says nothing about other students, and links to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec
from markupsafe import Markup

from grader.reports.pages import render_page
from grader.reports.words import KINDS, SIGNS, counted, score_text
from grader.results.feedback import StandIn, first_step, points_by_kind, stand_ins
from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, Results


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise, as the page shows it."""

    anchor: str
    exercise: GradedExercise
    missing: bool  # nothing was handed in: a list of criteria would say nothing
    passed: int
    kept: str  # what was graded with a stand-in, and why


def render(results: Results, student: GradedStudent) -> str:
    """The page as HTML."""
    return render_page(
        "student_page.html.jinja",
        style="style.css",
        course=results.course,
        provisional=results.provisional,
        student=student,
        name=student.name or student.id or "(no name)",
        step=first_step(student),
        sections=[_section(student, number, exercise) for number, exercise in enumerate(student.exercises, start=1)],
        kinds=points_by_kind(student.exercises),
        kind_words=KINDS,
        signs=SIGNS,
        used={criterion.verdict for exercise in student.exercises for criterion in exercise.criteria},
        shown=_shown,
        score_text=score_text,
        counted=counted,
    )


@lru_cache(maxsize=8192)  # most students share most of these, and this is most of the page
def _shown(criterion: GradedCriterion) -> Markup:
    """A criterion in the list of its exercise."""
    return Markup(render_page("criterion.html.jinja", criterion=criterion, signs=SIGNS, counted=counted))  # noqa: S704


def _section(student: GradedStudent, number: int, exercise: GradedExercise) -> Section:
    return Section(
        anchor=f"exercise-{number}",
        exercise=exercise,
        missing=exercise.verdict is Verdict.MISSING,
        passed=sum(criterion.verdict is Verdict.PASSED for criterion in exercise.criteria),
        kept=stand_in_sentence(exercise.name, stand_ins(student, exercise)),
    )


def stand_in_sentence(exercise: str, found: Sequence[StandIn]) -> str:
    """Why the course's own modules were used; empty if they were not."""
    lost = [one.name for one in found if one.lost_points]
    fitting = [one.name for one in found if not one.lost_points]
    sentences = []
    if lost:
        sentences.append(f"Your {_and(lost)} lost points, so {exercise} was graded with the course's {_and(lost)}.")
    if fitting:
        sentences.append(
            f"{exercise} does not get on with your {_and(fitting)}, so it was graded with the course's {_and(fitting)}."
        )
    return " ".join([*sentences, "That is better for you: the higher score counts."]) if sentences else ""


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
