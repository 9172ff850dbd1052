"""Write the pages of a class: the one place of them that touches files."""

from __future__ import annotations

from pathlib import Path

from grader.errors import ResultsError
from grader.files import write_atomically
from grader.reports import class_page, similar, student_page
from grader.results.groups import error_groups
from grader.results.schema import Results


def write_pages(results: Results, folder: Path) -> Path:
    """The class page, a page for each student, and a list of students for each error group; returns the class page."""
    students, lists = folder / class_page.STUDENTS, folder / class_page.GROUPS
    for needed in (students, lists):
        _make(needed)
    for student in results.students:
        write_atomically(folder / class_page.page_of(student), student_page.render(results, student))
    found = error_groups(results)
    for number, group in enumerate(found.groups, start=1):
        write_atomically(lists / f"{number}.txt", class_page.id_list(group))
    _remove_old_lists(lists, len(found.groups))
    page = folder / class_page.FILE_NAME
    beside = similar.FILE_NAME if (folder / similar.FILE_NAME).is_file() else ""
    write_atomically(page, class_page.render(results, groups=found, folder=str(folder), similar=beside))
    return page


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(f"{folder}: cannot be made ({error.strerror}). Choose another --out.") from error


def _remove_old_lists(folder: Path, count: int) -> None:
    """A list from an earlier report names students of a group that is no longer there."""
    for file in folder.glob("*.txt"):
        if file.stem.isdecimal() and int(file.stem) > count:
            file.unlink(missing_ok=True)
