"""What ``grader validate`` found out about an exercise, as plain records."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from grader.results.records import Criterion

FORMAT = 1


class Cell(StrEnum):
    """What a criterion says about a misconception."""

    PASSES = "passes"
    FAILS = "fails"
    EXPECTED = "fails, expected"
    FAULT = "not judged"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One misconception against all criteria."""

    id: str
    explanation: str
    score: float | None
    cells: tuple[Cell, ...]
    severity: int = 100

    @property
    def once(self) -> float | None:
        """The score where a mistake costs once."""
        return None if self.score is None else max(self.score, 100.0 - self.severity)

    @property
    def caught(self) -> int:
        return sum(cell in (Cell.FAILS, Cell.EXPECTED) for cell in self.cells)


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A claim about an exercise: whether it holds, and if not, where and what to do."""

    claim: str
    finding: str
    problems: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def holds(self) -> bool:
        return not self.problems


class Survivor(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that passed every criterion."""

    place: str
    function: str
    diff: str


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """How many mutants the suites killed; equivalent ones are counted apart."""

    made: int
    equivalent: int
    killed: int
    survivors: tuple[Survivor, ...]

    @property
    def rate(self) -> float:
        counted = self.made - self.equivalent
        return self.killed / counted if counted else 1.0


class ExerciseProof(msgspec.Struct, frozen=True, kw_only=True):
    """All proofs of one exercise."""

    name: str
    title: str
    criteria: tuple[Criterion, ...]
    rows: tuple[Row, ...]
    proofs: tuple[Proof, ...]
    mutation: Mutation | None = None

    @property
    def holds(self) -> bool:
        return all(proof.holds for proof in self.proofs)

    def catches(self, index: int) -> tuple[int, int]:
        """How many misconceptions the criterion with this index fails, and how many of them nothing else does."""
        failed = [row for row in self.rows if row.cells[index] in (Cell.FAILS, Cell.EXPECTED)]
        return len(failed), sum(row.caught == 1 for row in failed)


def proofs_document(exercises: Sequence[ExerciseProof]) -> dict[str, Any]:
    """For ``--json``."""
    return {
        "format": FORMAT,
        "holds": all(exercise.holds for exercise in exercises),
        "exercises": [_document(exercise) for exercise in exercises],
    }


def _document(exercise: ExerciseProof) -> dict[str, Any]:
    mutation = exercise.mutation
    ids = [criterion.id for criterion in exercise.criteria]
    return {
        "name": exercise.name,
        "holds": exercise.holds,
        "criteria": [{"id": c.id, "title": c.title, "hidden": c.hidden, "points": c.points} for c in exercise.criteria],
        "misconceptions": [
            {"id": row.id, "score": row.score, "once": row.once, "criteria": dict(zip(ids, row.cells, strict=True))}
            for row in exercise.rows
        ],
        "proofs": [{"holds": proof.holds, **msgspec.to_builtins(proof)} for proof in exercise.proofs],
        "mutation": None if mutation is None else {"rate": mutation.rate, **msgspec.to_builtins(mutation)},
    }
