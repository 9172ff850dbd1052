"""``grader validate``: judge everything that belongs to an exercise, and prove from it that the suites are sound.

The gradebook remembers verdicts, so that only what has changed since the last proof is judged again.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from grader.authoring import proof, reading
from grader.authoring.equivalents import is_equivalent, stale
from grader.authoring.mutants import Mutant, diff
from grader.authoring.pile import Pile, make_pile
from grader.gradebook import Gradebook, open_gradebook
from grader.judge.run import run_suites
from grader.judge.task import JudgeFault
from grader.manifest import Course, Exercise
from grader.models import ExerciseResult
from grader.pipeline import Settings, TaskReader, Work, grade_works
from grader.reports.progress import progress
from grader.reports.proofs import ExerciseProof, Mutation, Survivor
from grader.sandbox.layers import find_layers
from grader.submissions.base import Submission

SEEDS, ALL_SEEDS = 5, 20  # how many other seeds are tried, unless somebody says it
SPREAD = 3  # of these, for each right variant
SAMPLE = 3  # misconceptions of each exercise that are also judged in process


def prove(
    course: Course,
    exercises: tuple[Exercise, ...],
    *,
    anew: bool = False,
    seeds: int | None = None,
    mutate: bool = False,
    train_too: bool = False,
    jobs: int | None = None,
) -> tuple[ExerciseProof, ...]:
    """The proofs of these exercises, with a progress bar; ``anew`` looks up nothing."""
    layers = find_layers()
    settings = Settings(
        course=course, exercises=exercises, seed=course.seed, jobs=jobs or os.cpu_count() or 1, quick=not train_too,
        layers=None if layers.level == "none" else layers,  # all that is judged is ours: no danger
    )  # fmt: skip
    seeds = seeds if seeds is not None else ALL_SEEDS if anew else SEEDS
    with (
        tempfile.TemporaryDirectory(prefix="grader-") as files,
        open_gradebook(course.root / ".grader" / "validate") as gradebook,
    ):
        validation = Validation(settings, Path(files), seeds=seeds, mutate=mutate)
        with progress("Proving", validation.total) as advance:
            return validation.run(FreshGradebook(gradebook) if anew else gradebook, advance)


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

    def __init__(self, settings: Settings, folder: Path, *, seeds: int, mutate: bool) -> None:
        self.settings = settings
        self.course = settings.course
        self.seeds = seeds
        self.mutate = mutate
        self.reader = TaskReader(settings)
        self.piles = [make_pile(self.course, e, folder, mutate=mutate) for e in settings.exercises]
        # By exercise and name: a file, the same with another seed, or a mutant.
        self.works: dict[tuple[str, str], Work] = {}
        for pile in self.piles:
            for name, path in pile.files.items():
                self._plan(pile, name, path)
            for number in range(1, seeds + 1):
                for name in ("solution", "stub"):
                    seed = settings.seed + number
                    self._plan(pile, f"{name}, seed {seed}", pile.files[name], seed=seed)
            self._plan_spread(pile)
            for number, (_, path) in enumerate(pile.mutants):
                self._plan(pile, f"mutant {number}", path, first_failure=True)
        self.sampled = [(pile, name) for pile in self.piles for name in _sample(pile)] if settings.layers else []

    def _plan_spread(self, pile: Pile) -> None:
        """The variants and misconceptions with a few of the other seeds each, which depend on their names alone."""
        for name in (name for name in pile.files if name not in ("solution", "stub")):
            wrong = name.startswith("misconception ")
            for number in range(min(self.seeds, 1 if wrong else SPREAD)):
                seed = self.settings.seed + 1 + (zlib.crc32(name.encode()) + number) % self.seeds
                self._plan(pile, f"{name}, seed {seed}", pile.files[name], seed=seed, first_failure=wrong)

    def _plan(self, pile: Pile, name: str, path: Path, *, seed: int | None = None, first_failure: bool = False) -> Work:
        submission = Submission(student=name, files={pile.exercise.name: path})
        work = self.reader.work(submission, pile.exercise, seed=seed, first_failure=first_failure)
        self.works[pile.exercise.name, name] = work
        return work

    @property
    def total(self) -> int:
        """How often ``on_done`` is called."""
        return len(self.works) + len(self.sampled)

    def run(self, gradebook: Gradebook, on_done: Callable[[], None]) -> tuple[ExerciseProof, ...]:
        found = grade_works(self.settings, list(self.works.values()), gradebook, lambda work: on_done())
        results = {key: found[work.key] for key, work in self.works.items()}
        here = self._in_process(gradebook, on_done)
        alone = self._alone(results, gradebook) if self.mutate else {}
        return tuple(
            self._prove(pile, results, here, alone.get(pile.exercise.name, frozenset())) for pile in self.piles
        )

    def _in_process(self, gradebook: Gradebook, on_done: Callable[[], None]) -> dict[tuple[str, str], ExerciseResult]:
        """The sample, judged as students check themselves."""
        keys = {(p.exercise.name, n): f"{self.works[p.exercise.name, n].key} in process" for p, n in self.sampled}
        results = {}
        missing = []
        for pile, name in self.sampled:
            known = gradebook.find(keys[pile.exercise.name, name])
            if known:
                results[pile.exercise.name, name] = known
                on_done()
            else:
                missing.append((pile, name))
        with ThreadPoolExecutor(self.settings.jobs) as pool:
            judged = pool.map(lambda one: self._judge_here(one[0].exercise, one[0].files[one[1]]), missing)
            for (pile, name), result in zip(missing, judged, strict=True):
                gradebook.add(keys[pile.exercise.name, name], name, result)
                results[pile.exercise.name, name] = result
                on_done()
        return results

    def _judge_here(self, exercise: Exercise, path: Path) -> ExerciseResult:
        suites = [self.course.public_suite(exercise), self.course.hidden_suite(exercise)]
        try:
            criteria = run_suites(
                suites, path, budget=exercise.budget, seed=self.settings.seed, cwd=self.course.root,
                quick=self.settings.quick,
            )  # fmt: skip
        except JudgeFault as fault:
            return ExerciseResult(name=exercise.name, criteria=(), fault=str(fault))
        return ExerciseResult(name=exercise.name, criteria=criteria)

    def _alone(self, results: dict[tuple[str, str], ExerciseResult], gradebook: Gradebook) -> dict[str, frozenset[str]]:
        """Hidden criteria that are the only ones to kill some mutant: for these the whole suite is run."""
        again: dict[str, tuple[str, Work]] = {}
        for pile in self.piles:
            hidden = {c.criterion.id for c in results[pile.exercise.name, "solution"].criteria if c.criterion.hidden}
            for number, (_, path) in enumerate(pile.mutants):
                first = proof.failures(results[pile.exercise.name, f"mutant {number}"])
                if first and first <= hidden:
                    work = self._plan(pile, f"whole mutant {number}", path)
                    again[work.key] = (pile.exercise.name, work)
        found = grade_works(self.settings, [work for _, work in again.values()], gradebook, lambda work: None)
        alone: dict[str, frozenset[str]] = {}
        for key, (name, _) in again.items():
            failed = proof.failures(found[key])
            alone[name] = alone.get(name, frozenset()) | (failed if len(failed) == 1 else frozenset())
        return alone

    def _prove(
        self,
        pile: Pile,
        results: dict[tuple[str, str], ExerciseResult],
        here: dict[tuple[str, str], ExerciseResult],
        alone: frozenset[str],
    ) -> ExerciseProof:
        exercise, course = pile.exercise, self.course
        own = {name: result for (owner, name), result in results.items() if owner == exercise.name}
        evidence = proof.Evidence(
            solution=own["solution"],
            stub=own["stub"],
            variants={name: own[f"variant {name}"] for name in pile.variants},
            mistakes=tuple((m, own[f"misconception {m.id}"]) for m in pile.bank.misconception),
            justified=pile.bank.justified,
            other_seeds={name: result for name, result in own.items() if ", seed " in name},
            in_process={name: (r, own[name]) for (owner, name), r in here.items() if owner == exercise.name},
        )
        suites = (course.public_suite(exercise), course.hidden_suite(exercise))
        known = [test.id for suite in suites for test in reading.read_suite(suite)]
        proofs = [
            proof.prove_solution(evidence),
            proof.prove_stub(evidence),
            proof.prove_mistakes(evidence, known),
            proof.prove_variants(evidence),
            proof.prove_need(evidence, known, alone),
            reading.prove_points(course, exercise),
            reading.prove_prose(course, exercise, pile.bank),
            reading.prove_secrecy(course, exercise),
            proof.prove_steadiness(evidence, self.seeds),
            proof.prove_agreement(evidence, confined=self.settings.layers is not None),
        ]
        mutation = None
        if self.mutate and pile.equivalents.not_mutated:
            proofs.append(proof.prove_nothing_to_mutate(pile.equivalents.not_mutated))
        elif self.mutate:
            judged = [(mutant, own[f"mutant {number}"]) for number, (mutant, _) in enumerate(pile.mutants)]
            mutation, complaints = _count(pile, judged)
            proofs.append(proof.prove_mutants(mutation, complaints))
        return ExerciseProof(
            name=exercise.name,
            title=exercise.title,
            criteria=tuple(result.criterion for result in evidence.solution.criteria),
            rows=proof.rows(evidence),
            proofs=tuple(proofs),
            mutation=mutation,
        )


def _count(pile: Pile, judged: Sequence[tuple[Mutant, ExerciseResult]]) -> tuple[Mutation, list[str]]:
    """The mutants by what became of them, and what is wrong with the list of equivalent ones."""
    file = f"solutions/equivalents/{pile.exercise.name}.toml"
    complaints = [f"{file}: {one.line!r} → {one.becomes!r} is no mutant (any more)." for one in
                  stale(pile.equivalents.equivalent, [mutant for mutant, _ in judged])]  # fmt: skip
    source = pile.solution.read_text(encoding="utf-8")
    killed = equivalent = 0
    survivors = []
    for mutant, result in judged:
        dead = bool(proof.failures(result))
        if is_equivalent(mutant, pile.equivalents.equivalent):
            equivalent += 1
            if dead:
                complaints.append(
                    f"{file}: {mutant.id} is not equivalent, {', '.join(proof.failures(result))} sees it."
                )
        elif dead:
            killed += 1
        else:
            place = f"solutions/{pile.exercise.name}.py:{mutant.number}"
            survivors.append(Survivor(place=place, function=mutant.function, diff=diff(source, mutant)))
            if result.fault or not result.criteria:
                complaints.append(f"{place}: {mutant.id} was not judged: {result.fault}")
    mutation = Mutation(made=len(judged), equivalent=equivalent, killed=killed, survivors=tuple(survivors))
    return mutation, complaints


def _sample(pile: Pile) -> list[str]:
    """Solution, stub, and some misconceptions from all over the bank."""
    names = list(pile.mistakes)
    return ["solution", "stub", *(f"misconception {name}" for name in names[:: max(1, len(names) // SAMPLE)][:SAMPLE])]
