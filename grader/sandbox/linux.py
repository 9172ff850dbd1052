"""The few system calls that Python does not offer, through ctypes."""

from __future__ import annotations

import ctypes
import os

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

CAPABILITY_VERSION_3 = 0x20080522
CAPSET = {"x86_64": 126, "aarch64": 91}


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
