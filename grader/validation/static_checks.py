"""Proofs that need no judge: reading the suites, the stub and the handout is enough."""

from __future__ import annotations

import ast
import re

from grader.course import Course, Exercise
from grader.course.misconceptions import Bank
from grader.course.stubs import make_stub
from grader.course.suites import read_suite, read_suites
from grader.validation.records import Proof

LEAST_PUBLIC, MOST_PUBLIC = 0.25, 0.5  # the share of criteria that students may see


def prove_points(course: Course, exercise: Exercise) -> Proof:
    """The manifest counts the hidden criteria, and students see enough of them, but not all."""
    public, hidden = map(read_suite, course.suites(exercise))
    total = len(public) + len(hidden)
    problems = []
    if exercise.hidden_criteria != len(hidden):
        problems.append(f"course.toml says hidden_criteria = {exercise.hidden_criteria}, the suite has {len(hidden)}.")
    points = sum(test.points for test in hidden)
    if exercise.hidden_points not in (None, points):
        problems.append(f"course.toml says hidden_points = {exercise.hidden_points}, the suite has {points}.")
    if not total or not LEAST_PUBLIC <= len(public) / total <= MOST_PUBLIC:
        problems.append(f"{len(public)} of {total} criteria are public; a quarter to a half should be.")
    problems += [f"{test.id} is worth {test.points} points." for test in (*public, *hidden) if test.points < 1]
    shown, all_of_them = sum(t.points for t in public), sum(t.points for t in (*public, *hidden))
    return Proof(
        claim="Points add up",
        finding=f"{all_of_them} points, {shown} of them public; {total} criteria, {len(public)} of them public",
        problems=tuple(problems),
        remedy="Correct course.toml, or move a criterion to the other suite.",
    )


def prove_prose(course: Course, exercise: Exercise, bank: Bank) -> Proof:
    """Handout and hints are there, the handout names what is to be written, the stub is that of the solution."""
    handout = course.handout(exercise)
    stub = course.module(exercise)
    solution = course.solution(exercise)
    source = make_stub(solution.read_text(encoding="utf-8"), solution, exercise.builds_on)
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = [n.name for n in ast.parse(source).body if isinstance(n, kinds) and not n.name.startswith("_")]
    problems = []
    if not handout.is_file():
        problems.append(f"{handout.relative_to(course.root)} is missing.")
    else:
        text = handout.read_text(encoding="utf-8", errors="replace")
        problems += [f"handout.md does not name {name}." for name in names if not re.search(rf"\b{name}\b", text)]
    if not stub.is_file() or stub.read_text(encoding="utf-8", errors="replace") != source:
        shown = stub.relative_to(course.root)
        problems.append(f"{shown} is not that of the solution: run `grader stubs {exercise.name}`.")
    tests = read_suites(course, exercise)
    problems += [f"Criterion {test.id} has no hint." for test in tests if not test.hint.strip()]
    for mistake in bank.misconception:
        if not mistake.hint.strip() or not mistake.explanation.strip():
            problems.append(f"Misconception {mistake.id} needs an explanation and a hint.")
    return Proof(
        claim="Handout and hints are there",
        finding=f"{len(names)} public names, {len(tests) + len(bank.misconception)} hints",
        problems=tuple(problems),
        remedy="Write what is missing.",
    )


def prove_secrecy(course: Course, exercise: Exercise) -> Proof:
    """The public tests alone do not reveal the hidden ones."""
    path = course.public_suite(exercise)
    public, hidden = read_suite(path), read_suite(course.hidden_suite(exercise))
    source = path.read_text(encoding="utf-8") if path.is_file() else ""
    problems = []
    for test in hidden:
        same = next((other for other in public if other.body == test.body), None)
        if same:
            problems.append(f"The hidden {test.id} does just what the public {same.id} does.")
        # An id of one word is a word like any other; only where it is all of a string it is the id.
        word = rf"\b(test_)?{test.id}\b" if "_" in test.id else rf"""\btest_{test.id}\b|(['"]){test.id}\1"""
        if re.search(word, source):
            problems.append(f"{path.name} mentions the hidden criterion {test.id}.")
    return Proof(
        claim="Public tests do not reveal hidden ones",
        finding=f"{len(public)} compared with {len(hidden)}",
        problems=tuple(problems),
        remedy="Let the hidden test ask something else, and the public suite not speak of it.",
    )
