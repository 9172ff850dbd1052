"""Everything of an exercise that is judged to prove it: solution, stub, variants, known mistakes, garbage, mutants."""

from __future__ import annotations

from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.course.equivalents import NONE, Equivalents, load_equivalents
from grader.course.misconceptions import Bank, apply_misconception, load_bank
from grader.course.stubs import make_stub
from grader.errors import GraderError
from grader.validation.garbage import make_garbage
from grader.validation.mutants import Mutant, make_mutants

NO_BANK = Bank(format=1, misconception=())


class Specimens(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one exercise by name."""

    exercise: Exercise
    bank: Bank
    solution: Path
    stub: Path
    variants: dict[str, Path]
    mistakes: dict[str, Path]
    garbage: dict[str, Path]
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
            **{f"garbage {name}": path for name, path in self.garbage.items()},
        }


def make_specimens(
    course: Course, exercise: Exercise, folder: Path, *, mutate: bool = False, every: int = 1
) -> Specimens:
    """Write what is made from the solution into ``folder``, and say where everything is.

    Of the known mistakes every so many are taken.
    """
    solution = course.solution(exercise)
    if not solution.is_file():
        raise GraderError(f"{solution}: not found; write the solution of {exercise.name!r} there.")
    source = solution.read_text(encoding="utf-8")
    file = course.bank(exercise)
    bank = load_bank(file) if file.is_file() else NO_BANK
    bank = msgspec.structs.replace(bank, misconception=bank.misconception[::every])
    equivalents = load_equivalents(course.equivalents(exercise)) if mutate else NONE
    mutants = make_mutants(source, solution) if mutate and not equivalents.not_mutated else ()
    generated = make_garbage(source, of_tests=bool(exercise.implementations_of))
    return Specimens(
        exercise=exercise,
        bank=bank,
        solution=solution,
        stub=_write(folder, exercise, "stub", make_stub(source, solution, exercise.builds_on)),
        variants={path.stem: path for path in course.variants(exercise)},
        mistakes={
            mistake.id: _write(folder, exercise, mistake.id, apply_misconception(mistake, source, file))
            for mistake in bank.misconception
        },
        garbage={
            **{kind: _write(folder, exercise, f"garbage_{kind}", text) for kind, text in generated.items()},
            **{path.stem: path for path in course.garbage(exercise)},
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
