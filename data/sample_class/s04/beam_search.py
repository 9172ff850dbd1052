"""Beam search: undoing early mistakes.

A decoder says one token at a time, and what looks best now may lead nowhere. Greedy search cannot take a token
back. Beam search carries several beginnings along, so that a better one can still overtake.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch

Step = Callable[[list[list[int]]], torch.Tensor]  # k prefixes that begin with <sos> -> (k, V) log-probabilities


class Hypothesis(NamedTuple):
    """A sequence that the decoder might mean, and how good it is."""

    tokens: list[int]  # after <sos>, with <eos> if it was produced
    score: float


def check_at_least_one(**arguments: int) -> None:
    """Refuse an argument below 1, by its name."""
    for name, value in arguments.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")


def normalised(total: float, length: int, alpha: float) -> float:
    """The score of a hypothesis: the sum of its log-probabilities over a power of its length.

    >>> normalised(-6.0, 4, 0.0), normalised(-6.0, 4, 0.5), normalised(-6.0, 4, 1.0)
    (-6.0, -3.0, -1.5)
    """
    return total / length**alpha


def continuations(log_probs, totals, beam_size):
    each = beam_size if len(totals) == 1 else 1
    best = []
    for parent, (row, total) in enumerate(zip(log_probs, totals)):
        values, tokens = row.sort(descending=True, stable=True)
        for value, token in zip(values[:each].tolist(), tokens[:each].tolist()):
            best.append((parent, token, total + value))
    return sorted(best, key=lambda way: -way[2])[:beam_size]




def greedy_search(step: Step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    """The hypothesis that takes the most probable token each time, with the plain sum of its log-probabilities.

    step: k prefixes -> (k, V) -> tokens up to <eos>, or max_len of them

    >>> always = lambda prefixes: torch.tensor([[-3.0, -0.5, -1.0]] * len(prefixes))
    >>> greedy_search(always, sos=0, eos=2, max_len=3)
    Hypothesis(tokens=[1, 1, 1], score=-1.5)
    """
    check_at_least_one(max_len=max_len)
    tokens: list[int] = []
    total = 0.0
    while len(tokens) < max_len and tokens[-1:] != [eos]:
        log_probs = step([[sos, *tokens]])[0]  # (V,)
        token = int(log_probs.argmax())  # the first of equals
        tokens.append(token)
        total += log_probs[token].item()
    return Hypothesis(tokens, total)


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
    check_at_least_one(beam_size=beam_size, max_len=max_len, n_best=n_best)
    live: list[tuple[list[int], float]] = [([], 0.0)]  # tokens and plain sum, best first; at the start just one
    finished: list[Hypothesis] = []
    for length in range(1, max_len + 1):
        log_probs = step([[sos, *tokens] for tokens, _ in live])  # (k, V)
        best = continuations(log_probs, [total for _, total in live], beam_size)
        grown = [([*live[parent][0], token], total) for parent, token, total in best]

        # All candidates of a step are equally long, so plain sums compare them fairly. Only finished ones, which
        # ended at different lengths, need the normalised score. They have used up their place in this step's beam.
        live = [(tokens, total) for tokens, total in grown if tokens[-1] != eos]
        finished += [
            Hypothesis(tokens, normalised(total, length, length_alpha)) for tokens, total in grown if tokens[-1] == eos
        ]
        finished.sort(key=lambda found: found.score, reverse=True)
        if not live:
            break
        # At best the leader goes on with tokens of probability 1, which cost nothing, and divides by the largest
        # length that there is. If even that is not enough, nothing that comes can change the answer.
        limit = normalised(live[0][1], max_len, length_alpha)
        if len(finished) >= n_best and limit <= finished[n_best - 1].score:
            break
    unfinished = [Hypothesis(tokens, normalised(total, len(tokens), length_alpha)) for tokens, total in live]
    return (finished + unfinished)[:n_best]
