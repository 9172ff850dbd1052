"""``grader validate``: prove that the suites are sound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from grader.cli.base import FOUND_FAILURES, course_option, exercise_arguments, json_option, make_console, open_course


@click.command()
@exercise_arguments
@click.option("--all", "anew", is_flag=True, help="Judge everything anew, with 20 seeds, and not only what changed.")
@click.option("--seeds", type=click.IntRange(min=0), help="How many other seeds to try (default: 5).")
@click.option("--mutate", is_flag=True, help="Also judge automatic mutants of the solution.")
@click.option("--long", "train_too", is_flag=True, help="Also the criteria that train a model.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many at once (default: the cores).")
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write the matrix as a page.")
@json_option
@course_option
def validate(exercises: tuple[str, ...], page: Path | None, as_json: bool, folder: Path, **how: Any) -> None:
    """Prove that the suites are sound: right solutions lose nothing, known mistakes are caught.

    What has not changed since the last proof is not judged again.
    """
    course = open_course(folder)
    from grader.course.secrets import ensure_secret
    from grader.reports.matrix import print_proofs
    from grader.reports.progress import progress
    from grader.validation.run import prove

    # With the secret that grades students: what is proven is what they will be asked.
    course = msgspec.structs.replace(course, secret=ensure_secret(course.solutions))
    found = prove(course, course.select(exercises), progress, **how)
    print_proofs(make_console(), course, found, page=page, as_json=as_json)
    if not all(exercise.holds for exercise in found):
        raise SystemExit(FOUND_FAILURES)
