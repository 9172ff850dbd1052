"""Single keys from a terminal, as they are pressed. All that differs between operating systems stands here."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

END = ""  # nobody is there to press keys any more


@contextlib.contextmanager
def key_reader() -> Iterator[Callable[[], str] | None]:
    """A function that waits for the next key; None where stdin is no terminal. Afterwards the terminal is as before."""
    if not sys.stdin.isatty():
        yield None
    elif sys.platform == "win32":
        import msvcrt

        yield msvcrt.getwch
    else:
        import termios
        import tty

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        try:
            tty.setcbreak(descriptor)
            yield lambda: _read(descriptor)
        finally:
            with contextlib.suppress(termios.error):  # the terminal may be gone
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _read(descriptor: int) -> str:
    try:
        return os.read(descriptor, 1).decode(errors="replace")
    except OSError:
        return END
