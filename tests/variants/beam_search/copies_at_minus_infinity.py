"""As large toolkits do it: the beam starts with beam_size rows, of which all but one have the sum -inf."""

import torch
from typing import NamedTuple


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def greedy_search(step, *, sos, eos, max_len):
    if max_len < 1:
        raise ValueError("max_len: %d" % max_len)
    out, total, token = [], 0.0, None
    while token != eos and len(out) != max_len:
        best = step([[sos, *out]]).sort(dim=1, descending=True, stable=True)
        token, total = best.indices[0, 0].item(), total + best.values[0, 0].item()
        out.append(token)
    return Hypothesis(tokens=out, score=total)


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    for name, value in {"beam_size": beam_size, "max_len": max_len, "n_best": n_best}.items():
        if value < 1:
            raise ValueError("%s: %d" % (name, value))

    rows = [[sos] for _ in range(beam_size)]
    sums = torch.full((beam_size,), -torch.inf)
    sums[0] = 0.0
    done = []
    penalty = [n**length_alpha for n in range(1, max_len + 1)]

    for t in range(max_len):
        log_probs = step(rows)
        k, V = log_probs.shape
        flat = (sums.to(log_probs) [:, None] + log_probs).flatten()
        order = torch.argsort(flat, descending=True, stable=True)[:beam_size]
        values = flat[order]
        new_rows, new_sums = [], []
        for place, value in zip(order.tolist(), values.tolist()):
            row = rows[place // V] + [place % V]
            if value == float("-inf"):
                continue
            if row[-1] == eos:
                done.append(Hypothesis(row[1:], value / penalty[t]))
            else:
                new_rows.append(row)
                new_sums.append(value)
        rows, sums = new_rows, torch.tensor(new_sums, dtype=log_probs.dtype)
        done.sort(key=lambda h: h.score, reverse=True)
        if not rows:
            break
        if len(done) >= n_best and not any(s / penalty[-1] > done[n_best - 1].score for s in new_sums):
            break

    best = done[:n_best]
    for row, s in sorted(zip(rows, sums.tolist()), key=lambda pair: pair[1], reverse=True)[: n_best - len(best)]:
        best.append(Hypothesis(row[1:], s / penalty[len(row) - 2]))
    return best
