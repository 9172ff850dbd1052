"""Draws pictures of handouts as `grader show` does, from the solutions: `python docs/pictures/make_handouts.py`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from grader.course import find_course
from grader.files import write_atomically
from grader.student.show import drawings

ROOT = Path(__file__).resolve().parents[2]
DRAWN_HERE = ("edit_distance", "ctc", "attention", "multihead_attention", "beam_search")


def main() -> None:
    sys.path.insert(0, str(ROOT / "solutions"))
    for name in DRAWN_HERE:
        picture = drawings(find_course(ROOT))[name](vars(importlib.import_module(name)))
        write_atomically(ROOT / "exercises" / name / "picture.svg", picture.svg())


if __name__ == "__main__":
    main()
