"""Draws docs/pictures/terminal.svg from real output: `python docs/pictures/make_terminal.py`."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 80


def output_of(*arguments: str) -> str:
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    command = [sys.executable, "-m", "grader", *arguments]
    return subprocess.run(  # noqa: S603  # our own command
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    ).stdout


def make_course(folder: Path) -> Path:
    """A student's copy of the course, with one exercise nearly done."""
    shutil.copy(ROOT / "course.toml", folder)
    shutil.copytree(ROOT / "exercises", folder / "exercises")
    shutil.copy(ROOT / "data/sample_class/s05/edit_distance.py", folder / "exercises/edit_distance")
    return folder


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        course = make_course(work)
        for shown, arguments in (
            ("grader check edit_distance", ("check", "edit_distance", "--course", str(course))),
            (
                "grader grade data/sample_class --out results",
                ("grade", "data/sample_class", "--out", f"{work}/results"),
            ),
        ):
            console.print(Text(f"$ {shown}", style="bold"))
            console.print(Text.from_ansi(output_of(*arguments).replace(f"{work}/", "")))
    svg = console.export_svg(title="grader")
    # A picture that loads nothing from elsewhere: any font of fixed width will do.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")
    (ROOT / "docs/pictures/terminal.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
