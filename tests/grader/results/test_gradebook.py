import resource
import sqlite3
import subprocess
import sys

import pytest

from grader.errors import ResultsError
from grader.results.gradebook import open_gradebook
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, Verdict


def result(verdict=Verdict.PASSED):
    criterion = Criterion(id="x", title="X", kind=Kind.VALUE, points=1, hint="h", sentence="s", timeout=1, hidden=False)
    return ExerciseResult(name="a", criteria=(CriterionResult(criterion=criterion, verdict=verdict),))


def test_entries_survive_and_are_found_by_key(tmp_path):
    with open_gradebook(tmp_path) as book:
        assert book.find("k") is None
        book.add("k", "s01", result())
    with open_gradebook(tmp_path) as book:
        assert book.find("k") == result()
        assert book.find("other") is None


def test_our_faults_are_kept_but_not_found(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.add("k", "s01", result(Verdict.GRADER_FAULT))
        assert book.find("k") is None
        book.add("k", "s01", result())
        assert book.find("k") == result()
    rows = sqlite3.connect(tmp_path / "journal.sqlite").execute("SELECT count(*) FROM graded").fetchone()
    assert rows == (2,)


def test_a_second_run_on_the_same_folder_says_so_and_stops(tmp_path):
    with (
        open_gradebook(tmp_path),
        pytest.raises(ResultsError, match=r"another run \(process \d+\) is writing here"),
        open_gradebook(tmp_path),
    ):
        pass
    with open_gradebook(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_or_a_broken_journal_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ResultsError, match="cannot be written"), open_gradebook(tmp_path / "file" / "out"):
        pass
    (tmp_path / "journal.sqlite").write_text("this is no database, but long enough to be taken for one" * 50)
    with pytest.raises(ResultsError, match="not a database"), open_gradebook(tmp_path):
        pass


def test_a_full_disk_loses_nothing_that_was_graded(tmp_path):
    """A limit on file sizes stands for the full disk: both make the write fail."""
    code = (
        "import resource, signal, sys; sys.path.insert(0, sys.argv[2]); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pathlib import Path\nfrom test_gradebook import result\n"
        "from grader.errors import ResultsError\nfrom grader.results.gradebook import open_gradebook\n"
        "with open_gradebook(Path(sys.argv[1])) as book:\n"
        "    book.add('first', 's01', result())\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "    try:\n"
        "        for number in range(10_000): book.add(str(number), 's', result())\n"
        "    except ResultsError as error:\n"
        "        print(error)\n"
    )
    here = __file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), here], capture_output=True, text=True, check=True)
    assert "What was graded so far is kept" in done.stdout
    with open_gradebook(tmp_path) as book:
        assert book.find("first") == result()
        assert book.find("0") == result()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 200_000


def test_a_damaged_row_gets_a_sentence(tmp_path):
    with open_gradebook(tmp_path) as gradebook:
        gradebook.database.execute(
            "INSERT INTO graded (key, student, exercise, fault, result, at) VALUES ('k', 's', 'e', 0, '{broken', 0)"
        )
        with pytest.raises(ResultsError, match="a row of this journal is damaged") as caught:
            gradebook.find("k")
    assert "Move the file away" in str(caught.value)


def test_the_lock_is_never_taken_through_a_link(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.lock").symlink_to(precious)
    with pytest.raises(ResultsError, match="cannot be written"), open_gradebook(tmp_path / "out"):
        pass
    assert precious.read_text() == "keep me"
