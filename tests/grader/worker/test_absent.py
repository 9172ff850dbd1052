"""Packages that are imported and not installed."""

import sys

import pytest

from grader.wire.messages import Call, Load
from grader.worker.absent import absent_module, find_absent, may_be_absent
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


@pytest.mark.parametrize(
    "line",
    [
        "import surely_absent",
        "import surely_absent.deep as x, math",
        "import math; import surely_absent as x",
        "from surely_absent import x, y as z",
        "from surely_absent.deep import *",
        "import \\\n  surely_absent",
    ],
)
def test_an_import_that_nothing_needs_is_tolerated(load, line):
    executor = load(f'"""Doc."""\nfrom __future__ import annotations\n{line}\ndef f(x: nowhere): return x\n')
    assert executor.absent
    assert executor.call(Call(target="f", args=(3,))).value == 3
    assert executor.module.__doc__ == "Doc."


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import surely_absent\nexcept ValueError:\n    pass",
        "if True:\n    import surely_absent",
        "def f():\n    import surely_absent\nf()",
        "from math import surely_absent",
        "import os.surely_absent",
        "from . import surely_absent",
        "import surely_absent\nsurely_absent.x",
        "from surely_absent import Base\nclass A(Base): pass",
        "from surely_absent import wrap\n@wrap\ndef f(): pass",
    ],
)
def test_any_other_import_and_every_use_at_once_is_an_error(load, code):
    with pytest.raises(StudentError) as caught:
        load(code)
    assert "ImportError" in caught.value.failure.types


USES = [
    lambda a: a(), lambda a: a.x, lambda a: a[0], lambda a: list(a), bool, len, lambda a: type("A", (a,), {}),
    lambda a: a + 1, lambda a: 1 * a, lambda a: isinstance(1, a), lambda a: 1 in a, lambda a: a < 1, int,
    lambda a: setattr(a, "x", 1), lambda a: hasattr(a, "x"), lambda a: next(a), lambda a: a.__enter__(),
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_every_use_says_what_is_missing(use):
    with pytest.raises((ModuleNotFoundError, TypeError)) as caught:
        namespace = absent_module("seaborn")
        if use is USES[6]:
            exec("class A(base): pass", {"base": namespace})
        use(namespace)
    assert isinstance(caught.value, ModuleNotFoundError)
    assert str(caught.value) == "seaborn is not installed where your code is graded"


def test_it_can_be_shown_compared_and_passed_on():
    module = absent_module("seaborn")
    assert "seaborn" in repr(module)
    assert module == module
    assert module is not None
    assert {module: 1}


def test_what_the_student_handed_in_and_what_is_installed_is_there(load):
    assert not load("import other, math, torch.nn as nn\nfrom numpy import array\n", other="x = 1\n").absent
    assert find_absent("other", {"other"}) == ""
    assert find_absent("surely_absent.x", ()) == "surely_absent"
    assert not may_be_absent(b"import math, os.path as p # and more\nfrom torch.nn import Linear\n", ())


def test_modules_of_the_course_are_imported_as_they_are(load):
    with pytest.raises(StudentError):
        load("import surely_absent\n", filename="/x/stand_ins/mod.py")


def test_a_part_of_a_shared_folder_can_be_absent(tmp_path, monkeypatch):
    (tmp_path / "shared_folder/there").mkdir(parents=True)
    (tmp_path / "shared_folder/there/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_absent("shared_folder.there", ()) == ""
    assert find_absent("shared_folder.colab.drive", ()) == "shared_folder.colab"
