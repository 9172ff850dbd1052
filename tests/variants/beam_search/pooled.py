"""One pool for everything: candidates as dicts, a flag for the finished ones, top-k of each parent before the merge."""

from typing import NamedTuple

import torch


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def check(value, name):
    if not value >= 1:
        raise ValueError(name + " must be >= 1")


def greedy_search(step, *, sos, eos, max_len):
    check(max_len, "max_len")
    hyp = {"tokens": [], "logp": 0.0}
    for _ in range(max_len):
        lp = step([[sos, *hyp["tokens"]]])
        lp = torch.as_tensor(lp)[-1]
        nxt = torch.argmax(lp).item()
        hyp = {"tokens": hyp["tokens"] + [nxt], "logp": hyp["logp"] + lp[nxt].item()}
        if nxt == eos:
            break
    return Hypothesis(hyp["tokens"], hyp["logp"])


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    check(beam_size, "beam_size")
    check(max_len, "max_len")
    check(n_best, "n_best")

    pool = [{"tokens": [], "logp": 0.0, "done": False}]
    for t in range(max_len):
        alive = [h for h in pool if not h["done"]]
        done = [h for h in pool if h["done"]]
        if not alive:
            break
        lp = step([[sos] + h["tokens"] for h in alive])
        # more than beam_size children of one parent can never survive
        values, ids = lp.sort(dim=-1, descending=True, stable=True)
        candidates = []
        for h, vs, ts in zip(alive, values[:, :beam_size].tolist(), ids[:, :beam_size].tolist()):
            for v, token in zip(vs, ts):
                candidates.append({"tokens": h["tokens"] + [token], "logp": h["logp"] + v, "done": token == eos})
        candidates.sort(key=lambda c: c["logp"], reverse=True)
        pool = done + candidates[:beam_size]

        scores = sorted([score(h, length_alpha) for h in pool if h["done"]], reverse=True)
        rest = [h["logp"] / max_len**length_alpha for h in pool if not h["done"]]
        if len(scores) >= n_best and rest and max(rest) <= scores[n_best - 1]:
            break

    pool.sort(key=lambda h: (h["done"], score(h, length_alpha)), reverse=True)
    return [Hypothesis(h["tokens"], score(h, length_alpha)) for h in pool][:n_best]


def score(h, alpha):
    return h["logp"] / len(h["tokens"]) ** alpha
