"""Asks for numbers that grow from worker to worker: of pipes, of mounts; and drops files from the page cache."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
must_fail("pipe", os.pipe)
must_fail("fadvise", lambda: os.posix_fadvise(os.open(os.__file__, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED))


def statx():
    buffer = ctypes.create_string_buffer(256)
    if libc.statx(-100, os.__file__.encode(), 0, 0xFFFF, buffer) == 0 and any(buffer.raw[144:152]):
        return  # the number of the mount
    raise OSError("refused")


must_fail("statx", statx)
