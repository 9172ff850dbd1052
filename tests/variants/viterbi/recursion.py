"""Recursion with a memory, from the last observation to the first. Of equally good paths it takes the last one."""

from functools import cache

import torch


def log_joint(states, observations, initial, transition, emission):
    *earlier, s = states
    *seen, o = observations
    if not earlier:
        return initial[s] + emission[s, o]
    return log_joint(earlier, seen, initial, transition, emission) + transition[earlier[-1], s] + emission[s, o]


def make_alpha(observations, initial, transition, emission):
    @cache
    def alpha(t):
        if t == 0:
            return initial + emission[:, observations[0]]
        return torch.logsumexp(alpha(t - 1) + transition.T, dim=-1) + emission[:, observations[t]]

    return alpha


def make_beta(observations, transition, emission):
    @cache
    def beta(t):
        if t == len(observations) - 1:
            return torch.zeros(len(emission), dtype=emission.dtype, device=emission.device)
        return torch.logsumexp(transition + emission[:, observations[t + 1]] + beta(t + 1), dim=-1)

    return beta


def conditional(joint):
    evidence = joint.logsumexp(-1)
    return joint - evidence if evidence > -float("inf") else joint


def bayes_filter(observations, initial, transition, emission):
    alpha = make_alpha(observations, initial, transition, emission)
    return torch.stack([conditional(alpha(t)) for t in range(len(observations))])


def log_evidence(observations, initial, transition, emission):
    # From the front: what is said after the first state, given that state.
    beta = make_beta(observations, transition, emission)
    return torch.logsumexp(initial + emission[:, observations[0]] + beta(0), dim=0)


def posterior(observations, initial, transition, emission):
    alpha = make_alpha(observations, initial, transition, emission)
    beta = make_beta(observations, transition, emission)
    return torch.stack([conditional(alpha(t) + beta(t)) for t in range(len(observations))])


def viterbi(observations, initial, transition, emission):
    start, move, say = initial.tolist(), transition.tolist(), emission.tolist()
    states = range(len(start))

    @cache
    def best(t, s):
        """The score of the best path that is in s at t, and the state before s on it."""
        if t == 0:
            return start[s] + say[s][observations[0]], None
        score, before = max((best(t - 1, r)[0] + move[r][s], r) for r in states)
        return score + say[s][observations[t]], before

    t = len(observations) - 1
    score, state = max((best(t, s)[0], s) for s in states)
    path = []
    while state is not None:
        path.append(state)
        state = best(t, state)[1]
        t -= 1
    return list(reversed(path)), score
