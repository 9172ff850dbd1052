"""A failure is explained by the mistake that was made, and rubbish by none: measured on the course, and in small.

``tests/diagnosis/<exercise>.toml`` has known mistakes made once more, in programs of another style. Entries stay there
whether or not they are recognised: the share is what is measured.
"""

import ast
import os
import tomllib
from itertools import count
from pathlib import Path

import pytest

from grader.course import find_course, load_course
from grader.course.misconceptions import load_misconceptions
from grader.grading.settings import Settings
from grader.judge.processes.task import Task
from grader.judge.processes.warm import WarmJudge
from grader.results.gradebook import open_gradebook
from grader.sandbox.layers import find_layers
from grader.submissions.base import submission_of
from tests.grader.conftest import SECRET, grade_class

COURSE = find_course(Path(__file__).parent)
VARIANTS = COURSE.root / "tests/variants"
NAMES = [exercise.name for exercise in COURSE.exercises if COURSE.reimplemented(exercise).is_file()]
EVERY = 2  # of them is judged
SHARE = 0.8  # of all mistakes made once more
SHARE_OF_ONE = 0.6  # of those of a single exercise
NAMED = 1.5  # mistakes named with a program, alternatives included, on average

RUBBISH = {
    "zero": "return 0",
    "nothing": "return None",
    "its input": "return next(value for name, value in locals().items() if name != 'self')",
    "chance": "import random; return random.random()",
    "a TypeError": "raise TypeError('no')",
    "a ValueError": "raise ValueError('no')",
    "no items": "return []",
    "noise": "import torch; return torch.randn(2, 3)",
}
RUBBISH_EACH = 2  # of them for each exercise, all of them in turn
SPOILT_EACH = 2  # solutions of each exercise in which a single function is rubbish


def load_reimplemented(name):
    return tomllib.loads(COURSE.reimplemented(COURSE.exercise(name)).read_text(encoding="utf-8"))["reimplemented"]


REIMPLEMENTED = [(name, entry) for name in NAMES for entry in load_reimplemented(name)]


def same_idea(name, id_):
    """The ids that name this mistake: entries of one idea are one mistake, in several places."""
    ideas = {
        mistake.id: mistake.idea or mistake.id for mistake in load_misconceptions(COURSE.bank(COURSE.exercise(name)))
    }
    return {other for other, idea in ideas.items() if idea == ideas[id_]}


def label(name, entry):
    return f"{name}-{entry['id']}"


def apply(name, entry):
    source = (VARIANTS / name / f"{entry['variant']}.py").read_text(encoding="utf-8")
    assert source.count(entry["find"]) == 1, f"{label(name, entry)}: find must occur once in the variant"
    return source.replace(entry["find"], entry["replace"])


# Rubbish


def functions(tree):
    """Functions and methods of a module, by dotted name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{f.name}", f) for f in node.body if isinstance(f, ast.FunctionDef))


def holes(stub):
    """The names of what students have to write."""
    return [name for name, f in functions(ast.parse(stub)) if any(isinstance(line, ast.Raise) for line in f.body)]


def spoilt(source, names, body):
    """The source with this body in the functions of these names."""
    tree = ast.parse(source)
    for name, function in functions(tree):
        if name in names:
            function.body = ast.parse(body).body
    return ast.unparse(tree)


def make_rubbish():
    """By (exercise, what it is): stubs filled with rubbish, and solutions with rubbish in one place."""
    kinds = list(RUBBISH.items())
    turn = count()
    for name in NAMES:
        exercise = COURSE.exercise(name)
        stub = COURSE.module(exercise).read_text(encoding="utf-8")
        solution = COURSE.solution(exercise).read_text(encoding="utf-8")
        missing = holes(stub)
        for _ in range(RUBBISH_EACH):
            kind, body = kinds[next(turn) % len(kinds)]
            yield name, f"{kind} everywhere", spoilt(stub, missing, body)
        for number in range(SPOILT_EACH):
            kind, body = kinds[next(turn) % len(kinds)]
            where = missing[number * len(missing) // SPOILT_EACH]
            yield name, f"{kind} in {where}", spoilt(solution, [where], body)


# The course


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """Everything that is judged here, once, confined and with diagnosis: by kind, exercise and name."""
    texts = {("mistake", name, entry["id"]): apply(name, entry) for name, entry in REIMPLEMENTED[::EVERY]}
    for name in NAMES:
        exercise = COURSE.exercise(name)
        texts["right", name, "solution"] = COURSE.solution(exercise).read_text(encoding="utf-8")
        texts["stub", name, "stub"] = COURSE.module(exercise).read_text(encoding="utf-8")
        # No variants: `grader validate` proves that none of them fails, and only failures are explained.
    for name, what, text in make_rubbish():
        texts["rubbish", name, what] = text
    submissions = []
    for key, text in texts.items():
        path = tmp_path_factory.mktemp("submission") / f"{key[1]}.py"
        path.write_text(text, encoding="utf-8")
        submissions.append(submission_of(" ".join(key), {key[1]: path}))
    settings = Settings(
        course=COURSE, exercises=tuple(COURSE.exercise(name) for name in NAMES), seed=COURSE.secret,
        jobs=os.cpu_count(), layers=find_layers(), quick=True, diagnose=True,
    )  # fmt: skip
    with open_gradebook(tmp_path_factory.mktemp("results")) as gradebook:
        students = grade_class(settings, submissions, gradebook)
    return {
        key: next(found for found in student.exercises if found.name == key[1])
        for key, student in zip(texts, students, strict=True)
    }


def named(result):
    """The mistakes by which a result is explained: each as the ids that it can be; "~" for a likeness."""
    return ["~" * one.likeness + " or ".join(sorted(m.id for m in one.mistakes)) for one in result.findings]


def of_kind(graded, kind):
    return {key[1:]: result for key, result in graded.items() if key[0] == kind}


def test_all_files_belong_to_exercises():
    assert {path.stem for path in (COURSE.root / "tests/diagnosis").glob("*.toml")} == set(NAMES)
    assert len(NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_mistakes_made_once_more(name):
    known = {mistake.id for mistake in load_misconceptions(COURSE.bank(COURSE.exercise(name)))}
    entries = load_reimplemented(name)
    ids = [entry["id"] for entry in entries]
    assert len(ids) >= 5
    assert len(set(ids)) == len(ids)
    assert set(ids) <= known
    assert len({entry["variant"] for entry in entries}) >= 3
    for entry in entries:
        ast.parse(apply(name, entry))


@pytest.mark.all_cores
@pytest.mark.proof
def test_mistakes_made_once_more_are_recognised(graded):
    found, missed, sizes = {name: [] for name in NAMES}, [], []
    for (name, id_), result in of_kind(graded, "mistake").items():
        assert not result.fault
        assert any(not c.passed for c in result.criteria), f"{name}-{id_} is no mistake"
        sizes.append(sum(len(one.mistakes) for one in result.findings))
        said = {mistake.id for one in result.findings for mistake in one.mistakes}
        found[name].append(bool(said & same_idea(name, id_)))
        if not found[name][-1]:
            missed.append(f"{name}-{id_}, taken for {named(result) or 'none'}")
    total = [hit for hits in found.values() for hit in hits]
    print(f"\n{sum(total)} of {len(total)} recognised, {sum(sizes) / len(sizes):.2f} named with a program")
    print("\n".join(f"  {name}: {sum(hits)} of {len(hits)}" for name, hits in found.items()))
    print("\n".join(f"  missed: {miss}" for miss in missed))
    assert sum(total) >= SHARE * len(total), missed
    assert sum(sizes) < NAMED * len(sizes)
    assert all(sum(hits) >= SHARE_OF_ONE * len(hits) for hits in found.values()), missed


@pytest.mark.all_cores
@pytest.mark.proof
@pytest.mark.parametrize("kind", ["right", "stub", "rubbish"])
def test_nothing_else_is_taken_for_a_known_mistake(graded, kind):
    results = of_kind(graded, kind)
    assert not any(result.fault for result in results.values())
    assert {key: named(result) for key, result in results.items() if named(result)} == {}


# In small

MANIFEST = """
format = 1
title = "Tiny"
"""

EXERCISE = """
[[exercise]]
name = "{name}"
title = "One and one"
files = ["{name}.py"]
hidden_criteria = 1
"""

SUITE = '''
from grader.judge import assert_equal, criterion


@criterion("Small sums", points=2, kind="value", hint="Use +.", timeout=1)
def test_small(student):
    """One and one is two."""
    assert_equal(student.add(1, 1), 2, "add(1, 1)")


@criterion("Zero", points=1, kind="robustness", hint="Zero is a number too.", timeout=1)
def test_zero(student):
    """Zero changes nothing."""
    assert_equal(student.add(5, 0), 5, "add(5, 0)")


@criterion("Halves", points=1, kind="value", hint="Use +.", timeout=1)
def test_halves(student):
    """Fractions have sums too."""
    assert_equal(student.add(0.5, 0.25), 0.75, "add(0.5, 0.25)")
'''

HIDDEN = '''
from grader.judge import assert_equal, criterion


@criterion("Any sum", points=1, kind="value", hint="Think again.", timeout=1)
def test_any(student, rng):
    """Sums of numbers that nobody knows beforehand."""
    a, b = rng.randrange(100, 1000), rng.randrange(100, 1000)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")
'''

SOLUTION = '''
def add(a, b):
    """The sum of two numbers."""
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
'''

# By id: the criteria that catch it, and what is returned.
MISTAKES = {
    "subtracted": (["small", "any"], "a - b"),
    "opposite-added": (["small", "halves"], "a + -b"),
    "first-twice": (["zero", "halves"], "a + a"),
    "whole-parts-added": (["halves"], "int(a) + int(b)"),
    "zero-refused": (["zero"], "a + b if b else divmod(a, b)"),
}
ENDLESS = "next(number for number in iter(int, 1) if number)"  # int() is always 0


def write_bank(path, mistakes):
    tables = [
        f"[[misconception]]\nid = '{id_}'\nexplanation = 'Your sums equal {value}.'\nhint = 'Use +.'\n"
        f"caught_by = {caught_by}\nfind = 'return a + b'\nreplace = 'return {value}'\n"
        for id_, (caught_by, value) in mistakes.items()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["format = 1\n", *tables]), encoding="utf-8")


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory):
    """Judge a file of this text: the ids named with each criterion."""
    root = tmp_path_factory.mktemp("course")
    banks = {"addition": MISTAKES, "waiting": {**MISTAKES, "never-ends": (["small", "zero"], ENDLESS)}}
    files = {"course.toml": MANIFEST + "".join(EXERCISE.format(name=name) for name in banks), "pyproject.toml": ""}
    files["solutions/grading.toml"] = SECRET
    for name, mistakes in banks.items():
        files[f"exercises/{name}/test_{name}.py"] = SUITE
        files[f"tests/hidden/test_{name}.py"] = HIDDEN
        files[f"solutions/{name}.py"] = SOLUTION
        write_bank(root / f"solutions/misconceptions/{name}.toml", mistakes)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    course = load_course(root / "course.toml")
    judge = WarmJudge(course, course.exercises, find_layers())

    def grade(body, *, name="addition", diagnose=True):
        sources = {name: (f"{name}.py", f"def add(a, b):\n    {body}\n".encode())}
        result = judge.grade(Task(exercise=name, sources=sources, diagnose=diagnose))
        assert not result.fault
        assert {c.criterion.id for c in result.criteria} == {"small", "zero", "halves", "any"}
        return result

    yield grade
    judge.close(now=True)


def test_a_mistake_is_named_and_so_is_another_that_answers_alike(diagnosed):
    result = diagnosed("from operator import sub; return sub(a, b)")
    assert named(result) == ["opposite-added or subtracted"]
    assert result.findings[0].criteria == ("small", "halves", "any")
    assert result.explained
    assert named(diagnosed("return a - b", diagnose=False)) == []
    assert named(diagnosed("return sum([a] * 2)")) == ["first-twice"]


MEANS_SUITE = '''
from grader.judge import assert_close, criterion


@criterion("Sums", points=1, kind="value", hint="Add all.", timeout=1)
def test_sums(student):
    """The sum of all numbers."""
    for numbers in ([1.5, 2.25], [4.5, 1.0, 0.25]):
        assert_close(student.total(numbers), sum(numbers), "total")


@criterion("Means", points=1, kind="value", hint="Divide.", timeout=1)
def test_means(student):
    """The mean of all numbers."""
    for numbers in ([1.5, 2.25], [4.5, 1.0, 0.25]):
        assert_close(student.mean(numbers), sum(numbers) / len(numbers), "mean")


@criterion("One", points=1, kind="value", hint="Think.", timeout=1)
def test_one(student):
    """The largest number."""
    assert_close(student.largest([1.5, 2.25]), 2.25, "largest")
'''
MEANS = """
def total(numbers):
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION


def mean(numbers):
    ### BEGIN SOLUTION
    return total(numbers) / len(numbers)
    ### END SOLUTION


def largest(numbers):
    ### BEGIN SOLUTION
    return max(numbers)
    ### END SOLUTION
"""
MEANS_MISTAKES = {
    "first-left-out": (["sums", "means"], "sum(numbers)", "sum(numbers[1:])"),
    "one-too-many": (["means"], "/ len(numbers)", "/ (len(numbers) + 1)"),
    "smallest": (["one"], "max(numbers)", "min(numbers)"),
    "nothing-largest": (["one"], "max(numbers)", "float('nan')"),
    "halves-refused": (["one"], "max(numbers)", "max(numbers) if max(numbers) % 1 == 0 else divmod(numbers)"),
}
PARTS = {"total": "sum(numbers)", "mean": "total(numbers) / len(numbers)", "largest": "max(numbers)"}


def open_judge(root, name, suite, solution, mistakes):
    """A judge of one small exercise, whose mistakes are edits by id: (caught by, find, replace)."""
    bank = "\n".join(
        f"[[misconception]]\nid = '{id_}'\nexplanation = 'e'\nhint = 'h'\ncaught_by = {caught_by}\n"
        f"find = '{find}'\nreplace = \"{replace}\"\n"
        for id_, (caught_by, find, replace) in mistakes.items()
    )
    files = {
        "course.toml": MANIFEST + EXERCISE.format(name=name), "pyproject.toml": "",
        "solutions/grading.toml": SECRET, f"solutions/{name}.py": solution,
        f"solutions/misconceptions/{name}.toml": "format = 1\n" + bank,
        f"exercises/{name}/test_{name}.py": suite, f"tests/hidden/test_{name}.py": "",
    }  # fmt: skip
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    course = load_course(root / "course.toml")
    return WarmJudge(course, course.exercises, find_layers())


def grade(judge, name, text):
    result = judge.grade(Task(exercise=name, sources={name: (f"{name}.py", text.encode())}, diagnose=True))
    assert not result.fault
    return result


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    """Judge these functions, the others right: the result."""
    judge = open_judge(tmp_path_factory.mktemp("means"), "means", MEANS_SUITE, MEANS, MEANS_MISTAKES)

    def grade_functions(**functions):
        text = "\n\n".join(f"def {name}(numbers):\n    return {body}" for name, body in (PARTS | functions).items())
        return grade(judge, "means", text)

    yield grade_functions
    judge.close(now=True)


FIRST_LEFT_OUT = "sum(numbers) - numbers[0]"


def test_two_mistakes_at_once_are_named_as_two(explained):
    result = explained(total=FIRST_LEFT_OUT, mean="total(numbers) / len([0, *numbers])")
    assert named(result) == ["first-left-out", "one-too-many"]
    assert [set(one.criteria) for one in result.findings] == [{"sums", "means"}, {"means"}]
    assert result.explained


def test_three_mistakes_in_functions_apart_are_named(explained):
    result = explained(total=FIRST_LEFT_OUT, mean="sum(numbers) / len([0, *numbers])", largest="sorted(numbers)[0]")
    assert {"one-too-many", "smallest"} <= set(named(result))


def test_what_is_not_known_leaves_the_rest_known_and_not_all_explained(explained):
    result = explained(total=FIRST_LEFT_OUT, mean="max(numbers)")
    assert named(result) == ["first-left-out"]
    assert not result.explained


def test_a_mistake_may_be_in_one_place_only(explained):
    """What the bank changes is a helper of two functions; the student has the mistake in one of them."""
    result = explained(total=FIRST_LEFT_OUT, mean="sum(numbers) / len(numbers)")
    assert named(result) == ["first-left-out"]
    assert result.findings[0].criteria == ("sums",)


@pytest.mark.parametrize(
    ("largest", "second"),
    [("numbers[0] * float('nan')", "nothing-largest"), ("divmod(numbers)", "halves-refused")],
)
def test_the_second_mistake_may_be_one_that_raises_or_says_little(explained, largest, second):
    """Its criterion is the very one that is known to catch it, and it gives all that is left."""
    result = explained(total=FIRST_LEFT_OUT, largest=largest)
    assert named(result) == ["first-left-out", second]
    assert result.explained


def test_what_agrees_with_little_is_not_named_where_more_is_left(explained):
    """NaN has many causes, so it is a fact only where nothing else is left open."""
    result = explained(mean="max(numbers)", largest="numbers[0] * float('nan')")
    assert named(result) == []


DRAWING_SUITE = '''
from grader.judge import assert_close, criterion


@criterion("Twice", points=1, kind="value", hint="Times 2.", timeout=1)
def test_twice(student):
    """Twice a number."""
    for number in (1.5, 2.25, 3.75):
        assert_close(student.twice(number), 2 * number, "twice")


@criterion("Bounded", points=1, kind="value", hint="At most 2.5.", timeout=1)
def test_bounded(student):
    """Noise is small."""
    assert student.noise(1) <= 2.5


@criterion("Positive", points=1, kind="value", hint="At least 0.", timeout=1)
def test_positive(student):
    """Noise is not negative."""
    assert student.noise(2) >= 0
'''
DRAWING = """
import random


def twice(number):
    ### BEGIN SOLUTION
    return number * 2
    ### END SOLUTION


def noise(seed):
    ### BEGIN SOLUTION
    return twice(1 + random.Random(seed).random() / 100)
    ### END SOLUTION
"""
DRAWING_MISTAKES = {
    "tripled": (["twice", "bounded"], "number * 2", "number * 3"),
    "later-seed": (["bounded"], "Random(seed)", "Random(seed + 10)"),
}


def test_who_draws_otherwise_has_not_made_a_mistake_of_drawing(tmp_path):
    """The noise is too large because it is tripled; that another seed gives the very number says nothing."""
    judge = open_judge(tmp_path, "drawing", DRAWING_SUITE, DRAWING, DRAWING_MISTAKES)
    try:
        result = grade(judge, "drawing", DRAWING.replace("number * 2", "3 * number").replace("(seed)", "(seed + 10)", 2)
                       .replace("def noise(seed + 10)", "def noise(seed)"))  # fmt: skip
        assert {one.criterion.id for one in result.criteria if not one.passed} == {"twice", "bounded"}
        assert named(result) == ["tripled"]
        assert result.findings[0].criteria == ("twice", "bounded")
    finally:
        judge.close(now=True)


RIGHT = ["return b + a", "return sum((a, b))"]
RAISING = ["raise NotImplementedError('add is yours to write')", "raise TypeError('no')", "raise ValueError('no')"]
WRONG = ["return None", "return 0", "return -1", "return ''", "return a", "import random; return random.random()"]
BROKEN = ["return a +", "return c", "return a.b"]


@pytest.mark.parametrize("body", [*RIGHT, *RAISING, *WRONG, *BROKEN])
def test_what_makes_no_known_mistake_is_not_explained(diagnosed, body):
    result = diagnosed(body)
    assert named(result) == []
    assert not result.explained


def test_what_a_passed_test_contradicts_is_not_named(diagnosed):
    assert named(diagnosed("return a - b if b == 0.25 else a + b")) == [], (
        "subtracting would have failed the small sums"
    )
    assert named(diagnosed("return a * 2 if b == 0.25 else a + b")) == []


@pytest.mark.attack
def test_a_mistake_that_never_ends_holds_nothing_up(diagnosed):
    """Tried on failures, it is given up; and it explains code that does not end either."""
    assert named(diagnosed("return a - b", name="waiting")) == ["opposite-added or subtracted"]
    assert "never-ends" in named(diagnosed("while True: pass", name="waiting"))[0]
