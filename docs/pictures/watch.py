"""Makes watch.svg from a real run of ``grader watch`` in a pseudo-terminal: failing, fixed, passing.

Run it in the repository: ``python docs/pictures/watch.py``.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.grader.student.test_watch import Terminal  # noqa: E402


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        for part in ("exercises", "data"):
            shutil.copytree(ROOT / part, course / part)
        shutil.copy(ROOT / "course.toml", course)
        (course / "pyproject.toml").touch()
        module = course / "exercises/edit_distance/edit_distance.py"
        solution = (ROOT / "solutions/edit_distance.py").read_text(encoding="utf-8")
        module.write_text(solution.replace("+ insert", "+ delete"), encoding="utf-8")
        command = [sys.executable, "-m", "grader", "watch", "edit_distance", "--course", folder]
        terminal = Terminal(*command, COLORTERM="truecolor", TERM="xterm-256color")
        console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
        try:
            for title, words in (("", ("must be",)), ("the file is mended and saved", ("All public criteria pass",))):
                if title:
                    module.write_text(solution, encoding="utf-8")
                begin = terminal.seen
                terminal.wait_for(*words)
                screen = terminal.raw[begin:].split("\x1b[H")[-1]
                if title:
                    console.print(f"\n--- {title} ---\n", style="dim")
                for line in screen.replace("\x1b[K", "").replace("\x1b[J", "").replace("\r", "").split("\n"):
                    console.print(Text.from_ansi(line.replace("\x1b[?25h", "").replace("\x1b[?25l", "")))
            terminal.press("q")
        finally:
            terminal.close()
    (Path(__file__).with_suffix(".svg")).write_text(console.export_svg(title="grader watch edit_distance"))


if __name__ == "__main__":
    main()
