"""What `grader train` can train: the tasks, their data, and how long each model needs."""

from __future__ import annotations

from collections.abc import Iterable

from grader.errors import GraderError
from grader.training.tasks import Data, Pair, Sizes, TrainingTask

from . import dates, digits, pronunciation
from .learners import make_learner

__all__ = ["DEFAULT", "TASKS", "load_data", "make_learner"]

DEFAULT = "g2p"
HELD_OUT = 10_000  # added to a seed: the unseen pairs are drawn from another one
LONGEST_FOR_TRANSFORMER = 10  # letters: attention over all pairs of them is what takes its time

TASKS = {
    task.name: task
    for task in (
        TrainingTask(
            name="digits",
            title="reversing digits",
            symbol="digit",
            sequence="number",
            words=("3141592",),
            sizes={"seq2seq": Sizes(steps=600), "transformer": Sizes(steps=1500)},
        ),
        TrainingTask(
            name="dates",
            title="written dates to ISO 8601",
            symbol="character",
            sequence="date",
            words=("3rd of March, 1999", "Wed 3 Mar 1999"),
            sizes={"seq2seq": Sizes(steps=900), "transformer": Sizes(steps=2500)},
        ),
        TrainingTask(
            name="g2p",
            title="spelling to pronunciation (CMUdict without stress)",
            symbol="phoneme",
            sequence="word",
            joint=" ",
            words=("knowledge",),
            sizes={
                "seq2seq": Sizes(steps=3735, batch_size=128, rate=4e-3, model={"emb_dim": 64, "hidden_dim": 112}),
                "transformer": Sizes(steps=3735, batch_size=128, warmup=600, model={"d_model": 96, "d_ff": 256}),
            },
            published=(
                ("WFST (cmusphinx/g2p-seq2seq)", None, 0.339),
                ("Transformer (cmusphinx/g2p-seq2seq)", None, 0.302),
                ("bidirectional GRU, 339k parameters, 3735 steps", 0.100, 0.407),
            ),
        ),
    )
}


def load_data(task: str, exercise: str, seed: int) -> Data:
    """The data of a task: drawn from a seed, or read from the dictionary."""
    if task == "g2p":
        return _pronunciation(LONGEST_FOR_TRANSFORMER if exercise == "transformer" else None)
    if task == "digits":
        train, unseen = (_pairs(digits.reverse_pairs(n, seed=s)) for n, s in _draws(seed))
    else:
        train, unseen = (_pairs(dates.date_pairs(n, seed=s, styles=dates.TRAINING_STYLES)) for n, s in _draws(seed))
    known = {source for source, _ in train}
    unseen = [pair for pair in unseen if pair[0] not in known]
    return Data(train=train, sources=[s for s, _ in unseen], references=[[list(t)] for _, t in unseen])


def _pairs(pairs: Iterable[Pair]) -> list[Pair]:
    return list(pairs)


def _draws(seed: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """How many pairs to draw, and from which seed: to learn from, and unseen."""
    return (20_000, seed), (1000, seed + HELD_OUT)


def _pronunciation(longest: int | None) -> Data:
    try:
        split = pronunciation.split_words(pronunciation.load_words())
    except pronunciation.PronunciationError as error:
        raise GraderError(str(error)) from error
    test = [word for word in split.test if longest is None or len(word) <= longest]
    return Data(
        train=list(pronunciation.pronunciation_pairs(split.train, longest=longest)),
        sources=list(test),
        references=[list(split.test[word]) for word in test],
    )
