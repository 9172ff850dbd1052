"""What there is to learn: for each task its data, the sizes of a model that learns it, and how long that takes."""

from __future__ import annotations

import importlib.util
import random
import types
from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.errors import GraderError

Pair = tuple[Sequence[str], Sequence[str]]
HELD_OUT = 10_000  # added to a seed: the unseen pairs are drawn from another one


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """How large a model is, and how it is trained."""

    steps: int
    batch_size: int = 64
    rate: float = 2e-3  # the highest learning rate of seq2seq; the transformer has a schedule of its own
    emb_dim: int = 32
    hidden_dim: int = 64
    d_model: int = 64
    d_ff: int = 128
    warmup: int = 200


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


class TaskDescription(msgspec.Struct, frozen=True, kw_only=True):
    """A task by name."""

    name: str
    title: str
    symbol: str  # what one symbol of an answer is called
    sequence: str  # and a whole answer
    words: tuple[str, ...]  # whose attention is drawn unless others are named
    sizes: dict[str, Sizes]  # for each exercise
    published: tuple[tuple[str, float | None, float], ...] = ()  # who, symbol error rate, sequence error rate


TASKS = {
    task.name: task
    for task in (
        TaskDescription(
            name="digits",
            title="reversing digits",
            symbol="digit",
            sequence="number",
            words=("3141592",),
            sizes={"seq2seq": Sizes(steps=600), "transformer": Sizes(steps=1500)},
        ),
        TaskDescription(
            name="dates",
            title="written dates to ISO 8601",
            symbol="character",
            sequence="date",
            words=("3rd of March, 1999", "Wed 3 Mar 1999"),
            sizes={"seq2seq": Sizes(steps=900), "transformer": Sizes(steps=2500)},
        ),
        TaskDescription(
            name="g2p",
            title="spelling to pronunciation (CMUdict without stress)",
            symbol="phoneme",
            sequence="word",
            words=("knowledge",),
            sizes={
                "seq2seq": Sizes(steps=3735, batch_size=128, rate=4e-3, emb_dim=64, hidden_dim=112),
                "transformer": Sizes(steps=3735, batch_size=128, d_model=96, d_ff=256, warmup=600),
            },
            published=(
                ("WFST (cmusphinx/g2p-seq2seq)", None, 0.339),
                ("Transformer (cmusphinx/g2p-seq2seq)", None, 0.302),
                ("bidirectional GRU, 339k parameters, 3735 steps", 0.100, 0.407),
            ),
        ),
    )
}
LONGEST_FOR_TRANSFORMER = 10  # letters: attention over all pairs of them is what takes its time


def load_data(root: Path, task: str, exercise: str, seed: int) -> Data:
    """The data of a task, made or read by the modules in the course's ``data`` folder."""
    if task == "g2p":
        return _pronunciation(root, LONGEST_FOR_TRANSFORMER if exercise == "transformer" else None)
    if task == "digits":
        module = _data_module(root, "digits")
        train = module.reverse_pairs(20_000, seed=seed)
        unseen = module.reverse_pairs(1000, seed=seed + HELD_OUT)
    else:
        module = _data_module(root, "dates")
        train = module.date_pairs(20_000, seed=seed, styles=module.TRAINING_STYLES)
        unseen = module.date_pairs(1000, seed=seed + HELD_OUT, styles=module.TRAINING_STYLES)
    known = {source for source, _ in train}
    unseen = [pair for pair in unseen if pair[0] not in known]
    return Data(train=train, sources=[s for s, _ in unseen], references=[[list(t)] for _, t in unseen])


def _pronunciation(root: Path, longest: int | None) -> Data:
    module = _data_module(root, "pronunciation")
    try:
        split = module.split_words(module.load_words())
    except module.PronunciationError as error:
        raise GraderError(str(error)) from error
    test = [word for word in split.test if longest is None or len(word) <= longest]
    return Data(
        train=module.pronunciation_pairs(split.train, longest=longest),
        sources=list(test),
        references=[split.test[word] for word in test],
    )


def _data_module(root: Path, name: str) -> types.ModuleType:
    path = root / "data" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"course_data_{name}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise GraderError(f"{path}: the data of this task are missing. Get a fresh copy of the course.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
