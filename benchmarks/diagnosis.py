"""How often the diagnosis is right about wrong programs of other people (``tests/diagnosis``).

    python benchmarks/diagnosis.py [EXERCISE …] [--corpus blind] [--every 5] [--jobs 2] [--details] [--json FILE]

Each program is judged, confined, on the short criteria, and what is said about it is compared with its true causes,
which the corpus gives as ids of the bank (``known``); the same idea in another place of the program is as right.

right       every cause is named, and nothing else
half        of two causes one is named, and nothing else
looks like  a true cause is named as what it looks like
silent      nothing is said
wrong       something is named that is no cause

It also says how many seconds of processor time the diagnoses took; the judging itself is not in them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import msgspec

from grader.course import Course, Exercise, find_course
from grader.course.misconceptions import load_misconceptions
from grader.judge.processes.task import Part, Task
from grader.judge.processes.warm import WarmJudge
from grader.results.records import ExerciseResult, Finding
from grader.sandbox.layers import require_layers

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "tests" / "diagnosis"
BASES = CORPORA / "foreign"
WORDS = ("right", "half", "looks like", "silent", "wrong")


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A wrong program, and for each of its causes the ids that are right names for it."""

    exercise: str
    name: str
    text: str
    known: tuple[frozenset[str], ...]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What was said about a program, and whether it was right."""

    exercise: str
    name: str
    causes: int
    word: str
    said: tuple[str, ...]
    known: tuple[tuple[str, ...], ...]
    failed: tuple[str, ...]
    seconds: float  # of processor time that the diagnosis took


def read_corpus(course: Course, exercise: Exercise, corpus: str = "foreign") -> Iterator[Program]:
    """The wrong programs of an exercise."""
    document = tomllib.loads((CORPORA / corpus / f"{exercise.name}.toml").read_text(encoding="utf-8"))
    ideas = {entry.id: entry.idea or entry.id for entry in load_misconceptions(course.bank(exercise))}

    def widened(ids: Sequence[str]) -> frozenset[str]:
        wanted = {ideas[id_] for id_ in ids}
        return frozenset(id_ for id_, idea in ideas.items() if idea in wanted)

    for entry in (*document["mistake"], *document["double"]):
        text = (BASES / exercise.name / f"{entry['base']}.py").read_text(encoding="utf-8")
        for edit in entry["edits"]:
            text = text.replace(edit["find"], edit["replace"])
        known = entry["known"] if "causes" in entry else [entry["known"]]
        yield Program(exercise=exercise.name, name=entry["name"], text=text, known=tuple(widened(ids) for ids in known))


def judge_all(course: Course, programs: Sequence[Program], jobs: int = 1) -> Iterator[tuple[Program, Judged]]:
    """In the order of the programs."""
    exercises = course.select(tuple(dict.fromkeys(program.exercise for program in programs)))
    idle: SimpleQueue[WarmJudge] = SimpleQueue()
    judges = [WarmJudge(course, exercises, require_layers()) for _ in range(jobs)]
    for judge in judges:
        idle.put(judge)

    def work(program: Program) -> Judged:
        judge = idle.get()
        try:
            result = judge.grade(_task(course, program))
            return weigh(program, result, judge.diagnosed.seconds)
        finally:
            idle.put(judge)

    try:
        # A judge dies with the thread that started it, so these threads live as long as they are needed.
        with ThreadPoolExecutor(jobs) as pool:
            yield from zip(programs, pool.map(work, programs), strict=True)
    finally:
        for judge in judges:
            judge.close(now=True)


def _task(course: Course, program: Program) -> Task:
    exercise = course.exercise(program.exercise)
    files = {name: (f"{name}.py", course.stand_in(name).read_bytes()) for name in exercise.builds_on}
    files[exercise.name] = (f"{exercise.name}.py", program.text.encode())
    return Task(exercise=exercise.name, sources=files, seed="a benchmark", part=Part.SHORT, diagnose=True)


def weigh(program: Program, result: ExerciseResult, seconds: float = 0.0) -> Judged:
    """Whether what was said is right."""
    failed = tuple(one.criterion.id for one in result.criteria if not one.passed)
    return Judged(
        exercise=program.exercise, name=program.name, causes=len(program.known),
        word=_word(program.known, result.findings) if failed else "passes",
        said=tuple("~" * finding.likeness + " or ".join(one.id for one in finding.mistakes)
                   for finding in result.findings),
        known=tuple(tuple(sorted(ids)) for ids in program.known), failed=failed, seconds=round(seconds, 2),
    )  # fmt: skip


def _word(known: Sequence[frozenset[str]], findings: Sequence[Finding]) -> str:
    said = [frozenset(mistake.id for mistake in finding.mistakes) for finding in findings]
    if not said:
        return "silent"
    if not all(any(ids & cause for cause in known) for ids in said):
        return "wrong"
    sure = [ids for ids, finding in zip(said, findings, strict=True) if not finding.likeness]
    named = sum(any(ids & cause for ids in sure) for cause in known)
    if not named or len(sure) < len(said):
        return "looks like"
    return "right" if named == len(known) else "half"


def table(judged: Sequence[Judged]) -> str:
    """Counts and shares, for each exercise and for all, and what it cost."""
    lines = []
    for title, causes in (("Single mistakes", 1), ("Two mistakes at once", 2)):
        words = [word for word in WORDS if causes == 2 or word != "half"]
        lines += [title, f"{'':22}{'programs':>9}" + "".join(f"{word:>11}" for word in words)]
        of_kind = [one for one in judged if one.causes == causes and one.word != "passes"]
        for name in (*dict.fromkeys(one.exercise for one in of_kind), ""):
            count = Counter(one.word for one in of_kind if name in (one.exercise, ""))
            lines.append(f"{name or 'all':22}{count.total():9}" + "".join(f"{count[word]:11}" for word in words))
        count = Counter(one.word for one in of_kind)
        share = "".join(f"{count[word] / max(1, count.total()):11.1%}" for word in words)
        lines += [f"{'':22}{'':9}{share}", ""]
    lines.append(f"{'CPU s of a diagnosis':22}{'programs':>9}{'median':>11}{'mean':>11}{'worst':>11}")
    failing = [one for one in judged if one.word != "passes"]
    for name in (*dict.fromkeys(one.exercise for one in failing), ""):
        taken = [one.seconds for one in failing if name in (one.exercise, "")] or [0.0]
        middle, average = statistics.median(taken), statistics.mean(taken)
        lines.append(f"{name or 'all':22}{len(taken):9}{middle:11.2f}{average:11.2f}{max(taken):11.2f}")
    lines.append("")
    speaking = [one for one in judged if one.word not in ("silent", "passes")]
    precise = sum(one.word != "wrong" for one in speaking)
    lines.append(f"Of {len(speaking)} that something is said about, {precise} are told nothing wrong.")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercise", nargs="*", help="all that have a corpus, if none is named")
    parser.add_argument("--corpus", choices=("foreign", "blind"), default="foreign")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="judge every Nth program only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--details", action="store_true", help="print what was said about each program")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    course = find_course(ROOT)
    names = options.exercise or [e.name for e in course.exercises if (BASES / f"{e.name}.toml").is_file()]
    programs = [
        program for name in names for program in list(read_corpus(course, course.exercise(name), options.corpus))
    ]
    judged = []
    for number, (_, one) in enumerate(judge_all(course, programs[:: options.every], options.jobs), start=1):
        judged.append(one)
        if options.details:
            causes = " + ".join(" or ".join(ids) or "none" for ids in one.known)
            said = ", ".join(one.said) or "nothing"
            print(f"{one.word:10} {one.exercise} {one.name}: said {said}; known {causes}; {one.seconds} s", flush=True)
        elif sys.stderr.isatty():
            print(f"\r{number} of {len(programs[:: options.every])}", end="", file=sys.stderr)
    print(table(judged))
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(judged), indent=2))


if __name__ == "__main__":
    main()
