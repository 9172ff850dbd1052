"""Style: functional torch: indexing instead of loops in log_joint, accumulate, the smoother that corrects the filter
backwards, and Viterbi from the end to the beginning, so that the path is read off forwards."""

from itertools import accumulate

import torch
from torch import Tensor

COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)


def log_joint(states: list[int], observations: list[int], initial: Tensor, transition: Tensor, emission: Tensor) -> Tensor:
    steps = transition[states[:-1], states[1:]].sum() if len(states) > 1 else 0
    return initial[states[0]] + steps + emission[states, observations].sum()


def _predict(belief: Tensor, transition: Tensor) -> Tensor:
    return (belief.unsqueeze(1) + transition).logsumexp(0)


def bayes_filter(observations: list[int], initial: Tensor, transition: Tensor, emission: Tensor) -> Tensor:
    says = emission.t()[observations]  # (T, S)
    correct = lambda belief, said: (_predict(belief, transition) + said).log_softmax(0)
    start = (initial + says[0]).log_softmax(0)
    return torch.stack(list(accumulate(says[1:], correct, initial=start)))


def log_evidence(observations: list[int], initial: Tensor, transition: Tensor, emission: Tensor) -> Tensor:
    total, predicted = 0, initial
    for o in observations:
        joint = predicted + emission[:, o]
        surprise = joint.logsumexp(0)
        total = total + surprise
        if surprise == float("-inf"):
            return total
        predicted = _predict(joint - surprise, transition)
    return total


def posterior(observations: list[int], initial: Tensor, transition: Tensor, emission: Tensor) -> Tensor:
    filtered = bayes_filter(observations, initial, transition, emission)

    def smooth(later: Tensor, belief: Tensor) -> Tensor:
        predicted = _predict(belief, transition)
        gain = torch.where(predicted.isneginf(), predicted, later - predicted)  # what was not predicted stays impossible
        return (belief + (transition + gain).logsumexp(1)).log_softmax(0)

    backwards = accumulate(filtered.flip(0)[1:], smooth, initial=filtered[-1])
    return torch.stack(list(backwards)).flip(0)


def viterbi(observations: list[int], initial: Tensor, transition: Tensor, emission: Tensor) -> tuple[list[int], float]:
    says = emission.t()[observations]
    # future[t][r]: the best that can be said after time t, from state r at time t; choice: by which next state
    step = lambda future, said: (transition + said + future[0]).max(dim=1)
    nothing = (torch.zeros_like(initial), None)
    futures = list(accumulate(reversed(says[1:].unbind()), step, initial=nothing))[::-1]
    first = initial + says[0] + futures[0][0]
    path = [first.argmax().item()]
    for _, choice in futures[:-1]:
        path.append(choice[path[-1]].item())
    return path, first.max().item()
