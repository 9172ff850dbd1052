"""The command ``grader``: thin commands over the packages, which are imported only when they are needed.

Exit codes: 0 done; 1 ``check``, ``validate`` or ``stubs --check`` found something to mend; 2 usage; 3 a fault of ours
while grading; 130 interrupted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from grader import __version__
from grader.errors import GraderError, did_you_mean

if TYPE_CHECKING:
    from grader.manifest import Course

FOUND_FAILURES = 1
USAGE = 2
FAULT = 3
INTERRUPTED = 130


class Commands(click.Group):
    """Catches errors for people once, and suggests the near name of an unknown command."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except GraderError as error:
            click.echo(f"grader: {error}", err=True)
            ctx.exit(USAGE)
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted.", err=True)
            ctx.exit(INTERRUPTED)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            raise click.UsageError(f"No command {args[0]!r}{did_you_mean(args[0], names)}", ctx)
        return super().resolve_command(ctx, args)


course_option = click.option(
    "--course", "folder", type=click.Path(path_type=Path), default=".", metavar="FOLDER",
    help="The course, or a folder inside it (default: here).",
)  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
exercise_arguments = click.argument("exercises", nargs=-1, metavar="[EXERCISE]...")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Learn sequence models by doing: check your exercises, grade a class, write new ones."""


@main.command()
@exercise_arguments
@json_option
@course_option
def check(exercises: tuple[str, ...], as_json: bool, folder: Path) -> None:
    """Run the public tests on your files (all exercises, or those you name)."""
    course = _course(folder)
    selected = course.select(exercises)
    from grader.models import ExerciseResult, Verdict
    from grader.reports import results, terminal
    from grader.scoring import left_out
    from grader.student.check import check_exercises

    console = _console()
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
@click.argument("pile", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where results go.")
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Grade only this one (repeatable).")
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="How many at once (default: the cores).")
@click.option("--seed", type=int, default=None, help="Draw hidden inputs from this seed, not course.toml's.")
@click.option("--unconfined", is_flag=True, help="Grade although student code cannot be confined here.")
@click.option("--quick", is_flag=True, help="Leave out criteria that train a model; scores are of the others.")
@click.option("--diagnosis/--no-diagnosis", "diagnose", default=True, help="Look for known mistakes behind failures.")
@json_option
@course_option
def grade(
    pile: Path,
    out: Path,
    exercises: tuple[str, ...],
    jobs: int | None,
    seed: int | None,
    unconfined: bool,
    quick: bool,
    diagnose: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Grade a PILE of submissions (a folder per student) and write the results.

    Run it again to go on after an interruption: what is graded already, and has not changed, is not graded again.
    """
    course = _course(folder)
    from grader.gradebook import open_gradebook
    from grader.models import Verdict
    from grader.pipeline import Settings, grade_class
    from grader.reports import grades, results, terminal
    from grader.reports.files import write_atomically
    from grader.reports.progress import progress
    from grader.sandbox.layers import require_layers
    from grader.submissions.folder import read_folder
    from grader.text import printable_line

    selected = course.select(exercises)
    layers = None if unconfined else require_layers()
    submissions = read_folder(pile, course.exercises)  # also what the selected ones build on
    settings = Settings(
        course=course, exercises=selected, layers=layers,
        seed=course.seed if seed is None else seed, jobs=jobs or os.cpu_count() or 1, quick=quick,
        diagnose=diagnose,
    )  # fmt: skip
    with open_gradebook(out) as gradebook:
        try:
            with progress("Grading", len(submissions) * len(selected)) as advance:
                students = grade_class(settings, submissions, gradebook, advance)
        except KeyboardInterrupt:
            click.echo("\ngrader: interrupted. Run the same command again to go on.", err=True)
            raise SystemExit(INTERRUPTED) from None
        document = results.as_json(results.results_document(course, students, results.confinement_document(layers)))
        write_atomically(out / "results.json", document)
        write_atomically(out / "grades.csv", grades.grades_csv(course, selected, students))
    if as_json:
        click.echo(document, nl=False)
    else:
        terminal.print_class(_console(), course, selected, students)
        click.echo(f"Written: {out / 'grades.csv'} and {out / 'results.json'}")
        click.echo(f"Confinement: {terminal.confinement_line(layers)}")
    faults = [
        f"{printable_line(student.id, 40)}/{exercise.name}"
        for student in students
        for exercise in student.exercises
        if exercise.verdict is Verdict.GRADER_FAULT
    ]
    if faults:
        click.echo(f"grader: could not be graded, through no fault of the students: {', '.join(faults)}", err=True)
        raise SystemExit(FAULT)


@main.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--exercise", "exercises", multiple=True, metavar="NAME", help="Only this one (repeatable).")
@json_option
def statistics(results: Path, exercises: tuple[str, ...], as_json: bool) -> None:
    """Say how hard each criterion was for the class of RESULTS (what `grade` wrote), and which deserve a look."""
    from grader.reports.items import load_items, print_items
    from grader.reports.results import as_json as render

    found = load_items(results, exercises)
    click.echo(render(found), nl=False) if as_json else print_items(_console(), found)


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
    course = _course(folder)
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
        _console(), symbol=task.symbol, sequence=task.sequence, found=rates, label=label, published=task.published
    )
    click.echo(f"Written: {', '.join(outcome.files)}")


@main.command()
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
    course = _course(folder)
    from grader.reports.matrix import print_proofs
    from grader.validation import prove

    found = prove(course, course.select(exercises), **how)
    print_proofs(_console(), course, found, page=page, as_json=as_json)
    if not all(exercise.holds for exercise in found):
        raise SystemExit(FOUND_FAILURES)


@main.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say how student code is confined on this machine, layer by layer, and try it."""
    from grader.reports import doctor as report
    from grader.reports.results import as_json as render
    from grader.sandbox.layers import find_layers

    layers = find_layers()
    findings = report.examine(layers)
    if as_json:
        click.echo(render(report.doctor_document(layers, dict(findings))), nl=False)
    else:
        report.print_doctor(_console(), layers, dict(findings))
    if layers.level == "none" or any(findings.values()):
        raise SystemExit(FOUND_FAILURES)


@main.command()
@exercise_arguments
@click.option("--check", "only_check", is_flag=True, help="Write nothing; fail if a stub is out of date.")
@course_option
def stubs(exercises: tuple[str, ...], only_check: bool, folder: Path) -> None:
    """Write the stubs that students get from the solutions."""
    course = _course(folder)
    from grader.authoring.stubs import stub_path, write_stub

    stale = False
    for exercise in course.select(exercises):
        changed = write_stub(course, exercise, only_check=only_check)
        stale = stale or changed
        word = ("out of date" if only_check else "written") if changed else "up to date"
        click.echo(f"{stub_path(course, exercise).relative_to(course.root)}: {word}")
    if only_check and stale:
        raise SystemExit(FOUND_FAILURES)


def _course(folder: Path) -> Course:
    from grader.manifest import find_course

    return find_course(folder)


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False)
