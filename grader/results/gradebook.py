"""The journal of a results folder: every graded exercise, as soon as it is graded, never changed afterwards.

An entry is keyed by what was graded (the content of the student's files) and by what graded it (suites, solution,
seed, grader). So a run that was killed goes on where it stopped, a second run grades only what is new, and two students
with the same file are graded once. What we could not judge is written down too, but judged again the next time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from grader.errors import ResultsError
from grader.results.records import ExerciseResult, Verdict

FILE_NAME = "journal.sqlite"
LOCK_NAME = ".lock"


class Gradebook:
    """An open journal; use ``open_gradebook``."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self.database = database
        self.path = path

    def find(self, key: str) -> ExerciseResult | None:
        """The newest entry with this key that was judged without a fault of ours."""
        with _explained(self.path):
            rows = self.database.execute(
                "SELECT result FROM graded WHERE key = ? AND fault = 0 ORDER BY id DESC", [key]
            )
            row = rows.fetchone()
        try:
            return msgspec.json.decode(row[0], type=ExerciseResult) if row else None
        except msgspec.DecodeError as error:
            raise ResultsError(
                f"{self.path}: a row of this journal is damaged ({error}). Move the file away to grade everything "
                "anew, or bring back an older copy of it."
            ) from error

    def add(self, key: str, student: str, result: ExerciseResult) -> None:
        """Append an entry; when this returns it survives the end of the process."""
        fault = result.verdict is Verdict.GRADER_FAULT
        with _explained(self.path), self.database:
            self.database.execute(
                "INSERT INTO graded (key, student, exercise, fault, result, at) VALUES (?, ?, ?, ?, ?, ?)",
                [key, student, result.name, fault, msgspec.json.encode(result), time.time()],
            )


@contextlib.contextmanager
def open_gradebook(folder: Path) -> Iterator[Gradebook]:
    """The journal in ``folder``, which no other run may use at the same time."""
    path = folder / FILE_NAME
    with _explained(path):
        folder.mkdir(parents=True, exist_ok=True)
        lock = _open_lock(folder / LOCK_NAME)
    with lock:
        _lock(lock, folder)
        with _explained(path):
            database = sqlite3.connect(path)
        with contextlib.closing(database):
            with _explained(path):
                database.execute("PRAGMA journal_mode = WAL")
                # A loss of power may cost the last entries, which are judged again. To wait for the disk after each one
                # took a fifth of the time of a run.
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute(
                    "CREATE TABLE IF NOT EXISTS graded (id INTEGER PRIMARY KEY, key TEXT NOT NULL, student TEXT NOT"
                    " NULL, exercise TEXT NOT NULL, fault INTEGER NOT NULL, result BLOB NOT NULL, at REAL NOT NULL)"
                )
                database.execute("CREATE INDEX IF NOT EXISTS graded_key ON graded (key)")
                database.commit()
            yield Gradebook(database, path)


def _open_lock(path: Path) -> IO[str]:
    """Never through a link: whoever else may write into the folder must not have us empty another file."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    return os.fdopen(os.open(path, flags, 0o644), "r+", encoding="ascii", errors="replace")


def _lock(lock: IO[str], folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system; SQLite's own locks remain
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        raise ResultsError(
            f"{folder}: another run (process {owner}) is writing here. Wait for it, or choose another --out."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(
            f"{path}: cannot be written ({error.strerror}). Make room, or choose another --out."
        ) from error
    except sqlite3.Error as error:
        raise ResultsError(
            f"{path}: {error}. What was graded so far is kept; make room or repair it, and run the same command again."
        ) from error
