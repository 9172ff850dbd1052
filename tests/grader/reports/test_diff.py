"""What a teacher reads of two results."""

from rich.console import Console

from grader.reports.diff import SHOWN, change_text, diff_page, print_diff, score_text, summary_lines
from grader.results.diff import diff_results
from grader.results.schema import Made
from tests.grader.made_results import EVIL, STRANGE, criterion, exercise, results, student
from tests.grader.reports.html import Page


def one_moved(**more):
    old = results(student("s01", exercise("ctc", criterion("a", "failed"), digest="1"), **more), student("s02"))
    new = results(
        student("s01", exercise("ctc", criterion("a"), criterion("b", hidden=True), digest="1"), **more),
        student("s02"),
    )
    return diff_results(old, new)


def printed(diff):
    console = Console(width=80, record=True, file=open("/dev/null", "w"), highlight=False)
    print_diff(console, diff)
    return console.export_text()


def test_the_summary_comes_first():
    assert printed(one_moved()).startswith("2 students: 1 up, 0 down, 1 the same.")


def test_the_terminal_names_student_exercise_and_criteria():
    text = " ".join(printed(one_moved()).split())
    assert "s01 0.0 → 100.0" in text
    assert "a: failed → passed" in text
    assert "b (hidden): new: passed, 1 point" in text
    assert "other criteria or points, same file, judged otherwise" in text


def test_every_line_fits_eighty_columns_whatever_students_are_called():
    for name in (*STRANGE, EVIL):
        old = results(student(name, exercise("a_rather_long_name", criterion("also_a_long_name_of_one", "failed"))))
        new = results(student(name, exercise("a_rather_long_name", criterion("also_a_long_name_of_one"))))
        assert all(len(line) <= 80 for line in printed(diff_results(old, new)).splitlines())


def test_of_a_large_class_the_terminal_shows_some_in_detail_and_says_where_all_are():
    old, new = (
        results(*(student(f"s{n:03}", exercise("ctc", criterion("a", verdict))) for n in range(SHOWN + 7)))
        for verdict in ("failed", "passed")
    )
    diff = diff_results(old, new)
    assert "and 7 others; --page and --json have all" in printed(diff)
    assert f"s{SHOWN + 6:03}" in Page(diff_page(diff)).text


def test_what_makes_results_hard_to_compare_is_said():
    old = results(student("s01", exercise("ctc", criterion("a")), exercise("rnn", criterion("a"))), provisional=True)
    new = results(student("s01", exercise("ctc", criterion("a"))))
    text = " ".join(summary_lines(diff_results(old, new)))
    assert "The old results are provisional" in text
    assert "Only the old results have: rnn" in text


def test_in_what_the_two_runs_differ_is_said():
    old = results(student("s01"), made=Made(at="1", torch="2.10.0", seed="x", quick=True))
    new = results(student("s01"), made=Made(at="2", torch="2.11.0", seed="y"))
    assert summary_lines(diff_results(old, new))[1] == (
        "The two runs differ: torch 2.10.0 → 2.11.0; another secret, so other hidden inputs; "
        "only the old one is --quick."
    )


def test_a_page_shows_who_moved_and_explains_the_reasons():
    page = Page(diff_page(one_moved(name="Ada Lovelace")))
    assert "Ada Lovelace" in page.text and "wrong result → passed" in page.text
    assert "The suites have other criteria now" in page.text
    assert "Title of b 1 point hidden new passed" in page.text


def test_a_page_escapes_everything_and_loads_nothing():
    for name in (*STRANGE, EVIL):
        old = results(student(name, exercise(name, criterion("a", "failed", title=name), title=name), name=name))
        new = results(
            student(name, exercise(name, criterion("a", title=name), title=name), name=name), student(name + "x")
        )
        page = Page(diff_page(diff_results(old, new)))
        assert page.open == []
        assert page.all("script") == [] and page.all("link") == [] and page.all("img") == []


def test_results_that_do_not_differ_say_so():
    same = results(student("s01", exercise("ctc", criterion("a"))))
    assert "Nothing differs." in Page(diff_page(diff_results(same, same))).text
    assert printed(diff_results(same, same)) == "1 student: 0 up, 0 down, 1 the same.\n"


def test_a_change_of_a_hundredth_is_shown():
    (moved,) = diff_results(results(student("s01", score=50.0)), results(student("s01", score=49.99))).moved
    assert (score_text(moved.new_score), change_text(moved)) == ("49.99", "−0.01")
