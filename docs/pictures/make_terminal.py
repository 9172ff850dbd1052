"""Draws docs/pictures/terminal.svg from real output: `python docs/pictures/make_terminal.py`."""

from __future__ import annotations

import io
import os
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


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as out:
        for shown, arguments in (
            ("grader check edit_distance", ("check", "edit_distance")),
            ("grader grade data/sample_class --out results", ("grade", "data/sample_class", "--out", out)),
        ):
            console.print(Text(f"$ {shown}", style="bold"))
            console.print(Text.from_ansi(output_of(*arguments).replace(out, "results")))
    svg = console.export_svg(title="grader")
    (ROOT / "docs/pictures/terminal.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
