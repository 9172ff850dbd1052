"""Judges on cluster workers: processes on this machine or on others, any of which may be lost at any moment.

Each cluster worker gets one work at a time. What a lost or silent one had is tried again on another; after the last
try it is a fault of ours, by name. The first answer counts, whoever gives it, because all give the same.

This module decides who judges what. How bytes get there and back is the affair of a ``Pool``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from types import TracebackType
from typing import Protocol, Self

import msgspec

from grader.errors import ClusterError
from grader.grading.backends.messages import Agreed, Broken, Judged, Refused, Terms, decode_reply, encode
from grader.grading.backends.queue import WorkQueue
from grader.grading.backends.remote import terms_of
from grader.grading.settings import Settings
from grader.grading.tasks import Work
from grader.judge.processes.warm import longest
from grader.results.records import ExerciseResult

TRIES = 3  # the first, and two more on other cluster workers
GLANCE = 1.0  # seconds between two looks at who is there
NOBODY = 600.0  # seconds without a cluster worker that answers, after which the run ends
SOON = 5.0  # seconds of waiting, after which people should know why
GO_ON = "What was judged is kept. Run the same command again to go on."


class Pool(Protocol):
    """Cluster workers, by their addresses, and the way of bytes to them and back."""

    def addresses(self) -> Collection[str]:
        """Who is there now. A ``ClusterError`` if nobody can say: the scheduler is lost."""

    def prepare(self, terms: Terms) -> None:
        """Give everybody, also who comes later, what it needs to judge."""

    def check(self) -> dict[str, bytes]:
        """What all who are there now say of themselves."""

    def grade(self, ticket: int, address: str, task: bytes) -> None:
        """Have a task judged there; ``wait`` tells the answer."""

    def wait(self, seconds: float) -> tuple[int, bytes] | None:
        """The next answer with its ticket."""

    def drop(self, ticket: int) -> None:
        """Nobody waits for this answer any more."""

    def close(self) -> None:
        """End all judges, and whatever was started for the pool."""


class Case(msgspec.Struct, eq=False):
    """A work that has no result yet."""

    work: Work
    tried: list[str]  # where it was lost


class Trial(msgspec.Struct, eq=False):
    """A work that a cluster worker has."""

    case: Case
    address: str
    deadline: float
    overdue: bool = False


class ClusterBackend:
    """As many works at a time as there are cluster workers."""

    def __init__(
        self, settings: Settings, pool: Pool, tell: Callable[[str], None], *,
        patience: Callable[[Work], float] | None = None, nobody: float = NOBODY, glance: float = GLANCE,
    ) -> None:  # fmt: skip
        """``tell`` is for people; ``patience`` says in how many seconds a work must be judged, if not as long as a
        judge's own time-outs allow."""
        self.settings = settings
        self.pool = pool
        self.tell = tell
        self.patience = patience or self._longest
        self.nobody = nobody
        self.glance = glance
        self.queue = WorkQueue()
        self.again: list[Case] = []  # was lost elsewhere
        self.open: dict[str, Case] = {}  # by key
        self.trials: dict[int, Trial] = {}  # by ticket
        self.prepared: dict[str, set[str]] = {}  # exercises by address
        self.refused: set[str] = set()
        self.tickets = count()
        self.alone_since: float | None = None
        self.told_alone = False

    def __enter__(self) -> Self:
        """Wait for the first cluster worker; if any of those who are there would judge otherwise, nothing begins."""
        try:
            while not self._present():
                self._wait_for_somebody()
                time.sleep(self.glance / 10)
            self.pool.prepare(terms_of(self.settings))
            replies = {address: decode_reply(data) for address, data in self.pool.check().items()}
            problems = [_problem(address, reply) for address, reply in sorted(replies.items()) if reply != Agreed()]
            if problems:
                raise ClusterError("\n".join(["--cluster: nothing was judged.", *problems]))
        except BaseException:
            self.pool.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.queue.close()
        self.pool.close()

    def judge(self, works: Sequence[Work]) -> Iterator[tuple[Work, ExerciseResult]]:
        """Judge in parallel. What is late or lost is tried elsewhere; each work is handed out exactly once."""
        self.open = {work.key: Case(work, []) for work in works}
        self.again.clear()
        self.queue.put(works)
        looked = float("-inf")
        while self.open:
            if time.monotonic() - looked >= self.glance:
                present = self._present()
                looked = time.monotonic()
                yield from self._give_up(present)
                if not self.open:
                    break
            self._hand_out(present)
            answer = self.pool.wait(self.glance)
            if answer is not None:
                yield from self._settle(*answer)

    def _present(self) -> set[str]:
        return set(self.pool.addresses()) - self.refused

    def _hand_out(self, present: set[str]) -> None:
        busy = {trial.address for trial in self.trials.values()}
        silent = {trial.address for trial in self.trials.values() if trial.overdue}
        if present - silent:
            self.alone_since = None
        else:
            self._wait_for_somebody()
        for address in sorted(present - busy):
            case = self._next(address, present - silent)
            if case is None:
                continue
            ticket = next(self.tickets)
            self.trials[ticket] = Trial(case, address, time.monotonic() + self.patience(case.work))
            self.pool.grade(ticket, address, encode(case.work.task))

    def _next(self, address: str, others: set[str]) -> Case | None:
        """What was lost elsewhere comes first; where it was lost it goes again only if there is nobody else."""
        for case in self.again:
            if address not in case.tried or others <= set(case.tried):
                self.again.remove(case)
                return case
        work = self.queue.take(self.prepared.setdefault(address, set()), wait=False)
        return self.open[work.key] if work else None

    def _settle(self, ticket: int, data: bytes) -> Iterator[tuple[Work, ExerciseResult]]:
        trial = self.trials.pop(ticket, None)
        if trial is None:  # it was given up: its cluster worker had gone
            return
        case, address = trial.case, trial.address
        reply = decode_reply(data)
        if isinstance(reply, Refused):
            self.refused.add(address)
            self.tell(_problem(address, reply))
            if not trial.overdue:
                self._once_more(case)
        elif isinstance(reply, Judged) and not (reply.result.fault and self._elsewhere(case, address)):
            yield from self._done(case, reply.result)
        elif not trial.overdue:
            words = reply.result.fault if isinstance(reply, Judged) else _words(reply)
            yield from self._lost(case, address, f"{address} could not judge it: {words}")

    def _elsewhere(self, case: Case, address: str) -> bool:
        """Whether a fault of one cluster worker may be none of another."""
        return len(case.tried) + 1 < TRIES and bool(self._present() - {*case.tried, address})

    def _give_up(self, present: set[str]) -> Iterator[tuple[Work, ExerciseResult]]:
        """What lost cluster workers had, and what takes longer than it may."""
        for ticket, trial in list(self.trials.items()):
            if trial.address not in present:
                del self.trials[ticket]
                self.pool.drop(ticket)
                self.prepared.pop(trial.address, None)
                if not trial.overdue:
                    yield from self._lost(trial.case, trial.address, f"{trial.address} was lost")
            elif not trial.overdue and time.monotonic() > trial.deadline:
                trial.overdue = True  # if it answers in the end, and first, that counts
                yield from self._lost(trial.case, trial.address, f"{trial.address} did not answer in time")

    def _lost(self, case: Case, address: str, why: str) -> Iterator[tuple[Work, ExerciseResult]]:
        if not self._is_open(case):
            return
        case.tried.append(address)
        if len(case.tried) < TRIES:
            self._once_more(case)
        else:
            fault = f"{TRIES} cluster workers in turn did not judge it; the last: {why}"
            yield from self._done(case, ExerciseResult(name=case.work.task.exercise, criteria=(), fault=fault))

    def _once_more(self, case: Case) -> None:
        if self._is_open(case):
            self.again.append(case)

    def _done(self, case: Case, result: ExerciseResult) -> Iterator[tuple[Work, ExerciseResult]]:
        if self._is_open(case):
            del self.open[case.work.key]
            if case in self.again:
                self.again.remove(case)
            yield case.work, result

    def _is_open(self, case: Case) -> bool:
        return self.open.get(case.work.key) is case

    def _wait_for_somebody(self) -> None:
        """Not for ever, and not in silence."""
        now = time.monotonic()
        self.alone_since = self.alone_since or now
        if now - self.alone_since > self.nobody:
            raise ClusterError(f"--cluster: for {self.nobody:.0f} seconds no cluster worker has answered. {GO_ON}")
        if now - self.alone_since > SOON and not self.told_alone:
            self.told_alone = True
            self.tell("waiting for a cluster worker. Start one, or stop with Ctrl-C.")

    def _longest(self, work: Work) -> float:
        return longest(self.settings.course.exercise(work.task.exercise))


def _problem(address: str, reply: object) -> str:
    """Who takes no part, why, and what to do about it."""
    if not isinstance(reply, Refused):
        return f"{address} takes no part: {_words(reply)}"
    found = "; ".join(_advice(d.what, d.wanted, d.found) for d in reply.differences)
    return f"{address} (on {reply.host}) takes no part: {found}."


def _words(reply: object) -> str:
    return reply.why if isinstance(reply, Broken) else "it gave an answer to another question"


def _advice(what: str, wanted: str, found: str) -> str:
    if what == "the course":
        return f"there is no course: {found.rstrip('.')} (or set GRADER_COURSE there to its folder)"
    if what.startswith("the files of the course"):
        return f"{what} are not those of this machine (bring the course there to the same state, hidden tests too)"
    if what.startswith("the files of"):
        return f"{what} are not those of this machine (install the same grader there)"
    if what == "confinement":
        return f"confinement: {found} there, {wanted} here (`grader doctor` there says why)"
    return f"{what}: {found} there, {wanted} here (install {wanted} there)"
