"""Beam search: undoing early mistakes."""

from collections.abc import Callable
from typing import NamedTuple

import torch

Step = Callable[[list[list[int]]], torch.Tensor]


class Hypothesis(NamedTuple):
    """A sequence that the decoder might mean, and how good it is."""

    tokens: list[int]  # after <sos>, with <eos> if it was produced
    score: float


def greedy_search(step: Step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    """The hypothesis that takes the most probable token each time, with the plain sum of its log-probabilities."""
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, not {max_len}")
    prefix = [sos]
    total = 0.0
    for _ in range(max_len):
        row = step([list(prefix)])[0].tolist()
        token = row.index(max(row))
        total += row[token]
        prefix.append(token)
        if token == eos:
            break
    return Hypothesis(prefix[1:], float(total))


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
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, not {max_len}")
    if n_best < 1:
        raise ValueError(f"n_best must be at least 1, not {n_best}")

    def normalised(tokens: list[int], total: float) -> Hypothesis:
        return Hypothesis(tokens, total / len(tokens) ** length_alpha)

    live: list[tuple[list[int], float]] = [([], 0.0)]
    finished: list[Hypothesis] = []
    for _ in range(max_len):
        rows = step([[sos, *tokens] for tokens, _ in live]).tolist()
        candidates = []
        for (tokens, total), row in zip(live, rows):
            for token, log_prob in enumerate(row):
                candidates.append((tokens, token, total + log_prob))
        candidates.sort(key=lambda candidate: (-candidate[2], candidate[1]))
        live = []
        for tokens, token, total in candidates[:beam_size]:
            if token == eos:
                finished.append(normalised([*tokens, token], total))
            else:
                live.append(([*tokens, token], total))
        finished.sort(key=lambda hypothesis: -hypothesis.score)
        if not live:
            break
        if len(finished) >= n_best:
            reachable = live[0][1] / max_len**length_alpha
            if reachable <= finished[n_best - 1].score:
                break
    unfinished = sorted((normalised(*pair) for pair in live), key=lambda hypothesis: -hypothesis.score)
    return (finished + unfinished)[:n_best]
