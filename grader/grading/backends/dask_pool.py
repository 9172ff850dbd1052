"""The pool of cluster workers that dask offers. No other module of ours knows dask; it is imported with ``--cluster``.

dask pickles what we give it: the names of our own functions, bytes, and nothing else. It carries no object that was
made from a submission.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import queue
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Collection, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from grader.errors import ClusterError, not_installed
from grader.grading.backends.cluster import GO_ON
from grader.grading.backends.messages import Broken, Terms, encode
from grader.grading.backends.remote import RemoteJudge

try:
    import dask
    from distributed import Client, Future, LocalCluster, Security, Worker, WorkerPlugin, get_worker
except ModuleNotFoundError as error:
    raise ClusterError(not_installed("distributed", "cluster")) from error

FORMS = "local:4 (cluster workers on this machine), tcp://HOST:PORT (a scheduler), or module:factory (a function)"
CONNECT = 30  # seconds until a scheduler must have answered
SILENCE = 15.0  # seconds in which a scheduler must say who is there


class JudgePlugin(WorkerPlugin):  # type: ignore[misc]  # dask has no types
    """Gives a cluster worker its judge, and ends it with the run or with the cluster worker."""

    def __init__(self, terms: bytes, *, ours: bool) -> None:
        self.terms = terms
        self.ours = ours  # we started the cluster worker, and we end it

    def setup(self, worker: Worker) -> None:
        if self.ours:  # a Ctrl-C in the terminal reaches it too: the coordinator alone decides what becomes of it
            signal.signal(signal.SIGINT, lambda *_: None)  # a function, because children inherit SIG_IGN
        self.judge = RemoteJudge(self.terms)

    async def teardown(self, worker: Worker) -> None:
        await asyncio.to_thread(self.judge.close)


async def check_here(run: str, dask_worker: Worker) -> bytes:
    """Runs in a cluster worker, beside whatever else it does."""
    return await asyncio.to_thread(dask_worker.plugins[run].judge.check)


def grade_here(run: str, task: bytes) -> bytes:
    """Runs in a cluster worker."""
    answer: bytes = get_worker().plugins[run].judge.grade(task)
    return answer


class DaskPool:
    """The cluster workers of one scheduler, for one run."""

    def __init__(self, client: Client, close: Callable[[], None], *, ours: bool = False) -> None:
        """``close`` ends what was started for it; ``ours`` if these are processes of this terminal."""
        self.client = client
        self.end = close
        self.ours = ours
        self.run = f"grader-{uuid.uuid4().hex[:12]}"
        self.futures: dict[int, Future] = {}
        self.answers: queue.SimpleQueue[int] = queue.SimpleQueue()

    def prepare(self, terms: Terms) -> None:
        """Every cluster worker, also one that comes later, gets what it needs to judge."""
        with self._explained():
            missing = self.client.run(metadata.version, "grader", on_error="return")
            absent = sorted(address for address, found in missing.items() if isinstance(found, Exception))
            if absent:
                raise ClusterError(
                    f"--cluster: the grader is not installed for {', '.join(absent)}. Nothing was judged. "
                    "Install the same grader there as here, and start these cluster workers again."
                )
            self.client.register_plugin(JudgePlugin(encode(terms), ours=self.ours), name=self.run)

    def addresses(self) -> Collection[str]:
        with self._explained():
            threads: dict[str, int] = self.client.sync(self.client.scheduler.ncores, callback_timeout=SILENCE)
        return threads

    def check(self) -> dict[str, bytes]:
        with self._explained():
            found = self.client.run(check_here, self.run, on_error="return")
        return {
            address: reply if isinstance(reply, bytes) else encode(Broken(f"{type(reply).__name__}: {reply}"))
            for address, reply in found.items()
        }

    def grade(self, ticket: int, address: str, task: bytes) -> None:
        with self._explained():
            future = self.client.submit(
                grade_here, self.run, task, key=f"{self.run}-{ticket}",
                workers=[address], allow_other_workers=False, pure=False,
            )  # fmt: skip
        self.futures[ticket] = future
        future.add_done_callback(lambda _: self.answers.put(ticket))

    def wait(self, seconds: float) -> tuple[int, bytes] | None:
        try:
            ticket = self.answers.get(timeout=seconds)
        except queue.Empty:
            return None
        future = self.futures.pop(ticket, None)
        if future is None:
            return None
        if future.status == "cancelled":  # never by us: it would not be among our futures
            raise _lost()
        if future.status == "finished":
            with contextlib.suppress(Exception):  # its cluster worker went away with the answer: it is tried again
                answer = future.result(timeout=SILENCE)  # bytes: see grade_here
                return ticket, answer if isinstance(answer, bytes) else encode(Broken("the answer is no bytes"))
        self._require_scheduler()
        why = f"{future.status}: {future.exception()!r}" if future.status == "error" else "the answer was lost"
        return ticket, encode(Broken(why))

    def drop(self, ticket: int) -> None:
        future = self.futures.pop(ticket, None)
        if future is not None:
            future.cancel()

    def close(self) -> None:
        """In any state: what is lost already is not ended again."""
        if self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.cancel(list(self.futures.values()), force=True)
            ending = threading.Thread(target=self._end_judges, daemon=True)
            ending.start()
            ending.join(SILENCE)  # who is silent now is not waited for
        self.end()

    def _end_judges(self) -> None:
        with contextlib.suppress(Exception):
            self.client.unregister_worker_plugin(self.run)

    def _require_scheduler(self) -> None:
        if self.client.status != "running":
            raise _lost()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        self._require_scheduler()
        try:
            yield
        except ClusterError:
            raise
        except OSError as error:  # the client may not know yet
            raise _lost() from error
        except Exception as error:  # dask has many
            self._require_scheduler()
            raise ClusterError(f"--cluster: {type(error).__name__}: {error}. {GO_ON}") from error


def _lost() -> ClusterError:
    """It may come back at once, but it has forgotten us."""
    return ClusterError(f"--cluster: the scheduler does not answer any more. {GO_ON}")


def open_pool(words: str) -> DaskPool:
    """The pool that ``--cluster`` asks for."""
    kind, colon, rest = words.partition(":")
    _be_quiet()
    if kind == "local":
        if rest.isdecimal() and int(rest) > 0:
            return _local(int(rest))
    elif "://" in words:
        return _scheduler(words)
    elif colon and kind.replace(".", "").isidentifier() and rest.isidentifier():
        return _made(kind, rest)
    raise ClusterError(f"--cluster: found {words!r}. It takes {FORMS}.")


def _be_quiet() -> None:
    """What is lost is said once, by us: dask would say it with all of its calls."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _local(count: int) -> DaskPool:
    """Processes of this machine. Nobody else on it may talk to them, so they have certificates of their own."""
    try:
        security = Security.temporary()
    except ImportError as error:
        raise ClusterError(not_installed("cryptography", "cluster")) from error
    with dask.config.set({"distributed.worker.profile.enabled": False}):  # nobody reads it
        cluster = LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, memory_limit=0, security=security,
            dashboard_address="127.0.0.1:0", worker_dashboard_address="127.0.0.1:0", silence_logs="CRITICAL",
        )  # fmt: skip
    return _pool_of(cluster, ours=True)


def _scheduler(address: str) -> DaskPool:
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"--cluster: no scheduler answers at {address} ({error}). Start it: dask scheduler"
        ) from error
    return DaskPool(client, client.close)


def _made(module: str, name: str) -> DaskPool:
    """What a teacher's own function returns. It is searched in the current folder too, after everything else."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        factory = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ClusterError(f"--cluster {module}:{name}: {error}. The module is searched in {here} too.") from error
    made = factory()
    if isinstance(made, Client):
        return DaskPool(made, made.close)
    if not hasattr(made, "scheduler_address"):
        raise ClusterError(
            f"--cluster {module}:{name}: the function returned {type(made).__name__}. It must return a cluster of dask "
            "(such as dask_jobqueue.SLURMCluster) or a distributed.Client."
        )
    return _pool_of(made)


def _pool_of(cluster: Any, *, ours: bool = False) -> DaskPool:
    client = Client(cluster, timeout=CONNECT, set_as_default=False)

    def close() -> None:
        client.close()
        cluster.close()

    return DaskPool(client, close, ours=ours)
