"""As the first papers did it: probabilities, divided by their sum after every frame; the logs of the sums add up."""

import math

import numpy as np
import torch


def needs(target):
    return len(target) + sum(a == b for a, b in zip(target, target[1:]))


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank < 0")
    out = []
    for i, x in enumerate(path):
        if x == blank:
            continue
        if i > 0 and path[i - 1] == x:
            continue
        out.append(x)
    return out


def greedy_decode(log_probs, blank=0):
    T, V = log_probs.shape
    if not 0 <= blank <= V - 1:
        raise ValueError("blank out of range")
    path = np.argmax(log_probs.detach().cpu().numpy(), axis=1)
    return [int(x) for x in collapse(path, blank)]


def log_likelihood(log_probs, target, blank=0):
    T, V = log_probs.shape
    if not 0 <= blank <= V - 1:
        raise ValueError("blank out of range")
    if T < needs(target):
        return log_probs.new_tensor(float("-inf"))

    states = [blank]
    for x in target:
        states += [x, blank]
    S = len(states)
    move = torch.zeros(S, S, dtype=log_probs.dtype, device=log_probs.device)
    for s in range(S):
        move[s, s] = 1
        if s + 1 < S:
            move[s, s + 1] = 1
        if s + 2 < S and states[s + 2] != blank and states[s + 2] != states[s]:
            move[s, s + 2] = 1

    probs = log_probs.exp()[:, states]
    alpha = torch.zeros(S, dtype=log_probs.dtype, device=log_probs.device)
    alpha[:2] = 1
    total = 0.0
    for t in range(T):
        alpha = (alpha if t == 0 else alpha @ move) * probs[t]
        scale = alpha.sum()
        total = total + scale.log()
        alpha = alpha / scale
    return total + alpha[-2:].sum().log()


def ctc_loss(log_probs, targets, lengths, blank=0):
    losses = []
    for lp, target, length in zip(log_probs.unbind(0), targets, lengths):
        losses.append(-log_likelihood(lp[:length], target, blank))
    return sum(losses) / len(losses)


def prefix_beam_search(log_probs, beam_size, blank=0):
    T, V = log_probs.shape
    if not 0 <= blank <= V - 1:
        raise ValueError("blank out of range")
    if beam_size < 1:
        raise ValueError("beam_size < 1")
    probs = log_probs.detach().double().exp().cpu().numpy()
    log_scale = 0.0
    beam = {(): np.array([1.0, 0.0])}
    for t in range(T):
        new = {}

        def entry(prefix):
            return new.setdefault(prefix, np.zeros(2))

        for prefix, (pb, pl) in beam.items():
            entry(prefix)[0] += (pb + pl) * probs[t, blank]
            for c in range(V):
                if c == blank:
                    continue
                elif prefix and prefix[-1] == c:
                    entry(prefix)[1] += pl * probs[t, c]
                    entry(prefix + (c,))[1] += pb * probs[t, c]
                else:
                    entry(prefix + (c,))[1] += (pb + pl) * probs[t, c]
        best = sorted(new.items(), key=lambda kv: kv[1].sum(), reverse=True)[:beam_size]
        scale = sum(masses.sum() for _, masses in best)
        log_scale += math.log(scale)
        beam = {prefix: masses / scale for prefix, masses in best}
    return [
        (list(prefix), math.log(masses.sum()) + log_scale) for prefix, masses in beam.items() if masses.sum() > 0
    ]
