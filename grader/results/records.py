"""What flows through the grader: frozen records of verdicts, criteria, and results.

Records that a large class has many of are left alone by the garbage collector (``gc=False``): they never form a circle.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Verdict(StrEnum):
    """What became of one criterion, worst last; ``grader_fault`` is ours and never a zero."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # the student's code raised
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"  # its process died
    TAMPERED = "tampered"
    MISSING = "missing"  # nothing submitted, or still a stub
    GRADER_FAULT = "grader_fault"


class Kind(StrEnum):
    """What a criterion looks at."""

    VALUE = "value"
    SHAPE = "shape"
    INVARIANCE = "invariance"
    GRADIENT = "gradient"
    DEVICE = "device"
    ROBUSTNESS = "robustness"
    EFFICIENCY = "efficiency"


class Criterion(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that is graded, as its test declares it."""

    id: str
    title: str
    kind: Kind
    points: int
    hint: str
    sentence: str  # the test's docstring: what students read
    timeout: float
    hidden: bool
    long: bool = False  # it trains a model
    question: str = ""  # a first hint, which asks
    step: str = ""  # a last hint, which says nearly what to write

    @property
    def hints(self) -> tuple[str, ...]:
        """What helps, the least first: a question, a direction, nearly the step."""
        return tuple(words for words in (self.question, self.hint, self.step) if words)


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A known mistake that gives the answers which the student's code gave."""

    id: str
    explanation: str
    hint: str
    severity: int = 100  # what it may cost at most, in percent of the exercise, where a mistake costs once


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake behind failures: several known ones where nothing tells them apart."""

    mistakes: tuple[Diagnosis, ...]
    criteria: tuple[str, ...]  # ids of the failed criteria that it explains, alone or with other findings
    likeness: bool = False  # it explains only a part of what is wrong: "looks like"


class CriterionResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A criterion with what became of it for one student."""

    criterion: Criterion
    verdict: Verdict
    message: str = ""  # what students may read of the failure
    line: str = ""  # the place in the student's file, where known

    @property
    def passed(self) -> bool:
        return self.verdict is Verdict.PASSED


class ExerciseResult(msgspec.Struct, frozen=True, kw_only=True):
    """All criteria of one exercise for one student, in the order of the suites."""

    name: str
    criteria: tuple[CriterionResult, ...]
    fault: str = ""  # what kept us from running the tests at all
    stand_ins: tuple[str, ...] = ()  # earlier exercises in whose place the course's own modules were used
    seam: str = ""  # why: what went wrong with the student's own modules
    seconds: float = 0.0  # that judging it took
    pending: bool = False  # criteria that train a model are still to come
    problem: str = ""  # why no criterion was reached: the module does not import, or the file cannot be used
    notes: tuple[str, ...] = ()  # what people should know about the files, though it costs nothing
    findings: tuple[Finding, ...] = ()  # the mistakes that were made, as far as they are known
    explained: bool = False  # whether the findings together give every answer that the student's code gave

    def findings_of(self, criterion: str) -> tuple[Finding, ...]:
        """What explains this failed criterion."""
        return tuple(finding for finding in self.findings if criterion in finding.criteria)

    @property
    def verdict(self) -> Verdict:
        """``passed`` for full marks, ``missing`` if nothing (or only the stub) was handed in, else ``failed``."""
        verdicts = {result.verdict for result in self.criteria}
        if self.fault or Verdict.GRADER_FAULT in verdicts:
            return Verdict.GRADER_FAULT
        return verdicts.pop() if verdicts in ({Verdict.PASSED}, {Verdict.MISSING}) else Verdict.FAILED


class StudentResult(msgspec.Struct, frozen=True, kw_only=True):
    """One student's exercises, in the order of the course."""

    id: str
    exercises: tuple[ExerciseResult, ...]
