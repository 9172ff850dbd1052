"""Connectionist temporal classification: from unaligned to aligned.

A network says one symbol for each frame, and a blank where it has nothing to say; a transcript is much shorter.
CTC calls every path right that collapses to the transcript, and sums the probabilities of all of them.
"""

import math
from collections import defaultdict
from itertools import groupby

import torch
from torch.nn.functional import pad

### BEGIN SOLUTION
NEVER = -math.inf  # the logarithm of probability zero


def check_blank(blank: int, classes: float = math.inf) -> None:
    """Refuse a blank that is not the number of a class."""
    if not 0 <= blank < classes:
        raise ValueError(f"blank must be the number of a class, and {blank} is none")


def log_sum(terms: torch.Tensor) -> torch.Tensor:
    """The logarithm of the sum of exp(terms) along the first axis: (K, ...) -> (...)."""
    # Where every term is -inf, the derivative of logsumexp is exp(-inf - -inf) = NaN, and one NaN spoils
    # all gradients. So such a sum is computed on zeros and its answer put in by hand: the gradient is 0.
    hopeless = (terms == NEVER).all(dim=0)  # (...)
    return terms.masked_fill(hopeless, 0.0).logsumexp(dim=0).masked_fill(hopeless, NEVER)


def log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b)) of two plain numbers."""
    larger, smaller = max(a, b), min(a, b)
    return larger if smaller == NEVER else larger + math.log1p(math.exp(smaller - larger))


### END SOLUTION


def collapse(path: list[int], blank: int = 0) -> list[int]:
    """The labelling that a path stands for: merge repeats first, then drop blanks.

    path: T symbols, one for each frame -> list of at most T labels

    >>> collapse([1, 1, 0, 1, 2, 2, 0])
    [1, 1, 2]
    """
    ### BEGIN SOLUTION
    check_blank(blank)
    return [label for label, _ in groupby(path) if label != blank]
    ### END SOLUTION


def greedy_decode(log_probs: torch.Tensor, blank: int = 0) -> list[int]:
    """The labelling of the single most probable path, as plain numbers.

    log_probs: (T, V) -> list of at most T labels

    >>> greedy_decode(torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]]).log())
    [1]
    """
    ### BEGIN SOLUTION
    check_blank(blank, log_probs.shape[1])
    best_path = log_probs.argmax(dim=1)  # (T,): the frames are independent, so the best of each
    return collapse(best_path.tolist(), blank)
    ### END SOLUTION


def log_likelihood(log_probs: torch.Tensor, target: list[int], blank: int = 0) -> torch.Tensor:
    """The log-probability of a target: that of all paths together that collapse to it; -inf if there is none.

    log_probs: (T, V), target: L labels -> 0-dim tensor, differentiable in log_probs

    >>> log_likelihood(torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log(), [1]).exp()
    tensor(0.6400)
    """
    ### BEGIN SOLUTION
    check_blank(blank, log_probs.shape[1])
    states = [blank]
    for label in target:
        states += [label, blank]
    states = torch.tensor(states, device=log_probs.device)  # (S,), S = 2L + 1

    # One may jump over a state if the symbols on both sides of it differ. So the blank between equal labels
    # must be said; and a label is never jumped over, because there are blanks on both sides of it.
    no_skip = torch.ones_like(states, dtype=torch.bool)  # (S,)
    no_skip[2:] = states[2:] == states[:-2]

    # Before the first frame we stand on the first blank without having said it. From there the ordinary moves
    # lead to exactly the two legal beginnings: that blank, or the first label.
    alpha = log_probs.new_full((len(states),), NEVER)  # (S,)
    alpha[0] = 0.0
    for frame in log_probs[:, states]:  # (S,): what each state says in this frame
        before = pad(alpha, (2, 0), value=NEVER)  # (S + 2,): nothing comes from left of the lattice
        stay, step, skip = before[2:], before[1:-1], before[:-2].masked_fill(no_skip, NEVER)
        alpha = log_sum(torch.stack([stay, step, skip])) + frame
    return log_sum(alpha[-2:])  # a path ends on the last label or on the blank after it
    ### END SOLUTION


def ctc_loss(log_probs: torch.Tensor, targets: list[list[int]], lengths: torch.Tensor, blank: int = 0) -> torch.Tensor:
    """The mean over the batch of -log_likelihood; frames past an utterance's length are ignored.

    log_probs: (N, T, V), targets: N lists of labels, lengths: (N,) -> 0-dim tensor

    >>> ctc_loss(torch.full((2, 3, 2), 0.5).log(), [[1], []], torch.tensor([2, 3])).exp()
    tensor(3.2660)
    """
    ### BEGIN SOLUTION
    utterances = zip(log_probs, targets, lengths.tolist(), strict=True)
    losses = [-log_likelihood(frames[:length], target, blank) for frames, target, length in utterances]
    return torch.stack(losses).mean()
    ### END SOLUTION


def prefix_beam_search(log_probs: torch.Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    """The most probable labellings with their log-probabilities, best first.

    log_probs: (T, V) -> at most beam_size pairs (labels, log-probability as a plain float)

    >>> twice = torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log()
    >>> [(labels, round(score, 3)) for labels, score in prefix_beam_search(twice, beam_size=2)]
    [([1], -0.446), ([], -1.022)]
    """
    ### BEGIN SOLUTION
    check_blank(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")

    # A prefix has two masses: of its paths that end in a blank, and of those that end in its last label. They
    # are told apart because only after a blank can that label be said once more and mean a new one.
    beam = {(): [0.0, NEVER]}
    for frame in log_probs.tolist():  # V numbers
        grown = defaultdict(lambda: [NEVER, NEVER])
        for prefix, (ends_blank, ends_label) in beam.items():
            total = log_add(ends_blank, ends_label)
            grown[prefix][0] = total + frame[blank]
            if prefix:  # the last label said on: merged, the prefix stays as it is
                grown[prefix][1] = log_add(grown[prefix][1], ends_label + frame[prefix[-1]])
            for label, score in enumerate(frame):
                if label != blank:
                    longer = (*prefix, label)
                    before = ends_blank if prefix[-1:] == (label,) else total
                    grown[longer][1] = log_add(grown[longer][1], before + score)
        ranked = sorted(grown.items(), key=lambda entry: log_add(*entry[1]), reverse=True)
        beam = dict(ranked[:beam_size])
    scored = [(list(prefix), log_add(*masses)) for prefix, masses in beam.items()]
    return [(labels, score) for labels, score in scored if score > NEVER]
    ### END SOLUTION
