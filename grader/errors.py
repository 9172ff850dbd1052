"""The whole tree of exceptions, and those that a person can mend.

Exception
├── GraderError              a person can mend it; the command line prints it as one message, without a traceback
│   ├── ManifestError        course.toml, or another TOML file of the course, says something that we cannot use
│   ├── UnknownExerciseError a name that is not in course.toml
│   ├── MarkError            BEGIN/END SOLUTION marks that do not fit
│   ├── MisconceptionError   an edit that does not apply to the solution
│   ├── CriterionError       a test whose criterion is missing, doubled or out of range
│   ├── SubmissionError      submissions that we cannot work with
│   ├── ResultsError         a results folder that we cannot write, or that another run uses
│   ├── ExportError          results cannot be exported so: an option, or a file that does not fit
│   ├── ConfinementError     student code cannot be confined here
│   └── ClusterError         a cluster cannot be used, or is lost
├── StudentFailure           judge/transports/outcomes: the student's code did not answer; it knows its verdict
├── AssertionError
│   └── Mismatch             judge/suite/compare: the student's result is not what it should be
├── StudentError             worker/executor: the same where the student's code runs
├── CodecError               wire/codec: a message that breaks the rules
├── MemberError              submissions/tree: a file that was handed in, or an archive, cannot be read
├── NotebookError            submissions/notebook: a file that is not a notebook of Jupyter's
├── JudgeFault               judge/processes/task: a judge could not do its work, through no fault of the student
├── CheckFailed              student/cells: a criterion is not passed, said in a notebook
├── NotGradedError           authoring/run_autograder: why Gradescope gets a notice and no score
├── ZygoteDied               sandbox/launcher: the zygote is gone, and a new one must be started
├── OutOfTime                judge/diagnosis/replay: enough time was spent on one submission
└── RuntimeError
    └── SimulationError      worker/simgpu: the simulated accelerator cannot do what was asked
BaseException
└── _Rang                    judge/diagnosis/replay: a known mistake took too long when it was tried

A student's failure never reaches the command line as an exception: it becomes a verdict (results/records.Verdict).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class GraderError(Exception):
    """Where, what was found, what to do."""

    def _render_traceback_(self) -> list[str]:
        """What Jupyter shows: the words alone, without the lines of our own code."""
        return str(self).splitlines()


class ManifestError(GraderError):
    def __init__(self, path: Path, key: str, problem: str) -> None:
        place = f"{path}: {key}" if key else str(path)
        super().__init__(f"{place}: {problem}")
        self.path = path
        self.key = key


class UnknownExerciseError(GraderError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        known = list(known)
        super().__init__(
            f"There is no exercise {name!r}{did_you_mean(name, known)} The exercises are: {', '.join(known)}."
        )
        self.name = name


class MarkError(GraderError):
    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path = path
        self.line = line


class MisconceptionError(GraderError):
    def __init__(self, path: Path, name: str, problem: str) -> None:
        super().__init__(f"{path}: misconception {name!r}: {problem}")
        self.path = path
        self.name = name


class CriterionError(GraderError):
    pass


class SubmissionError(GraderError):
    pass


class ResultsError(GraderError):
    pass


class ExportError(GraderError):
    pass


class ConfinementError(GraderError):
    pass


class ClusterError(GraderError):
    pass


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'weight'?`` or a full stop where nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else "."


def not_installed(package: str, extra: str = "") -> str:
    """The sentence for whoever lacks a package that the course needs, or one of its extras."""
    what = f'".[{extra}]"' if extra else "."
    return f"{package} is not installed here. Run: python -m pip install -c constraints.txt -e {what}"
