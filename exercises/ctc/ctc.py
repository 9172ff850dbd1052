"""Connectionist temporal classification: from unaligned to aligned.

A network says one symbol for each frame, and a blank where it has nothing to say; a transcript is much shorter.
CTC calls every path right that collapses to the transcript, and sums the probabilities of all of them.
"""

import torch


def collapse(path: list[int], blank: int = 0) -> list[int]:
    """The labelling that a path stands for: merge repeats first, then drop blanks.

    path: T symbols, one for each frame -> list of at most T labels

    >>> collapse([1, 1, 0, 1, 2, 2, 0])
    [1, 1, 2]
    """
    raise NotImplementedError("collapse is yours to write")


def greedy_decode(log_probs: torch.Tensor, blank: int = 0) -> list[int]:
    """The labelling of the single most probable path, as plain numbers.

    log_probs: (T, V) -> list of at most T labels

    >>> greedy_decode(torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]]).log())
    [1]
    """
    raise NotImplementedError("greedy_decode is yours to write")


def log_likelihood(log_probs: torch.Tensor, target: list[int], blank: int = 0) -> torch.Tensor:
    """The log-probability of a target: that of all paths together that collapse to it; -inf if there is none.

    log_probs: (T, V), target: L labels -> 0-dim tensor, differentiable in log_probs

    >>> log_likelihood(torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log(), [1]).exp()
    tensor(0.6400)
    """
    raise NotImplementedError("log_likelihood is yours to write")


def ctc_loss(log_probs: torch.Tensor, targets: list[list[int]], lengths: torch.Tensor, blank: int = 0) -> torch.Tensor:
    """The mean over the batch of -log_likelihood; frames past an utterance's length are ignored.

    log_probs: (N, T, V), targets: N lists of labels, lengths: (N,) -> 0-dim tensor

    >>> ctc_loss(torch.full((2, 3, 2), 0.5).log(), [[1], []], torch.tensor([2, 3])).exp()
    tensor(3.2660)
    """
    raise NotImplementedError("ctc_loss is yours to write")


def prefix_beam_search(log_probs: torch.Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    """The most probable labellings with their log-probabilities, best first.

    log_probs: (T, V) -> at most beam_size pairs (labels, log-probability as a plain float)

    >>> twice = torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log()
    >>> [(labels, round(score, 3)) for labels, score in prefix_beam_search(twice, beam_size=2)]
    [([1], -0.446), ([], -1.022)]
    """
    raise NotImplementedError("prefix_beam_search is yours to write")
