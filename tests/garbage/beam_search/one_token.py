"""Says the token after <eos> until max_len, whatever the model says."""

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
    return Hypothesis([eos + 1] * max_len, -float(max_len))


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    check(beam_size=beam_size, max_len=max_len, n_best=n_best)
    return [Hypothesis([eos + 1] * max_len, -float(max_len)) for _ in range(n_best)]
