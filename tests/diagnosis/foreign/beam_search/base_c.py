"""Beam search: undoing early mistakes."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

Step = Callable[[list[list[int]]], torch.Tensor]


class Hypothesis(NamedTuple):
    """A sequence that the decoder might mean, and how good it is."""

    tokens: list[int]  # after <sos>, with <eos> if it was produced
    score: float


@dataclass(frozen=True)
class Beam:
    """One way through the tree."""

    prefix: tuple[int, ...]
    total: float

    def extended(self, token: int, log_prob: float) -> "Beam":
        return Beam((*self.prefix, token), self.total + log_prob)

    def hypothesis(self, alpha: float) -> Hypothesis:
        tokens = list(self.prefix[1:])
        return Hypothesis(tokens, self.total / len(tokens) ** alpha)


def _best(hypotheses: list[Hypothesis], count: int) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda hypothesis: hypothesis.score, reverse=True)[:count]


def greedy_search(step: Step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    """The hypothesis that takes the most probable token each time, with the plain sum of its log-probabilities."""
    if max_len < 1:
        raise ValueError("max_len must be positive")
    beam = Beam((sos,), 0.0)
    while len(beam.prefix) <= max_len:
        row = step([list(beam.prefix)]).squeeze(0)
        token = torch.argmax(row).item()
        beam = beam.extended(token, row[token].item())
        if token == eos:
            break
    return Hypothesis(list(beam.prefix[1:]), beam.total)


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
        raise ValueError("beam_size must be positive")
    if max_len < 1:
        raise ValueError("max_len must be positive")
    if n_best < 1:
        raise ValueError("n_best must be positive")
    live = [Beam((sos,), 0.0)]
    done: list[Hypothesis] = []
    for _ in range(max_len):
        answers = step([list(beam.prefix) for beam in live])
        candidates: list[Beam] = []
        for beam, answer in zip(live, answers):
            candidates += [beam.extended(token, log_prob) for token, log_prob in enumerate(answer.tolist())]
        kept = heapq.nsmallest(beam_size, candidates, key=lambda beam: (-beam.total, beam.prefix[-1]))
        live = [beam for beam in kept if beam.prefix[-1] != eos]
        done += [beam.hypothesis(length_alpha) for beam in kept if beam.prefix[-1] == eos]
        if not live:
            break
        if len(done) >= n_best:
            limit = max(beam.total for beam in live) / max_len**length_alpha
            worst = _best(done, n_best)[-1].score
            if limit <= worst:
                break
    found = _best(done, n_best)
    if len(found) < n_best:
        rest = [beam.hypothesis(length_alpha) for beam in live]
        found += _best(rest, n_best - len(found))
    return found
