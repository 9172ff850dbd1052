"""JUnit XML that every parser reads, whatever a student's name is."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from grader.exports.junit import junit_xml
from grader.results.records import Verdict
from tests.grader.exports.conftest import criterion, exercise, results_of, simple, student


def test_one_suite_for_each_student_and_exercise_with_its_properties(grader, written):
    made = student(
        "s01", 50.0,
        exercise("addition", 50.0, criterion("small"), criterion("any", Verdict.TIMEOUT, message="slow"),
                 criterion("odd", Verdict.GRADER_FAULT)),
        exercise("doubling", 0.0, criterion("twice", Verdict.MISSING), optional=True, verdict=Verdict.MISSING),
    )  # fmt: skip
    root = ElementTree.fromstring(grader("export", written(made, simple("s02", 100.0)), "--format", "junit").stdout)
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == ["s01/addition", "s01/doubling", "s02/addition"]
    first, second, _ = root
    assert [first.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["3", "1", "1", "0"]
    assert second.get("skipped") == "1"
    properties = {p.get("name"): p.get("value") for p in first.find("properties")}
    assert (properties["score"], properties["points_possible"]) == ("50", "4")
    assert not root.findall(".//testcase/properties")
    small, slow, fault = first.findall("testcase")
    assert (small.get("classname"), small.get("name"), len(small)) == ("s01.addition", "small", 0)
    assert (slow[0].tag, slow[0].get("type"), slow[0].get("message")) == ("failure", "timeout", "slow")
    assert (fault[0].tag, fault[0].get("type")) == ("error", "grader_fault")


@given(st.text(), st.text())
def test_any_name_and_message_give_valid_xml(name, message):
    made = student(
        name, 0.0, exercise("addition", 0.0, criterion("small", Verdict.ERROR, message=message)), name=message
    )
    root = ElementTree.fromstring(junit_xml(results_of(made)))
    assert len(root.findall("./testsuite/testcase/failure")) == 1


def test_characters_that_xml_cannot_hold_are_shown():
    made = simple("a\x00\x1b\ud800\uffff", 0.0)
    root = ElementTree.fromstring(junit_xml(results_of(made)))
    assert root[0].get("name") == "a\\x00\\x1b\\xd800\\xffff/addition"
