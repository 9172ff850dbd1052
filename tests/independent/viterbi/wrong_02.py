# log_joint adds up Python floats and wraps the sum by torch.tensor(...) without dtype, so float64 models get a float32.
# Shows: log_joint([0, 1, 0], [0, 1, 2], *COOKS).dtype gives torch.float32, right is torch.float64 (-4.751352696166173)

import torch

COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)


def log_joint(states, observations, initial, transition, emission):
    total = initial[states[0]].item() + emission[states[0], observations[0]].item()
    for t in range(1, len(observations)):
        total += transition[states[t - 1], states[t]].item() + emission[states[t], observations[t]].item()
    return torch.tensor(total)


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
    return both - torch.logsumexp(both, dim=1, keepdim=True)


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
