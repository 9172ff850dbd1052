"""Beam search: undoing early mistakes.

A decoder says one token at a time, and what looks best now may lead nowhere. Greedy search cannot take a token
back. Beam search carries several beginnings along, so that a better one can still overtake.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch

Step = Callable[[list[list[int]]], torch.Tensor]  # k prefixes that begin with <sos> -> (k, V) log-probabilities


class Hypothesis(NamedTuple):
    """A sequence that the decoder might mean, and how good it is."""

    tokens: list[int]  # after <sos>, with <eos> if it was produced
    score: float


def greedy_search(step: Step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    """The hypothesis that takes the most probable token each time, with the plain sum of its log-probabilities.

    step: k prefixes -> (k, V) -> tokens up to <eos>, or max_len of them

    >>> always = lambda prefixes: torch.tensor([[-3.0, -0.5, -1.0]] * len(prefixes))
    >>> greedy_search(always, sos=0, eos=2, max_len=3)
    Hypothesis(tokens=[1, 1, 1], score=-1.5)
    """
    raise NotImplementedError("greedy_search is yours to write")


def beam_search(
    step: Step,
    *,
    sos: int,
    eos: int,
    beam_size: int,
    max_len: int,
    length_alpha: float = 1.0,
    n_best: int = 1,
) -> list[Hypothesis]:
    """The n_best hypotheses that a beam of beam_size finds, best first, finished ones before unfinished ones.

    step: k prefixes -> (k, V) -> at most n_best hypotheses, scored by their sum / length ** length_alpha

    >>> always = lambda prefixes: torch.tensor([[-3.0, -0.5, -1.0]] * len(prefixes))
    >>> [found.tokens for found in beam_search(always, sos=0, eos=2, beam_size=2, max_len=3, n_best=3)]
    [[1, 1, 2], [1, 2], [2]]
    """
    raise NotImplementedError("beam_search is yours to write")
