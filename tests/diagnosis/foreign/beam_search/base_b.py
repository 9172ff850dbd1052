"""Beam search: undoing early mistakes."""

from collections.abc import Callable
from typing import NamedTuple

import torch

Step = Callable[[list[list[int]]], torch.Tensor]


class Hypothesis(NamedTuple):
    """A sequence that the decoder might mean, and how good it is."""

    tokens: list[int]  # after <sos>, with <eos> if it was produced
    score: float


def _at_least_one(**sizes: int) -> None:
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be 1 or more, found {size}")


def greedy_search(step: Step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    """The hypothesis that takes the most probable token each time, with the plain sum of its log-probabilities."""
    _at_least_one(max_len=max_len)
    tokens: list[int] = []
    score = 0.0
    while len(tokens) < max_len:
        log_probs = step([[sos] + tokens])
        best = int(log_probs[0].argmax())
        score += log_probs[0, best].item()
        tokens.append(best)
        if best == eos:
            break
    return Hypothesis(tokens, score)


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
    """The n_best hypotheses that a beam of beam_size finds, best first, finished ones before unfinished ones."""
    _at_least_one(beam_size=beam_size, max_len=max_len, n_best=n_best)
    prefixes = [[sos]]
    sums = torch.zeros(1, dtype=torch.float64)
    finished: list[Hypothesis] = []
    length = 0
    while prefixes and length < max_len:
        length += 1
        log_probs = step(prefixes).detach().cpu().double()
        totals = sums[:, None] + log_probs  # (k, V)
        ranked, order = totals.T.flatten().sort(descending=True, stable=True)  # token by token: ties go to the lower one
        ranked, order = ranked[:beam_size], order[:beam_size]
        parents = (order % len(prefixes)).tolist()
        tokens = (order // len(prefixes)).tolist()
        next_prefixes, next_sums = [], []
        for parent, token, total in zip(parents, tokens, ranked.tolist()):
            extended = prefixes[parent] + [token]
            if token == eos:
                finished.append(Hypothesis(extended[1:], total / length**length_alpha))
            else:
                next_prefixes.append(extended)
                next_sums.append(total)
        prefixes = next_prefixes
        sums = torch.tensor(next_sums, dtype=torch.float64)
        finished.sort(key=lambda found: found.score, reverse=True)
        if prefixes and len(finished) >= n_best:
            best_possible = max(next_sums) / max_len**length_alpha
            if finished[n_best - 1].score > best_possible:
                break
    result = finished[:n_best]
    if len(result) < n_best and prefixes:
        still_alive = []
        for prefix, total in zip(prefixes, sums.tolist()):
            still_alive.append(Hypothesis(prefix[1:], total / length**length_alpha))
        still_alive.sort(key=lambda found: found.score, reverse=True)
        result += still_alive[: n_best - len(result)]
    return result
