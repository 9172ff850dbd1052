"""Hidden Markov models: the aligned case, with transition and emission."""

import torch


def log_joint(states, observations, initial, transition, emission):
    total = initial[states[0]] + emission[states[0], observations[0]]
    for t in range(1, len(states)):
        total = total + transition[states[t - 1], states[t]] + emission[states[t], observations[t]]
    return total


def forward(observations, initial, transition, emission):
    pi, A, B = initial.exp(), transition.exp(), emission.exp()
    alpha = pi * B[:, observations[0]]
    rows = [alpha]
    for o in observations[1:]:
        alpha = (alpha @ A) * B[:, o]
        rows.append(alpha)
    return torch.stack(rows)  # probabilities


def bayes_filter(observations, initial, transition, emission):
    alpha = forward(observations, initial, transition, emission)
    return (alpha / alpha.sum(dim=1, keepdim=True)).log()


def log_evidence(observations, initial, transition, emission):
    return forward(observations, initial, transition, emission)[-1].sum().log()


def posterior(observations, initial, transition, emission):
    alpha = forward(observations, initial, transition, emission)
    A, B = transition.exp(), emission.exp()
    beta = torch.ones_like(alpha)
    for t in range(len(observations) - 2, -1, -1):
        beta[t] = A @ (B[:, observations[t + 1]] * beta[t + 1])
    gamma = alpha * beta
    return (gamma / gamma.sum(dim=1, keepdim=True)).log()


def viterbi(observations, initial, transition, emission):
    delta = initial + emission[:, observations[0]]
    back = []
    for o in observations[1:]:
        delta, best = (delta[:, None] + transition).max(dim=0)
        delta = delta + emission[:, o]
        back.append(best)
    path = [int(delta.argmax())]
    for best in reversed(back):
        path.append(int(best[path[-1]]))
    path.reverse()
    return path, float(delta.max())
