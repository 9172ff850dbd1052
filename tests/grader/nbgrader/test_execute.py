"""What nbgrader finds in the grade cells, and what it keeps of it. No process is started here."""

import gc
import json
import logging
import shutil
import types

import pytest

pytest.importorskip("nbgrader")

from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from nbgrader.utils import determine_grade
from traitlets import List
from traitlets.config import Config, LoggingConfigurable

from grader.errors import GraderError
from grader.nbgrader import ConfinedExecute, LeaveFaults
from grader.nbgrader.execute import FAULTS, fill
from grader.nbgrader.judging import Judging
from grader.results.records import Criterion, CriterionResult, Diagnosis, ExerciseResult, Finding, Kind, Verdict
from grader.results.schema import Origin
from grader.submissions.base import Submission

POINTS = {"test_small": 2, "test_zero": 1, "test_any": 1}
FAULT = "Could not be judged, which is not your fault: no memory"


def outcome(name, verdict=Verdict.PASSED, **more):
    criterion = Criterion(
        id=name, title=name.title(), kind=Kind.VALUE, points=POINTS.get(name, 1), hint="Use +.", sentence="It adds.",
        timeout=1, hidden=False,
    )  # fmt: skip
    return CriterionResult(criterion=criterion, verdict=verdict, **more)


def result(*outcomes, **more):
    return ExerciseResult(name="addition", criteria=outcomes, **more)


def grade_cell(name, **more):
    about = {"grade": True, "grade_id": name, "points": POINTS.get(name, 1), "locked": True, "solution": False}
    return new_code_cell("test()", metadata={"nbgrader": {**about, "schema_version": 3, "task": False, **more}})


def notebook_with(*names):
    return new_notebook(cells=[new_code_cell("x = 1"), *map(grade_cell, names)])


def points_of(notebook):
    return [determine_grade(cell)[0] for cell in notebook.cells if "nbgrader" in cell.metadata]


def text_of(cell):
    return "\n".join(line for one in cell.outputs for line in one.get("traceback", [one.get("text", "")]))


def test_nbgrader_reads_full_marks_where_it_passed_and_none_where_it_failed():
    notebook = notebook_with("test_small", "test_zero")
    notebook.cells[1].outputs = [{"output_type": "error", "ename": "x", "evalue": "", "traceback": []}]
    faults = fill(notebook, result(outcome("test_small"), outcome("test_zero", Verdict.TIMEOUT, message="Too slow.")))
    assert faults == []
    assert points_of(notebook) == [2, 0]
    assert "✗ Test_Zero (timeout)  0/1\nIt adds.\nToo slow.\nHint: Use +." in text_of(notebook.cells[2])


def test_a_known_mistake_is_explained_with_its_own_hint():
    mistake = Diagnosis(id="minus", explanation="You subtract.", hint="Look at the sign.")
    notebook = notebook_with("test_small")
    finding = Finding(mistakes=(mistake,), criteria=("test_small",))
    fill(notebook, result(outcome("test_small", Verdict.FAILED, line="addition.py:2"), findings=(finding,)))
    said = text_of(notebook.cells[1])
    assert "Where: addition.py:2\nProbably: You subtract.\nHint: Look at the sign." in said


def test_long_lines_are_folded_because_a_page_would_cut_them_off():
    notebook = notebook_with("test_small")
    fill(notebook, result(outcome("test_small", Verdict.FAILED, message="many words " * 30 + "\n    indented")))
    lines = text_of(notebook.cells[1]).splitlines()
    assert max(map(len, lines)) <= 96
    assert " ".join(lines).count("many words") == 30
    assert "    indented" in lines


def test_a_module_that_does_not_import_is_said_once_in_each_cell_and_notes_stand_first():
    notebook = notebook_with("test_small", "test_zero")
    broken = [outcome(name, Verdict.ERROR, message="Not reached") for name in ("test_small", "test_zero")]
    fill(notebook, result(*broken, problem="Line 1 is no Python.", notes=("seaborn is absent",)), ("two files",))
    assert text_of(notebook.cells[1]).startswith("Note: two files\nNote: seaborn is absent\n")
    assert "Line 1 is no Python." in text_of(notebook.cells[2])
    assert "Not reached" not in text_of(notebook.cells[2])
    assert points_of(notebook) == [0, 0]


def test_words_of_a_student_cannot_steer_a_terminal_or_grow_without_end():
    notebook = notebook_with("test_small")
    fill(notebook, result(outcome("test_small", Verdict.FAILED, message="\x1b[2J" + "x" * 100_000)))
    assert "\x1b" not in text_of(notebook.cells[1])
    assert len(text_of(notebook.cells[1])) < 5_000


def test_what_was_not_judged_is_a_fault_and_an_answer_for_people_is_left_alone():
    notebook = notebook_with("test_small", "test_zero", "test_any")
    notebook.cells.append(grade_cell("essay", solution=True, locked=False))
    found = result(outcome("test_small"), outcome("test_zero", Verdict.GRADER_FAULT, message=FAULT))
    assert fill(notebook, found) == ["test_zero", "test_any"], "one could not be judged, one has no criterion"
    assert fill(notebook, None) == ["test_small", "test_zero", "test_any"]
    assert all("a person will grade this" in text_of(cell) for cell in notebook.cells[1:4])
    assert notebook.cells[4].outputs == []


class Converter(LoggingConfigurable):
    """As much of nbgrader's ``Autograde`` as its preprocessors see."""

    autograde_preprocessors = List()
    coursedir = None


class Backend:
    """Judges nothing: gives what the test says, and counts."""

    def __init__(self, settings):
        self.found = result(outcome("test_small"))
        self.log = []

    def __enter__(self):
        self.log.append("open")
        return self

    def __exit__(self, *error):
        self.log.append("closed")

    def judge(self, works):
        for work in works:
            self.log.append(work.student)
            yield work, self.found


@pytest.fixture
def backend(monkeypatch):
    """Stands for the judges of every run in this test."""
    one = Backend(None)
    monkeypatch.setattr("grader.nbgrader.judging.LocalBackend", lambda settings: one)
    monkeypatch.setattr("grader.nbgrader.judging.require_layers", lambda: None)
    return one


@pytest.fixture
def classroom(tiny, tmp_path, backend, monkeypatch):
    """An nbgrader course whose notebook was given out; a function that autogrades a student in it."""
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # it starts a process to learn that
    folder = tmp_path / "nbgrader"
    folder.mkdir()
    address = f"sqlite:///{folder}/gradebook.db"
    with Gradebook(address) as gradebook:
        gradebook.add_assignment("addition", duedate="2026-01-10")
        gradebook.add_notebook("addition", "addition")
        for name in ("test_small", "test_zero"):
            gradebook.add_grade_cell(name, "addition", "addition", max_score=POINTS[name], cell_type="code")
            gradebook.add_source_cell(name, "addition", "addition", cell_type="code", locked=True, source="test()")
        gradebook.add_solution_cell("answer", "addition", "addition")
    places = types.SimpleNamespace(
        root=str(folder), submitted_directory="submitted",
        format_path=lambda step, student, assignment: str(folder / step / student / assignment),
    )  # fmt: skip

    def run():
        """A run of `nbgrader autograde`: its converter, and a function that takes one student."""
        converter = Converter(autograde_preprocessors=[LeaveFaults])
        converter.coursedir = places
        exporter = LoggingConfigurable(parent=converter)

        def autograde(student, code="def add(a, b): return a + b", on="2026-01-01", config=None):
            target = folder / "submitted" / student / "addition"
            target.mkdir(parents=True, exist_ok=True)
            notebook = notebook_with("test_small", "test_zero")
            notebook.cells[0] = grade_cell("answer", grade=False, solution=True, locked=False)
            notebook.cells[0].source = code
            (target / "addition.ipynb").write_text(json.dumps(notebook))
            with Gradebook(address) as gradebook:
                gradebook.update_or_create_student(student)
                gradebook.update_or_create_submission("addition", student, timestamp=on)
            about = {"student": student, "assignment": "addition", "notebook": "addition", "db_url": address}
            resources = {"nbgrader": about}
            for one in (ConfinedExecute, SaveAutoGrades, LeaveFaults, AssignLatePenalties):
                preprocessor = one(parent=exporter, config=config or Config())
                if one is ConfinedExecute:
                    preprocessor.course = str(tiny)
                notebook, resources = preprocessor.preprocess(notebook, resources)
            return resources

        return converter, autograde

    run.address = address
    return run


def test_one_judge_for_all_notebooks_of_a_run_and_it_is_closed_at_the_end(classroom, backend):
    converter, autograde = classroom()
    for student in ("anna", "ben", "carl"):
        autograde(student, code=f"def add(a, b): return a + b  # {student}")
    assert backend.log == ["open", "anna", "ben", "carl"]
    del converter, autograde
    gc.collect()
    assert backend.log == ["open", "anna", "ben", "carl", "closed"]


def test_a_second_run_judges_nothing_again(classroom, backend):
    classroom()[1]("anna")
    gc.collect()
    classroom()[1]("anna")
    assert backend.log.count("anna") == 1


def test_a_fault_of_the_grader_waits_for_a_person_and_the_log_says_why(classroom, backend, caplog):
    backend.found = result(outcome("test_small"), outcome("test_zero", Verdict.GRADER_FAULT, message=FAULT))
    caplog.set_level(logging.ERROR)
    resources = classroom()[1]("anna")
    assert resources[FAULTS] == ["test_zero"]
    assert f"anna: addition: could not be judged: {FAULT}; grade by hand: test_zero" in caplog.text
    with Gradebook(classroom.address) as gradebook:
        small, zero = (gradebook.find_grade(n, "addition", "addition", "anna") for n in ("test_small", "test_zero"))
        assert (small.auto_score, small.needs_manual_grade) == (2, False)
        assert (zero.auto_score, zero.needs_manual_grade) == (None, True)


def test_a_question_to_the_teacher_is_no_zero(classroom, backend, caplog, monkeypatch):
    asked = Submission(student="anna", sources={}, origin=Origin(questions={"addition": "which file counts?"}))
    monkeypatch.setattr(Judging, "read", lambda *where: asked)
    assert classroom()[1]("anna")[FAULTS] == ["test_small", "test_zero"]
    assert "anna: addition: somebody must decide: which file counts?; grade by hand" in caplog.text
    assert backend.log == []


def test_without_leave_faults_a_fault_stops_instead_of_giving_points(classroom, backend):
    backend.found = result(fault="the judge ended")
    converter, autograde = classroom()
    converter.autograde_preprocessors = []
    with pytest.raises(GraderError, match="put LeaveFaults after SaveAutoGrades"):
        autograde("anna")


def test_manual_grades_comments_and_extra_credit_survive_a_second_autograde(classroom, backend):
    classroom()[1]("anna")
    with Gradebook(classroom.address) as gradebook:
        grade = gradebook.find_grade("test_zero", "addition", "addition", "anna")
        grade.manual_score, grade.extra_credit = 0.5, 0.25
        gradebook.find_comment("answer", "addition", "addition", "anna").manual_comment = "Well done."
        gradebook.db.commit()
    backend.found = result(outcome("test_small", Verdict.FAILED), outcome("test_zero", Verdict.FAILED))
    classroom()[1]("anna", code="def add(a, b): return a - b")
    with Gradebook(classroom.address) as gradebook:
        assert gradebook.find_grade("test_small", "addition", "addition", "anna").auto_score == 0
        grade = gradebook.find_grade("test_zero", "addition", "addition", "anna")
        assert (grade.auto_score, grade.manual_score, grade.extra_credit) == (0, 0.5, 0.25)
        assert gradebook.find_comment("answer", "addition", "addition", "anna").comment == "Well done."


def test_late_penalties_stay_nbgraders(classroom, backend):
    backend.found = result(outcome("test_small"), outcome("test_zero"))
    config = Config({LateSubmissionPlugin.__name__: {"penalty_method": "zero"}})
    _, autograde = classroom()
    autograde("early", config=config)
    autograde("late", on="2026-02-01", config=config)
    with Gradebook(classroom.address) as gradebook:
        found = {s: gradebook.find_submission("addition", s) for s in ("early", "late")}
        assert [found["early"].score - found["early"].late_submission_penalty, found["late"].score] == [3, 3]
        assert found["late"].late_submission_penalty == 3


def test_a_course_that_is_gone_or_was_given_to_students_is_named(tiny, tmp_path, backend):
    with pytest.raises(GraderError, match=r"nbgrader_config.py: c.ConfinedExecute.course \(COURSE\).*no such folder"):
        Judging(tmp_path / "gone", tmp_path, diagnose=True)
    shutil.rmtree(tiny / "solutions")
    with pytest.raises(GraderError, match="has no solutions"):
        Judging(tiny, tmp_path, diagnose=True)
    (tiny / "course.toml").unlink()
    with pytest.raises(GraderError, match=r"nbgrader_config.py.*course.toml"):
        Judging(tiny, tmp_path, diagnose=True)
