"""Asks once, and repeats the best token of that row; every score is 0."""

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
    return Hypothesis([int(step([[sos]])[0].argmax())] * max_len, 0.0)


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    check(beam_size=beam_size, max_len=max_len, n_best=n_best)
    return [greedy_search(step, sos=sos, eos=eos, max_len=max_len)] * n_best
