"""Summed over the frame in which each label ends: a convolution with runs, in place of the lattice of states."""

import math

import torch


def _blank_ok(blank, V=None):
    if blank < 0 or (V is not None and blank >= V):
        raise ValueError(f"no class: blank={blank}")


def collapse(path, blank=0):
    _blank_ok(blank)
    out, i = [], 0
    while i < len(path):
        j = i
        while j < len(path) and path[j] == path[i]:
            j += 1
        if path[i] != blank:
            out.append(path[i])
        i = j
    return out


def greedy_decode(log_probs, blank=0):
    _blank_ok(blank, log_probs.shape[1])
    return collapse([int(frame.argmax()) for frame in log_probs], blank)


def _runs(scores):
    """(T + 1, T + 1): entry [i, j] is the sum of scores[i:j]; -1e25 where i > j."""
    T = len(scores)
    sums = torch.cat([scores.new_zeros(1), scores.cumsum(0)])
    table = sums[None, :] - sums[:, None]
    upper = torch.ones(T + 1, T + 1, dtype=torch.bool, device=scores.device).triu()
    return torch.where(upper, table, torch.full_like(table, -1e25))


def log_likelihood(log_probs, target, blank=0):
    T, V = log_probs.shape
    _blank_ok(blank, V)
    exact = log_probs.double()  # differences of long sums
    silence = _runs(exact[:, blank])
    at = silence[0]  # (T + 1,): all before frame j is silence; a label may begin at j
    ended = None  # the last label ended at frame j, without silence after it
    last = None
    if T < len(target) + sum(a == b for a, b in zip(target, target[1:])):
        return log_probs.new_tensor(-math.inf)
    off = torch.full((1,), -1e25, dtype=torch.float64, device=log_probs.device)
    for label in target:
        begin = at
        if ended is not None:  # with at least one blank, and without any where the labels differ
            pauses = ended[:, None] + torch.where(torch.eye(T + 1, dtype=torch.bool, device=log_probs.device), off, silence)
            begin = pauses.logsumexp(0)
            if label != last:
                begin = torch.logaddexp(begin, ended)
        runs = torch.where(torch.eye(T + 1, dtype=torch.bool, device=log_probs.device), off, _runs(exact[:, label]))
        ended = (begin[:, None] + runs).logsumexp(0)
        last = label
    result = at[T] if ended is None else (ended + silence[:, T]).logsumexp(0)
    return result.to(log_probs.dtype)


def ctc_loss(log_probs, targets, lengths, blank=0):
    each = (log_likelihood(x[: int(n)], y, blank) for x, y, n in zip(log_probs, targets, lengths))
    return -torch.stack(list(each)).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    T, V = log_probs.shape
    _blank_ok(blank, V)
    if beam_size < 1:
        raise ValueError(f"{beam_size=}: at least one")

    def lse(terms):
        top = max(terms, default=-math.inf)
        return top if top == -math.inf else top + math.log(math.fsum(math.exp(x - top) for x in terms))

    beam = [((), 0.0, -math.inf)]
    for frame in log_probs.tolist():
        known = {prefix: (b, l) for prefix, b, l in beam}
        candidates = set(known) | {prefix + (c,) for prefix in known for c in range(V) if c != blank}
        scored = []
        for prefix in candidates:  # what flows into each, seen from the prefix
            into_blank, into_label = -math.inf, []
            if prefix in known:
                b, l = known[prefix]
                into_blank = lse([b, l]) + frame[blank]
                if prefix:
                    into_label.append(l + frame[prefix[-1]])
            if prefix and prefix[:-1] in known:
                b, l = known[prefix[:-1]]
                into_label.append((b if prefix[-2:-1] == prefix[-1:] else lse([b, l])) + frame[prefix[-1]])
            scored.append((prefix, into_blank, lse(into_label)))
        scored.sort(key=lambda entry: -lse(entry[1:]))
        beam = scored[:beam_size]
    return [(list(prefix), lse([b, l])) for prefix, b, l in beam]
