"""How pytest is started to judge: with our plugins and no others, whatever else the environment has.

A plugin that a teacher or student happens to have installed shall not decide about grades, nor cost time.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

OURS = ("grader.pytest_plugin", "pytest_timeout")
HYPOTHESIS = "_hypothesis_pytestplugin"  # takes a second to import, so only where a suite uses it
IMPORT = re.compile(rb"^\s*(import|from)\s+hypothesis\b", re.MULTILINE)
THREADS = ("OMP", "MKL", "OPENBLAS")


def pytest_command(suites: Sequence[Path], root: Path, options: Iterable[str]) -> list[str]:
    """The command that runs these suites of the course in ``root``."""
    plugins = [*OURS, *([HYPOTHESIS] if any(map(_uses_hypothesis, suites)) else [])]
    return [
        sys.executable, "-m", "pytest", *map(str, suites), *(f"-p{name}" for name in plugins), "-q",
        "-pno:cacheprovider", "--tb=line", "--import-mode=importlib", f"--rootdir={root}", *options,
    ]  # fmt: skip


def pytest_environment() -> dict[str, str]:
    """This process's environment, made fit for judging."""
    # With CI set pytest shows all of two values that differ, however large.
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")}
    # One thread each: two judges on two cores must not fight for them.
    threads = {f"{name}_NUM_THREADS": "1" for name in THREADS}
    return {**environment, **threads, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _uses_hypothesis(suite: Path) -> bool:
    return suite.is_file() and IMPORT.search(suite.read_bytes()) is not None
