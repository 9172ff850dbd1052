"""The suites are proven: solutions get everything, stubs nothing, right variants everything, mistakes never."""

import ast
import doctest
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from grader.course import find_course
from grader.course.misconceptions import apply_misconception, load_misconceptions
from grader.grading.run import Settings, TaskReader, grade_class, grade_works
from grader.judge.processes.oneshot import run_suites
from grader.results.gradebook import open_gradebook
from grader.results.records import Verdict
from grader.results.scoring import exercise_score
from grader.sandbox.layers import find_layers
from grader.submissions.base import Submission

COURSE = find_course(Path(__file__).parent)
NAMES = [exercise.name for exercise in COURSE.exercises]
VARIANTS = sorted((COURSE.root / "tests/variants").glob("*/*.py"))
MISTAKES = [
    (exercise, mistake) for exercise in COURSE.exercises for mistake in load_misconceptions(COURSE.bank(exercise))
]


def label(exercise, mistake):
    return f"{exercise.name}-{mistake.id}"


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """All that is judged here, by (kind, name): the exercise and the file."""
    files = {}
    for exercise in COURSE.exercises:
        files["solution", exercise.name] = exercise, COURSE.solution(exercise)
        files["stub", exercise.name] = exercise, COURSE.module(exercise)
    for path in VARIANTS:
        files["variant", path] = COURSE.exercise(path.parent.name), path
    for exercise, mistake in MISTAKES:
        path = tmp_path_factory.mktemp("mistake") / f"{exercise.name}.py"
        source = COURSE.solution(exercise).read_text(encoding="utf-8")
        path.write_text(apply_misconception(mistake, source, COURSE.bank(exercise)), encoding="utf-8")
        files["mistake", label(exercise, mistake)] = exercise, path
    return files


def grade(files, results, *, quick):
    """Each of these, judged once, confined as for a class; earlier exercises are the course's own."""
    settings = Settings(
        course=COURSE, exercises=COURSE.exercises, seed=COURSE.seed, jobs=os.cpu_count(), layers=find_layers(),
        quick=quick,
    )  # fmt: skip
    reader = TaskReader(settings)
    caught_by = {label(exercise, mistake): mistake.caught_by for exercise, mistake in MISTAKES}
    works = {
        key: reader.work(
            Submission(student=str(key), files={exercise.name: path}), exercise, only=caught_by.get(key[1], ())
        )
        for key, (exercise, path) in files.items()
    }
    with open_gradebook(results) as gradebook:
        found = grade_works(settings, list(works.values()), gradebook, lambda work: None)
    return {key: found[work.key] for key, work in works.items()}


@pytest.fixture(scope="session")
def graded(everything, tmp_path_factory):
    """Everything without the criteria that train a model."""
    return grade(everything, tmp_path_factory.mktemp("results"), quick=True)


@pytest.fixture(scope="session")
def solved(everything, tmp_path_factory):
    """The solutions with all criteria."""
    solutions = {key: value for key, value in everything.items() if key[0] == "solution"}
    return grade(solutions, tmp_path_factory.mktemp("solved"), quick=False)


def failures(result):
    return {c.criterion.id: (c.verdict.value, c.message) for c in result.criteria if not c.passed}


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_gets_everything(solved, name):
    assert failures(solved["solution", name]) == {}


def test_the_solutions_build_on_each_other(tmp_path):
    """With the solutions of the earlier exercises in the place of stand-ins."""
    whole = Submission(student="all", files={e.name: COURSE.solution(e) for e in COURSE.exercises})
    settings = Settings(
        course=COURSE, exercises=tuple(e for e in COURSE.exercises if e.builds_on), seed=COURSE.seed,
        jobs=os.cpu_count(), layers=find_layers(), quick=True,
    )  # fmt: skip
    with open_gradebook(tmp_path) as gradebook:
        (student,) = grade_class(settings, [whole], gradebook, lambda: None)
    assert [failures(exercise) for exercise in student.exercises] == [{} for _ in settings.exercises]
    assert all(not exercise.stand_ins for exercise in student.exercises)


@pytest.mark.parametrize("name", NAMES)
def test_the_stub_gets_nothing_and_is_told_what_to_implement(graded, name):
    result = graded["stub", name]
    assert exercise_score(result) == 0
    assert result.verdict is Verdict.MISSING
    assert all("is not implemented yet: write it in" in c.message for c in result.criteria)


@pytest.mark.parametrize("path", VARIANTS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_right_variant_gets_everything(graded, path):
    assert failures(graded["variant", path]) == {}


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=[label(*m) for m in MISTAKES])
def test_a_mistake_is_caught_where_it_should_be(graded, exercise, mistake):
    result = graded["mistake", label(exercise, mistake)]
    assert {c.criterion.id for c in result.criteria} == set(mistake.caught_by)
    assert failures(result)


@pytest.mark.parametrize("name", NAMES)
def test_a_third_of_the_criteria_is_public_and_the_manifest_counts_the_others(solved, name):
    criteria = [c.criterion for c in solved["solution", name].criteria]
    hidden = sum(c.hidden for c in criteria)
    assert COURSE.exercise(name).hidden_criteria == hidden
    assert 0.25 <= (len(criteria) - hidden) / len(criteria) <= 0.5


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_is_complete(name):
    exercise = COURSE.exercise(name)
    assert (COURSE.folder(exercise) / "handout.md").is_file()
    assert sum(path.parent.name == name for path in VARIANTS) >= 4
    assert sum(e.name == name for e, _ in MISTAKES) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_in_the_docstrings_hold(name, monkeypatch):
    monkeypatch.syspath_prepend(COURSE.root / "solutions")  # some import others
    source = COURSE.solution(COURSE.exercise(name)).read_text(encoding="utf-8")
    kinds = (ast.FunctionDef, ast.ClassDef)
    functions = [n for n in ast.parse(source).body if isinstance(n, kinds) and n.name[0] != "_"]
    namespace = {"__name__": name}
    exec(compile(source, f"{name}.py", "exec"), namespace)  # our own solution
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    tried = 0
    for function in functions:
        text = ast.get_docstring(function) or ""
        test = doctest.DocTestParser().get_doctest(text, namespace, function.name, f"{name}.py", 0)
        tried += bool(test.examples)
        assert runner.run(test).failed == 0
    assert tried >= 2


def test_both_transports_agree(everything, graded):
    """In process, as students check themselves, and confined, as they are graded: the same verdicts."""
    mistakes = islice((key for key in everything if key[0] == "mistake"), 0, None, 29)
    variants = islice((key for key in everything if key[0] == "variant"), 0, None, 3)
    chosen = [*(key for key in everything if key[0] in ("solution", "stub")), *variants, *mistakes]

    def in_process(key):
        exercise, file = everything[key]
        suites = [COURSE.public_suite(exercise), COURSE.hidden_suite(exercise)]
        return run_suites(suites, file, budget=exercise.budget, seed=COURSE.seed, cwd=COURSE.root, quick=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for key, criteria in zip(chosen, pool.map(in_process, chosen), strict=True):
            one, other = ({c.criterion.id: c.verdict for c in found} for found in (criteria, graded[key].criteria))
            assert one.items() >= other.items(), key
