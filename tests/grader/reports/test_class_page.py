"""What a teacher reads."""

from grader.reports.class_page import chart, command, page_of, render
from grader.results.distribution import distributions
from tests.grader.made_results import criterion, exercise, large_class, results, student
from tests.grader.reports.html import Page


def small_class():
    swapped = {"diagnosis": "You swapped them.", "misconceptions": ("swapped",)}
    return results(
        student("s01", exercise("ctc", criterion("a"), criterion("b")), name="Ada Lovelace"),
        student("s02", exercise("ctc", criterion("a", "failed", **swapped), criterion("b")), name="Bo Diddley"),
        student("s03", exercise("ctc", criterion("a", "failed", **swapped), criterion("b", "tampered"))),
        student("s04", exercise("ctc", criterion("a", "missing"), criterion("b", "missing"))),
        student("s05", exercise("ctc", criterion("a", "timeout"), criterion("b"), seconds=33.0)),
        student("s06", exercise("ctc", criterion("a"), criterion("b")), needs_review=True, notes=("two files",)),
    )  # fmt: skip


def test_whom_to_look_at_comes_before_everything_else():
    text = Page(render(small_class())).text
    first = text.partition("Look at these first")[2].partition("Name or id")[0]
    assert "s06" in first and "two files" in first
    assert "s03" in first and "broke the rules of the judge in 1 criterion" in first
    assert "s02" not in first and "Bo Diddley" not in first


def test_a_class_with_nobody_to_review_has_no_box():
    assert "Look at these first" not in Page(render(results(student("s01", exercise("ctc", criterion("a")))))).text


def test_every_student_has_a_row_with_scores_and_a_link():
    page = Page(render(small_class()))
    links = [a["href"] for a in page.all("a")]
    assert all(page_of(who) in links for who in small_class().students)
    assert "Ada Lovelace s01" in page.text
    assert [a for a in page.all("th") if "scope" not in a] == []
    assert "ctc: 1 × out of time" in page.text and "missing: ctc" in page.text
    letters = [attributes.get("data-v") for attributes in page.all("td") if "data-v" in attributes]
    assert letters == ["f", "fa", "n", "t"]


def test_a_group_has_its_cause_its_names_and_the_command_for_just_them():
    page = Page(render(small_class(), folder="out/my results"))
    text = page.text.partition("Who failed alike")[2]
    assert "You swapped them." in text and "Bo Diddley" in text
    areas = page.texts["textarea"]
    assert areas[0].strip().split("\n") == ["s02", "s03"]
    assert areas[1].strip() == (
        "grader grade SUBMISSIONS --out FOLDER --exercise ctc --students 'out/my results/groups/1.txt'"
    )
    assert (
        command("ctc", 3, "out/") == "grader grade SUBMISSIONS --out FOLDER --exercise ctc --students out/groups/3.txt"
    )


def test_an_id_that_is_more_than_a_line_is_not_listed_and_that_is_said():
    bad = criterion("a", "failed")
    found = results(*(student(id_, exercise("ctc", bad)) for id_ in ("s01", "s02\ns03", "s04 ")))
    page = Page(render(found))
    assert page.texts["textarea"][0].strip() == "s01"
    assert "2 students are not in the list" in page.text


def test_misconceptions_verdicts_and_slow_ones_are_named():
    text = Page(render(small_class())).text
    assert "2 ctc swapped You swapped them. Bo Diddley, s03" in text
    verdicts = text.rpartition("Verdicts")[2]
    for words in ("passed 6 4", "out of time 1 1", "tampered 1 1", "s05 ctc 33.0 s"):
        assert words in verdicts, words


def test_a_histogram_says_the_same_in_words():
    (found,) = distributions(small_class())
    assert chart(found).words == "Students by score. 0 to 9: 1, 50 to 59: 2, 100: 2."
    labels = [a.get("aria-label") for a in Page(render(small_class())).all("svg") if a.get("role") == "img"]
    assert chart(found).words in labels


def test_suspicious_criteria_are_asked_about():
    rows = [("passed", "failed")] * 4 + [("failed", "passed")] * 5
    made = [student(f"s{n}", exercise("ctc", criterion("a", a), criterion("b", b))) for n, (a, b) in enumerate(rows)]
    text = Page(render(results(*made))).text
    assert "ctc, Title of a: those who passed it did worse on the rest" in text
    assert "better students fail it" in text


def test_an_empty_class_and_a_provisional_one_have_a_page():
    assert "0 students" in Page(render(results())).text
    assert "Provisional." in Page(render(results(provisional=True))).text


def test_a_large_class_stays_lean():
    page = render(large_class(1000))
    assert len(page) < 2_000_000
    assert page.count("<tr") > 1000
