"""What pytest does besides where students run the public tests themselves: in ``check``, in ``watch``, and by hand.

It keeps a little of what the student's code prints, says where an endless loop was, and lets ``--pdb`` begin in the
student's own frame. Where submissions are graded confined, it is not there.
"""

from __future__ import annotations

import faulthandler
import io
import os
import signal
import sys
import types
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import msgspec
import pytest

from grader.errors import not_installed
from grader.judge.processes.events import Calling, Noticed, write_event
from grader.judge.transports.inprocess import chain_of, place_of, steps_of
from grader.results.records import CriterionResult, Verdict
from grader.student.alarm import insistent
from grader.student.places import shown_hint, source_at
from grader.text import printable

if TYPE_CHECKING:
    from grader.judge.plugin import SuitePlugin

MAX_PRINTED = 4000  # characters of a test


class Capped(io.TextIOBase):
    """Takes everything and keeps the beginning; a program that prints without end fills no memory."""

    def __init__(self, beyond: TextIO, kept: list[str]) -> None:
        self.beyond = beyond
        self.kept = kept
        self.room = MAX_PRINTED
        self.dropped = 0

    def write(self, text: str) -> int:
        piece = text[: self.room]
        if piece:
            self.kept.append(piece)
            self.beyond.write(piece)
        if len(text) > len(piece):
            if not self.dropped:
                self.beyond.write("\n(more was printed, which is not shown)\n")
            self.dropped += len(text) - len(piece)
        self.room -= len(piece)
        return len(text)

    @property
    def buffer(self) -> Any:
        return _Bytes(self)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def fileno(self) -> int:
        return self.beyond.fileno()

    def flush(self) -> None:
        self.beyond.flush()


class _Bytes(io.RawIOBase):
    """What was written as bytes."""

    def __init__(self, capped: Capped) -> None:
        self.capped = capped

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        content = bytes(data)
        self.capped.write(content.decode(errors="replace"))
        return len(content)


class StudentPlugin:
    """Beside ``SuitePlugin``, which decides; this one only shows."""

    def __init__(self, config: pytest.Config, suites: SuitePlugin) -> None:
        self.config = config
        self.suites = suites
        self.asked = bool(config.getoption("grader_check") or config.getoption("grader_watch"))
        self.patient = bool(config.getoption("grader_events")) and not self.asked  # grading without confinement
        self.printed: list[str] = []
        self.dropped = 0
        self.calling = ""
        if self.asked:
            # pytest captures what comes later; whoever follows this process reads what it was started with.
            self.log = os.dup(2)
            if hasattr(faulthandler, "register"):
                faulthandler.register(signal.SIGUSR1, file=self.log, all_threads=False)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.printed, self.dropped, self.calling = [], 0, ""
        if self.suites.suite_of(item) is None or self.patient:
            return
        session = self.suites.session_of(item)
        session.max_timeouts = 1
        if self.asked:
            session.calls = self.tell_call
        for function in filter(None, self.config.getoption("grader_stuck").split(",")):
            session.timeouts[function] = max(1, session.timeouts[function])

    def tell_call(self, function: str) -> None:
        """So that whoever must kill this process knows which function not to call again."""
        if function != self.calling and self.suites.events:
            self.calling = function
            write_event(self.suites.events, Calling(function))

    @pytest.hookimpl(wrapper=True, trylast=True)  # inside of pytest's own capturing
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        if self.suites.suite_of(item) is None:
            return (yield)
        with ExitStack() as stack:
            if self.asked:
                stack.enter_context(self.told_exit())
            if self.asked or self.config.option.capture != "no":
                stack.enter_context(self.capped())
            files = {name for name, _ in self.suites.session_of(item).transport.sources.values()}
            stack.enter_context(insistent(files))
            return (yield)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if terminalreporter.stats.get("error") and find_spec("torch") is None:
            terminalreporter.write_line(not_installed("torch"))

    @contextmanager
    def told_exit(self) -> Iterator[None]:
        """While the test runs, whoever ends the process by ``os._exit`` is written down."""
        end = os._exit

        def tell_and_end(status: int) -> NoReturn:
            faulthandler.dump_traceback(self.log, all_threads=False)
            end(status)

        os._exit = tell_and_end
        try:
            yield
        finally:
            os._exit = end

    @contextmanager
    def capped(self) -> Iterator[None]:
        """While the test runs, keep what is printed; whoever debugs gets the terminal back by pytest."""
        before = sys.stdout, sys.stderr
        ours = [Capped(stream, self.printed) for stream in before]
        sys.stdout, sys.stderr = ours
        try:
            yield
        finally:
            self.dropped = sum(stream.dropped for stream in ours)
            if sys.stdout is ours[0]:
                sys.stdout = before[0]
            if sys.stderr is ours[1]:
                sys.stderr = before[1]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self.suites.suite_of(item) is None or report.passed:
            return report
        result: CriterionResult | None = getattr(report.longrepr, "result", None)
        place = ""
        error = call.excinfo.value if call.excinfo else None
        if error is not None and getattr(error, "verdict", Verdict.TIMEOUT) is Verdict.TIMEOUT:
            place = place_of(error, self.suites.session_of(item).transport.sources)
        if self.asked and self.suites.events:
            printed = printable("".join(self.printed), MAX_PRINTED)
            noticed = Noticed(self.suites.criterion(item).id, printed, self.dropped, place)
            write_event(self.suites.events, noticed)
        if result is not None:
            report.longrepr.result = self.with_source(item, result, place)  # type: ignore[union-attr]
        return report

    def with_source(self, item: pytest.Item, result: CriterionResult, place: str) -> CriterionResult:
        """The result for a person who reads pytest's words: with the line, and no hint that leads elsewhere."""
        place = result.line or place
        where = [f"in {place}"] if place and place not in result.message else []
        if source := source_at(place, self.suites.session_of(item).transport.sources):
            where.append(f"    {source}")
        return msgspec.structs.replace(
            result,
            message="\n".join([result.message, *where]),
            criterion=msgspec.structs.replace(result.criterion, hint=shown_hint(result)),
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node: Any, call: pytest.CallInfo[Any]) -> None:
        """A debugger begins in the student's innermost frame; where there is none, in the test."""
        if not self.config.getoption("usepdb") or call.excinfo is None or not isinstance(node, pytest.Item):
            return
        if self.suites.suite_of(node) is None:
            return
        names = {name for name, _ in self.suites.session_of(node).transport.sources.values()}
        chain = list(chain_of(call.excinfo.value))
        for files in (names, {str(node.path)}):
            for error in reversed(chain):
                steps = list(steps_of(error))
                last = max((i for i, tb in enumerate(steps) if tb.tb_frame.f_code.co_filename in files), default=None)
                if last is not None:
                    shown = error.with_traceback(_cut(steps[: last + 1]))
                    call.excinfo = pytest.ExceptionInfo.from_exception(shown)
                    return


def _cut(steps: list[types.TracebackType]) -> types.TracebackType | None:
    """A traceback of these steps alone."""
    made: types.TracebackType | None = None
    for step in reversed(steps):
        made = types.TracebackType(made, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return made
