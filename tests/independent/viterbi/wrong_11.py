# posterior cleans its result by nan_to_num, which also replaces -inf by the most negative number, so nothing is impossible.
# Shows: i = torch.tensor([1.0, 0.0]).double().log(); posterior([0], i, COOKS[1], COOKS[2]) gives [[0, -1.7977e308]], right is
# [[0, -inf]]

import torch

COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)


def log_joint(states, observations, initial, transition, emission):
    total = initial[states[0]] + emission[states[0], observations[0]]
    for t in range(1, len(observations)):
        total = total + transition[states[t - 1], states[t]] + emission[states[t], observations[t]]
    return total


def _forward(observations, initial, transition, emission):
    """log p(o_1 .. o_t, s_t), (T, S)"""
    alpha = initial + emission[:, observations[0]]
    rows = [alpha]
    for o in observations[1:]:
        alpha = torch.logsumexp(alpha[:, None] + transition, dim=0) + emission[:, o]
        rows.append(alpha)
    return torch.stack(rows)


def _backward(observations, transition, emission):
    """log p(o_{t+1} .. o_T | s_t), (T, S)"""
    beta = torch.zeros_like(emission[:, 0])
    rows = [beta]
    for o in reversed(observations[1:]):
        beta = torch.logsumexp(transition + emission[:, o] + beta, dim=1)
        rows.append(beta)
    rows.reverse()
    return torch.stack(rows)


def bayes_filter(observations, initial, transition, emission):
    predicted = initial
    rows = []
    for o in observations:
        belief = torch.log_softmax(predicted + emission[:, o], dim=0)
        rows.append(belief)
        predicted = torch.logsumexp(belief[:, None] + transition, dim=0)
    return torch.stack(rows)


def log_evidence(observations, initial, transition, emission):
    return torch.logsumexp(_forward(observations, initial, transition, emission)[-1], dim=0)


def posterior(observations, initial, transition, emission):
    both = _forward(observations, initial, transition, emission) + _backward(observations, transition, emission)
    return torch.nan_to_num(both - torch.logsumexp(both, dim=1, keepdim=True))


def viterbi(observations, initial, transition, emission):
    delta = initial + emission[:, observations[0]]
    pointers = []
    for o in observations[1:]:
        best, origin = torch.max(delta[:, None] + transition, dim=0)
        delta = best + emission[:, o]
        pointers.append(origin.tolist())
    state = int(torch.argmax(delta))
    score = delta[state].item()
    path = [state]
    for origin in reversed(pointers):
        state = origin[state]
        path.append(state)
    return path[::-1], score
