"""A seccomp filter: the system calls that a worker needs, and no others.

It is an allow-list. A worker can compute, read files, sleep, start threads, and talk over descriptors that it has. It
cannot make a process, a socket or a file, change its limits, or signal anyone but itself. What is not allowed fails
with EPERM, so that ordinary code meets an ordinary exception.

Left out on purpose is what would let one worker tell the next something: ``pipe2`` (numbers of pipes grow), ``statx``
(numbers of mounts grow), and ``fadvise64`` (it drops files from the page cache, and a later reader can feel that).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from grader.worker import linux

# name -> number on (x86_64, aarch64); None where the architecture has none.
ALLOWED: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "close": (3, 57), "lseek": (8, 62), "fstat": (5, 80), "newfstatat": (262, 79),
    "stat": (4, None), "lstat": (6, None), "statfs": (137, 43), "fstatfs": (138, 44),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61), "getcwd": (79, 17),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216), "madvise": (28, 233),
    "brk": (12, 214), "membarrier": (324, 283),
    "futex": (202, 98), "set_robust_list": (273, 99), "get_robust_list": (274, 100), "rseq": (334, 293),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "getcpu": (309, 168),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132), "pause": (34, None), "restart_syscall": (219, 128),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153), "getrusage": (98, 165),
    "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getgroups": (115, 158), "uname": (63, 160),
    "getrandom": (318, 278), "getrlimit": (97, 163), "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip
STATX = (332, 291)
OPEN, OPENAT, OPENAT2 = (2, None), (257, 56), (437, 437)
CLONE, CLONE3 = (56, 220), (435, 435)
KILL, TGKILL = (62, 129), (234, 131)
PRLIMIT64, FCNTL, IOCTL, PRCTL = (302, 261), (72, 25), (16, 29), (157, 167)

ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

THREAD = 0x00010000 | 0x00000100  # CLONE_THREAD | CLONE_VM
NAMESPACES = 0x7E020000 | 0x00000080  # every CLONE_NEW… flag
WRITING = 0o3 | os.O_CREAT | os.O_TRUNC  # O_WRONLY or O_RDWR, or making a file, or emptying one
DESCRIPTOR_COMMANDS = (0, 1, 2, 3, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
TERMINAL_QUESTIONS = (0x5401, 0x5451, 0x5450)  # TCGETS, FIOCLEX, FIONCLEX
THREAD_NAMES = (15, 16)  # PR_SET_NAME, PR_GET_NAME

# Classic BPF.
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
KILL_PROCESS, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
X32 = 0x40000000

Instruction = tuple[int, int, int, int]


def available() -> str:
    """An empty string if a filter can be installed, else the reason why not."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        return f"no table of system calls for {machine}"
    if not os.path.exists("/proc/sys/kernel/seccomp/actions_avail"):  # noqa: PTH110  # no pathlib in here
        return "the kernel was built without seccomp filters"
    return ""


def build(pid: int) -> list[Instruction]:
    """The filter for the process with this id, as its own namespace counts."""
    column, audit = ARCHITECTURES[os.uname().machine]
    program: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, audit),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if column == 0:  # the x32 calls are a second, unguarded door into x86_64
        program += [(AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL_PROCESS)]
    for numbers in ALLOWED.values():
        program += _rule(numbers[column], [(RETURN, 0, 0, ALLOW)])
    program += _rule(OPEN[column], _masked(1, WRITING, 0, errno.EACCES))
    program += _rule(OPENAT[column], _masked(2, WRITING, 0, errno.EACCES))
    program += _rule(STATX[column], [_refuse(errno.ENOSYS)])  # so that libc falls back to stat, which counts no mounts
    program += _rule(OPENAT2[column], [_refuse(errno.ENOSYS)])  # its flags lie in memory, where a filter cannot look
    program += _rule(CLONE[column], _masked(0, THREAD | NAMESPACES, THREAD, errno.EPERM))
    program += _rule(CLONE3[column], [_refuse(errno.ENOSYS)])  # so that libc falls back to clone
    program += _rule(KILL[column], _one_of(0, [pid], errno.EPERM))
    program += _rule(TGKILL[column], _one_of(0, [pid], errno.EPERM))
    program += _rule(PRLIMIT64[column], _null_pointer(2))
    program += _rule(FCNTL[column], _one_of(1, DESCRIPTOR_COMMANDS, errno.EPERM))
    program += _rule(IOCTL[column], _one_of(1, TERMINAL_QUESTIONS, errno.ENOTTY))
    program += _rule(PRCTL[column], _one_of(0, THREAD_NAMES, errno.EPERM))
    program.append(_refuse(errno.EPERM))
    return program


def install(program: list[Instruction]) -> None:
    """Filter this process from now on, for good."""
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(head, len(head))
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    linux.prctl(linux.PR_SET_SECCOMP, 2, ctypes.addressof(pointer))


def _rule(number: int | None, body: list[Instruction]) -> list[Instruction]:
    """``body`` for this system call; the others jump over it."""
    return [] if number is None else [(EQUAL, 0, len(body), number), *body]


def _refuse(number: int) -> Instruction:
    return (RETURN, 0, 0, ERRNO | number)


def _masked(argument: int, mask: int, wanted: int, refusal: int) -> list[Instruction]:
    """Allow if the low word of the argument, masked, has the wanted value."""
    return [
        (LOAD, 0, 0, ARGUMENTS_AT + 8 * argument),
        (AND, 0, 0, mask),
        (EQUAL, 0, 1, wanted),
        (RETURN, 0, 0, ALLOW),
        _refuse(refusal),
    ]


def _one_of(argument: int, values: list[int] | tuple[int, ...], refusal: int) -> list[Instruction]:
    """Allow if the low word of the argument is one of the values."""
    body: list[Instruction] = [(LOAD, 0, 0, ARGUMENTS_AT + 8 * argument)]
    for value in values:
        body += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*body, _refuse(refusal)]


def _null_pointer(argument: int) -> list[Instruction]:
    """Allow only if both words of the argument are zero."""
    low = ARGUMENTS_AT + 8 * argument
    return [
        (LOAD, 0, 0, low),
        (EQUAL, 0, 3, 0),
        (LOAD, 0, 0, low + 4),
        (EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ALLOW),
        _refuse(errno.EPERM),
    ]
