"""Stands in for a student's own ``beam_search`` where a later exercise builds on it."""

from typing import NamedTuple

import torch


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def greedy_search(step, *, sos: int, eos: int, max_len: int) -> Hypothesis:
    found = beam_search(step, sos=sos, eos=eos, beam_size=1, max_len=max_len, length_alpha=0.0)
    return found[0]


def beam_search(
    step, *, sos: int, eos: int, beam_size: int, max_len: int, length_alpha: float = 1.0, n_best: int = 1
) -> list[Hypothesis]:
    for name, value in (("beam_size", beam_size), ("max_len", max_len), ("n_best", n_best)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, found {value}")
    prefixes, sums = [[sos]], torch.zeros(1)
    ended: list[Hypothesis] = []
    for _ in range(max_len):
        totals = (sums[:, None] + step(prefixes).to(sums)).flatten()
        best = totals.sort(descending=True, stable=True)  # topk promises no order among equals
        width = len(totals) // len(prefixes)
        grown = [
            ([*prefixes[place // width], place % width], total)
            for place, total in zip(best.indices[:beam_size].tolist(), best.values[:beam_size].tolist(), strict=True)
        ]
        ended += [_scored(prefix, total, length_alpha) for prefix, total in grown if prefix[-1] == eos]
        alive = [(prefix, total) for prefix, total in grown if prefix[-1] != eos]
        if not alive:
            return _best(ended, n_best)
        if len(ended) >= n_best and alive[0][1] / max_len**length_alpha <= _best(ended, n_best)[-1].score:
            return _best(ended, n_best)  # even for free, nobody who is alive gets past these
        prefixes, sums = [prefix for prefix, _ in alive], torch.tensor([total for _, total in alive])
    unfinished = [_scored(prefix, total, length_alpha) for prefix, total in alive]
    return (_best(ended, n_best) + _best(unfinished, n_best))[:n_best]


def _scored(prefix: list[int], total: float, alpha: float) -> Hypothesis:
    return Hypothesis(prefix[1:], total / (len(prefix) - 1) ** alpha)


def _best(found: list[Hypothesis], count: int) -> list[Hypothesis]:
    return sorted(found, key=lambda hypothesis: -hypothesis.score)[:count]
