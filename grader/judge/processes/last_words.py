"""What Python wrote down of where it was, when a process was stopped or crashed (``faulthandler``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from grader.judge.transports.outcomes import in_notebook

STACK = re.compile(r"^.*\(most recent call first\):$", re.MULTILINE)
FRAME = re.compile(r'^  File "(.+?)", line (\d+) in (\S+)$', re.MULTILINE)


def last_place(words: str, files: Mapping[str, Path]) -> str:
    """The innermost place in a student's file that was written down last, as ``ctc.py:35 in f``; empty if none was."""
    known = {str(file).encode("ascii", "backslashreplace").decode(): file for file in files.values()}  # as it writes
    for stack in reversed(STACK.split(words)[1:]):
        for file, line, function in FRAME.findall(stack):
            if path := known.get(file):
                place = f"{path.name}:{line}" + ("" if function == "<module>" else f" in {function}")
                return in_notebook(place, {path.name: path.read_bytes()} if path.is_file() else {})
    return ""
