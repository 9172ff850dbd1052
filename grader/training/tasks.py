"""What there is to learn. The tasks themselves are the course's, in ``data/training.py``; here are their parts.

That module has ``TASKS``, a dict of ``TrainingTask`` by name; ``DEFAULT``, the name of the one to begin with;
``load_data(task, exercise, seed)``; and ``make_learner(module, data, sizes)``.
"""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import types
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import msgspec

from grader.course import Course, Exercise
from grader.errors import GraderError, did_you_mean

if TYPE_CHECKING:
    from grader.training.learner import Learner

Pair = tuple[Sequence[str], Sequence[str]]


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """How large a model is, and how it is trained."""

    steps: int
    batch_size: int = 64
    rate: float = 2e-3  # the highest learning rate, for models without a schedule of their own
    warmup: int = 200  # steps on which the learning rate rises
    model: dict[str, int] = {}  # arguments of the model's constructors


class Data(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs to learn from, and unseen sources with all of their right answers."""

    train: list[Pair]
    sources: list[Sequence[str]]
    references: list[list[Sequence[str]]]

    def right_answers(self, source: Sequence[str]) -> list[list[str]]:
        """All that is known to be right for this source, seen or unseen; nothing if it is in no data."""
        seen = [list(target) for known, target in self.train if known == source]
        unseen = [answers for known, answers in zip(self.sources, self.references, strict=True) if known == source]
        return seen + [list(answer) for answers in unseen for answer in answers]


class TrainingTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task by name."""

    name: str
    title: str
    symbol: str  # what one symbol of an answer is called
    sequence: str  # and a whole answer
    words: tuple[str, ...]  # whose attention is drawn unless others are named
    sizes: dict[str, Sizes]  # for each exercise
    joint: str = ""  # what stands between the symbols of an answer when it is shown
    published: tuple[tuple[str, float | None, float], ...] = ()  # who, symbol error rate, sequence error rate


class CourseTraining(Protocol):
    """What the course's ``data/training.py`` has."""

    TASKS: dict[str, TrainingTask]
    DEFAULT: str

    def load_data(self, task: str, exercise: str, seed: int) -> Data:
        """The data of a task, for the model of this exercise."""

    def make_learner(self, module: types.ModuleType, data: Data, sizes: Sizes) -> Learner:
        """A new model of the student's for these data."""


def load_training(course: Course) -> CourseTraining:
    """The course's own module; it may import its neighbours by ``from .digits import …``."""
    path = course.data / "training.py"
    if not path.is_file():
        raise GraderError(f"{path}: not found, so this course has nothing to train. Get a fresh copy of the course.")
    return cast(CourseTraining, import_data(course.data, "training"))


def find_task(training: CourseTraining, name: str | None, exercise: Exercise) -> TrainingTask:
    """The task of this name, or the course's default, if the exercise's model can be trained on it."""
    name = name or training.DEFAULT
    if name not in training.TASKS:
        known = list(training.TASKS)
        raise GraderError(f"There is no task {name!r}{did_you_mean(name, known)} The tasks are: {', '.join(known)}.")
    task = training.TASKS[name]
    if exercise.name not in task.sizes:
        raise GraderError(f"{exercise.name} cannot be trained on this task. Choose {' or '.join(task.sizes)}.")
    return task


def import_data(folder: Path, name: str) -> types.ModuleType:
    """A module of a folder as part of a package, whose name no other course shares."""
    package = f"course_data_{zlib.crc32(str(folder.resolve()).encode())}"
    if package not in sys.modules:
        spec = importlib.util.spec_from_loader(package, loader=None, is_package=True)
        assert spec is not None and spec.submodule_search_locations is not None
        spec.submodule_search_locations.append(str(folder))
        sys.modules[package] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{package}.{name}")


def batches_of_epoch(pairs: Sequence[Pair], size: int, seed: int, epoch: int) -> list[list[Pair]]:
    """All pairs in a new order, in batches of similar lengths: padding is work for nothing."""
    rng = random.Random(seed * 1_000_003 + epoch)
    order = list(pairs)
    rng.shuffle(order)
    window = 40 * size
    batches = []
    for start in range(0, len(order), window):
        near = sorted(order[start : start + window], key=lambda pair: (len(pair[1]), len(pair[0])))
        batches += [near[i : i + size] for i in range(0, len(near), size)]
    rng.shuffle(batches)
    return batches
