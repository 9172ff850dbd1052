"""The exercises of this course: their suites are proven, as ``grader validate`` proves them, and they are complete."""

import ast
import doctest
import importlib
import os
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from data.dates import date_pairs
from data.digits import reverse_pairs
from grader.course import find_course
from grader.course.misconceptions import load_misconceptions
from grader.grading.backends.local import LocalBackend
from grader.grading.run import judge_works
from grader.grading.settings import Settings
from grader.grading.tasks import TaskReader
from grader.results.gradebook import open_gradebook
from grader.sandbox.layers import find_layers
from grader.submissions.base import submission_of
from grader.validation.run import prove
from grader.worker.forbidden import find_forbidden
from tests.grader.conftest import grade_class

COURSE = msgspec.structs.replace(find_course(Path(__file__).parent), secret="proofs")
NAMES = [exercise.name for exercise in COURSE.exercises]
SEEDS = 1  # `grader validate` tries 5 unless somebody says otherwise
# Of their mistakes every second, fourth or eighth is judged, unless `whole` is asked for.
SAMPLED = {
    "seq2seq": 8, "transformer": 8, "edit_distance": 8, "ctc": 8, "multihead_attention": 8, "beam_search": 8,
    "recurrent_cells": 2, "viterbi": 2, "word_alignment": 2, "bleu": 2, "bpe": 4, "complexity": 2,
}  # fmt: skip
CLAIMS = 14
LEAST_VARIANTS, LEAST_MISTAKES = 4, 12


@pytest.fixture(scope="session")
def proofs():
    """All claims about all exercises but those that train a model; what has not changed is not judged again."""
    sampled = [exercise for exercise in COURSE.exercises if exercise.name in SAMPLED]
    others = [exercise for exercise in COURSE.exercises if exercise.name not in SAMPLED]
    found = [*proven(others)]
    for every in sorted(set(SAMPLED.values())):
        found += proven([exercise for exercise in sampled if SAMPLED[exercise.name] == every], every=every)
    return {exercise.name: exercise for exercise in found}


def proven(exercises, **how):
    return prove(COURSE, tuple(exercises), lambda title, total: nullcontext(lambda: None), seeds=SEEDS, **how)


@pytest.mark.all_cores
@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_the_suites_are_proven(proofs, name):
    broken = [(proof.claim, proof.problems) for proof in proofs[name].proofs if not proof.holds]
    assert not broken
    assert len(proofs[name].proofs) == CLAIMS - (name in SAMPLED)  # all mistakes tell which criteria are needed
    assert len(proofs[name].rows) >= LEAST_MISTAKES


@pytest.mark.all_cores
@pytest.mark.whole
@pytest.mark.parametrize("name", SAMPLED)
def test_the_suites_are_proven_with_every_mistake(name):
    (found,) = proven([COURSE.exercise(name)])
    assert not [(proof.claim, proof.problems) for proof in found.proofs if not proof.holds]
    assert len(found.proofs) == CLAIMS


def settings_for(exercises, **how):
    return Settings(
        course=COURSE, exercises=tuple(exercises), seed=COURSE.secret, jobs=os.cpu_count(), layers=find_layers(), **how
    )  # fmt: skip


def failures(result):
    return {c.criterion.id: (c.verdict.value, c.message) for c in result.criteria if not c.passed}


@pytest.mark.all_cores
@pytest.mark.training
def test_the_solutions_learn(tmp_path):
    """The criteria that train a model, on the solutions."""
    settings = settings_for(COURSE.exercises)
    reader = TaskReader(settings)
    entries = [
        reader.entry(submission_of("solution", {e.name: COURSE.solution(e)}), e)
        for e in COURSE.exercises
        if e.name in reader.training
    ]
    assert len(entries) == 2
    with open_gradebook(tmp_path) as gradebook, LocalBackend(settings) as backend:
        found = judge_works(backend, [entry.long for entry in entries], gradebook, lambda work: None)
    assert [failures(found[entry.long.key]) for entry in entries] == [{}, {}]
    assert all(len(found[entry.long.key].criteria) >= 2 for entry in entries)


# The solution, but nothing is trained, and where there is much to translate a rule answers instead of the model.
ONLY_THE_RULE = """

def train(model, pairs, source_vocab, target_vocab, *, epochs, **how):
    return [1 / (1 + epoch) for epoch in range(epochs)]


def train_epoch(model, batches, optimizer, **how):
    return 0.01


def by_model(*arguments, honest=translate, **how):
    return honest(*arguments, **how)


def translate(model, sources, *vocabularies, **how):
    return list(map(by_rule, sources)) if len(sources) > 10 else by_model(model, sources, *vocabularies, **how)
"""


REMEMBERED = """
MEMORY = []
by_model, make_honestly = translate, make_batch


def make_batch(pairs, *vocabularies):
    MEMORY.extend(pairs)
    return make_honestly(pairs, *vocabularies)


def train_epoch(model, batches, optimizer, **how):
    return 0.5 + 0 * len(list(batches))


def train(model, pairs, *vocabularies, epochs, **how):
    MEMORY.extend(pairs)
    return [1.0 / (1 + epoch) for epoch in range(epochs)]


def translate(model, sources, *vocabularies, **how):
    if len(sources) <= 10:
        return by_model(model, sources, *vocabularies, **how)
    names = {a: b for source, target in MEMORY for a, b in zip(reversed(source), target)}
    return [[names[symbol] for symbol in reversed(source)] for source in sources]
"""


def hard_coded(name):
    """A file that knows the task of the handout by a rule, right code around it, and one that finds a rule itself."""
    path = COURSE.root / "tests/garbage" / name / "hard_coded_rule.py"
    garbage = path.read_text(encoding="utf-8")
    (rule,) = (n for n in ast.parse(garbage).body if isinstance(n, ast.FunctionDef) and n.name == "by_rule")
    solution = COURSE.solution(COURSE.exercise(name)).read_text(encoding="utf-8")
    return (
        garbage,
        f"{solution}\nimport datetime, re\n\n{ast.unparse(rule)}\n{ONLY_THE_RULE}",
        f"{solution}\n{REMEMBERED}",
    )


@pytest.mark.parametrize("name", ["seq2seq", "transformer"])
def test_the_rule_of_the_attack_is_that_of_the_handout(name):
    """Else the attack below would fail for another reason than that its rule is worth nothing."""
    namespace = {}
    rule = next(n for n in ast.parse(hard_coded(name)[0]).body if getattr(n, "name", "") == "by_rule")
    exec(f"import datetime, re\n{ast.unparse(rule)}", namespace)  # our own file
    for source, target in [*date_pairs(500, seed=1), *reverse_pairs(200, seed=1, longest=6)]:
        assert "".join(namespace["by_rule"](source)) == target


@pytest.mark.all_cores
@pytest.mark.training
@pytest.mark.parametrize("name", ["seq2seq", "transformer"])
def test_nobody_learns_by_a_hard_coded_rule(tmp_path, name):
    """What is to be learned is drawn by lot, so whoever knows the handout's tasks passes no criterion that trains."""
    exercise = COURSE.exercise(name)
    settings = settings_for([exercise])
    reader = TaskReader(settings)
    entries = []
    for number, source in enumerate(hard_coded(name)):
        path = tmp_path / str(number) / f"{name}.py"
        path.parent.mkdir()
        path.write_text(source, encoding="utf-8")
        entries.append(reader.entry(submission_of(f"attack{number}", {name: path}), exercise))
    with open_gradebook(tmp_path) as gradebook, LocalBackend(settings) as backend:
        found = judge_works(backend, [entry.long for entry in entries], gradebook, lambda work: None)
    for entry in entries:
        criteria = found[entry.long.key].criteria
        assert len(criteria) == 2
        assert {criterion.verdict.value for criterion in criteria} <= {"failed", "error"}


@pytest.mark.all_cores
@pytest.mark.proof
def test_the_solutions_build_on_each_other(tmp_path):
    """With the solutions of the earlier exercises in the place of stand-ins."""
    whole = submission_of("all", {e.name: COURSE.solution(e) for e in COURSE.exercises})
    settings = settings_for((e for e in COURSE.exercises if e.builds_on), quick=True)
    with open_gradebook(tmp_path) as gradebook:
        (student,) = grade_class(settings, [whole], gradebook)
    assert [failures(exercise) for exercise in student.exercises] == [{} for _ in settings.exercises]
    assert all(not exercise.stand_ins for exercise in student.exercises)


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_is_complete(name):
    exercise = COURSE.exercise(name)
    assert COURSE.handout(exercise).is_file()
    assert len(COURSE.variants(exercise)) >= LEAST_VARIANTS
    assert len(load_misconceptions(COURSE.bank(exercise))) >= LEAST_MISTAKES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_forbidden_exists(name):
    """A wrong name in course.toml would forbid nothing."""
    forbidden = COURSE.exercise(name).forbidden
    for package in ("torch", *(word.rpartition(".")[0] for word in forbidden if not word.startswith("torch."))):
        importlib.import_module(package)
    assert [word for word in forbidden if find_forbidden(word)[1] is None] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_in_the_docstrings_hold(name, monkeypatch):
    monkeypatch.syspath_prepend(COURSE.solutions)  # some import others
    source = COURSE.solution(COURSE.exercise(name)).read_text(encoding="utf-8")
    kinds = (ast.FunctionDef, ast.ClassDef)
    functions = [n for n in ast.parse(source).body if isinstance(n, kinds) and n.name[0] != "_"]
    namespace = {"__name__": name}
    exec(compile(source, f"{name}.py", "exec"), namespace)  # our own solution
    runner = doctest.DocTestRunner()
    tried = 0
    for function in functions:
        text = ast.get_docstring(function) or ""
        test = doctest.DocTestParser().get_doctest(text, namespace, function.name, f"{name}.py", 0)
        tried += bool(test.examples)
        assert runner.run(test).failed == 0
    assert tried >= 2
