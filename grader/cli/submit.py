"""``grader submit``: pack what a student hands in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.base import FOUND_FAILURES, course_option, exercise_arguments, open_course, require_torch

if TYPE_CHECKING:
    from grader.course import Course
    from grader.student.submit import Choice, Part, Who


@click.command()
@exercise_arguments
@click.option("--student", metavar="ID", help="Who you are, as your course knows you; remembered for the next time.")
@click.option("--name", metavar="TEXT", help="Your name.")
@click.option("--with", "group", multiple=True, metavar="ID", help="Who hands in with you; repeatable.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="The zip (default: ID.zip, here).")
@click.option("--no-check", is_flag=True, help="Do not run the public tests first.")
@course_option
def submit(
    exercises: tuple[str, ...],
    student: str | None,
    name: str | None,
    group: tuple[str, ...],
    out: Path | None,
    no_check: bool,
    folder: Path,
) -> None:
    """Pack your files into a zip that you can hand in (all exercises, or those you name).

    It runs the public tests, shows what will be handed in, and warns you. Unfinished work can be handed in too. Nothing
    is sent anywhere: you upload the zip where your course wants it.
    """
    course = open_course(folder)
    from datetime import datetime

    from grader.files import safe_name
    from grader.student.check_report import student_console
    from grader.student.submit import LARGE, choose_parts, pack, remember, write_zip

    console = student_console()
    choice = choose_parts(course, exercises)
    who = _who(course, student, name, group)
    if not no_check:
        require_torch()
        choice = _checked(console, course, choice)
    _show(console, course, choice)
    if any(part.problem for part in choice.parts) or not any(part.asked for part in choice.parts):
        console.print("\nNothing was packed.")
        raise SystemExit(FOUND_FAILURES)
    content = pack(course, who, choice.parts, datetime.now().astimezone().isoformat(timespec="seconds"))
    if len(content) > LARGE:
        console.print(f"[yellow]![/yellow] The zip has {len(content) >> 20} MiB. Some systems take no more than 10.")
    out = out or Path(f"{safe_name(who.student)}.zip")
    write_zip(out, content, who)
    if not remember(course, who):
        console.print(f"Who you are is not kept for the next time: {course.own} cannot be written.", soft_wrap=True)
    others = f" with {', '.join(who.group)}" if who.group else ""
    console.print(f"\nPacked for {who.student}{others}: {out} ({len(content):,} bytes)", markup=False, soft_wrap=True)
    console.print("Nothing was sent. Upload this file where your course wants it.")


def _who(course: Course, student: str | None, name: str | None, group: tuple[str, ...]) -> Who:
    import sys

    from grader.errors import SubmissionError
    from grader.student.submit import Who, check_who, remembered

    known = remembered(course)
    if student is None and known is None:
        if not sys.stdin.isatty():
            raise SubmissionError("Who hands in? Say --student ID, the id by which your course knows you.")
        student = click.prompt("The id by which your course knows you")
    same = known if known is not None and student in (None, known.student) else None
    return check_who(
        Who(
            student=student or (known.student if known else ""),
            name=name if name is not None else (same.name if same else ""),
            group=group or (same.group if same else ()),
        )
    )


def _checked(console: Any, course: Course, choice: Choice) -> Choice:
    """The choice without what turned out to be the stub, each part with what its public tests say."""
    import msgspec

    from grader.results.records import Verdict
    from grader.results.scoring import points_of
    from grader.student.check import check_exercises
    from grader.student.notebook import write_module
    from grader.student.targets import Target

    parts: list[Part] = []
    not_begun = list(choice.not_begun)
    for part in choice.parts:
        if part.problem or not part.asked:
            parts.append(part)
            continue
        if part.is_notebook:
            write_module(course, part.exercise, part.path)
        with console.status(f"{part.exercise.name}: running the public tests"):
            (checked,) = check_exercises(course, (Target(part.exercise, course.module(part.exercise)),), again=True)
        result = checked.result
        warnings: tuple[str, ...] = ()
        if result is None:
            warnings = (f"The public tests could not run: {checked.fault}",)
        elif result.verdict is Verdict.MISSING:
            not_begun.append(part.exercise)
            continue
        elif result.problem:
            warnings = (result.problem,)
        else:
            earned, possible = points_of(result.criteria)
            missing = [r.criterion.title for r in result.criteria if r.verdict is Verdict.MISSING]
            warnings = (f"{earned} of {possible} points in the public tests.",) if earned < possible else ()
            warnings += (f"Not written yet: {', '.join(missing)}.",) if missing else ()
        parts.append(msgspec.structs.replace(part, warnings=(*part.warnings, *warnings)))
    return msgspec.structs.replace(choice, parts=tuple(parts), not_begun=tuple(not_begun))


def _show(console: Any, course: Course, choice: Choice) -> None:
    from rich.markup import escape
    from rich.padding import Padding

    from grader.course.given import path_in

    console.print("This is handed in:" if choice.parts else "There is nothing to hand in.")
    for part in choice.parts:
        mark = "[red]x[/red]" if part.problem else "[yellow]![/yellow]" if part.warnings else "[green]+[/green]"
        files = ", ".join(path_in(course, path) for path in part.files)
        why = "" if part.asked else "  (another exercise builds on it)"
        console.print(f"  {mark} {escape(files)}{why}")
        for text in (part.problem, *part.warnings):
            if text:
                console.print(Padding(escape(text), (0, 0, 0, 6)))
    if choice.not_begun:
        names = ", ".join(exercise.name for exercise in choice.not_begun)
        console.print(f"  Not handed in, because nothing is written there yet: {escape(names)}")
