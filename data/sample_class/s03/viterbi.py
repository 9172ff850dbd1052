"""Hidden Markov models: the aligned case, with transition and emission."""

import torch


def log_joint(states, observations, initial, transition, emission):
    total = initial[states[0]]
    for before, after in zip(states, states[1:]):
        total = total + transition[before, after]
    for state, symbol in zip(states, observations):
        total = total + emission[state, symbol]
    return total


def alphas(observations, initial, transition, emission):
    rows = [initial + emission[:, observations[0]]]
    for symbol in observations[1:]:
        rows.append((rows[-1][:, None] + transition).logsumexp(0) + emission[:, symbol])
    return torch.stack(rows)


def bayes_filter(observations, initial, transition, emission):
    return alphas(observations, initial, transition, emission).log_softmax(1)


def log_evidence(observations, initial, transition, emission):
    return alphas(observations, initial, transition, emission)[-1].logsumexp(0)


def posterior(observations, initial, transition, emission):
    beta = [torch.zeros_like(initial)]
    for symbol in observations[:0:-1]:
        beta.insert(0, (transition + emission[:, symbol] + beta[0]).logsumexp(1))
    return (alphas(observations, initial, transition, emission) + torch.stack(beta)).log_softmax(1)


def viterbi(observations, initial, transition, emission):
    path = posterior(observations, initial, transition, emission).argmax(1).tolist()
    return path, log_joint(path, observations, initial, transition, emission).item()
