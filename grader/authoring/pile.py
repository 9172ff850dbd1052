"""Everything of an exercise that is judged to prove it: solution, stub, right variants, known mistakes, mutants."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.authoring.equivalents import NONE, Equivalents, equivalents_path, load_equivalents
from grader.authoring.mutants import Mutant, make_mutants
from grader.errors import GraderError
from grader.manifest import Course, Exercise
from grader.misconceptions import Bank, apply_misconception, bank_path, load_bank

NO_BANK = Bank(format=1, misconception=())


class Pile(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one exercise by name."""

    exercise: Exercise
    bank: Bank
    solution: Path
    stub: Path
    variants: dict[str, Path]
    mistakes: dict[str, Path]
    mutants: tuple[tuple[Mutant, Path], ...] = ()
    equivalents: Equivalents = NONE

    @property
    def files(self) -> dict[str, Path]:
        """All but the mutants."""
        return {
            "solution": self.solution,
            "stub": self.stub,
            **{f"variant {name}": path for name, path in self.variants.items()},
            **{f"misconception {name}": path for name, path in self.mistakes.items()},
        }


def make_pile(course: Course, exercise: Exercise, folder: Path, *, mutate: bool = False) -> Pile:
    """Write what is made from the solution into ``folder``, and say where everything is."""
    solution = course.solution(exercise)
    if not solution.is_file():
        raise GraderError(f"{solution}: not found; write the solution of {exercise.name!r} there.")
    source = solution.read_text(encoding="utf-8")
    file = bank_path(course, exercise)
    bank = load_bank(file) if file.is_file() else NO_BANK
    variants = sorted((course.root / "tests" / "variants" / exercise.name).glob("*.py"))
    equivalents = load_equivalents(equivalents_path(course, exercise)) if mutate else NONE
    mutants = make_mutants(source, solution) if mutate and not equivalents.not_mutated else ()
    return Pile(
        exercise=exercise,
        bank=bank,
        solution=solution,
        stub=course.module(exercise),
        variants={path.stem: path for path in variants},
        mistakes={
            mistake.id: _write(folder, exercise, mistake.id, apply_misconception(mistake, source, file))
            for mistake in bank.misconception
        },
        mutants=tuple(
            (mutant, _write(folder, exercise, f"mutant{number}", mutant.source))
            for number, mutant in enumerate(mutants)
        ),
        equivalents=equivalents,
    )


def _write(folder: Path, exercise: Exercise, name: str, source: str) -> Path:
    path = folder / exercise.name / name / f"{exercise.name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path
