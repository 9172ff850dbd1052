"""What a worker does to itself between its birth and the first byte of student code.

The order matters: descriptors first, limits while they can still be set, the parent-death signal after the last
change of credentials (which clears it), landlock while files can still be opened, seccomp last.
"""

from __future__ import annotations

import os
import resource
import signal

import msgspec

from grader.worker import landlock, linux, seccomp

MAX_DESCRIPTORS = 64
MAX_THREADS = 128  # of a worker, and the few processes beside it


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Which layers to use, and their numbers."""

    landlock: bool
    seccomp: bool
    readable: tuple[str, ...]  # what landlock leaves, for reading
    user: int | None  # whom root becomes, where bubblewrap has not seen to that
    memory: int  # bytes beyond what the zygote has
    cpu: int  # seconds
    torch: bool  # import it before the first worker
    threads: bool  # limit them: where the user is no one else's, which that limit counts by


def confine(plan: Plan, channel: int, used: int) -> None:
    """Confine this process; ``channel`` is the one descriptor that it keeps, ``used`` the memory that it began with."""
    keep_only(channel)
    limits = {
        resource.RLIMIT_AS: used + plan.memory,
        resource.RLIMIT_CPU: plan.cpu,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: MAX_DESCRIPTORS,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if plan.threads:
        limits[resource.RLIMIT_NPROC] = MAX_THREADS
    for limit, value in limits.items():
        resource.setrlimit(limit, (value, value))
    if plan.user is not None:
        os.setgroups([])
        os.setresgid(plan.user, plan.user, plan.user)
        os.setresuid(plan.user, plan.user, plan.user)
    linux.drop_capabilities()
    linux.prctl(linux.PR_SET_DUMPABLE, 0)  # nobody of the same user reads our memory, nor we the zygote's
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if plan.landlock:
        landlock.restrict(plan.readable)
    if plan.seccomp:
        seccomp.install(seccomp.build(os.getpid()))


def keep_only(channel: int) -> None:
    """Standard streams to nowhere, everything else closed but the channel."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.closerange(3, channel)
    os.closerange(channel + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
