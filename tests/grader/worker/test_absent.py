"""Packages that are imported and not installed."""

import sys

import pytest

from grader.wire.messages import Load
from grader.worker.absent import find_absent
from grader.worker.executor import Executor, StudentError


@pytest.fixture
def load(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))

    def make(code, filename="/x/mod.py", **others):
        sources = {"mod": (filename, code.encode())} | {n: (f"/x/{n}.py", text.encode()) for n, text in others.items()}
        executor = Executor(Load(name="mod", sources=sources), lambda number, args: None)
        executor.load()
        return executor

    yield make
    for name in ("mod", "other"):
        sys.modules.pop(name, None)


def test_what_the_student_handed_in_and_what_is_installed_is_there(load):
    assert not load("import other, math, torch.nn as nn\nfrom numpy import array\n", other="x = 1\n").absent
    assert find_absent("other", {"other"}) == ""
    assert find_absent("surely_absent.x", ()) == "surely_absent"


def test_modules_of_the_course_are_imported_as_they_are(load):
    with pytest.raises(StudentError):
        load("import surely_absent\n", filename="/x/stand_ins/mod.py")


def test_a_part_of_a_shared_folder_can_be_absent(tmp_path, monkeypatch):
    (tmp_path / "shared_folder/there").mkdir(parents=True)
    (tmp_path / "shared_folder/there/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_absent("shared_folder.there", ()) == ""
    assert find_absent("shared_folder.colab.drive", ()) == "shared_folder.colab"
