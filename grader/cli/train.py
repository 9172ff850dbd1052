"""``grader train``: a student's own model learns a task."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from grader.cli.base import INTERRUPTED, course_option, json_option, make_console, open_course, require_torch


@click.command()
@click.argument("exercise", metavar="EXERCISE")
@click.option("--task", "task_name", metavar="NAME", help="What to learn (default: the course's first choice).")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Default: runs/EXERCISE-TASK.")
@click.option("--steps", type=click.IntRange(min=1), help="How many steps; each task has a default.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--word", "words", multiple=True, metavar="TEXT", help="Draw the attention for this; repeatable.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True),
    help="Train this file, not the exercise's own. Its code runs as you: take none that you do not trust.",
)
@click.option("--fresh", is_flag=True, help="Begin anew, whatever is in FOLDER.")
@json_option
@course_option
def train(
    exercise: str,
    task_name: str | None,
    out: Path | None,
    steps: int | None,
    seed: int,
    words: tuple[str, ...],
    file: Path | None,
    fresh: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Train your own model on a task, and see what it learns.

    Stop it with Ctrl-C; the same command goes on where it was. Weights, the loss curve and pictures of where the model
    looks are written to FOLDER.
    """
    course = open_course(folder)
    require_torch()
    from rich.console import Console

    from grader.errors import GraderError
    from grader.reports.training import live_progress, print_outcome
    from grader.results.schema import as_json as render
    from grader.training.run import Training
    from grader.training.tasks import find_task, load_training

    chosen = course.exercise(exercise)
    training_of_course = load_training(course)
    task = find_task(training_of_course, task_name, chosen)
    sizes = task.sizes[chosen.name]
    out = out or Path("runs") / f"{chosen.name}-{task.name}"
    training = Training(
        course, chosen, training_of_course, task, out=out, seed=seed, file=file, fresh=fresh,
        sizes=msgspec.structs.replace(sizes, steps=steps) if steps else sizes,
    )  # fmt: skip
    console = Console(stderr=True)
    console.print(
        f"{chosen.name}, {task.title}: {training.parameters:,} parameters, {len(training.data.train):,} pairs"
    )
    try:
        with live_progress(console, chosen.name, training.state.step, training.sizes.steps) as show:
            training.run(show)
    except NotImplementedError as error:
        raise GraderError(f"{chosen.name} cannot be trained yet: {error}.") from error
    except KeyboardInterrupt:
        click.echo(f"\ngrader: interrupted at step {training.state.step}. The same command goes on.", err=True)
        raise SystemExit(INTERRUPTED) from None
    outcome = training.finish(words or task.words)
    if as_json:
        click.echo(render(outcome), nl=False)
        return
    rates = (outcome.symbol_error_rate, outcome.sequence_error_rate)
    label = f"your {chosen.name}, {outcome.parameters // 1000}k parameters, {outcome.steps} steps"
    print_outcome(
        make_console(), symbol=task.symbol, sequence=task.sequence, found=rates, label=label, published=task.published
    )
    click.echo(f"Written: {', '.join(outcome.files)}")
