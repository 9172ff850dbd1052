"""``ConfinedExecute`` in the place of nbgrader's ``Execute``: no cell of a student's is run in a kernel.

The student's code is read as data from ``submitted``, judged by a warm confined judge, and each grade cell gets what
nbgrader expects: no error for full marks, an error for none. Everything after that stays nbgrader's: scores, penalties,
manual grades, comments, feedback.
"""

from __future__ import annotations

import textwrap
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Bool, Unicode

from grader.course.grade_cells import grade_id
from grader.errors import GraderError
from grader.nbgrader.judging import JOURNAL, Judging
from grader.results.explained import explanation_of, hint_of
from grader.results.records import CriterionResult, ExerciseResult, Finding, Verdict
from grader.results.schema import Origin
from grader.text import printable, visible

FAULTS = "grader_faults"  # in nbgrader's resources: the grade cells that a person must grade
KEPT = "_grader_judging"  # on nbgrader's converter, which lives as long as a run
LONGEST = 4000
WIDTH = 96


class ConfinedExecute(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Judges a notebook, and writes the outcome into its grade cells."""

    course = Unicode(help="The folder with course.toml, solutions and hidden tests.").tag(config=True)
    diagnose = Bool(True, help="Look for known mistakes behind failures.").tag(config=True)

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        about = resources["nbgrader"]
        converter = self.parent.parent
        judging = self._judging(converter)
        exercise = judging.course.exercise(about["notebook"])
        submission = judging.read(about["student"], _students_folder(converter.coursedir, about))
        origin = submission.origin
        asked = origin.question or origin.questions.get(exercise.name, "")
        result = None if asked else judging.grade(submission, exercise)
        faults = fill(notebook, result, _notes(origin, exercise.name))
        if faults:
            why = f"somebody must decide: {asked}" if asked else f"could not be judged: {_fault(result)}"
            self.log.error("%s: %s: %s; grade by hand: %s", about["student"], exercise.name, why, ", ".join(faults))
            if not any(_is_leave_faults(one) for one in converter.autograde_preprocessors):
                raise GraderError(
                    "nbgrader_config.py: put LeaveFaults after SaveAutoGrades in autograde_preprocessors."
                )
        resources[FAULTS] = faults
        return notebook, resources

    def _judging(self, converter: Any) -> Judging:
        """nbgrader makes preprocessors anew for every notebook; the judges stay."""
        found: Judging | None = getattr(converter, KEPT, None)
        if found is None:
            if not self.course:
                raise GraderError("nbgrader_config.py: c.ConfinedExecute.course must name the folder of the course.")
            found = Judging(Path(self.course), Path(converter.coursedir.root) / JOURNAL, diagnose=self.diagnose)
            setattr(converter, KEPT, found)
            weakref.finalize(converter, found.close)
        return found


class LeaveFaults(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """After ``SaveAutoGrades``: what could not be judged has no score, and waits for a person."""

    def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
        about = resources["nbgrader"]
        if resources.get(FAULTS):
            with Gradebook(about["db_url"]) as gradebook:
                for name in resources[FAULTS]:
                    grade = gradebook.find_grade(name, about["notebook"], about["assignment"], about["student"])
                    grade.auto_score = None
                    grade.needs_manual_grade = True
                gradebook.db.commit()
        return notebook, resources


def fill(notebook: Any, result: ExerciseResult | None, notes: tuple[str, ...] = ()) -> list[str]:
    """Writes the outcome into the grade cells; the ids of those for which there is none."""
    found = {grade_id(one.criterion.id): one for one in result.criteria} if result else {}
    faults = []
    # An answer that a person grades is a grade cell too; the teacher who added it will grade it.
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)]
    for cell in cells:
        cell.outputs = []
        name = cell.metadata.nbgrader["grade_id"]
        outcome = found.get(name)
        if outcome is None or outcome.verdict is Verdict.GRADER_FAULT:
            faults.append(name)
            cell.outputs = [new_output("stream", name="stdout", text="Could not be judged: a person will grade this.")]
        elif not outcome.passed:
            findings = result.findings_of(outcome.criterion.id) if result else ()
            words = [visible(printable(text, LONGEST))
                     for text in _words(outcome, findings, result.problem if result else "")]  # fmt: skip
            lines = [part for text in words for line in text.splitlines() for part in _fold(line)]
            cell.outputs = [
                new_output("error", ename=str(outcome.verdict), evalue=outcome.criterion.title, traceback=lines)
            ]
    said = [*notes, *(result.notes if result else ()), *_stand_ins(result)]
    if cells and said:
        text = "\n".join(f"Note: {visible(printable(note, LONGEST))}" for note in dict.fromkeys(said))
        cells[0].outputs.insert(0, new_output("stream", name="stdout", text=text + "\n"))
    return faults


def _fold(line: str) -> list[str]:
    """Lines as wide as a cell is in formgrader and feedback, where longer ones are cut off."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _words(outcome: CriterionResult, findings: tuple[Finding, ...], problem: str) -> Iterator[str]:
    criterion = outcome.criterion
    verdict = "" if outcome.verdict is Verdict.FAILED else f" ({outcome.verdict})"
    yield f"✗ {criterion.title}{verdict}  0/{criterion.points}"
    if problem:
        yield problem
        return
    yield from filter(None, (criterion.sentence, outcome.message))
    if outcome.line:
        yield f"Where: {outcome.line}"
    for finding in findings:
        yield f"Probably: {explanation_of(finding)}"
    hints = [hint for finding in findings if (hint := hint_of(finding))] or [criterion.hint]
    yield from (f"Hint: {hint}" for hint in hints)


def _stand_ins(result: ExerciseResult | None) -> list[str]:
    if result is None or not result.stand_ins:
        return []
    why = f" ({result.seam})" if result.seam else ""
    return [f"graded with the course's {', '.join(result.stand_ins)}, because the score is better so{why}"]


def _notes(origin: Origin, exercise: str) -> tuple[str, ...]:
    """What the intake says about this exercise, or about everything."""
    start = f"{exercise}: "
    return tuple(note for note in origin.notes if note.startswith(start))


def _fault(result: ExerciseResult | None) -> str:
    if result is None:
        return "nothing was judged"
    messages = [result.fault, *(one.message for one in result.criteria if one.verdict is Verdict.GRADER_FAULT)]
    return next(filter(None, messages), "the course has no such criterion").partition("\n")[0]


def _students_folder(coursedir: Any, about: Any) -> Path:
    """``submitted/<student>``; where a course lies otherwise, the folder of this assignment alone."""
    place = Path(coursedir.format_path(coursedir.submitted_directory, about["student"], about["assignment"]))
    return place.parent if place.parent.name == about["student"] else place


def _is_leave_faults(preprocessor: Any) -> bool:
    return preprocessor is LeaveFaults or str(preprocessor).endswith(LeaveFaults.__name__)
