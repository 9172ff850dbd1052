"""Modules of a student's own beside those of the exercises, as ``utils.py``: what a module mentions comes along."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

# Modules of everybody, which a student's file of the same name would hide.
OTHERS = frozenset({"torch", "numpy", "pytest", "hypothesis", "msgspec", "grader", "matplotlib", "conftest", "setup"})
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
MAX_HELPERS = 50


def may_help(name: str) -> bool:
    """Whether a file of this name can be a helper: tests are none, nor is what hides a module of everybody."""
    taken = name in OTHERS or name in sys.stdlib_module_names
    return name.isidentifier() and not taken and not name.startswith("test_")


def words_in(text: bytes) -> frozenset[str]:
    """Every word of a module, by its text alone."""
    return frozenset(WORD.findall(text.decode("latin-1")))  # which never fails, and leaves ASCII as it is


def helpers_of(modules: Iterable[Path], known: Iterable[str]) -> dict[str, Path]:
    """The helpers of these modules, each in the folder of whoever mentions it; ``known`` names are no helpers."""
    found: dict[str, Path] = {}
    waiting = [module for module in modules if module.is_file()]
    while waiting and len(found) < MAX_HELPERS:
        module = waiting.pop()
        words = words_in(module.read_bytes()) - found.keys() - set(known) - {module.stem}
        for path in sorted(module.parent.glob("*.py")):
            if path.stem in words and may_help(path.stem) and path.is_file():
                found[path.stem] = path
                waiting.append(path)
    return found
