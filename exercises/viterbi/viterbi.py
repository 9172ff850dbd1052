"""Hidden Markov models: the aligned case, with transition and emission.

Each observation has a hidden state of its own. The states follow one another by the transition, and each emits its
observation. Two questions can be asked of such a model: how probable is this, over all paths of states together, and
which path is the best one? Everything is a logarithm here; that of probability zero is -inf.
"""

import torch

# The model of the handout, as (initial (2,), transition (2, 2), emission (2, 3)): is a word a noun (0) or a verb (1)?
# The words are 0: cooks, 1: can, 2: fish.
COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)


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
    raise NotImplementedError("log_joint is yours to write")


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
    raise NotImplementedError("bayes_filter is yours to write")


def log_evidence(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> torch.Tensor:
    """log p(observations): the probability that the model emits these, on whatever path.

    T observations, initial (S,), transition (S, S), emission (S, V) -> 0-dim tensor

    >>> log_evidence([0, 1, 2], *COOKS).exp()
    tensor(0.0251, dtype=torch.float64)
    """
    raise NotImplementedError("log_evidence is yours to write")


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
    raise NotImplementedError("posterior is yours to write")


def viterbi(
    observations: list[int], initial: torch.Tensor, transition: torch.Tensor, emission: torch.Tensor
) -> tuple[list[int], float]:
    """A path with the largest log joint, and that log joint, as plain numbers.

    T observations, initial (S,), transition (S, S), emission (S, V) -> T states, a float

    >>> path, score = viterbi([0, 1, 2], *COOKS)
    >>> path, round(score, 3)
    ([0, 1, 0], -4.751)
    """
    raise NotImplementedError("viterbi is yours to write")
