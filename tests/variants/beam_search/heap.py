"""Heaps: the candidates of a step come off a heap, the finished ones wait in another."""

import heapq
from typing import NamedTuple


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def greedy_search(step, *, sos, eos, max_len):
    if max_len < 1:
        raise ValueError(f"{max_len=} is below 1")
    prefix, total = [sos], 0.0
    for _ in range(max_len):
        row = step([prefix])[0].tolist()
        token = max(range(len(row)), key=row.__getitem__)
        prefix = prefix + [token]
        total += row[token]
        if token == eos:
            break
    return Hypothesis(prefix[1:], total)


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    for name in ("beam_size", "max_len", "n_best"):
        if locals()[name] < 1:
            raise ValueError(f"{name}={locals()[name]} is below 1")
    live = [(0.0, [sos])]
    finished = []  # a heap whose top is the worst of the n_best
    count = 0
    for t in range(1, max_len + 1):
        rows = step([prefix for _, prefix in live]).tolist()
        heap = []
        for rank, ((total, _), row) in enumerate(zip(live, rows)):
            for token, log_p in enumerate(row):
                heap.append((-(total + log_p), token, rank))
        heapq.heapify(heap)
        previous, live = live, []
        for _ in range(min(beam_size, len(heap))):
            minus, token, rank = heapq.heappop(heap)
            prefix = previous[rank][1] + [token]
            if token == eos:
                count += 1
                entry = (-minus / t**length_alpha, -count, prefix)
                if len(finished) < n_best:
                    heapq.heappush(finished, entry)
                else:
                    heapq.heappushpop(finished, entry)
            else:
                live.append((-minus, prefix))
        if not live:
            break
        if len(finished) == n_best and live[0][0] / max_len**length_alpha <= finished[0][0]:
            break
    result = [Hypothesis(prefix[1:], score) for score, _, prefix in sorted(finished, reverse=True)]
    for total, prefix in live:
        if len(result) < n_best:
            result.append(Hypothesis(prefix[1:], total / (len(prefix) - 1) ** length_alpha))
    return result
