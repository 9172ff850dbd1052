import ast
import textwrap
from pathlib import Path

import pytest

from grader.authoring.stubs import write_stub
from grader.course import load_course
from grader.course.stubs import make_stub
from grader.errors import GraderError, MarkError

PATH = Path("solutions/x.py")


def stub_of(source: str) -> str:
    return make_stub(textwrap.dedent(source).lstrip(), PATH)


def test_the_body_becomes_not_implemented_and_the_signature_stays():
    stub = stub_of('''
        """Module."""


        def add(a: int, b: int = 2) -> int:
            """The sum.

            >>> add(1)
            3
            """
            ### BEGIN SOLUTION
            # a comment that gives it away
            return a + b
            ### END SOLUTION
        ''')
    assert "gives it away" not in stub
    assert "SOLUTION" not in stub
    assert stub.endswith('    """\n    raise NotImplementedError("add is yours to write")\n')
    assert "def add(a: int, b: int = 2) -> int:" in stub


def test_imports_only_the_solution_uses_vanish_and_others_stay():
    stub = stub_of('''
        """Module."""

        from __future__ import annotations

        import heapq
        from math import exp, inf, log

        import torch
        import unused_on_purpose


        def f(x: torch.Tensor, limit=inf):
            """F."""
            ### BEGIN SOLUTION
            import itertools
            return heapq.nlargest(1, [exp(1), log(2), limit])
            ### END SOLUTION
        ''')
    for word in ("heapq", "exp", "log", "itertools"):
        assert word not in stub
    for line in (
        "from __future__ import annotations",
        "from math import inf",
        "import torch",
        "import unused_on_purpose",
    ):
        assert line in stub.splitlines()


def test_imports_of_the_students_own_modules_stay():
    source = """
        from attention import attend, masked_softmax
        from math import log


        def f(x):
            ### BEGIN SOLUTION
            return log(attend(masked_softmax(x)))
            ### END SOLUTION
        """
    stub = make_stub(textwrap.dedent(source).lstrip(), PATH, builds_on=("attention",))
    assert "from attention import attend, masked_softmax" in stub.splitlines()
    assert "log" not in stub


def test_the_group_of_a_vanished_import_leaves_no_hole():
    stub = stub_of('''
        """Module."""

        import heapq

        import torch


        def f(x: torch.Tensor):
            ### BEGIN SOLUTION
            return heapq.nlargest(1, x)
            ### END SOLUTION
        ''')
    assert stub.startswith('"""Module."""\n\nimport torch\n\n\ndef f')


def test_helpers_at_module_and_class_level_vanish():
    stub = stub_of('''
        ### BEGIN SOLUTION
        def helper():
            return 1


        ### END SOLUTION
        class Model:
            """A model."""

            def forward(self, x):
                ### BEGIN SOLUTION
                return self.secret(x)
                ### END SOLUTION

            ### BEGIN SOLUTION
            def secret(self, x):
                return x
            ### END SOLUTION


        def given():
            return 2
        ''')
    assert "helper" not in stub
    assert "secret" not in stub
    assert 'raise NotImplementedError("Model.forward is yours to write")' in stub
    assert stub.count("raise") == 1
    assert ast.parse(stub).body[-1].name == "given"


def test_given_code_around_a_region_stays():
    stub = stub_of("""
        def f(x):
            y = x + 1
            ### BEGIN SOLUTION
            y = y * 2
            ### END SOLUTION
            return y
        """)
    assert "y = x + 1" in stub
    assert "return y" in stub
    assert "y * 2" not in stub


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n", "whole solution"),
        ("def f():\n    ### BEGIN SOLUTION\n    return 1 +\n    ### END SOLUTION\n", "not valid Python"),
        ("if True:\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n", "mark whole statements"),
    ],
)
def test_what_cannot_become_a_stub_is_an_error(source, words):
    with pytest.raises(MarkError, match=words):
        make_stub(source, PATH)


def test_write_stub_says_whether_it_changed_anything(tiny):
    course = load_course(tiny / "course.toml")
    exercise = course.exercise("addition")
    before = (tiny / "exercises/addition/addition.py").read_text()
    assert write_stub(course, exercise, only_check=True)
    assert (tiny / "exercises/addition/addition.py").read_text() == before
    assert write_stub(course, exercise)
    assert not write_stub(course, exercise)
    (tiny / "solutions/addition.py").unlink()
    with pytest.raises(GraderError, match="not found; write the solution"):
        write_stub(course, exercise)


def test_the_committed_stubs_are_up_to_date(course):
    stale = [e.name for e in course.exercises if write_stub(course, e, only_check=True)]
    assert not stale, f"run `grader stubs`: {stale}"


def test_grader_stubs_writes_and_checks(tiny, grader):
    assert grader("stubs", "--check", "--course", tiny).exit_code == 1
    result = grader("stubs", "--course", tiny)
    assert result.exit_code == 0
    assert "exercises/addition/addition.py: written" in result.output
    assert grader("stubs", "--check", "--course", tiny).exit_code == 0
