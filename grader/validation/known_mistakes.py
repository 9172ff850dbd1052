"""Makes what students are told about known mistakes: each goes through the public tests, its wrong answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from grader.course import Course, Exercise
from grader.course.known_mistakes import FORMAT, KnownMistake, KnownMistakes, WrongAnswer, WrongTest
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
        return KnownMistakes(format=FORMAT), ()
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
        if result.fault or any(one.verdict is Verdict.GRADER_FAULT for one in result.criteria):
            raise GraderError(f"{exercise.name}: its public tests could not be judged: {result.fault}")
        on_done()
        return result, judge.answers.tests

    try:
        _, right = run(source)
        told = []
        for mistake in load_misconceptions(bank):
            result, answers = run(apply_misconception(mistake, source, bank))
            failed = frozenset(one.criterion.id for one in result.criteria if not one.passed)
            if failed:
                told.append(Told(mistake, failed, answers, result))
    finally:
        judge.close()
    found = (_known(one, right) for one in told)
    return KnownMistakes(format=FORMAT, mistakes=tuple(one for one in found if one is not None)), tuple(told)


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
