"""What all tools of ``peers.py`` are given: one set of checks, and submissions of which it is known what they are.

The exercise is the ``attention`` of this course. A check is a plain function of the student's module. It works out what
is expected, calls the student's code, and compares. Every tool gets the same functions; only how it calls them differs.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.course.misconceptions import apply_misconception, load_bank
from grader.course.stubs import course_stub

EXERCISE = "attention"

HEADER = """import torch

inputs = torch.Generator().manual_seed(20)


def numbers(*shape):
    return torch.randn(*shape, generator=inputs)


def compare(found, expected):
    assert torch.is_tensor(found), "not a tensor"
    assert found.shape == expected.shape, "wrong shape"
    assert torch.allclose(found, expected, atol=1e-5), "wrong values"
"""

CHECKS = """
def check_dot_scores(m):
    query, keys = numbers(3, 5, 4), numbers(3, 7, 4)
    expected = torch.einsum("nqd,nkd->nqk", query, keys)
    compare(m.DotScorer()(query, keys), expected)


def check_scaled_scores(m):
    query, keys = numbers(2, 3, 16), numbers(2, 5, 16)
    expected = torch.einsum("nqd,nkd->nqk", query, keys) / 4
    compare(m.ScaledDotScorer()(query, keys), expected)


def check_softmax_without_mask(m):
    scores = numbers(3, 5, 7)
    expected = torch.softmax(scores, -1)
    compare(m.masked_softmax(scores), expected)


def check_softmax_of_large_scores(m):
    scores = 500 * numbers(3, 7)
    expected = torch.softmax(scores, -1)
    compare(m.masked_softmax(scores), expected)


def check_softmax_with_mask(m):
    scores = numbers(3, 5, 7)
    mask = numbers(3, 5, 7) > -0.5
    mask[..., 0] = True
    expected = torch.exp(scores) * mask
    expected = expected / expected.sum(-1, keepdim=True)
    compare(m.masked_softmax(scores, mask), expected)


def check_softmax_where_nothing_is_allowed(m):
    scores = numbers(4, 6)
    mask = torch.tensor([[True], [False], [True], [False]]).expand(4, 6)
    expected = torch.softmax(scores, -1) * mask
    compare(m.masked_softmax(scores, mask), expected)


def check_context(m):
    query, keys, values = numbers(2, 3, 4), numbers(2, 5, 4), numbers(2, 5, 6)
    expected = torch.softmax(torch.einsum("nqd,nkd->nqk", query, keys), -1) @ values
    compare(m.attend(m.DotScorer(), query, keys, values)[0], expected)


def check_weights(m):
    query, keys, values = numbers(2, 3, 4), numbers(2, 5, 4), numbers(2, 5, 6)
    expected = torch.softmax(torch.einsum("nqd,nkd->nqk", query, keys), -1)
    compare(m.attend(m.DotScorer(), query, keys, values)[1], expected)


def check_context_with_mask(m):
    query, keys, values = numbers(2, 3, 4), numbers(2, 5, 4), numbers(2, 5, 6)
    mask = torch.tensor([True, True, False, True, False]).expand(2, 3, 5)
    shares = torch.exp(torch.einsum("nqd,nkd->nqk", query, keys)) * mask
    expected = shares / shares.sum(-1, keepdim=True) @ values
    compare(m.attend(m.DotScorer(), query, keys, values, mask)[0], expected)
"""

NAMES = tuple(node.name for node in ast.parse(CHECKS).body if isinstance(node, ast.FunctionDef))
FULL = len(NAMES)  # a point for each check


def source_of(name: str) -> str:
    """One check alone."""
    node = next(node for node in ast.parse(CHECKS).body if isinstance(node, ast.FunctionDef) and node.name == name)
    return ast.get_source_segment(CHECKS, node) or ""


# Whoever forges knows nothing of the tool. All three work where student code and checks share a process.
FORGERIES = {
    "equal": """
        import torch


        class Anything:
            shape = property(lambda self: self)

            def __eq__(self, other):
                return True


        torch.allclose = torch.equal = torch.is_tensor = lambda *args, **kwargs: True


        def masked_softmax(*args):
            return Anything()


        def attend(*args):
            return Anything(), Anything()


        class DotScorer:
            def __call__(self, *args):
                return Anything()


        ScaledDotScorer = DotScorer
    """,
    "no_checks": """
        import sys


        def spoil(names):
            for name in list(names):
                if name.startswith(("check_", "compare")) and callable(names[name]):
                    names[name] = lambda *args, **kwargs: None


        def spoil_all():
            for module in list(sys.modules.values()):
                spoil(getattr(module, "__dict__", {}))
            frame = sys._getframe()
            while frame:
                spoil(frame.f_globals)
                frame = frame.f_back


        def masked_softmax(*args):
            spoil_all()


        def attend(*args):
            spoil_all()
            return None, None


        class DotScorer:
            def __call__(self, *args):
                spoil_all()


        ScaledDotScorer = DotScorer
        spoil_all()
    """,
    "looks_up": """
        import sys


        def masked_softmax(*args):
            frame = sys._getframe()
            while frame:
                if "expected" in frame.f_locals:
                    return frame.f_locals["expected"]
                frame = frame.f_back


        def attend(*args):
            return masked_softmax(), masked_softmax()


        class DotScorer:
            def __call__(self, *args):
                return masked_softmax()


        ScaledDotScorer = DotScorer
    """,
}

CRASH = "\n\ndef masked_softmax(scores, mask=None):\n    import ctypes\n\n    ctypes.string_at(0)\n"
LOOP = "\n\ndef masked_softmax(scores, mask=None):\n    while True:\n        pass\n"
HONEST, HOSTILE = ("right", "wrong", "stub"), ("crash", "loop", *FORGERIES)


@dataclass(frozen=True)
class Submission:
    name: str
    kind: str  # of HONEST, or of HOSTILE
    source: str


def make_class(course: Course, size: int) -> list[Submission]:
    """``size`` submissions, none the same as another: about half of them right, the last six hostile."""
    exercise = course.exercise(EXERCISE)
    solution = course.solution(exercise).read_text(encoding="utf-8")
    right = [solution, *(path.read_text(encoding="utf-8") for path in course.variants(exercise))]
    bank = course.bank(exercise)
    wrong = [apply_misconception(mistake, solution, bank) for mistake in load_bank(bank).misconception]
    stubs = [course_stub(course, exercise)]
    hostile = {"crash": solution + CRASH, "loop": solution + LOOP}
    hostile |= {name: textwrap.dedent(source).strip() + "\n" for name, source in FORGERIES.items()}
    count = size - len(hostile)
    made: list[Submission] = []
    for number in range(count):
        kind, pool = (("right", right), ("wrong", wrong), ("stub", stubs))[2 if number % 9 == 8 else number % 9 % 2]
        turn = sum(one.kind == kind for one in made)
        made.append(Submission(f"s{number:03}", kind, f"{pool[turn % len(pool)]}\n# {number}\n"))
    return [*made, *(Submission(f"x_{kind}", kind, source) for kind, source in hostile.items())]


def write_class(submissions: list[Submission], folder: Path) -> Path:
    """One folder for each submission."""
    for one in submissions:
        (folder / one.name).mkdir(parents=True)
        (folder / one.name / f"{EXERCISE}.py").write_text(one.source, encoding="utf-8")
    return folder
