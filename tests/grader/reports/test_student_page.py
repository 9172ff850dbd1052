"""What a student reads."""

import json

from grader.reports.student_page import render, stand_in_sentence
from grader.results.feedback import StandIn
from grader.results.schema import read_results
from tests.grader.made_results import criterion, exercise, results, student
from tests.grader.reports.html import Page


def page_of(*exercises, **more):
    who = student("s01", *exercises, **more)
    return Page(render(results(who), who))


def test_the_first_step_has_sentence_diagnosis_hint_and_line():
    lost = criterion(
        "b", "failed", sentence="Sums are right.", diagnosis="You subtract.", hint="Use +.", line="add.py:3 in add",
        message="A wrong value.",
    )  # fmt: skip
    page = page_of(exercise("one", criterion("a")), exercise("two", criterion("a"), lost), name="Ada Lovelace")
    first = page.text.partition("What to do first")[2].partition("Your exercises")[0]
    for words in (
        "Title of b in All about two", "Wrong result", "Sums are right.", "What happened A wrong value.",
        "Where add.py:3 in add", "Probably You subtract.", "Hint Use +.",
    ):  # fmt: skip
        assert words in " ".join(first.split()), words
    assert "Ada Lovelace" in page.text and "s01" in page.text


def test_every_criterion_has_its_verdict_in_words_its_points_and_its_sentence():
    kinds = ("passed", "failed", "error", "timeout", "memory", "crashed", "tampered", "missing", "grader_fault")
    page = page_of(exercise("one", *(criterion(kind, kind, points=3) for kind in kinds)))
    for words in (
        "Passed It is passed.", "Wrong result It is failed.", "Your code raised an error It is error.",
        "Took too long It is timeout.", "Needed too much memory It is memory.", "The program crashed It is crashed.",
        "Broke the rules of the judge It is tampered.", "Not there yet It is missing.",
        "Not judged: a fault of ours It is grader_fault.",
    ):  # fmt: skip
        assert words in page.text, words
    assert page.text.count("0 of 3 points") == 7 and "not counted" in page.text and "3 of 3 points" in page.text
    used = {attributes["href"] for attributes in page.all("use")}
    assert used == {f"#{kind}" for kind in kinds}


def test_our_fault_is_said_to_be_ours():
    page = page_of(exercise("one", fault="pytest exploded at /home/teacher/tests/hidden/test_one.py"))
    assert "We could not judge this exercise. That is a fault of ours." in page.text
    assert "hidden/test_one" not in page.text
    assert "No score" in page.text


def test_a_file_that_does_not_import_is_told_first():
    problem = "does not import (ctc.py:35: invalid syntax)"
    page = page_of(exercise("ctc", criterion("a", "error"), criterion("b", "error"), problem=problem))
    assert page.text.count(f"Your file {problem}.") == 2
    assert "no test of it was reached" in page.text


def test_stand_ins_are_explained():
    lost = stand_in_sentence("seq2seq", [StandIn(name="attention", lost_points=True)])
    assert lost == (
        "Your attention lost points, so seq2seq was graded with the course's attention. "
        "That is better for you: the higher score counts."
    )
    fits = stand_in_sentence("c", [StandIn(name="a", lost_points=False), StandIn(name="b", lost_points=False)])
    assert fits.startswith("c does not get on with your a and b, so it was graded with the course's a and b.")
    page = page_of(exercise("one", criterion("a", "failed")), exercise("two", criterion("a"), stand_ins=("one",)))
    assert "Your one lost points, so two was graded with the course's one." in page.text


def test_ids_of_criteria_and_misconceptions_are_not_on_the_page():
    secret = criterion("test_gives_it_away", "failed", title="A title", sentence="S.", hint="H.", hidden=True,
                       misconceptions=("secret-mistake",), diagnosis="D.")  # fmt: skip
    page = page_of(exercise("one", secret))
    assert "gives_it_away" not in page.text and "secret-mistake" not in page.text
    assert "hidden test" in page.text
    assert not [v for _, a in page.elements for v in a.values() if v and ("gives" in v or "secret" in v)]


def test_nothing_of_another_student_is_on_the_page():
    one, other = (
        student("s01", exercise("one", criterion("a"))),
        student("unmistakable", exercise("one", criterion("a"))),
    )
    assert "unmistakable" not in render(results(one, other), one)
    assert not [a for a in Page(render(results(one, other), one)).all("a") if not a["href"].startswith("#")]


def test_what_is_missing_left_out_provisional_or_noted_is_said():
    page = page_of(
        exercise("one", criterion("a", "missing", message="There is no file one.py.", points=4)),
        exercise("two", criterion("a", "missing"), optional=True),
        exercise("three", criterion("a"), notes=("graded from the notebook",), pending=True),
        notes=("two files have this name",), group=("s01", "s07"), attempt=2, submitted_at="2026-11-17T23:25:13+00:00",
    )  # fmt: skip
    for words in (
        "Hand in All about one (one).", "There is no file one.py.", "1 test waits for it, with 4 points.",
        "optional, left out", "it counts neither for nor against you", "graded from the notebook", "still to come",
        "two files have this name", "Handed in together: s01, s07", "Attempt 2",
    ):  # fmt: skip
        assert words in page.text, words
    who = student("s01", exercise("one", criterion("a")))
    assert "This is provisional." in render(results(who, provisional=True), who)
    assert "Nothing is left to mend." in Page(render(results(who), who)).text


def test_results_from_before_the_new_keys_have_a_page():
    old = {"format": 1, "course": "Tiny", "students": [{"id": "s01", "exercises": [
        {"name": "ctc", "score": 50.0, "verdict": "failed", "criteria": [
            {"id": "c", "title": "C", "kind": "value", "points": 1, "hidden": False, "verdict": "failed"},
        ]}]}]}  # fmt: skip
    found = read_results(json.dumps(old).encode(), "here")
    assert "ctc" in render(found, found.students[0])
