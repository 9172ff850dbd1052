"""The filter normalises at each step and keeps what it divided by; the posterior goes back over the filter."""

import torch
from torch import Tensor


def log_joint(states, observations, initial, transition, emission) -> Tensor:
    s, o = torch.as_tensor(states, device=initial.device), torch.as_tensor(observations, device=initial.device)
    return initial[s[0]] + transition[s[:-1], s[1:]].sum() + emission[s, o].sum()


def corrected(predicted: Tensor, evidence: Tensor) -> tuple[Tensor, Tensor]:
    joint = predicted + evidence
    normaliser = torch.logsumexp(joint, 0)
    if normaliser.isinf():
        return joint, normaliser
    return joint - normaliser, normaliser


def run(observations, initial, transition, emission):
    beliefs, surprises = [], []
    belief = None
    for observation in observations:
        predicted = initial if belief is None else torch.logsumexp(belief.unsqueeze(1) + transition, 0)
        belief, normaliser = corrected(predicted, emission[:, observation])
        beliefs.append(belief)
        surprises.append(normaliser)
    return torch.stack(beliefs), torch.stack(surprises)


def bayes_filter(observations, initial, transition, emission) -> Tensor:
    return run(observations, initial, transition, emission)[0]


def log_evidence(observations, initial, transition, emission) -> Tensor:
    surprises = run(observations, initial, transition, emission)[1]
    return surprises.sum()


def posterior(observations, initial, transition, emission) -> Tensor:
    beliefs, _ = run(observations, initial, transition, emission)
    smooth = beliefs[-1]
    rows = [smooth]
    for belief in beliefs[:-1].flip(0):
        joint = belief[:, None] + transition  # from, to
        into = joint.logsumexp(0)
        back = torch.where(into.isinf(), joint, joint - into)  # log p(from | to)
        smooth = (back + smooth).logsumexp(1)
        rows.append(smooth)
    return torch.stack(rows).flip(0)


def viterbi(observations, initial, transition, emission):
    score = initial + emission[:, observations[0]]
    arrows = torch.zeros(len(observations), len(initial), dtype=torch.long, device=initial.device)
    for t in range(1, len(observations)):
        ways = score.unsqueeze(0) + transition.T  # to, from
        arrows[t] = ways.argmax(1)
        score = ways.max(1).values + emission[:, observations[t]]
    states = [score.argmax().item()]
    for t in range(len(observations) - 1, 0, -1):
        states.insert(0, arrows[t, states[0]].item())
    return states, score.max().item()
