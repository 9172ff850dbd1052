"""What ``grader watch`` shows: one screen, drawn as a whole in one write, so that nothing flickers."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from grader.results.records import CriterionResult, Verdict
from grader.results.scoring import points_of
from grader.student.check import Checked, first_to_mend
from grader.student.check_report import PLAIN, explanation, has_unicode

KEYS = "h hint  n next  l list  s show  r run all  q quit"
OFFER_AFTER = 2  # failures in succession
MAX_LISTED = 11


def draw(
    console: Console, checked: Checked | None, *, newly: frozenset[str], busy: str, words: Sequence[str], height: int
) -> None:
    """The screen, no higher than it is: the list, the first failure, what was asked for, and the keys at the end."""
    below = _lines(console, lambda: _print_words(console, busy, words))[: height - 2]
    room = height - 2 - len(below)
    lines = _lines(console, lambda: _print(console, checked, newly))
    if len(lines) > room:  # the failure matters more than the list
        lines = _lines(console, lambda: _print(console, checked, newly, short=True))
    if len(lines) > room:
        lines = [*lines[: room - 1], "..."][:room]
    for line in [*lines, *below]:
        console.file.write(line + "\n")
    console.print(f"[dim]{KEYS}[/dim]", end="", no_wrap=True, crop=True)


def _lines(console: Console, show: Callable[[], None]) -> list[str]:
    """What is printed, rendered for the console's width, one text each."""
    with console.capture() as captured:
        show()
    return captured.get().rstrip("\n").split("\n") if captured.get() else []


def _print_words(console: Console, busy: str, words: Sequence[str]) -> None:
    if busy:
        console.print(f"[yellow]{escape(busy)}[/yellow]")
    for text in words:
        console.print(escape(text))


def _print(console: Console, checked: Checked | None, newly: frozenset[str], *, short: bool = False) -> None:
    if checked is None:
        return
    result = checked.result
    if result is None:
        console.print(f"[bold]{checked.exercise.name}[/bold]\n{escape(checked.fault)}")
        return
    earned, possible = points_of(result.criteria)
    console.print(f"[bold]{checked.exercise.name}[/bold]  {earned} of {possible} points")
    if result.problem:
        console.print(f"[red]✗[/red] {escape(result.problem)}")
        if "" in checked.sources:
            console.print(Padding(escape(checked.sources[""]), (0, 0, 0, 4)))
        return
    first = first_to_mend(result)
    shown = result.criteria
    if short or len(shown) > MAX_LISTED:
        shown = tuple(one for one in shown if one is first or one.criterion.id in newly)
    for one in shown:
        console.print(_criterion(one, one.criterion.id in newly), no_wrap=True, overflow="ellipsis")
    if len(shown) < len(result.criteria):
        passed = sum(one.passed for one in result.criteria)
        console.print(f"  {passed} of {len(result.criteria)} criteria pass")
    if first is None:
        console.print("[green]All public criteria pass.[/green] n goes to the next exercise.")
        return
    console.print()
    console.print(f"[bold]{escape(first.criterion.title)}[/bold]")
    for text in explanation(checked, first):
        if not text.startswith(("Hint: ", "`grader hint")):
            console.print(Padding(escape(text), (0, 0, 0, 2)))
    failures = checked.progress.failures.get(first.criterion.id, 0)
    left = len(first.criterion.hints) - checked.progress.hints.get(first.criterion.id, 0)
    if failures >= OFFER_AFTER and left > 0:
        console.print(f"[cyan]Stuck? h gives a hint ({left} left).[/cyan]")


def _criterion(one: CriterionResult, newly: bool) -> str:
    if one.passed:
        return f"[green]✓ {escape(one.criterion.title)}{'  now passes' if newly else ''}[/green]"
    verdict = "" if one.verdict is Verdict.FAILED else f" ({one.verdict})"
    return f"[red]✗[/red] {escape(one.criterion.title)}{verdict}"


class Screen:
    """A terminal that is drawn over; where there is none, blocks of lines one after the other."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty() and Console().is_terminal and not Console().is_dumb_terminal
        self.unicode = has_unicode(sys.stdout)
        self.before = ""
        self.size = shutil.get_terminal_size()
        self.again: Callable[[], None] = lambda: None  # draws what was drawn last

    def follow_size(self) -> None:
        """Draw it anew if the terminal has another size now."""
        if self.terminal and self.size != shutil.get_terminal_size():
            self.clear()
            self.again()

    def show(
        self, checked: Checked | None, *, newly: frozenset[str], busy: str = "", words: Sequence[str] = ()
    ) -> None:
        self.size = shutil.get_terminal_size()
        self.again = lambda: self.show(checked, newly=newly, busy=busy, words=words)
        outer = Console()
        stream = io.StringIO()
        console = Console(
            file=stream, width=outer.width, force_terminal=self.terminal, highlight=False, emoji=False,
            color_system=outer.color_system if self.terminal else None,  # type: ignore[arg-type]
            legacy_windows=False,
        )  # fmt: skip
        height = outer.height if self.terminal else 1000
        draw(console, checked, newly=newly, busy=busy, words=words, height=height)
        text = stream.getvalue()
        if not self.unicode:
            text = text.translate(PLAIN).encode(sys.stdout.encoding or "ascii", "replace").decode("ascii", "replace")
        if text == self.before:
            return
        self.before = text
        if self.terminal:  # from the top; each line clears what was behind it, and then what was below
            text = "\x1b[?25l\x1b[H" + text.replace("\n", "\x1b[K\r\n") + "\x1b[K\x1b[J\x1b[?25h"
        elif not busy:
            text = text.rpartition(KEYS)[0] + "\n"
        else:
            return
        sys.stdout.write(text)
        sys.stdout.flush()

    def leave(self) -> None:
        """Let what comes next begin below."""
        if self.terminal:
            sys.stdout.write("\r\n")
            sys.stdout.flush()

    def clear(self) -> None:
        self.before = ""
        if self.terminal:
            sys.stdout.write("\x1b[2J\x1b[H")
            sys.stdout.flush()
