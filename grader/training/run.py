"""One training run: chunks of steps, a checkpoint now and then, and at the end figures and pictures.

Every chunk seeds torch by its number, and batches are drawn by seed and epoch. So a run that was interrupted, and goes
on, comes to the same end as one that was not.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import msgspec

from grader.course import Course, Exercise
from grader.errors import GraderError
from grader.training import checkpoint
from grader.training.learner import Learner, load_student
from grader.training.pictures import draw_attention, draw_loss
from grader.training.scores import ErrorRates, error_rates
from grader.training.tasks import CourseTraining, Data, Pair, Sizes, TrainingTask, batches_of_epoch

EXTRA = ("matplotlib", "safetensors")
INSTALL_EXTRA = 'python -m pip install -c constraints.txt -e ".[train]"'
CHUNK = 25  # steps
SAVE_EVERY = 8  # chunks
SHOWN = 3  # unseen sources whose answers are shown on the way


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run is, for whoever is watching."""

    step: int
    loss: float | None
    tokens_per_second: float
    samples: tuple[tuple[str, str], ...] = ()  # (source, answer), now and then


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run."""

    exercise: str
    task: str
    steps: int
    parameters: int
    seconds: float
    loss: float
    symbol_error_rate: float
    sequence_error_rate: float
    files: tuple[str, ...]


class Training:
    """A student's model on its way through a task."""

    def __init__(
        self, course: Course, exercise: Exercise, training: CourseTraining, task: TrainingTask, *, out: Path, seed: int,
        sizes: Sizes, file: Path | None = None, fresh: bool = False,
    ) -> None:  # fmt: skip
        missing = [name for name in EXTRA if find_spec(name) is None]
        if missing:  # now, and not when the pictures are drawn after an hour
            raise GraderError(f"Training needs {' and '.join(missing)}. Run: {INSTALL_EXTRA}")
        import torch

        torch.set_num_threads(1)  # models this small gain nothing by more, and lose by waiting
        self.exercise, self.task, self.out, self.seed, self.sizes = exercise, task, out, seed, sizes
        self.module = load_student(course, exercise, file)
        self.data: Data = training.load_data(task.name, exercise.name, seed)
        torch.manual_seed(seed)
        try:
            self.learner: Learner = training.make_learner(self.module, self.data, sizes)
        except (AttributeError, NotImplementedError) as error:  # a part of the exercise is not written
            raise GraderError(f"{exercise.name} cannot be trained yet: {error}.") from error
        try:
            out.mkdir(parents=True, exist_ok=True)
            (out / ".writable").touch()
            (out / ".writable").unlink()
        except OSError as error:
            raise GraderError(f"{out}: cannot be written ({error.strerror}). Choose another --out FOLDER.") from error
        self.state = checkpoint.TrainingState(
            exercise=exercise.name, task=task.name, seed=seed, sizes=msgspec.structs.asdict(sizes),
            symbols=self.learner.symbols(),
        )  # fmt: skip
        if not fresh:
            found = checkpoint.load(out, self.state, self.learner.model, self.learner.optimizer)
            self.state = found or self.state

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.learner.model.parameters())

    def run(self, on_step: Callable[[Step], None]) -> None:
        """All steps that are left; what is done is kept if this is interrupted."""
        import torch

        steps = self.sizes.steps
        per_epoch = -(-len(self.data.train) // self.sizes.batch_size)
        looks = max(1, steps // 8 // CHUNK)  # chunks between two looks at samples
        epoch, batches = -1, []
        try:
            while self.state.step < steps:
                first = self.state.step
                torch.manual_seed(self.seed * 1_000_003 + first)
                chosen: list[Sequence[Pair]] = []
                for step in range(first, min(first + CHUNK, steps)):
                    if step // per_epoch != epoch:
                        epoch = step // per_epoch
                        batches = batches_of_epoch(self.data.train, self.sizes.batch_size, self.seed, epoch)
                    chosen.append(batches[step % per_epoch])
                self._chunk(chosen, on_step)
                number = self.state.step // CHUNK
                if number % looks == 0 or self.state.step == steps:
                    on_step(self._progress(self.state.step, self.answers(self.data.sources[:SHOWN])))
                if number % SAVE_EVERY == 0:
                    self.save()
        finally:
            self.save()

    def _chunk(self, chosen: list[Sequence[Pair]], on_step: Callable[[Step], None]) -> None:
        first, start = self.state.step, time.monotonic()
        model, optimizer = self.learner.model, self.learner.optimizer
        before = copy.deepcopy((model.state_dict(), optimizer.state_dict()))

        def watched() -> Iterator[Sequence[Pair]]:
            for number, pairs in enumerate(chosen):
                on_step(self._progress(first + number))
                yield pairs

        try:
            loss = self.learner.learn(watched(), first + 1, self.sizes.steps)
        except KeyboardInterrupt:  # the chunk is begun anew next time
            model.load_state_dict(before[0])
            optimizer.load_state_dict(before[1])
            raise
        state = self.state
        state.step = first + len(chosen)
        state.seconds += time.monotonic() - start
        state.tokens += sum(len(target) + 1 for pairs in chosen for _, target in pairs)
        state.losses = [*state.losses, (state.step, round(loss, 5))]

    def _progress(self, step: int, samples: tuple[tuple[str, str], ...] = ()) -> Step:
        state = self.state
        return Step(
            step=step, loss=state.losses[-1][1] if state.losses else None,
            tokens_per_second=state.tokens / state.seconds if state.seconds else 0.0, samples=samples,
        )  # fmt: skip

    def save(self) -> None:
        checkpoint.save(self.out, self.state, self.learner.model, self.learner.optimizer)

    def translate(self, sources: Sequence[Sequence[str]]) -> list[list[str]]:
        found: list[list[str]] = []
        for start in range(0, len(sources), 256):
            part = sources[start : start + 256]
            found += self.learner.translate(part)
        return found

    def answers(self, sources: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
        return tuple(
            ("".join(s), self.task.joint.join(a)) for s, a in zip(sources, self.translate(sources), strict=True)
        )

    def finish(self, words: Sequence[str]) -> Outcome:
        """Figures on unseen data, and pictures."""
        rates: ErrorRates = error_rates(self.translate(self.data.sources), self.data.references)
        files = [self.out / checkpoint.WEIGHTS]
        title = f"{self.exercise.name}, {self.task.title}"
        for ending in ("svg", "png"):
            files.append(self.out / f"loss.{ending}")
            draw_loss(files[-1], self.state.losses, title)
        for word, answer in zip(words, self.translate(words), strict=True):
            drawn = [("", answer)]
            right = self.data.right_answers(word)
            if right and answer not in right:  # where it looks when it is told, which is what training does
                drawn.append(("_given", right[-1]))
            for label, text in drawn:
                weights = self.learner.look(word, text)
                for ending in ("svg", "png"):
                    files.append(self.out / f"attention_{_file_name(word)}{label}.{ending}")
                    draw_attention(files[-1], weights, word, text, f"{title}{label and ', given the right answer'}")
        return Outcome(
            exercise=self.exercise.name, task=self.task.name, steps=self.state.step, parameters=self.parameters,
            seconds=round(self.state.seconds, 1), loss=self.state.losses[-1][1],
            symbol_error_rate=round(rates.symbols, 4), sequence_error_rate=round(rates.sequences, 4),
            files=tuple(map(str, files)),
        )  # fmt: skip


def _file_name(word: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in word)[:40]
