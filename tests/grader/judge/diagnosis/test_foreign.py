"""Wrong programs of other people (``tests/diagnosis``): they hold together, and the diagnosis is right about them.

They were written from handout and stub alone, without a look at the bank of known mistakes: edits of right programs in
several styles, each with its true causes in words, and as ids of the bank. The bank has grown by those of ``foreign``,
and knows nothing of those of ``blind``.
"""

import ast
import os
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from grader.course import find_course
from grader.course.misconceptions import load_misconceptions

ROOT = Path(__file__).parents[4]
COURSE = find_course(ROOT)
CORPORA = ROOT / "tests/diagnosis"
FILES = sorted([*CORPORA.glob("foreign/*.toml"), *CORPORA.glob("blind/*.toml")])
LEAST = {"foreign": (150, 30), "blind": (80, 16)}
EVERY = {"foreign": 40, "blind": 5}  # of each exercise so many are left out for one that is judged


def load(file):
    """(name, causes, ids for each cause, text of the right program, edits)"""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    for kind in ("mistake", "double"):
        for entry in document[kind]:
            base = CORPORA / "foreign" / file.stem / f"{entry['base']}.py"
            single = kind == "mistake"
            causes = [entry["cause"]] if single else entry["causes"]
            known = [entry["known"]] if single else entry["known"]
            yield entry["name"], causes, known, base.read_text(encoding="utf-8"), entry["edits"]


def label(file):
    return f"{file.parent.name}-{file.stem}"


@pytest.mark.parametrize("corpus", LEAST)
def test_there_are_enough_single_and_double_mistakes(corpus):
    files = [file for file in FILES if file.parent.name == corpus]
    causes = [len(causes) for file in files for _, causes, *_ in load(file)]
    assert len(files) == 8
    assert causes.count(1) >= LEAST[corpus][0]
    assert causes.count(2) >= LEAST[corpus][1]


@pytest.mark.parametrize("file", FILES, ids=label)
def test_every_mistake_is_an_edit_of_a_right_program_with_names_of_the_bank(file):
    bank = {mistake.id for mistake in load_misconceptions(COURSE.bank(COURSE.exercise(file.stem)))}
    entries = list(load(file))
    assert len({name for name, *_ in entries}) == len(entries)
    for name, causes, known, right, edits in entries:
        wrong = right
        for edit in edits:
            assert wrong.count(edit["find"]) == 1, name
            wrong = wrong.replace(edit["find"], edit["replace"])
        ast.parse(wrong)
        assert wrong != right, name
        assert all(causes) and len(known) == len(causes), name
        assert set().union(*known) <= bank, name


@pytest.mark.all_cores
@pytest.mark.proof
def test_the_diagnosis_is_right_or_silent(monkeypatch):
    """A sample of all; `python benchmarks/diagnosis.py` judges every program."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    sys.modules.pop("diagnosis", None)
    from diagnosis import judge_all, read_corpus

    programs = [
        program
        for file in FILES
        for program in list(read_corpus(COURSE, COURSE.exercise(file.stem), file.parent.name))[
            len(file.stem) % EVERY[file.parent.name] :: EVERY[file.parent.name]
        ]
    ]
    judged = [one for _, one in judge_all(COURSE, programs, os.cpu_count() or 1)]
    told = "\n".join(f"{one.word}: {one.exercise} {one.name}, said {one.said}" for one in judged if one.word != "right")
    words = {causes: Counter(one.word for one in judged if one.causes == causes) for causes in (1, 2)}
    single = words[1].total()
    print(f"\n{single} single mistakes {dict(words[1])}, {words[2].total()} double ones {dict(words[2])}\n{told}")
    assert single >= 25
    assert words[1]["wrong"] + words[2]["wrong"] <= 2, told
    assert words[1]["right"] >= 0.8 * single, told
