"""``junit``: XML as pytest's xunit2 writes it, for programs that show test results.

One ``testsuite`` for each student and exercise, with the scores as its properties.
"""

from __future__ import annotations

from xml.etree import ElementTree  # only to write: nothing is parsed here

from grader.exports.base import Format, only_file
from grader.exports.safe import xml_text
from grader.results.records import Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, Results


def junit_xml(results: Results) -> bytes:
    root = ElementTree.Element("testsuites", name=xml_text(results.course))
    for student in results.students:
        for exercise in student.exercises:
            _suite(root, student, exercise, results.provisional)
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _suite(root: ElementTree.Element, student: GradedStudent, exercise: GradedExercise, provisional: bool) -> None:
    kinds = ["skipped" if exercise.left_out else _kind(criterion) for criterion in exercise.criteria]
    fault = exercise.fault or ""
    counts = {"errors": kinds.count("error") + bool(fault), "failures": kinds.count("failure")}
    attributes = {
        "name": f"{student.id}/{exercise.name}",
        **{name: str(count) for name, count in counts.items()},
        "skipped": str(kinds.count("skipped")),
        "tests": str(len(kinds) + bool(fault)),
        "time": "0.000",
        **({"timestamp": student.submitted_at} if student.submitted_at else {}),
    }
    suite = ElementTree.SubElement(root, "testsuite", {name: xml_text(text) for name, text in attributes.items()})
    properties = ElementTree.SubElement(suite, "properties")
    known = {
        "student": student.id, "name": student.name, "exercise": exercise.name, "verdict": str(exercise.verdict),
        "score": "" if exercise.score is None else f"{exercise.score:g}",
        "points_earned": str(exercise.points_earned), "points_possible": str(exercise.points_possible),
        **({} if exercise.final is None else {"final": f"{exercise.final:g}"}),
        "provisional": str(provisional or exercise.pending).lower(),
    }  # fmt: skip
    for name, value in known.items():
        ElementTree.SubElement(properties, "property", name=name, value=xml_text(value))
    classname = xml_text(f"{student.id}.{exercise.name}")
    if fault:
        case = ElementTree.SubElement(suite, "testcase", classname=classname, name="could not run", time="0.000")
        ElementTree.SubElement(case, "error", message=xml_text(fault))
    for criterion, kind in zip(exercise.criteria, kinds, strict=True):
        case = ElementTree.SubElement(suite, "testcase", classname=classname, name=criterion.id, time="0.000")
        if kind == "skipped":
            ElementTree.SubElement(case, kind, type="optional", message="left out: the exercise is optional")
        elif kind:
            message = criterion.message or str(criterion.verdict)
            element = ElementTree.SubElement(case, kind, type=str(criterion.verdict), message=xml_text(message))
            more = (
                criterion.title,
                exercise.problem,
                criterion.message,
                criterion.line,
                criterion.diagnosis,
                criterion.hint,
            )
            element.text = xml_text("\n".join(word for word in more if word))


def _kind(criterion: GradedCriterion) -> str:
    """The element for what happened; a fault of the grader is an error, everything of the student's a failure."""
    if criterion.verdict is Verdict.PASSED:
        return ""
    return "error" if criterion.verdict is Verdict.GRADER_FAULT else "failure"


JUNIT = Format(
    name="junit",
    help="JUnit XML: one test suite for each student and exercise.",
    export=lambda results, options: only_file(junit_xml(results)),
    takes=("--out",),
    printable=True,
)
