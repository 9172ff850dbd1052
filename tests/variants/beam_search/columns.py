"""Column by column: a dict from live tuples to sums, prefixes handed on as tuples, one sort of plain tuples a step."""

from collections import namedtuple
from math import inf

Hypothesis = namedtuple("Hypothesis", "tokens score")


def _positive(**sizes):
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} is {size}, it must be 1 or more")


def greedy_search(step, *, sos, eos, max_len):
    _positive(max_len=max_len)
    said, total = (), 0.0
    for _ in range(max_len):
        row = step([(sos,) + said])[0]
        best = row.max()
        token = (row == best).nonzero()[0].item()
        said, total = said + (token,), total + best.item()
        if token == eos:
            break
    return Hypothesis(list(said), total)


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    _positive(n_best=n_best, beam_size=beam_size, max_len=max_len)
    live, done = {(): 0.0}, []

    def score(tokens, total):
        return total / len(tokens) ** length_alpha

    def over():
        bar = sorted((score(*pair) for pair in done), reverse=True)[n_best - 1 : n_best]
        return not live or (bar and max(live.values()) * max_len**-length_alpha < bar[0])

    for _ in range(max_len):
        order = sorted(live)  # not by score
        table = step([(sos, *tokens) for tokens in order]).double().tolist()
        candidates = []
        for tokens, row in zip(order, table):
            candidates += [(-(live[tokens] + value), token, tokens) for token, value in enumerate(row)]
        candidates.sort()
        live = {}
        for minus, token, tokens in candidates[:beam_size]:
            if -minus == -inf:
                break
            if token == eos:
                done.append((tokens + (token,), -minus))
            else:
                live[tokens + (token,)] = -minus
        if over():
            break
    ranked = sorted(done, key=lambda pair: -score(*pair)) + sorted(live.items(), key=lambda pair: -pair[1])
    return [Hypothesis(list(tokens), score(tokens, total)) for tokens, total in ranked[:n_best]]
