"""The zygote: imports torch once (where the course uses it), then forks a worker whenever the judge asks for one.

It holds no secret: no test, no solution, no submission, a clean environment. It obeys its control socket, where
each message is one letter: ``F`` with a descriptor (fork a worker that speaks over it; answered by the worker's
number and a descriptor of its process), ``R`` with a number (wait for that worker's end; answered by how it ended), and
``A`` with a descriptor (fork a second zygote, which has switched the simulated accelerator on and obeys over that).
When the socket closes, the zygote ends, and its workers with it.
"""

from __future__ import annotations

import gc
import os
import signal
import socket

from grader.worker import linux
from grader.worker.confine import Plan, confine
from grader.worker.loop import serve, simulate_accelerator


def main(control: int, plan: Plan) -> None:
    """Serve requests on the control socket until it closes."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    with socket.socket(fileno=control) as judge:
        if plan.torch:
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
    used = linux.memory_used()
    pid = linux.fork_apart()
    if pid == 0:
        status = 1
        try:
            judge.detach()
            confine(plan, channel, used)
            serve(channel)
            status = 0
        finally:
            os._exit(status)
    os.close(channel)
    handle = os.pidfd_open(pid)
    socket.send_fds(judge, [b"%d" % pid], [handle])
    os.close(handle)


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
