"""What students use: ``check`` and ``train``."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from grader.cli.base import (
    FOUND_FAILURES,
    INTERRUPTED,
    course_option,
    exercise_arguments,
    json_option,
    main,
    make_console,
    open_course,
)


@main.command()
@exercise_arguments
@json_option
@course_option
def check(exercises: tuple[str, ...], as_json: bool, folder: Path) -> None:
    """Run the public tests on your files (all exercises, or those you name).

    `grader check attention.ipynb` takes the code from the notebook as it was saved, and writes it to attention.py.
    """
    course = open_course(folder)
    from grader.models import ExerciseResult, Verdict
    from grader.reports import results, terminal
    from grader.scoring import left_out
    from grader.student.check import check_exercises
    from grader.student.notebook import notebook_exercise, write_module
    from grader.submissions.notebook import SUFFIX

    notebooks = dict(notebook_exercise(course, name) for name in exercises if name.endswith(SUFFIX))
    selected = course.select(tuple(Path(name).stem if name.endswith(SUFFIX) else name for name in exercises))
    for exercise, notebook in notebooks.items():
        write_module(course, exercise, notebook)

    console = make_console()
    documents = []
    passed = True
    for exercise, result in check_exercises(course, selected):
        mended = isinstance(result, ExerciseResult) and (
            result.verdict is Verdict.PASSED or left_out(result, course.optional)
        )
        passed = passed and mended
        if not as_json:
            terminal.print_check(console, exercise, result)
        elif isinstance(result, ExerciseResult):
            document = results.exercise_document(result)
            documents.append({**document, "hidden_criteria": exercise.hidden_criteria})
        else:
            documents.append({"name": exercise.name, "fault": result})
    if as_json:
        click.echo(results.as_json({"format": results.FORMAT, "passed": passed, "exercises": documents}), nl=False)
    if not passed:
        raise SystemExit(FOUND_FAILURES)


@main.command()
@click.argument("exercise", metavar="EXERCISE")
@click.option("--task", "task_name", type=click.Choice(["digits", "dates", "g2p"]), default="g2p", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Default: runs/EXERCISE-TASK.")
@click.option("--steps", type=click.IntRange(min=1), help="How many steps; each task has a default.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--word", "words", multiple=True, metavar="TEXT", help="Draw the attention for this; repeatable.")
@click.option("--file", type=click.Path(path_type=Path, exists=True), help="Train this file, not the exercise's own.")
@click.option("--fresh", is_flag=True, help="Begin anew, whatever is in FOLDER.")
@json_option
@course_option
def train(
    exercise: str,
    task_name: str,
    out: Path | None,
    steps: int | None,
    seed: int,
    words: tuple[str, ...],
    file: Path | None,
    fresh: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Train your own model (seq2seq or transformer) on a task, and see what it learns.

    Stop it with Ctrl-C; the same command goes on where it was. Weights, the loss curve and pictures of where the model
    looks are written to FOLDER.
    """
    course = open_course(folder)
    from rich.console import Console

    from grader.reports.results import as_json as render
    from grader.reports.training import live_progress, print_outcome
    from grader.training.run import Training, find_task

    chosen = course.exercise(exercise)
    task = find_task(task_name, chosen)
    sizes = task.sizes[chosen.name]
    out = out or Path("runs") / f"{chosen.name}-{task.name}"
    training = Training(
        course, chosen, task, out=out, seed=seed, file=file, fresh=fresh,
        sizes=msgspec.structs.replace(sizes, steps=steps) if steps else sizes,
    )  # fmt: skip
    console = Console(stderr=True)
    console.print(
        f"{chosen.name}, {task.title}: {training.parameters:,} parameters, {len(training.data.train):,} pairs"
    )
    try:
        with live_progress(console, chosen.name, training.story.step, training.sizes.steps) as show:
            training.run(show)
    except KeyboardInterrupt:
        click.echo(f"\ngrader: interrupted at step {training.story.step}. The same command goes on.", err=True)
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
