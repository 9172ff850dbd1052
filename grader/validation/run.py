"""``grader validate``: judge everything that belongs to an exercise, and prove from it that the suites are sound.

The gradebook remembers verdicts, so that only what has changed since the last proof is judged again.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from grader.course import Course, Exercise
from grader.course.predictions import path_of
from grader.course.suites import read_suites
from grader.grading.backends.base import Backend
from grader.grading.backends.local import LocalBackend
from grader.grading.run import judge_works
from grader.grading.settings import Settings
from grader.grading.tasks import TaskReader, Work
from grader.results.gradebook import Gradebook, open_gradebook
from grader.results.records import Criterion, ExerciseResult
from grader.sandbox.layers import find_layers
from grader.submissions.base import submission_of
from grader.validation import claims, static_checks
from grader.validation.known_mistakes import prove_known_mistakes
from grader.validation.mutants import Mutant, diff, is_equivalent, stale
from grader.validation.predictions import prove_predictions
from grader.validation.readiness import prove_readiness
from grader.validation.records import ExerciseProof, Mutation, Proof, Survivor
from grader.validation.specimens import Specimens, make_specimens

SEEDS, ALL_SEEDS = 5, 20  # how many other seeds are tried, unless somebody says it
SPREAD = 3  # of these, for each right variant
SAMPLE = 3  # misconceptions of each exercise that are also judged in process


def prove(
    course: Course,
    exercises: tuple[Exercise, ...],
    progress: Callable[[str, int], AbstractContextManager[Callable[[], None]]],
    *,
    anew: bool = False,
    seeds: int | None = None,
    mutate: bool = False,
    train_too: bool = False,
    jobs: int | None = None,
    every: int = 1,
) -> tuple[ExerciseProof, ...]:
    """The proofs of these exercises; ``progress`` shows how far they are, ``anew`` looks up nothing.

    With ``every`` above 1, somebody is in a hurry: only so many of the misconceptions are judged, and nothing is said
    about which criteria are needed.
    """
    layers = find_layers()
    settings = Settings(
        course=course, exercises=exercises, seed=course.secret, jobs=jobs or os.cpu_count() or 1, quick=not train_too,
        layers=None if layers.level == "none" else layers,  # all that is judged is ours: no danger
    )  # fmt: skip
    seeds = seeds if seeds is not None else ALL_SEEDS if anew else SEEDS
    ready = {exercise.name: prove_readiness(course, exercise) for exercise in exercises}
    judged: dict[str, ExerciseProof] = {}
    if sound := tuple(exercise for exercise in exercises if ready[exercise.name].holds):
        settings = msgspec.structs.replace(settings, exercises=sound)
        with (
            tempfile.TemporaryDirectory(prefix="grader-") as files,
            open_gradebook(course.proofs) as gradebook,
            LocalBackend(settings) as backend,
        ):
            validation = Validation(settings, Path(files), seeds=seeds, mutate=mutate, every=every, anew=anew)
            with progress("Proving", validation.total) as advance:
                found = validation.run(FreshGradebook(gradebook) if anew else gradebook, backend, advance)
        judged = {proof.name: proof for proof in found}
    return tuple(judged.get(one.name) or _not_judged(one, ready[one.name]) for one in exercises)


def _not_judged(exercise: Exercise, *proofs: Proof, criteria: tuple[Criterion, ...] = ()) -> ExerciseProof:
    """What is known of an exercise of which only these proofs were made."""
    return ExerciseProof(name=exercise.name, title=exercise.title, criteria=criteria, rows=(), proofs=proofs)


class FreshGradebook(Gradebook):
    """Writes down everything, but finds only what was written through it."""

    def __init__(self, gradebook: Gradebook) -> None:
        super().__init__(gradebook.database, gradebook.path)
        self.added: set[str] = set()

    def find(self, key: str) -> ExerciseResult | None:
        return super().find(key) if key in self.added else None

    def add(self, key: str, student: str, result: ExerciseResult) -> None:
        super().add(key, student, result)
        self.added.add(key)


class Validation:
    """All that is to be judged for some exercises; ``run`` judges it and gives the proofs."""

    def __init__(
        self, settings: Settings, folder: Path, *, seeds: int, mutate: bool, every: int = 1, anew: bool = False
    ) -> None:
        self.settings = settings
        self.course = settings.course
        self.seeds = seeds
        self.mutate = mutate
        self.every = every
        self.anew = anew
        self.reader = TaskReader(settings)
        self.specimens = [
            make_specimens(self.course, e, folder, mutate=mutate, every=every) for e in settings.exercises
        ]
        # By exercise and name: a file, the same with another seed, or a mutant.
        self.works: dict[tuple[str, str], Work] = {}
        for specimens in self.specimens:
            for name, path in specimens.files.items():
                self._plan(specimens, name, path)
            for number in range(1, seeds + 1):
                for name in ("solution", "stub"):
                    self._plan(specimens, f"{name}, seed {number}", specimens.files[name], draw=number)
            self._plan_spread(specimens)
            for number, (_, path) in enumerate(specimens.mutants):
                self._plan(specimens, f"mutant {number}", path, first_failure=True)
            if settings.layers:
                for name in _sample(specimens):
                    self._plan(specimens, f"{name}, in process", specimens.files[name], in_process=True)

    def _plan_spread(self, specimens: Specimens) -> None:
        """The variants and misconceptions with a few of the other seeds each, which depend on their names alone.

        With very few seeds, somebody is in a hurry, and the misconceptions keep the course's own.
        """
        for name in (name for name in specimens.files if name.startswith(("variant ", "misconception "))):
            wrong = name.startswith("misconception ")
            tries = int(self.seeds >= SPREAD) if wrong else min(self.seeds, SPREAD)
            for number in range(tries):
                draw = 1 + (zlib.crc32(name.encode()) + number) % self.seeds
                self._plan(specimens, f"{name}, seed {draw}", specimens.files[name], draw=draw, first_failure=wrong)

    def _plan(self, specimens: Specimens, name: str, path: Path, **how: Any) -> Work:
        submission = submission_of(name, {specimens.exercise.name: path}, specimens.exercise.files)
        work = self.reader.work(submission, specimens.exercise, **how)
        self.works[specimens.exercise.name, name] = work
        return work

    @property
    def total(self) -> int:
        """How often ``on_done`` is called, if every solution is right."""
        return len(self.works)

    def run(self, gradebook: Gradebook, backend: Backend, on_done: Callable[[], None]) -> tuple[ExerciseProof, ...]:
        # The solution first: while it has not all points, whatever else is judged says the same many times.
        first = {one.exercise.name: self.works[one.exercise.name, "solution"] for one in self.specimens}
        found = judge_works(backend, list(first.values()), gradebook, lambda work: on_done())
        solutions = {name: found[work.key] for name, work in first.items()}
        right = [one for one in self.specimens if claims.prove_solution(solutions[one.exercise.name]).holds]
        names = {one.exercise.name for one in right}
        rest = [work for (name, what), work in self.works.items() if name in names and what != "solution"]
        found |= judge_works(backend, rest, gradebook, lambda work: on_done())
        results = {key: found[work.key] for key, work in self.works.items() if key[0] in names}
        alone = self._alone(right, results, gradebook, backend) if self.mutate else {}
        return tuple(
            self._prove(one, results, alone.get(one.exercise.name, frozenset()))
            if one.exercise.name in names
            else self._without_solution(one, solutions[one.exercise.name])
            for one in self.specimens
        )

    def _without_solution(self, specimens: Specimens, solution: ExerciseResult) -> ExerciseProof:
        exercise = specimens.exercise
        read = () if solution.fault else self._read(specimens)  # a suite that cannot be run is not counted
        criteria = tuple(result.criterion for result in solution.criteria)
        return _not_judged(exercise, claims.prove_solution(solution), *read, criteria=criteria)

    def _read(self, specimens: Specimens) -> tuple[Proof, ...]:
        """What reading proves."""
        course, exercise = self.course, specimens.exercise
        return (
            static_checks.prove_points(course, exercise),
            static_checks.prove_prose(course, exercise, specimens.bank),
            static_checks.prove_secrecy(course, exercise),
        )

    def _alone(
        self,
        right: Sequence[Specimens],
        results: dict[tuple[str, str], ExerciseResult],
        gradebook: Gradebook,
        backend: Backend,
    ) -> dict[str, frozenset[str]]:
        """Hidden criteria that are the only ones to kill some mutant: for these the whole suite is run."""
        again: dict[str, tuple[str, Work]] = {}
        for specimens in right:
            hidden = {
                c.criterion.id for c in results[specimens.exercise.name, "solution"].criteria if c.criterion.hidden
            }
            for number, (_, path) in enumerate(specimens.mutants):
                first = claims.failures(results[specimens.exercise.name, f"mutant {number}"])
                if first and first <= hidden:
                    work = self._plan(specimens, f"whole mutant {number}", path)
                    again[work.key] = (specimens.exercise.name, work)
        found = judge_works(backend, [work for _, work in again.values()], gradebook, lambda work: None)
        alone: dict[str, frozenset[str]] = {}
        for key, (name, _) in again.items():
            failed = claims.failures(found[key])
            alone[name] = alone.get(name, frozenset()) | (failed if len(failed) == 1 else frozenset())
        return alone

    def _prove(
        self,
        specimens: Specimens,
        results: dict[tuple[str, str], ExerciseResult],
        alone: frozenset[str],
    ) -> ExerciseProof:
        exercise, course = specimens.exercise, self.course
        own = {name: result for (owner, name), result in results.items() if owner == exercise.name}
        evidence = claims.Evidence(
            solution=own["solution"],
            stub=own["stub"],
            variants={name: own[f"variant {name}"] for name in specimens.variants},
            mistakes=tuple((m, own[f"misconception {m.id}"]) for m in specimens.bank.misconception),
            garbage={name: own[f"garbage {name}"] for name in specimens.garbage},
            justified=specimens.bank.justified,
            other_seeds={name: result for name, result in own.items() if ", seed " in name},
            in_process={
                name: (own[f"{name}, in process"], own[name])
                for name in specimens.files
                if f"{name}, in process" in own
            },
        )
        known = [test.id for test in read_suites(course, exercise)]
        proofs = [
            claims.prove_solution(evidence.solution),
            claims.prove_stub(evidence),
            claims.prove_mistakes(evidence, known),
            claims.prove_costs(evidence),
            prove_known_mistakes(course, exercise, thorough=self.anew),
            claims.prove_variants(evidence),
            claims.prove_garbage(evidence),
            *([claims.prove_need(evidence, known, alone)] if self.every == 1 else []),
            *self._read(specimens),
            *([prove_predictions(course, exercise)] if path_of(course, exercise).is_file() else []),
            claims.prove_steadiness(evidence, self.seeds),
            claims.prove_agreement(evidence, confined=self.settings.layers is not None),
        ]
        mutation = None
        if self.mutate and specimens.equivalents.not_mutated:
            proofs.append(claims.prove_nothing_to_mutate(specimens.equivalents.not_mutated))
        elif self.mutate:
            judged = [(mutant, own[f"mutant {number}"]) for number, (mutant, _) in enumerate(specimens.mutants)]
            mutation, complaints = _count(specimens, judged)
            proofs.append(claims.prove_mutants(mutation, complaints))
        return ExerciseProof(
            name=exercise.name,
            title=exercise.title,
            criteria=tuple(result.criterion for result in evidence.solution.criteria),
            rows=claims.rows(evidence),
            proofs=tuple(proofs),
            mutation=mutation,
        )


def _count(specimens: Specimens, judged: Sequence[tuple[Mutant, ExerciseResult]]) -> tuple[Mutation, list[str]]:
    """The mutants by what became of them, and what is wrong with the list of equivalent ones."""
    file = f"solutions/equivalents/{specimens.exercise.name}.toml"
    complaints = [f"{file}: {one.line!r} → {one.becomes!r} matches no mutant of the solution." for one in
                  stale(specimens.equivalents.equivalent, [mutant for mutant, _ in judged])]  # fmt: skip
    source = specimens.solution.read_text(encoding="utf-8")
    killed = equivalent = 0
    survivors = []
    for mutant, result in judged:
        dead = bool(claims.failures(result))
        if is_equivalent(mutant, specimens.equivalents.equivalent):
            equivalent += 1
            if dead:
                complaints.append(
                    f"{file}: {mutant.id} is not equivalent, {', '.join(claims.failures(result))} sees it."
                )
        elif dead:
            killed += 1
        else:
            place = f"solutions/{specimens.exercise.name}.py:{mutant.number}"
            survivors.append(Survivor(place=place, function=mutant.function, diff=diff(source, mutant)))
            if result.fault or not result.criteria:
                complaints.append(f"{place}: {mutant.id} was not judged: {result.fault}")
    mutation = Mutation(made=len(judged), equivalent=equivalent, killed=killed, survivors=tuple(survivors))
    return mutation, complaints


def _sample(specimens: Specimens) -> list[str]:
    """Solution, stub, and some misconceptions from all over the bank."""
    names = list(specimens.mistakes)
    return ["solution", "stub", *(f"misconception {name}" for name in names[:: max(1, len(names) // SAMPLE)][:SAMPLE])]
