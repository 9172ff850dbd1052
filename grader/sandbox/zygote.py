"""The zygote: imports torch once, then forks a worker whenever the judge asks for one.

It holds no secret: no test, no solution, no submission, a clean environment. It obeys its control socket, where
each message is one letter: ``F`` with a descriptor (fork a worker that speaks over it; answered by the worker's
number and a descriptor of its process), ``R`` with a number (wait for that worker's end; answered by how it ended), and
``A`` with a descriptor (fork a second zygote, which has switched the simulated accelerator on and obeys over that).
When the socket closes, the zygote ends, and its workers with it.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket

from grader.sandbox import linux
from grader.sandbox.confine import Plan, confine
from grader.wire.worker import serve, simulate_accelerator


def main(control: int, plan: Plan) -> None:
    """Serve requests on the control socket until it closes."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=control) as judge:
        warm_up()
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        obey(judge, plan)


def obey(judge: socket.socket, plan: Plan) -> None:
    gc.collect()
    gc.freeze()  # a worker's collections leave these objects, and so their memory, alone
    linux.collapse_memory()
    judge.send(b"ready")
    while True:
        request, descriptors, _, _ = socket.recv_fds(judge, 64, 1)
        if not request:
            return
        if request[:1] == b"F":
            fork(judge, descriptors[0], plan)
        elif request[:1] == b"A":
            fork_accelerated(judge, descriptors[0], plan)
        elif request[:1] == b"R":
            _, status = os.waitpid(int(request[1:]), 0)
            judge.send(b"%d" % os.waitstatus_to_exitcode(status))


def fork_accelerated(judge: socket.socket, control: int, plan: Plan) -> None:
    if os.fork() == 0:
        try:
            linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
            os.close(judge.detach())
            simulate_accelerator()
            with socket.socket(fileno=control) as other:
                obey(other, plan)
        finally:
            os._exit(0)
    os.close(control)


def fork(judge: socket.socket, channel: int, plan: Plan) -> None:
    """A worker, and between it and the zygote a keeper: whoever enters a new process table does so by its children."""
    reading, writing = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        try:
            os.close(judge.detach())
            os.close(reading)
            keep(channel, plan, writing)
        finally:
            os._exit(1)
    os.close(channel)
    os.close(writing)
    number = os.read(reading, 16)
    os.close(reading)
    handle = os.pidfd_open(int(number))
    socket.send_fds(judge, [b"%d" % keeper], [handle])
    os.close(handle)


def keep(channel: int, plan: Plan, writing: int) -> None:
    """Fork the worker, tell its number, wait for it, and end as it ended."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    used = linux.memory_used()
    if linux.isolate_numbers() and os.fork() == 0:  # the first process of a table cannot be killed by its own signals
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.closerange(0, 1 << 16)
        while True:
            signal.pause()
    worker = os.fork()
    if worker == 0:
        status = 1
        try:
            confine(plan, channel, used)
            serve(channel)
            status = 0
        finally:
            os._exit(status)
    os.close(channel)
    os.write(writing, b"%d" % worker)
    os.close(writing)
    end_as(os.waitpid(worker, 0)[1])


def end_as(status: int) -> None:
    """End this process with the wait status of another."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def warm_up() -> None:
    """Import and touch what students use, on one thread: torch's thread pool does not survive a fork."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208  # no pathlib in here
        raise RuntimeError("a second thread is running before the fork")
    np.random.default_rng(0).normal(size=3)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
    optimizer = torch.optim.Adam(model.parameters())
    loss = model(torch.randn(2, 4)).log_softmax(-1).logsumexp(-1).sum()
    loss.backward()
    optimizer.step()
    torch.nn.LSTM(4, 4, batch_first=True)(torch.randn(2, 3, 4))[0].sum().backward()
    torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(torch.randn(2, 3, 4))
    torch.linalg.svd(torch.randn(3, 3))
