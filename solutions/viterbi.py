"""Hidden Markov models: the aligned case, with transition and emission.

Each observation has a hidden state of its own. The states follow one another by the transition, and each emits its
observation. Two questions can be asked of such a model: how probable is this, over all paths of states together, and
which path is the best one? Everything is a logarithm here; that of probability zero is -inf.
"""

import math

import torch

# The model of the handout, as (initial (2,), transition (2, 2), emission (2, 3)): is a word a noun (0) or a verb (1)?
# The words are 0: cooks, 1: can, 2: fish.
COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)

### BEGIN SOLUTION
NEVER = -math.inf  # the logarithm of probability zero


def forward(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> torch.Tensor:
    """log p(observations up to t, state_t): (T, S), the sums over all beginnings of paths."""
    rows = []
    predicted = initial  # (S,): what is known of a state before its observation
    for symbol in observations:
        rows.append(predicted + emission[:, symbol])  # (S,)
        predicted = (rows[-1][:, None] + transition).logsumexp(dim=0)  # (S, S), from row to column -> (S,)
    return torch.stack(rows)


def backward(observations: list[int], transition: torch.Tensor, emission: torch.Tensor) -> torch.Tensor:
    """log p(observations after t | state_t): (T, S), the sums over all ends of paths."""
    rows = [torch.zeros_like(transition[0])]  # (S,): after the last observation nothing is left to say: log 1
    for symbol in reversed(observations[1:]):
        ahead = emission[:, symbol] + rows[-1]  # (S,): from the next state's observation on
        rows.append((transition + ahead).logsumexp(dim=1))  # (S, S), from row to column -> (S,)
    return torch.stack(rows[::-1])


def normalise(rows: torch.Tensor) -> torch.Tensor:
    """Each row minus the logarithm of its sum: (T, S) -> (T, S). Where nothing is possible all of it stays -inf."""
    totals = rows.logsumexp(dim=1, keepdim=True)  # (T, 1)
    return rows - totals.masked_fill(totals == NEVER, 0.0)  # because -inf - -inf is NaN


### END SOLUTION


def log_joint(
    states: list[int],
    observations: list[int],
    initial: torch.Tensor,
    transition: torch.Tensor,
    emission: torch.Tensor,
) -> torch.Tensor:
    """log p(states, observations): how probable it is that this path is taken and emits these observations.

    T states, T observations, initial (S,), transition (S, S), emission (S, V) -> 0-dim tensor

    >>> log_joint([0, 1, 0], [0, 1, 2], *COOKS).exp()
    tensor(0.0086, dtype=torch.float64)
    """
    ### BEGIN SOLUTION
    total = initial[states[0]] + emission[states[0], observations[0]]
    for t in range(1, len(states)):
        total = total + transition[states[t - 1], states[t]] + emission[states[t], observations[t]]
    return total
    ### END SOLUTION


def bayes_filter(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> torch.Tensor:
    """log p(state_t | observations up to t), for each t: predict the state, then correct by the observation.

    T observations, initial (S,), transition (S, S), emission (S, V) -> (T, S)

    >>> bayes_filter([0, 1, 2], *COOKS).exp()
    tensor([[0.2308, 0.7692],
            [0.6385, 0.3615],
            [0.7318, 0.2682]], dtype=torch.float64)
    """
    ### BEGIN SOLUTION
    return normalise(forward(observations, initial, transition, emission))
    ### END SOLUTION


def log_evidence(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> torch.Tensor:
    """log p(observations): the probability that the model emits these, on whatever path.

    T observations, initial (S,), transition (S, S), emission (S, V) -> 0-dim tensor

    >>> log_evidence([0, 1, 2], *COOKS).exp()
    tensor(0.0251, dtype=torch.float64)
    """
    ### BEGIN SOLUTION
    return forward(observations, initial, transition, emission)[-1].logsumexp(dim=0)
    ### END SOLUTION


def posterior(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> torch.Tensor:
    """log p(state_t | all observations), for each t: what comes later counts, too.

    T observations, initial (S,), transition (S, S), emission (S, V) -> (T, S)

    >>> posterior([0, 1, 2], *COOKS).exp()
    tensor([[0.3750, 0.6250],
            [0.3705, 0.6295],
            [0.7318, 0.2682]], dtype=torch.float64)
    """
    ### BEGIN SOLUTION
    beginnings = forward(observations, initial, transition, emission)  # (T, S)
    ends = backward(observations, transition, emission)  # (T, S)
    return normalise(beginnings + ends)
    ### END SOLUTION


def viterbi(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> tuple[list[int], float]:
    """A path with the largest log joint, and that log joint, as plain numbers.

    T observations, initial (S,), transition (S, S), emission (S, V) -> T states, a float

    >>> path, score = viterbi([0, 1, 2], *COOKS)
    >>> path, round(score, 3)
    ([0, 1, 0], -4.751)
    """
    ### BEGIN SOLUTION
    best = initial + emission[:, observations[0]]  # (S,): of the best path into each state
    pointers = []
    for symbol in observations[1:]:
        arrivals = best[:, None] + transition  # (S, S): from row to column
        best, came_from = arrivals.max(dim=0)  # (S,) and (S,)
        best = best + emission[:, symbol]
        pointers.append(came_from.tolist())

    path = [int(best.argmax())]  # the end of the best path; then back, from each state to where it came from
    for came_from in reversed(pointers):
        path.append(came_from[path[-1]])
    return path[::-1], float(best.max())
    ### END SOLUTION
