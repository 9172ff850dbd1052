"""Everything spelled out: lists of 0-dim tensors, None for states that cannot be reached, two dicts in the search."""

import math

import torch


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank must not be negative")
    result = []
    previous = None
    for symbol in path:
        if symbol != previous and symbol != blank:
            result.append(symbol)
        previous = symbol
    return result


def check(log_probs, blank):
    classes = log_probs.size(-1)
    if blank < 0 or blank >= classes:
        raise ValueError("blank = %d, but there are %d classes" % (blank, classes))


def greedy_decode(log_probs, blank=0):
    check(log_probs, blank)
    path = []
    for t in range(log_probs.size(0)):
        path.append(int(torch.argmax(log_probs[t])))
    return collapse(path, blank)


def plus(terms):
    """log of the sum of those terms that exist"""
    terms = [t for t in terms if t is not None]
    if not terms:
        return None
    total = terms[0]
    for t in terms[1:]:
        total = torch.logaddexp(total, t)
    return total


def log_likelihood(log_probs, target, blank=0):
    check(log_probs, blank)
    T = log_probs.size(0)
    extended = [blank]
    for label in target:
        extended.append(label)
        extended.append(blank)
    S = len(extended)

    alpha = [None] * S
    alpha[0] = log_probs[0, blank]
    if S > 1:
        alpha[1] = log_probs[0, extended[1]]
    for t in range(1, T):
        new = []
        for s in range(S):
            terms = [alpha[s]]
            if s >= 1:
                terms.append(alpha[s - 1])
            if s >= 2 and extended[s] != blank and extended[s] != extended[s - 2]:
                terms.append(alpha[s - 2])
            before = plus(terms)
            new.append(None if before is None else before + log_probs[t, extended[s]])
        alpha = new
    total = plus(alpha[-2:])
    if total is None:
        return torch.tensor(float("-inf"), dtype=log_probs.dtype, device=log_probs.device)
    return total


def ctc_loss(log_probs, targets, lengths, blank=0):
    check(log_probs, blank)
    total = 0
    for n in range(len(targets)):
        total = total - log_likelihood(log_probs[n, : lengths[n]], targets[n], blank)
    return total / len(targets)


def logadd(x, y):
    if x == -math.inf:
        return y
    if y == -math.inf:
        return x
    m = max(x, y)
    return m + math.log(math.exp(x - m) + math.exp(y - m))


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(log_probs, blank)
    if beam_size < 1:
        raise ValueError("beam_size must be 1 or more")
    pb = {(): 0.0}
    pnb = {(): -math.inf}
    prefixes = [()]
    for t in range(log_probs.size(0)):
        new_pb, new_pnb = {}, {}
        for prefix in prefixes:
            for c in range(log_probs.size(1)):
                p = log_probs[t, c].item()
                both = logadd(pb.get(prefix, -math.inf), pnb.get(prefix, -math.inf))
                if c == blank:
                    new_pb[prefix] = logadd(new_pb.get(prefix, -math.inf), both + p)
                    continue
                new = prefix + (c,)
                if len(prefix) > 0 and c == prefix[-1]:
                    new_pnb[prefix] = logadd(new_pnb.get(prefix, -math.inf), pnb.get(prefix, -math.inf) + p)
                    new_pnb[new] = logadd(new_pnb.get(new, -math.inf), pb.get(prefix, -math.inf) + p)
                else:
                    new_pnb[new] = logadd(new_pnb.get(new, -math.inf), both + p)
        pb, pnb = new_pb, new_pnb
        score = {x: logadd(pb.get(x, -math.inf), pnb.get(x, -math.inf)) for x in list(pb) + list(pnb)}
        prefixes = sorted(score, key=lambda x: -score[x])[:beam_size]
    return [(list(x), logadd(pb.get(x, -math.inf), pnb.get(x, -math.inf))) for x in prefixes]
