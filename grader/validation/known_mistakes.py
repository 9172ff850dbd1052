"""Makes what students are told about known mistakes: each goes through the public tests, its wrong answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from grader.course import Course, Exercise
from grader.course.known_mistakes import (
    FORMAT,
    KnownMistake,
    KnownMistakes,
    WrongAnswer,
    WrongTest,
    digest_of,
    known_mistakes_file,
    read_known_mistakes,
)
from grader.course.misconceptions import Misconception, apply_misconception, load_misconceptions
from grader.course.suites import read_suite
from grader.errors import GraderError
from grader.judge.diagnosis.fingerprints import agree, weight_of
from grader.judge.diagnosis.recognise import Tests, recognise
from grader.judge.processes.events import Diagnosed
from grader.judge.processes.task import Part, Task
from grader.judge.processes.warm import WarmJudge
from grader.results.records import ExerciseResult, Verdict
from grader.sandbox.layers import require_layers
from grader.validation.records import Proof

CLAIM = "Students are told of their mistakes"

Calls = Sequence[tuple[str, dict[str, Any]]]


class Told(msgspec.Struct, frozen=True):
    """One mistake in the public tests: what it fails and answers, and what the search of the teacher's side says."""

    mistake: Misconception
    failed: frozenset[str]
    answers: Tests
    result: ExerciseResult

    def by(self, known: KnownMistakes) -> Diagnosed:
        """What a student who made it is told."""
        return recognise(known, self.answers, self.failed)


def make_known_mistakes(
    course: Course, exercise: Exercise, on_done: Callable[[], None] = lambda: None, *, diagnose: bool = False
) -> tuple[KnownMistakes, tuple[Told, ...]]:
    """The file of an exercise, and how each mistake that shows in public tests went."""
    bank, file = course.bank(exercise), course.solution(exercise)
    if not bank.is_file():
        return KnownMistakes(format=FORMAT, made_of=digest_of(course, exercise)), ()
    source = file.read_text(encoding="utf-8")
    judge = WarmJudge(course, (exercise,), require_layers())
    public = tuple(test.id for test in read_suite(course.suites(exercise)[0]) if not test.long)
    others = {name: (f"{name}.py", course.stand_in(name).read_bytes()) for name in exercise.builds_on}

    def run(text: str) -> tuple[ExerciseResult, Tests]:
        sources = {**others, exercise.name: (f"{exercise.name}.py", text.encode())}
        task = Task(
            exercise=exercise.name, sources=sources, part=Part.SHORT, only=public, seed=course.secret,
            in_process=True, answers=True, diagnose=diagnose,
        )  # fmt: skip
        result = judge.grade(task)
        if result.fault:
            raise GraderError(f"{exercise.name}: its public tests could not be judged: {result.fault}")
        on_done()
        return result, judge.answers.tests

    try:
        _, right = run(source)
        told = []
        for mistake in load_misconceptions(bank):
            result, answers = run(apply_misconception(mistake, source, bank))
            failed = frozenset(one.criterion.id for one in result.criteria if not one.passed)
            # What cannot be judged in process says nothing to students either.
            if failed and not any(one.verdict is Verdict.GRADER_FAULT for one in result.criteria):
                told.append(Told(mistake, failed, answers, result))
    finally:
        judge.close()
    found = (_known(one, right) for one in told)
    known = KnownMistakes(
        format=FORMAT,
        made_of=digest_of(course, exercise),
        mistakes=tuple(one for one in found if one is not None),
    )
    return known, tuple(told)


def prove_known_mistakes(course: Course, exercise: Exercise, *, thorough: bool) -> Proof:
    """The file is up to date and has nothing of hidden criteria. Thoroughly: whoever makes a known mistake is told
    that one by it, or one that answers alike, as the search with the solution says it, or nothing."""
    path = known_mistakes_file(course, exercise)
    if not path.is_file():
        return Proof(claim=CLAIM, finding=f"they are not; `grader diagnoses {exercise.name}` writes what it takes")
    known = read_known_mistakes(course, exercise)
    problems = []
    if known.made_of != digest_of(course, exercise):
        problems.append(f"{path.relative_to(course.root)} is out of date: run `grader diagnoses {exercise.name}`.")
    public = {test.id for test in read_suite(course.suites(exercise)[0])}
    hidden = sorted({id_ for mistake in known.mistakes for id_ in mistake.criteria} - public)
    problems += [f"{path.name} has answers to {id_}, which is not a public criterion." for id_ in hidden]
    finding = f"{len(known.mistakes)} show in public criteria"
    if thorough and not problems:
        _, told = make_known_mistakes(course, exercise, diagnose=True)
        judged = [(one, one.by(known)) for one in told]
        problems += [words for one, diagnosed in judged if (words := _wrongly_told(one, diagnosed))]
        finding = f"{sum(bool(diagnosed.found) for _, diagnosed in judged)} of {len(told)} are told"
    return Proof(
        claim=CLAIM,
        finding=finding,
        problems=tuple(problems),
        remedy="Where two mistakes are taken for one another, let a public call tell them apart.",
    )


def _wrongly_told(told: Told, diagnosed: Diagnosed) -> str:
    """What is wrong with what a student who made this mistake is told."""
    said = [set(found.mistakes) for found in diagnosed.found]
    idea = {told.mistake.id, told.mistake.idea}
    with_solution = {mistake.id for finding in told.result.findings for mistake in finding.mistakes}
    if not said or any(ids & (idea | with_solution) for ids in said):
        return ""
    return f"{told.mistake.id} is taken for {' and '.join(' or '.join(sorted(ids)) for ids in said)}."


def _known(told: Told, right: Tests) -> KnownMistake | None:
    """The mistake as students get it; None where its answers do not tell it."""
    criteria = {id_: tuple(_wrong(told.answers.get(id_, ()), right.get(id_, ()))) for id_ in sorted(told.failed)}
    if not any(wrong.weight for tests in criteria.values() for test in tests for wrong in test.wrong):
        return None
    mistake = told.mistake
    return KnownMistake(
        id=mistake.id, idea=mistake.idea, explanation=mistake.explanation, hint=mistake.hint, criteria=criteria
    )


def _wrong(tests: Sequence[Calls], right: Sequence[Calls]) -> Iterator[WrongTest]:
    for number, (calls, expected) in enumerate(zip(tests, right, strict=False)):
        wrong = []
        for place, ((function, parts), (_, true)) in enumerate(zip(calls, expected, strict=False)):
            differing = {name: part for name, part in parts.items() if not agree(part, true.get(name))}
            if differing:
                wrong.append(WrongAnswer(place, function, max(map(weight_of, differing.values())), differing))
        if wrong:
            yield WrongTest(number, len(calls), tuple(wrong))
