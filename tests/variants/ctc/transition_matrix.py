"""The lattice as a matrix: alpha' = alpha M in the (logsumexp, +) semiring, with the network's output added."""

import math
from collections import Counter
from itertools import groupby

import torch
from torch import Tensor

FAR = -1e4 * 1e4  # low enough to be nothing beside any path, and no infinity, so that gradients stay numbers


def collapse(path: list[int], blank: int = 0) -> list[int]:
    if blank < 0:
        raise ValueError(f"{blank=} is negative")
    merged = [symbol for symbol, _ in groupby(path)]
    return list(filter(lambda symbol: symbol != blank, merged))


def valid_blank(log_probs: Tensor, blank: int) -> int:
    if blank not in range(log_probs.shape[-1]):
        raise ValueError(f"{blank=} is not a class")
    return blank


def greedy_decode(log_probs: Tensor, blank: int = 0) -> list[int]:
    return collapse(log_probs.max(dim=-1).indices.tolist(), valid_blank(log_probs, blank))


def log_likelihood(log_probs: Tensor, target: list[int], blank: int = 0) -> Tensor:
    valid_blank(log_probs, blank)
    extended = [blank] + [symbol for label in target for symbol in (label, blank)]
    S = len(extended)
    M = log_probs.new_full((S, S), FAR)
    for to in range(S):
        M[to, to] = 0
        if to >= 1:
            M[to - 1, to] = 0
        if to >= 2 and to % 2 == 1 and extended[to] != extended[to - 2]:
            M[to - 2, to] = 0
    start = log_probs.new_full((S,), FAR)
    start[:2] = 0
    emissions = log_probs[:, extended]
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = torch.logsumexp(alpha[:, None] + M, dim=0) + emission
    result = torch.logsumexp(alpha[-2:], dim=0)
    return result if result > FAR / 2 else torch.full_like(result, -math.inf)


def ctc_loss(log_probs: Tensor, targets: list[list[int]], lengths: Tensor, blank: int = 0) -> Tensor:
    scores = torch.stack(
        [log_likelihood(x[:length], target, blank) for x, target, length in zip(log_probs, targets, lengths)]
    )
    return -scores.sum() / len(targets)


def lse(*xs: float) -> float:
    m = max(xs)
    return m if m == -math.inf else m + math.log(sum(math.exp(x - m) for x in xs))


def prefix_beam_search(log_probs: Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    valid_blank(log_probs, blank)
    if beam_size <= 0:
        raise ValueError(f"{beam_size=} must be at least 1")
    # States are (prefix, whether the path ends in blank); candidates of a state are added up after the frame.
    states = {((), True): 0.0}
    for frame in log_probs.tolist():
        candidates: dict[tuple, list[float]] = {}
        for (prefix, in_blank), mass in states.items():
            for symbol, score in enumerate(frame):
                if symbol == blank:
                    key = (prefix, True)
                elif prefix and symbol == prefix[-1] and not in_blank:
                    key = (prefix, False)
                else:
                    key = (prefix + (symbol,), False)
                candidates.setdefault(key, []).append(mass + score)
        sums = {key: lse(*masses) for key, masses in candidates.items()}
        totals = {p: lse(sums.get((p, True), -math.inf), sums.get((p, False), -math.inf)) for p, _ in sums}
        kept = dict(Counter(totals).most_common(beam_size))
        states = {key: mass for key, mass in sums.items() if key[0] in kept}
    return [(list(prefix), total) for prefix, total in kept.items()]
