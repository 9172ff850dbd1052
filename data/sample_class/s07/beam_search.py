"""A generator yields the beam step by step, another filters it; sums by math.fsum over the single log-probabilities."""

import math
from itertools import chain, islice
from typing import NamedTuple


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def demand(**sizes):
    bad = [name for name in sizes if sizes[name] < 1]
    if bad:
        raise ValueError("must be at least one: " + ", ".join(bad))


def greedy_tokens(step, prefix, eos):
    while True:
        (row,) = step([prefix])
        best = int(row.argmax(-1))
        yield best, float(row[best])
        if best == eos:
            return
        prefix = (*prefix, best)


def greedy_search(step, *, sos, eos, max_len):
    demand(max_len=max_len)
    tokens, logs = zip(*islice(greedy_tokens(step, (sos,), eos), max_len))
    return Hypothesis(list(tokens), math.fsum(logs))


def steps(step, sos, eos, width):
    """After each time step: what has ended in it, and what is live, as pairs (tokens, logs)."""
    live = [((), ())]
    while live:
        rows = step([[sos, *tokens] for tokens, _ in live])
        grown = (
            (tokens + (token,), logs + (value,))
            for (tokens, logs), row in zip(live, rows)
            for token, value in enumerate(row.tolist())
            if value != -math.inf
        )
        best = sorted(grown, key=lambda pair: (-math.fsum(pair[1]), pair[0]))[:width]
        live = [pair for pair in best if pair[0][-1] != eos]
        yield [pair for pair in best if pair[0][-1] == eos], live


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    demand(beam_size=beam_size, max_len=max_len, n_best=n_best)

    def judged(pairs):
        rated = [Hypothesis(list(tokens), math.fsum(logs) / math.pow(len(tokens), length_alpha)) for tokens, logs in pairs]
        return sorted(rated, key=lambda h: -h.score)

    ended, live = [], []
    for done, live in islice(steps(step, sos, eos, beam_size), max_len):
        ended += done
        hope = max((math.fsum(logs) for _, logs in live), default=-math.inf) / math.pow(max_len, length_alpha)
        better = [h for h in judged(ended) if h.score >= hope]
        if len(better) >= n_best:
            break
    return list(islice(chain(judged(ended), judged(live)), n_best))
