"""Hidden Markov models: the aligned case, with transition and emission."""

import torch


def log_joint(states, observations, initial, transition, emission):
    states = torch.tensor(states, device=initial.device)
    observations = torch.tensor(observations, device=initial.device)
    said = emission[states, observations]  # (T,)
    moves = transition[states[:-1], states[1:]]  # (T - 1,)
    return initial[states[0]] + moves.sum() + said.sum()


def sweep(observations, initial, transition, emission):
    """log p(observations up to t, state_t) for each t, without normalising."""
    alpha = initial + emission[:, observations[0]]
    yield alpha
    for symbol in observations[1:]:
        alpha = torch.logsumexp(alpha.unsqueeze(1) + transition, dim=0) + emission[:, symbol]
        yield alpha


def bayes_filter(observations, initial, transition, emission):
    rows = torch.stack(list(sweep(observations, initial, transition, emission)))
    return torch.log_softmax(rows, dim=1)


def log_evidence(observations, initial, transition, emission):
    *_, last = sweep(observations, initial, transition, emission)
    return torch.logsumexp(last, dim=0)


def posterior(observations, initial, transition, emission):
    rows = list(sweep(observations, initial, transition, emission))
    beta = torch.zeros_like(initial)
    for t in range(len(observations) - 1, -1, -1):
        rows[t] = rows[t] + beta
        beta = torch.logsumexp(transition + (emission[:, observations[t]] + beta), dim=1)
    return torch.log_softmax(torch.stack(rows), dim=1)


def viterbi(observations, initial, transition, emission):
    score = initial + emission[:, observations[0]]
    paths = [[state] for state in range(len(initial))]  # the best path into each state
    for symbol in observations[1:]:
        score, came_from = torch.max(score.unsqueeze(1) + transition, dim=0)
        score = score + emission[:, symbol]
        paths = [paths[before] + [state] for state, before in enumerate(came_from.tolist())]
    best = int(torch.argmax(score))
    return paths[best], score[best].item()
