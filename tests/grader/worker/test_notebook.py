"""What of a notebook is run."""

import json
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.submissions.notebook import notebook_source
from grader.wire.messages import Call, Load, Survey
from grader.wire.notebook import HEADER, LeftOutKind, cell_at, marker
from grader.worker.executor import Executor, StudentError
from grader.worker.notebook import read_notebook
from grader.worker.program import names_asked_of
from grader.worker.source import find_mentions, survey


def notebook(*cells):
    code = [{"cell_type": "code", "source": textwrap.dedent(cell), "metadata": {}} for cell in cells]
    return notebook_source(json.dumps({"cells": code}).encode()).encode()


@pytest.fixture
def load(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))

    def make(*cells, wanted=("f",), others=None):
        sources = {"mod": ("/notebooks/mod.py", notebook(*cells)), **(others or {})}
        executor = Executor(Load(name="mod", sources=sources, wanted=wanted), lambda number, args: None)
        executor.load()
        return executor

    yield make
    for name in ("mod", "other"):
        sys.modules.pop(name, None)


def names(executor):
    return {name for name in vars(executor.module) if not name.startswith("__")}


def left_out(*cells, wanted=("f",)):
    source = notebook(*cells)
    found = read_notebook(source, "mod.py", wanted).left_out
    return [(*cell_at(source, part.first), *cell_at(source, part.last), part.kind.value) for part in found]


def test_imports_definitions_and_plain_assignments_are_kept(load):
    executor = load(
        "import math as m\nfrom os import path", "def f(): return 1", "class C: pass", "a: int = 1\nb = [a]\nb += [2]"
    )
    assert names(executor) == {"m", "path", "f", "C", "a", "b"}
    assert vars(executor.module)["b"] == [1, 2]


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("1 / 0", "expression"),
        ("print(1)", "expression"),
        ("for i in range(3):\n    pass", "loop"),
        ("while True:\n    pass", "loop"),
        ("with open('x'):\n    pass", "with"),
        ("assert False", "assertion"),
        ("del f", "statement"),
        ("raise ValueError", "statement"),
        ("losses = print(1)", "assignment"),
        ("if print(1):\n    print(2)", "block"),
        ("if print(1):\n    y = 2", "block"),
        ("x = (", "not_python"),
        ("x = await g()", "not_python"),
        ("return 3", "statement"),
        ("global f\nf = (yield)", "not_python"),
    ],
)
def test_everything_else_is_left_out_and_listed(load, cell, kind):
    executor = load("def f(): return 1", cell)
    assert executor.call(Call(target="f")).value == 1
    assert left_out("def f(): return 1", cell)[-1][-1] == kind


def test_what_is_called_is_kept_only_where_the_exercise_needs_it(load):
    cells = (
        "def f(): return TABLE[0] + helper()",
        "def helper(): return DEEP",
        "def scratch(): return losses",
        "BASE = int('3')\nTABLE = list(range(BASE))",
        "DEEP: int = int('4')\nlosses = [f() for _ in range(3)]\nmodel = f()",
        "def local():\n    model = 1\n    return model",
    )
    assert names(load(*cells)) >= {"BASE", "TABLE", "DEEP"}
    assert not names(load(*cells)) & {"losses", "model"}
    assert left_out(*cells) == [(5, 2, 5, 3, "assignment")]
    assert "losses" in names(load(*cells, wanted=()))
    assert "model" not in names(load(*cells, wanted=()))


def test_code_that_looks_up_names_may_need_every_function(load):
    found = load(
        "def f(): return [name for name in globals() if name.startswith('test_')]",
        "def test_a(): return T",
        "T = int('1')",
    )
    assert "T" in names(found)
    assert found.call(Call(target="f")).value == ["test_a"]


def test_a_function_without_a_name_is_a_definition_too(load):
    assert load("f = lambda x: g(x)\ng = lambda x: int(x)").call(Call(target="f", args=("3",))).value == 3


def test_an_assignment_that_fails_is_skipped(load):
    executor = load("a = 1 / 0\nb = nowhere\nT = int('x')\ndef f(): return T", "c = 3")
    assert names(executor) == {"f", "c"}
    with pytest.raises(StudentError) as caught:
        executor.call(Call(target="f"))
    assert caught.value.failure.types[0] == "NameError"


def test_a_definition_or_import_that_fails_counts_only_if_it_is_needed(load):
    assert names(load("def f(): return 1", "def scratch(x=losses): pass", "from math import nowhere")) == {"f"}
    with pytest.raises(StudentError) as caught:
        load("import math", "x = 1\n@nowhere\ndef f(): return 1")
    assert caught.value.failure.types[0] == "NameError"
    assert caught.value.failure.frames == ("mod.py:9",)
    with pytest.raises(StudentError):
        load("from math import nowhere", "def f(): return nowhere")


def test_of_a_block_what_is_kept_of_its_bodies(load):
    cell = """
        if int("1"):
            device = "a"
            print("never")
            experiment = print("never")
        else:
            device = "b"
        try:
            import nowhere_at_all
        except ImportError:
            nowhere_at_all = None
            print("never")
        """
    executor = load("def f(): return device, nowhere_at_all", cell)
    assert executor.call(Call(target="f")).value == ("a", None)
    assert "experiment" not in names(executor)
    found = [(first, last, kind) for _, first, _, last, kind in left_out("def f(): return device", cell)]
    assert found == [(4, 4, "expression"), (5, 5, "assignment"), (12, 12, "expression")]


def test_a_broken_cell_that_defines_something_is_told_with_its_line():
    for cell, line in (("def g():\n    x = (", 9), ("x = 1\nclass C\n    pass", 9), ("def g(a, a): pass", 8)):
        with pytest.raises(SyntaxError) as caught:
            read_notebook(notebook("import math", cell), "mod.py", ("f",))
        assert (caught.value.filename, caught.value.lineno) == ("mod.py", line)


def test_lines_and_sources_are_those_of_the_whole_text(load):
    executor = load(
        "import inspect", "# a comment\ndef f(bad):\n    if bad: raise KeyError\n    return inspect.getsource(f)"
    )
    assert executor.call(Call(target="f", args=(False,))).value.startswith("def f(bad):")
    with pytest.raises(StudentError) as caught:
        executor.call(Call(target="f", args=(True,)))
    assert caught.value.failure.frames == ("mod.py:10 in f",)


def test_the_future_holds_for_all_cells(load):
    executor = load(
        "def f(x: nowhere) -> nothing: return x", "from __future__ import annotations\nfrom __future__ import braces"
    )
    assert executor.call(Call(target="f", args=(1,))).value == 1


def test_an_earlier_notebook_gives_what_a_later_one_imports(load):
    other = notebook("T = int('1')\nU = int('2')\nV = print('never')\ndef g(): return T")
    others = {"other": ("/x/other.py", other)}
    executor = load("from other import g\nimport other as o\ndef f(): return g() + o.U", others=others)
    assert executor.call(Call(target="f")).value == 3
    assert "V" not in vars(sys.modules["other"])
    sources = {"a": ("a.py", b"from b import *"), "b": ("b.py", b""), "c": ("c.py", b"def x(")}
    assert names_asked_of("b", sources) is None
    assert names_asked_of("a", sources) == set()


def test_forbidden_names_are_looked_for_in_what_is_needed():
    source = notebook(
        "import torch", "def f():\n    return CTCLoss", "def compare():\n    return torch.nn.CTCLoss", "x = ("
    )
    assert find_mentions(source, ("CTCLoss",), ("f",)) == [("CTCLoss", 9)]
    assert find_mentions(source, ("CTCLoss",), ("compare",)) == [("CTCLoss", 14)]
    assert find_mentions(notebook("def f(:"), ("CTCLoss",)) == [("", 0)]


def test_a_survey_runs_nothing():
    source = notebook("import surely_absent.x", "raise SystemExit", "def f(): return 1", "x = exit()")
    (found,) = survey(Survey(sources={"mod": ("mod.py", source)}, name="mod", wanted=("f",)))
    assert (found.error, found.absent) == ("", ("surely_absent",))
    assert [part.kind for part in found.left_out] == [LeftOutKind.STATEMENT, LeftOutKind.ASSIGNMENT]
    (found,) = survey(Survey(sources={"mod": ("mod.py", b"x = 1\ndef f(:\n")}, name="mod"))
    assert (found.error, found.line) == ("invalid syntax", 2)


LINES = st.lists(
    st.sampled_from([
        "x = 1", "def f():", "    return x", "class A:", "    pass", "if x:", "else:", "try:", "except E:", "x = (",
        ")", '"""', "\\", "import a", "from __future__ import annotations", "\x00", "@f", "x = f()", "  y", "\t",
        "\x0c", "é", "\ud800", "async def g():", "    await x", "match x:", "    case 1:", "lambda: (yield)", marker(3),
        "# %% cell", "del x", "x: int", "global x", "return", "*a, b = c", "# coding: utf-16", "raise",
        "type X = int", "finally:",
    ])
)  # fmt: skip


@given(LINES.map("\n".join) | st.text(), st.none() | st.just(("f", "x")))
def test_the_filter_raises_syntax_errors_and_nothing_else(text, roots):
    source = (HEADER + marker(1) + "\n" + text).encode(errors="backslashreplace")
    try:
        reading = read_notebook(source, "mod.py", roots)
    except SyntaxError as error:
        assert error.filename == "mod.py"
        return
    assert all(0 < part.first <= part.last for part in reading.left_out)


@given(st.binary())
def test_the_filter_takes_any_bytes(content):
    try:
        read_notebook(HEADER.encode() + content, "mod.py", None)
    except SyntaxError as error:
        assert error.filename == "mod.py"


@pytest.mark.parametrize("text", ["(" * 5000, "x = " + "-" * 100_000 + "1", "if 1: pass\n" + "elif x: y = 1\n" * 5000])
def test_a_text_that_is_too_deep_is_left_out(text):
    source = notebook("def f(): return 1", text)
    assert len(read_notebook(source, "mod.py", ("f",)).statements) >= 1


DEFINITIONS = st.lists(
    st.sampled_from([
        "import math", "from collections import deque as d", "A = 1", "B = [1, 2]", "C: int = 3", "A += 1",
        "def f(x=1):\n    return x + A if 'A' in globals() else x",
        "class K:\n    y = 2\n    def m(self): return self.y",
        "f = lambda: 2", "A, B = 5, 6", "T = tuple([1, 2])\ndef g():\n    return T",
    ])
)  # fmt: skip


@given(DEFINITIONS)
def test_definitions_imports_and_constants_behave_as_without_the_filter(cells):
    plain: dict = {"__name__": "mod"}
    exec("\n".join(["A = 0", *cells]), plain)
    filtered: dict = {"__name__": "mod"}
    for statement in read_notebook(notebook("A = 0", *cells), "mod.py", None).statements:
        exec(statement.code, filtered)

    def shown(space):
        simple = (int, list, tuple)
        values = {name: value for name, value in space.items() if isinstance(value, simple) and name[:1] != "_"}
        return values, {name for name in space if name[:2] != "__"}, space["g"]() if "g" in space else None

    assert shown(filtered) == shown(plain)
