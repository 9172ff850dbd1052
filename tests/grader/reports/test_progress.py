"""Progress is shown to people and to files."""

import io

from rich.console import Console
from rich.progress import Progress

from grader.reports import progress as module
from grader.reports.progress import Rate, progress


def test_a_file_gets_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(module, "BETWEEN_LINES", 0.0)
    with progress("Grading", 3) as advance:
        advance()
        advance()
    assert capsys.readouterr().err == "Grading: 1 of 3\nGrading: 2 of 3\n"


def test_a_short_piece_of_work_says_nothing(capsys):
    with progress("Grading", 3) as advance:
        advance()
    assert capsys.readouterr().err == ""


def test_the_rate_is_per_second_or_per_minute():
    clock = iter(range(0, 1000, 10))
    with Progress(console=Console(file=io.StringIO()), get_time=lambda: next(clock), auto_refresh=False) as bar:
        number = bar.add_task("Grading", total=1000)
        task = bar.tasks[0]
        assert Rate().render(task).plain == "–/s"
        for _ in range(3):
            bar.advance(number)
        slow = Rate().render(task).plain
        for _ in range(3):
            bar.advance(number, 200)
        fast = Rate().render(task).plain
    assert slow.endswith("/min")
    assert fast.endswith("/s")
