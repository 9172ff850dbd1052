"""One function sums over paths, for a whole batch of tables of what is said; a state is asked for by forbidding the others."""

import torch
from torch import Tensor


def sums(said: Tensor, initial: Tensor, transition: Tensor) -> list[Tensor]:
    """said (..., T, S) -> for each time the logarithm of the sum over all beginnings, T of (..., S)."""
    rows = [initial + said[..., 0, :]]
    for one in said.unbind(-2)[1:]:
        rows.append(torch.logsumexp(rows[-1].unsqueeze(-1) + transition, -2) + one)
    return rows


def said_by(observations: list[int], emission: Tensor) -> Tensor:
    return emission.t()[torch.tensor(observations, device=emission.device)]  # (T, S)


def conditional(joint: Tensor) -> Tensor:
    total = joint.logsumexp(-1, keepdim=True)
    return joint - torch.nan_to_num(total, neginf=0.0)


def log_evidence(observations, initial, transition, emission):
    return sums(said_by(observations, emission), initial, transition)[-1].logsumexp(-1)


def log_joint(states, observations, initial, transition, emission):
    # The evidence of a model in which this is the only path.
    said = said_by(observations, emission)
    forbidden = torch.ones_like(said, dtype=torch.bool)
    forbidden[range(len(states)), states] = False
    return sums(said.masked_fill(forbidden, float("-inf")), initial, transition)[-1].logsumexp(-1)


def bayes_filter(observations, initial, transition, emission):
    return conditional(torch.stack(sums(said_by(observations, emission), initial, transition)))


def posterior(observations, initial, transition, emission):
    said = said_by(observations, emission)
    T, S = said.shape
    questions = said.expand(T, S, T, S).clone()
    for t in range(T):
        for s in range(S):
            others = [r for r in range(S) if r != s]
            questions[t, s, t, others] = float("-inf")
    return conditional(sums(questions, initial, transition)[-1].logsumexp(-1))


def viterbi(observations, initial, transition, emission):
    rows = []
    for t, one in enumerate(said_by(observations, emission)):
        before = initial if t == 0 else (rows[-1].unsqueeze(1) + transition).amax(0)
        rows.append(before + one)
    score, end = rows.pop().max(0)
    path = [end.item()]
    while rows:  # no pointers: the best way into this state is found once more
        path.append((rows.pop() + transition[:, path[-1]]).argmax().item())
    path.reverse()
    return path, score.item()
