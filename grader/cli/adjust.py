"""``grader adjust``: what a teacher decides by hand, and what every regrade keeps."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.base import course_option, json_option
from grader.cli.final import open_final

if TYPE_CHECKING:
    from grader.results.adjustments import Adjustment


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("target", nargs=-1, metavar="[STUDENT] EXERCISE")
@click.option("--points", metavar="N", help="The points for the exercise: 12, or +3 or -2 to change them.")
@click.option("--drop-criterion", "drop", metavar="ID", help="This criterion counts for nothing.")
@click.option("--because", metavar="WORDS", help="Why: students read it.")
@click.option("--undo", type=int, metavar="NUMBER", help="Take one back, by its number.")
@json_option
@course_option
def adjust(
    results: Path,
    target: tuple[str, ...],
    points: str | None,
    drop: str | None,
    because: str | None,
    undo: int | None,
    as_json: bool,
    folder: Path,
) -> None:
    """Change points of a STUDENT in an EXERCISE, or drop a criterion (without STUDENT: for everybody).

    Adjustments are kept beside RESULTS, survive every regrade, and are shown to the student. Without anything else,
    list them.
    """
    from grader.errors import ResultsError
    from grader.results.adjustments import check, read_adjustments, write_adjustments
    from grader.results.schema import as_json as render
    from grader.results.schema import load_results

    place = results if results.is_dir() else results.parent
    found = list(read_adjustments(place))
    if undo is not None:
        found = _without(found, undo)
        write_adjustments(place, found)
    elif target or points or drop:
        one = _read(target, points, drop, because, number=len(found) + 1)
        check(one, load_results(results))
        found.append(one)
        write_adjustments(place, found)
    elif because:
        raise ResultsError("Say which exercise: grader adjust RESULTS STUDENT EXERCISE --points 12 --because WORDS")
    if as_json:
        click.echo(render(found), nl=False)
        return
    final = {student.id: student for student in open_final(results, folder).students}
    for one in found:
        who = one.student or "everybody"
        score = final[one.student].score if one.student in final else None
        total = f"  (total now {score:g})" if score is not None and not one.undone else ""
        click.echo(f"{one.number}. {who}, {one.exercise}: {one.words}{'  [undone]' if one.undone else ''}{total}")
    if not found:
        click.echo("No adjustments.")


def _read(
    target: tuple[str, ...], points: str | None, drop: str | None, because: str | None, number: int
) -> Adjustment:
    from grader.errors import ResultsError
    from grader.results.adjustments import Adjustment

    if (points is None) == (drop is None):
        raise ResultsError("Say one of --points and --drop-criterion.")
    if not because or not because.strip():
        raise ResultsError("Say why: --because WORDS. The student reads it.")
    if len(target) not in (1, 2) or (len(target) == 1 and drop is None):
        raise ResultsError(
            "Say whose: grader adjust RESULTS STUDENT EXERCISE. Only a criterion is dropped for everybody."
        )
    student, exercise = target if len(target) == 2 else ("", target[0])
    if points is not None and not re.fullmatch(r"[+-]?\d{1,6}", points):
        raise ResultsError(f"--points: found {points!r}; write 12, +3 or -2.")
    signed = points is not None and points[0] in "+-"
    return Adjustment(
        number=number,
        at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        because=because.strip(),
        student=student,
        exercise=exercise,
        points=int(points) if points is not None and not signed else None,
        add=int(points) if points is not None and signed else 0,
        drop=drop or "",
    )


def _without(found: list[Adjustment], number: int) -> list[Adjustment]:
    import msgspec

    from grader.errors import ResultsError

    if number not in {one.number for one in found}:
        raise ResultsError(f"There is no adjustment {number}. `grader adjust RESULTS` lists them.")
    return [msgspec.structs.replace(one, undone=True) if one.number == number else one for one in found]
