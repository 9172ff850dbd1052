"""What pytest does in a course: ordinary tests become criteria, and get the ``student`` fixture.

It concerns the suites of the course only: ``exercises/<name>/test_<name>.py`` and ``tests/hidden/test_<name>.py`` below
a ``course.toml``. Other tests there never notice it. ``grader.pytest_plugin`` registers it, in a course only.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pytest

from grader.course import Exercise
from grader.course.known_mistakes import read_known_mistakes
from grader.course.names import wanted_names
from grader.course.suites import Suite, find_suite
from grader.errors import CriterionError, GraderError
from grader.judge.diagnosis.recognise import answers_of, recognise
from grader.judge.diagnosis.recording import Recordings
from grader.judge.processes.events import Collected, Finished, Imported, Importing, Started, write_event
from grader.judge.suite.accelerator import SIMULATED, real_accelerator
from grader.judge.suite.criteria import check_suite, criterion_of
from grader.judge.suite.seeding import seed_for
from grader.judge.suite.student import Session, Student, was_answered
from grader.judge.suite.verdicts import combine, judge_exception
from grader.judge.transports.inprocess import InProcessTransport, read_files
from grader.results.records import Criterion, CriterionResult
from grader.results.scoring import points_of
from grader.worker.executor import seed_everything

PUBLIC_SEED = ""  # of the inputs of public tests


def activate(config: pytest.Config) -> None:
    """Register what makes suites into criteria; with ``--grader-serve``, also what judges over a socket."""
    config.addinivalue_line("markers", "criterion(values): what a test is worth; use @criterion")
    plugin = SuitePlugin(config)
    config.pluginmanager.register(plugin, "grader-course")
    if serve := config.getoption("grader_serve"):
        from grader.judge.processes.server import JudgeServer
        from grader.sandbox.layers import Layers

        descriptor, _, layers = serve.partition(",")
        server = JudgeServer(plugin, int(descriptor), msgspec.json.decode(layers, type=Layers))
        config.pluginmanager.register(server, "grader-server")


class Report:
    """The words for a failed criterion, in place of a traceback through our own code."""

    def __init__(self, result: CriterionResult) -> None:
        self.result = result
        self.reprcrash = self  # pytest takes the one line of its summary from reprcrash.message

    @property
    def message(self) -> str:
        return f"{self.result.verdict}: {self.result.message.partition(chr(10))[0]}"

    def toterminal(self, terminal: Any) -> None:
        terminal.line(str(self))

    def __str__(self) -> str:
        criterion = self.result.criterion
        return (
            f"{criterion.title} ({criterion.points} points): {self.result.verdict}\n"
            f"  {criterion.sentence}\n\n  {self.result.message.replace(chr(10), chr(10) + '  ')}"
        ) + (f"\n\n  Hint: {criterion.hint}" if criterion.hint else "")


class SuitePlugin:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.suites: dict[Path, Suite | None] = {}
        self.submission: Path | None = config.getoption("grader_submission")
        self.problem: str = config.getoption("grader_problem")
        self.serving = bool(config.getoption("grader_serve"))
        self.interruptible = not (config.getoption("grader_check") or config.getoption("grader_watch"))
        self.in_words = config.option.tbstyle == "auto"  # whether a failure is told in our words
        self.course_seed: str | None = config.getoption("grader_seed")
        self.draw: int = config.getoption("grader_draw")
        self.sessions: dict[str, Session] = {}
        self.results: dict[tuple[str, str], list[CriterionResult]] = {}
        self.tests: Counter[tuple[str, str]] = Counter()  # how many tests a criterion has
        self.places: dict[tuple[str, str], int] = {}  # where a criterion stands in the suites
        self.faults: dict[str, str] = {}  # by exercise: why its suites cannot be used
        self.deadline = math.inf  # of the test that runs now, by time.monotonic
        events = config.getoption("grader_events")
        self.events: BinaryIO | None = events.open("ab") if events else None
        self.recordings: Recordings | None = None  # if someone wants them
        if config.getoption("grader_recognise"):
            self.recordings = Recordings()

    def connect(self, session: Session, exercise: Exercise, events: BinaryIO) -> None:
        """Judge the tests of this exercise in this session, not in process, and tell what happens."""
        self.sessions[exercise.name] = session
        self.events = events
        session.tell = self.tell

    def tell(self, event: Importing | Imported) -> None:
        """What a session has to tell while a test runs."""
        if self.events:
            write_event(self.events, event, at_once=not self.serving)

    def has_failure(self) -> bool:
        """Whether a criterion whose tests have all run is not passed."""
        return any(
            len(results) == self.tests[key] and not combine(results).passed for key, results in self.results.items()
        )

    def forget(self) -> None:
        """Be as if no test had run yet."""
        self.sessions.clear()
        self.results.clear()

    # Collection

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        try:
            ours = [item for item in items if self.suite_of(item)]
        except GraderError as error:
            raise pytest.UsageError(str(error)) from error
        for name in {self.suite(item).exercise.name for item in ours}:
            try:
                check_suite([item for item in ours if self.suite(item).exercise.name == name])
            except GraderError as error:
                if not self.serving:
                    raise pytest.UsageError(str(error)) from error
                self.faults[name] = str(error)  # the other exercises can be judged all the same
        if self.faults:
            items[:] = [
                item for item in items if (s := self.suite_of(item)) is None or s.exercise.name not in self.faults
            ]
            ours = [item for item in items if self.suite_of(item)]
        unwanted = {item for item in ours if not self.is_wanted(self.criterion(item))}
        if self.config.getoption("grader_criteria") is not None:
            unwanted |= set(items) - set(ours)
        ours = [item for item in ours if item not in unwanted]
        items[:] = [item for item in items if item not in unwanted]
        for item in ours:
            self.places.setdefault(self.key(item), len(self.places))
            self.prepare(item)
        # The simulated accelerator stays on once it is on, so whoever needs it comes last.
        items.sort(key=lambda item: "device" in getattr(item, "fixturenames", ()) and self.suite_of(item) is not None)
        if self.events:
            write_event(self.events, Collected(self.criteria(ours)))

    def is_wanted(self, criterion: Criterion) -> bool:
        """Whether the options leave this criterion in."""
        option = self.config.getoption
        ids = option("grader_criteria")
        if ids is not None and criterion.id not in ids.split(","):
            return False
        return not (option("grader_quick") and criterion.long) and not (option("grader_long") and not criterion.long)

    def prepare(self, item: pytest.Item) -> None:
        self.tests[self.key(item)] += 1
        if self.serving or self.in_words:  # nobody reads a traceback, and to format one takes longer than most tests
            item.repr_failure = lambda *_, **__: ""  # type: ignore[method-assign]
        if not self.serving:  # a server has a clock of its own
            item.add_marker(pytest.mark.timeout(self.criterion(item).timeout))
        function: Any = getattr(item, "obj", None)
        if getattr(function, "is_hypothesis_test", False):
            from hypothesis import HealthCheck, Phase, settings

            self.seed_hypothesis(item)
            if not getattr(function, "_hypothesis_internal_settings_applied", False):
                phases = [Phase.explicit, Phase.generate]
                settings(
                    max_examples=20,
                    deadline=None,  # the test's own timeout counts
                    database=None,
                    report_multiple_bugs=False,
                    suppress_health_check=list(HealthCheck),
                    # A small counterexample helps a student; a hidden one is shown to nobody.
                    phases=phases if self.criterion(item).hidden else [*phases, Phase.shrink],
                )(function)

    def seed_hypothesis(self, item: pytest.Item) -> None:
        function: Any = getattr(item, "obj", None)
        if getattr(function, "is_hypothesis_test", False):
            from hypothesis import seed

            seed(self.seed(item))(function)

    def suite_of(self, item: pytest.Item) -> Suite | None:
        if item.path not in self.suites:
            self.suites[item.path] = find_suite(item.path)
        suite = self.suites[item.path]
        if suite is None and (criterion_of(item) or self.asks_for_student(item)):
            raise CriterionError(
                f"{item.path}: this test belongs to no exercise. Suites are exercises/<name>/test_<name>.py and "
                "tests/hidden/test_<name>.py, with <name> in course.toml."
            )
        return suite

    def asks_for_student(self, item: pytest.Item) -> bool:
        """Whether it uses our ``student`` fixture, and not one of its own that has the same name."""
        found = getattr(item, "_fixtureinfo", None)
        definitions: Sequence[Any] = found.name2fixturedefs.get("student", ()) if found else ()
        return bool(definitions) and getattr(definitions[-1].func, "__self__", None) is self

    def suite(self, item: pytest.Item) -> Suite:
        suite = self.suite_of(item)
        assert suite is not None
        return suite

    def criterion(self, item: pytest.Item) -> Criterion:
        found = criterion_of(item)
        assert found is not None
        return msgspec.structs.replace(found, hidden=self.suite(item).hidden)

    def criteria(self, items: list[pytest.Item]) -> tuple[Criterion, ...]:
        """The criteria of these tests, each once, in the order of the suites."""
        found = {self.key(item): self.criterion(item) for item in items}
        return tuple(found[key] for key in sorted(found, key=self.places.__getitem__))

    def key(self, item: pytest.Item) -> tuple[str, str]:
        return self.suite(item).exercise.name, self.criterion(item).id

    def seed(self, item: pytest.Item) -> int:
        """Of the test's own inputs: nobody knows it who does not know the course's secret."""
        suite = self.suite(item)
        # What students have is asked alike everywhere: so a public test says the same to them and to their teacher.
        hidden = suite.course.secret if self.course_seed is None else self.course_seed
        seed = hidden if suite.hidden else PUBLIC_SEED
        return seed_for(seed, self.draw, f"{suite.exercise.name}/{item.name}")

    def student_seed(self, item: pytest.Item) -> int:
        """Of what the student's code draws, which sees it: it tells neither the secret nor which test this is."""
        return seed_for(self.session_of(item).submission, self.draw, self.suite(item).exercise.name)

    def reseed(self, course_seed: str, draw: int, items: list[pytest.Item]) -> None:
        """Draw the inputs of these tests from another seed."""
        self.course_seed, self.draw = course_seed, draw
        for item in items:
            self.seed_hypothesis(item)

    # Running

    def session_of(self, item: pytest.Item) -> Session:
        suite = self.suite(item)
        name = suite.exercise.name
        if name not in self.sessions:
            files = suite.student_files(self.submission)
            wanted = wanted_names(suite.course, suite.exercise)
            transport = InProcessTransport(
                suite.exercise, read_files(files), problem=self.problem, wanted=wanted, interruptible=self.interruptible
            )
            self.sessions[name] = Session(transport)
            self.sessions[name].tell = self.tell
        return self.sessions[name]

    @pytest.fixture
    def student(self, request: pytest.FixtureRequest) -> Student:
        """The student's module: its functions by name."""
        simulate = "device" in request.fixturenames and self.accelerator() == SIMULATED
        seed = self.student_seed(request.node)
        id_ = self.criterion(request.node).id
        recording = self.recordings.begin(id_, simulate=simulate) if self.recordings else None
        student = Student(self.session_of(request.node), seed, simulate=simulate, recording=recording)
        request.node.stash[STUDENT] = student
        return student

    @pytest.fixture
    def device(self) -> str:
        """The accelerator: a real one in process where there is one, else the simulated one."""
        return self.accelerator()

    def accelerator(self) -> str:
        return SIMULATED if self.serving else real_accelerator() or SIMULATED

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> random.Random:
        """A generator for this test's inputs, seeded from the course's seed and the test."""
        return random.Random(self.seed(request.node))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.suite_of(item):
            seed_everything(self.seed(item))
            self.deadline = min(time.monotonic() + self.criterion(item).timeout, self.session_of(item).deadline)
            if self.events and self.key(item) not in self.results:
                write_event(self.events, Started(self.criterion(item).id))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self.suite_of(item) is None or (report.when != "call" and report.passed):
            return report
        student = item.stash.get(STUDENT, None)
        error = call.excinfo.value if call.excinfo else None
        answered = student is not None and was_answered(student)
        result = judge_exception(self.criterion(item), error, answered, in_full=not self.serving)
        if not result.passed and self.in_words:
            report.longrepr = Report(result)  # type: ignore[assignment]
        key = self.key(item)
        self.results.setdefault(key, []).append(result)
        if len(self.results[key]) == self.tests[key] and self.events:
            write_event(self.events, Finished(combine(self.results[key])), at_once=not self.serving)
        if self.config.getoption("grader_first_failure") and self.has_failure():
            item.session.shouldstop = "a criterion failed"
        return report

    def pytest_sessionfinish(self) -> None:
        if self.config.getoption("grader_recognise") and not self.config.getoption("grader_watch"):
            self.recognise()

    def recognise(self) -> None:
        """Tell which known mistakes the failures are, as far as students are told."""
        failed: dict[str, set[str]] = {}
        for (exercise, id_), results in self.results.items():
            if not combine(results).passed:
                failed.setdefault(exercise, set()).add(id_)
        for exercise, ids in failed.items():
            session = self.sessions.get(exercise)
            if not self.recordings or session is None or session.imported.problem:
                continue
            course = next(s.course for s in self.suites.values() if s and s.exercise.name == exercise)
            known = read_known_mistakes(course, course.exercise(exercise))
            found = recognise(known, answers_of(self.recordings.by_criterion), ids)
            if found.found and self.events:
                write_event(self.events, found)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        by_exercise: dict[str, list[CriterionResult]] = {}
        for (exercise, _), results in self.results.items():
            by_exercise.setdefault(exercise, []).append(combine(results))
        for exercise, criteria in by_exercise.items():
            earned, possible = points_of(criteria)
            if problem := self.sessions[exercise].imported.in_full:
                terminalreporter.write_line(f"{exercise}: {problem}")
            terminalreporter.write_line(f"{exercise}: {earned} of {possible} points in these tests")

    def pytest_unconfigure(self) -> None:
        if self.events:
            self.events.close()


STUDENT = pytest.StashKey[Student]()
