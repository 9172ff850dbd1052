"""Our grader beside five other ways to grade: the same checks, the same submissions, the same machine, one run.

    python benchmarks/peers.py [--quick] [--tool NAME ...] [--json FILE] [--svg FILE]

The tools: `grader grade` (confined), one plain pytest process for each submission, a unittest run with
gradescope-utils for each submission, stock `nbgrader autograde`, `otter run`, and check50. Every tool but ours gets a
virtual environment from the package index, made once and kept in .grader/peers. What cannot be installed or run is
named with the reason.

Cost is measured on the honest submissions (right, wrong, and the stub), several times, and told as the median and the
range. The hostile ones (a crash, an endless loop, three that forge full marks) come in a run of their own, because an
endless loop measures a time limit and nothing else. With --sample N tools that start anew for every submission are
measured on about N honest ones. "Agree" counts honest submissions with the points that the checks themselves give,
asked in a plain process without any tool. Of the tools that grade all submissions in one run, two runs of different
sizes tell what the start costs, and what each submission.

It needs Linux, and is best run as root: then only the tools are counted (benchmarks/measuring.py).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measuring import Cost, measure
from peer_class import CHECKS, EXERCISE, FORGERIES, FULL, HEADER, HONEST, NAMES, Submission, make_class, write_class
from peer_tools import SHARED, TOOLS, NotHereError, Ours, Points, Tool, install

from grader.course import Course, find_course

FEW = 5  # submissions of a small run
ROOT = Path(__file__).resolve().parent.parent
ASK = """
import json, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import checks

found = {}
for folder in sorted(os.listdir(sys.argv[1])):
    reader, writer = os.pipe()
    if os.fork() == 0:
        points = 0
        for name in NAMES:
            try:
                module = type(os)("attention")
                exec(open(os.path.join(sys.argv[1], folder, "attention.py")).read(), module.__dict__)
                getattr(checks, name)(module)
                points += 1
            except Exception:
                pass
        os.write(writer, str(points).encode())
        os._exit(0)
    os.close(writer)
    found[folder] = float(os.read(reader, 10))
    os.wait()
print(json.dumps(found))
"""


@dataclass
class Found:
    """All that is known of one tool."""

    name: str
    reason: str = ""  # why it is not here
    limit: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    costs: list[Cost] = field(default_factory=list)
    honest: Points = field(default_factory=dict)
    hostile: Points = field(default_factory=dict)
    hung: list[str] = field(default_factory=list)
    agree: int = 0
    start: float | None = None  # CPU seconds of a run, whatever it grades
    each: float | None = None  # and of each submission


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whatever interrupts it, what is known is told
    course = find_course(ROOT)
    submissions = make_class(course, 15 if options.quick else options.submissions)
    repeat = 1 if options.quick else options.repeat
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        pool = [one for one in submissions if one.kind in HONEST]
        honest = write_class(pool, folder / "honest")
        some = write_class(pool[:: -(-len(pool) // options.sample)], folder / "some") if options.sample else honest
        hostile = write_class([one for one in submissions if one.kind not in HONEST], folder / "hostile")
        truth = ask(folder, honest)
        found = [Found(kind.name, limit=kind.limit) for kind in TOOLS if kind.name in (options.tool or [kind.name])]
        tools = {one.name: ready(one, folder, course, options) for one in found}
        try:
            for number in range(repeat):  # in turns, so that a busy minute of the machine meets all of them
                for one in found:
                    if tool := tools[one.name]:
                        given = honest if tool.at_once else some
                        say(f"{one.name}: {len(list(given.iterdir()))} honest submissions, {number + 1} of {repeat}")
                        cost_of(one, tool, given)
            few = write_class(pool[:FEW], folder / "few")
            for one in found:
                if (tool := tools[one.name]) and tool.at_once and one.costs and len(pool) > FEW:
                    say(f"{one.name}: {FEW} honest submissions, for the cost of its start")
                    profile(one, tool, few)
            for one in found:
                if (tool := tools[one.name]) and not one.reason:
                    say(f"{one.name}: {len(list(hostile.iterdir()))} hostile submissions")
                    with measure() as meter:
                        one.hostile = tool.grade(meter, hostile)
                    one.hung = sorted(tool.hung)
                    one.versions = tool.versions()
        except KeyboardInterrupt:
            say("interrupted: what follows is not complete")
    for one in found:
        one.agree = sum(truth[name] == points for name, points in one.honest.items())
    print(table(found, repeat))
    if options.json:
        document = describe(found, submissions, repeat)
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if options.svg:
        options.svg.write_text(picture(found), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="15 submissions, once")
    parser.add_argument("--submissions", type=int, default=60)
    parser.add_argument(
        "--sample", type=int, metavar="N", help="measure what takes every submission by itself on about N honest ones"
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=int, default=10, help="seconds for one check, where a tool has such a limit")
    parser.add_argument("--tool", action="append", choices=[kind.name for kind in TOOLS], help="only this one")
    parser.add_argument("--envs", type=Path, default=ROOT / ".grader" / "peers", help="where environments are kept")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--svg", type=Path, metavar="FILE")
    return parser.parse_args()


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def ask(folder: Path, submissions: Path) -> Points:
    """What the checks say in a plain process: no tool has a part in it."""
    (folder / "checks.py").write_text(HEADER + CHECKS, encoding="utf-8")
    program = folder / "ask.py"
    program.write_text(ASK.replace("NAMES", repr(NAMES)), encoding="utf-8")
    done = subprocess.run([sys.executable, program, submissions], capture_output=True, text=True, check=True)  # noqa: S603
    found: Points = json.loads(done.stdout)
    return found


def ready(one: Found, folder: Path, course: Course, options: argparse.Namespace) -> Tool | None:
    """The tool with its environment; None, with the reason, where it cannot be had."""
    kind = next(kind for kind in TOOLS if kind.name == one.name)
    place = folder / kind.__name__
    place.mkdir()
    try:
        if kind is Ours:
            python = Path(sys.executable)
        else:
            say(f"{one.name}: its environment")
            constraints = ROOT / "constraints.txt"
            shared = options.envs / "shared"
            install(shared, SHARED, constraints, None)
            python = install(options.envs / kind.__name__, kind.packages, constraints, shared)
        tool = kind(python, place, course, options.limit)
        tool.prepare()
    except NotHereError as reason:
        one.reason = str(reason)
        return None
    return tool


def cost_of(one: Found, tool: Tool, submissions: Path) -> None:
    """Grade the honest submissions once more."""
    if one.reason:
        return
    with measure() as meter:
        try:
            points = tool.grade(meter, submissions)
        except (OSError, ValueError, KeyError) as error:
            points = {}
            one.reason = f"gives no results: {error!r}"
    if not any(value is not None for value in points.values()):
        lines = tool.said.strip().splitlines()
        one.reason = one.reason or f"gives no points: {lines[-1] if lines else 'without a word'}"
        return
    one.honest = points
    one.costs.append(meter.cost)


def profile(one: Found, tool: Tool, few: Path) -> None:
    """What a run costs at once, and what each submission adds: from the cost of few and of many."""
    with measure() as meter:
        tool.grade(meter, few)
    many = statistics.median(cost.cpu for cost in one.costs)
    one.each = (many - meter.cost.cpu) / (len(one.honest) - FEW)
    one.start = many - one.each * len(one.honest)


def per_submission(one: Found) -> list[float]:
    """CPU seconds for one honest submission, in each repetition."""
    return [cost.cpu / len(one.honest) for cost in one.costs]


def hostile_words(one: Found) -> tuple[str, str, str]:
    """What became of the loop, the crash and the forgeries."""
    if not one.hostile:
        return ("not run",) * 3
    loop, crash = one.hostile.get("x_loop"), one.hostile.get("x_crash")
    if one.hung:
        ended = "run hung" if "run" in one.hung else "hung"
    else:
        ended = "no points" if loop is None else f"{loop:g} of {FULL}"
    forged = sum(one.hostile.get(f"x_{name}") == FULL for name in FORGERIES)
    return ended, "no points" if crash is None else f"{crash:g} of {FULL}", f"{forged} of {len(FORGERIES)}"


def table(found: list[Found], repeat: int) -> str:
    """80 columns."""
    head = f"{'':19}{'CPU s':>7}{'range':>12}{'ratio':>7}{'/min':>6}{'MB':>6}{'agree':>7}"
    lines = [f"honest submissions, {FULL} checks each; medians of {repeat}", "", head]
    ours = next((statistics.median(per_submission(one)) for one in found if one.name == Ours.name and one.costs), None)
    here = [one for one in found if one.costs and not one.reason]
    for one in here:
        honest = len(one.honest)
        seconds = per_submission(one)
        median = statistics.median(seconds)
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        speed = statistics.median(60 * honest / cost.wall for cost in one.costs)
        memory = max(cost.memory for cost in one.costs) / 1e6
        ratio = f"{median / ours:.1f}" if ours else "–"
        lines.append(
            f"{one.name:19}{median:7.3f}{spread:>12}{ratio:>7}{speed:6.0f}{memory:6.0f}{one.agree:>4}/{honest}"
        )
    lines += ["", f"{'':19}{'endless loop':>14}{'crash':>14}{'forged full marks':>20}"]
    for one in here:
        loop, crash, forged = hostile_words(one)
        lines.append(f"{one.name:19}{loop:>14}{crash:>14}{forged:>20}")
    starts = [one for one in here if one.start is not None]
    lines += [
        "",
        *(f"{one.name}: {one.start:.1f} CPU s to start, {one.each:.3f} for each submission" for one in starts),
    ]
    lines += [f"{one.name}: {one.reason}" for one in found if one.reason]
    return "\n".join(lines)


def describe(found: list[Found], submissions: list[Submission], repeat: int) -> dict[str, Any]:
    kinds = [one.kind for one in submissions]
    return {
        "machine": {
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
            "load": os.getloadavg()[0],
        },
        "exercise": EXERCISE,
        "checks": list(NAMES),
        "submissions": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        "repetitions": repeat,
        "tools": [asdict(one) for one in found],
    }


def picture(found: list[Found]) -> str:
    """CPU seconds for one submission as bars on a scale of powers of ten, each with its range."""
    here = [one for one in found if one.costs and not one.reason]
    medians = {one.name: statistics.median(per_submission(one)) for one in here}
    low = min(min(per_submission(one)) for one in here) / 2
    high = max(max(per_submission(one)) for one in here) * 1.3
    left, right, row = 150, 560, 30

    def x(seconds: float) -> float:
        from math import log

        return left + (right - left) * log(seconds / low) / log(high / low)

    height = 60 + row * len(here)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" width="640" font-family="sans-serif" '
        'font-size="13" role="img">',
        "<title>CPU seconds for one submission, by tool, on a logarithmic scale</title>",
        f'<rect width="640" height="{height}" fill="#ffffff"/>',
        '<text x="10" y="22" fill="#222222">CPU seconds per submission (logarithmic; the line is the range)</text>',
    ]
    for number, one in enumerate(here):
        top = 38 + row * number
        seconds = per_submission(one)
        colour = "#1b6ca8" if one.name == Ours.name else "#9aa5b1"
        middle = top + 10
        parts += [
            f'<text x="{left - 8}" y="{middle + 4}" text-anchor="end" fill="#222222">{one.name}</text>',
            f'<rect x="{left}" y="{top}" width="{x(medians[one.name]) - left:.1f}" height="20" fill="{colour}"/>',
            f'<path d="M{x(min(seconds)):.1f} {middle}H{x(max(seconds)):.1f}" stroke="#222222" stroke-width="2"/>',
            f'<text x="{x(max(seconds)) + 8:.1f}" y="{middle + 4}" fill="#222222">{medians[one.name]:.3g}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
