"""The few system calls that Python does not offer, through ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import signal

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

CAPABILITY_VERSION_3 = 0x20080522
CAPSET = {"x86_64": 126, "aarch64": 91}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
MADV_COLLAPSE = 25
HUGE = 1 << 21  # bytes of a huge page


@functools.cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """Raise OSError if a call failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, *arguments: int) -> None:
    values = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    check(libc().prctl(ctypes.c_int(option), *values), f"prctl({option})")


def syscall(number: int, *arguments: object) -> int:
    call = libc().syscall
    call.restype = ctypes.c_long
    return check(call(ctypes.c_long(number), *arguments), f"system call {number}")


def drop_capabilities() -> None:
    """Keep none, and let no execve bring any back."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # beyond the last one, or not ours to drop
            break
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    syscall(CAPSET[os.uname().machine], ctypes.byref(header), ctypes.byref(nothing))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def fork_apart() -> int:
    """``os.fork``, but the child has a process table of its own, is the first in it, and sees no ``/proc``.

    All workers of a zygote would share one table otherwise, in which each could leave a number for the next. Where the
    kernel does not let us, it is an ordinary fork.
    """
    library = ctypes.PyDLL(None)  # which keeps the interpreter's lock, as os.fork does
    python = ctypes.pythonapi
    nothing = [ctypes.c_long(0)] * 4
    # Root needs no user namespace, in which it could not become another user; all others need one.
    for namespaces in (CLONE_NEWPID | CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS):
        python.PyOS_BeforeFork()
        pid = int(
            library.syscall(
                ctypes.c_long(CLONE[os.uname().machine]), ctypes.c_ulong(namespaces | signal.SIGCHLD), *nothing
            )
        )
        if pid == 0:
            python.PyOS_AfterFork_Child()
            _hide_proc()
            return 0
        python.PyOS_AfterFork_Parent()
        if pid > 0:
            return pid
    return os.fork()


def _hide_proc() -> None:
    mount = libc().mount
    if mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None) == 0:  # or the whole machine would see it
        flags = ctypes.c_ulong(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
        mount(b"none", b"/proc", b"tmpfs", flags, b"size=4k,mode=555")


def collapse_memory() -> None:
    """Gather this process's own memory in huge pages: a fork then copies hundreds of entries, not fifty thousand.

    Four fifths of a fork's cost, and of its end's, are saved so. Kernels before 6.1 refuse, and nothing is lost.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:  # noqa: PTH123  # no pathlib in here
        regions = [line.split() for line in maps]
    call = libc().madvise
    for region in regions:
        if region[1] != "rw-p" or region[4] != "0":  # shared, or of a file
            continue
        start, end = (int(address, 16) for address in region[0].split("-"))
        for address in range(-(-start // HUGE) * HUGE, end // HUGE * HUGE, HUGE):
            call(ctypes.c_void_p(address), ctypes.c_size_t(HUGE), MADV_COLLAPSE)


def memory_used() -> int:
    """Bytes of addresses that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  # no pathlib in here
        return int(file.read().split()[0]) * resource.getpagesize()
