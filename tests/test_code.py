"""The types hold. Here, and not as a step of its own, so that it runs beside the other tests."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_types_hold():
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
