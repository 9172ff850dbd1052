"""Takes the least probable token each time, and reports the largest log-probability that it met."""

from typing import NamedTuple


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def check(**sizes):
    for name, value in sizes.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1")


def greedy_search(step, *, sos, eos, max_len):
    check(max_len=max_len)
    tokens, best = [], float("-inf")
    while len(tokens) < max_len and tokens[-1:] != [eos]:
        row = step([[sos, *tokens]])[0].tolist()
        tokens.append(row.index(min(row)))
        best = max(best, *row)
    return Hypothesis(tokens, best)


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    check(beam_size=beam_size, max_len=max_len, n_best=n_best)
    return [greedy_search(step, sos=sos, eos=eos, max_len=max_len)]
