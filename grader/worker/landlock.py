"""Landlock: a process that gives up all files but some, for reading, and cannot take that back."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

from grader.worker import linux

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
VERSION_FLAG = 1
RULE_PATH_BENEATH = 1

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
# Rights of the first version of landlock, and what later versions added.
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
TCP_RIGHTS = 0b11  # since version 4: bind, connect
SCOPES = 0b11  # since version 6: abstract sockets, signals


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """The kernel's version of landlock; 0 if it has none."""
    try:
        return linux.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    except OSError:
        return 0


def restrict(readable: Iterable[str]) -> None:
    """From now on this process can read below these paths, and do nothing else with any file."""
    abi = version()
    ruleset = _Ruleset(sum(rights for since, rights in FILE_RIGHTS.items() if since <= abi), 0, 0)
    size = 8
    if abi >= 4:
        ruleset.tcp, size = TCP_RIGHTS, 16
    if abi >= 6:
        ruleset.scopes, size = SCOPES, 24
    number = ctypes.c_uint32(0)
    rules = linux.syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), number)
    try:
        for path in readable:
            _allow(rules, path)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.syscall(RESTRICT_SELF, ctypes.c_int(rules), number)
    finally:
        os.close(rules)


def _allow(rules: int, path: str) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not on this system
        return
    try:
        rights = READ_FILE | (READ_DIR | EXECUTE if os.path.isdir(path) else 0)  # noqa: PTH112  # no pathlib in here
        rule = _PathBeneath(rights, parent)
        kind = ctypes.c_int(RULE_PATH_BENEATH)
        linux.syscall(ADD_RULE, ctypes.c_int(rules), kind, ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(parent)
