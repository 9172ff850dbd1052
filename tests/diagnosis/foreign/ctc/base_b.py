"""CTC with plain loops; a state that cannot be reached is None, so no -inf ever enters the lattice."""

import math
from collections import defaultdict

import torch


def collapse(path: list[int], blank: int = 0) -> list[int]:
    if blank < 0:
        raise ValueError("blank must be a class, so at least 0")
    labels = []
    previous = None
    for symbol in path:
        if symbol != previous and symbol != blank:
            labels.append(symbol)
        previous = symbol
    return labels


def greedy_decode(log_probs: torch.Tensor, blank: int = 0) -> list[int]:
    if not 0 <= blank < log_probs.shape[1]:
        raise ValueError("blank is not one of the classes")
    path = []
    for frame in log_probs:
        path.append(int(frame.argmax()))
    return collapse(path, blank)


def log_likelihood(log_probs: torch.Tensor, target: list[int], blank: int = 0) -> torch.Tensor:
    if not 0 <= blank < log_probs.shape[1]:
        raise ValueError("blank is not one of the classes")
    num_frames = log_probs.shape[0]
    extended = [blank]
    for label in target:
        extended.append(label)
        extended.append(blank)
    size = len(extended)
    alpha = [None] * size
    alpha[0] = log_probs[0, blank]
    if size > 1:
        alpha[1] = log_probs[0, extended[1]]
    for t in range(1, num_frames):
        new = [None] * size
        for s in range(size):
            ways = [alpha[s]]
            if s >= 1:
                ways.append(alpha[s - 1])
            if s >= 2 and extended[s] != blank and extended[s] != extended[s - 2]:
                ways.append(alpha[s - 2])
            ways = [way for way in ways if way is not None]
            if ways:
                new[s] = torch.logsumexp(torch.stack(ways), dim=0) + log_probs[t, extended[s]]
        alpha = new
    ends = [end for end in alpha[-2:] if end is not None]
    if not ends:
        return torch.tensor(-math.inf, dtype=log_probs.dtype, device=log_probs.device)
    return torch.logsumexp(torch.stack(ends), dim=0)


def ctc_loss(log_probs: torch.Tensor, targets: list[list[int]], lengths: torch.Tensor, blank: int = 0) -> torch.Tensor:
    if not 0 <= blank < log_probs.shape[2]:
        raise ValueError("blank is not one of the classes")
    total = 0
    for n in range(len(targets)):
        frames = log_probs[n, : int(lengths[n])]
        total = total - log_likelihood(frames, targets[n], blank)
    return total / len(targets)


def prefix_beam_search(log_probs: torch.Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    if not 0 <= blank < log_probs.shape[1]:
        raise ValueError("blank is not one of the classes")
    if beam_size < 1:
        raise ValueError("beam_size must be 1 or more")

    def logaddexp(x, y):
        high, low = max(x, y), min(x, y)
        if high == -math.inf:
            return high
        return high + math.log(1 + math.exp(low - high))

    beam = [((), 0.0, -math.inf)]
    for frame in log_probs.tolist():
        blank_mass = defaultdict(lambda: -math.inf)
        label_mass = defaultdict(lambda: -math.inf)
        for prefix, ends_blank, ends_label in beam:
            both = logaddexp(ends_blank, ends_label)
            for symbol, p in enumerate(frame):
                if symbol == blank:
                    blank_mass[prefix] = logaddexp(blank_mass[prefix], both + p)
                elif prefix and symbol == prefix[-1]:
                    label_mass[prefix] = logaddexp(label_mass[prefix], ends_label + p)
                    longer = prefix + (symbol,)
                    label_mass[longer] = logaddexp(label_mass[longer], ends_blank + p)
                else:
                    longer = prefix + (symbol,)
                    label_mass[longer] = logaddexp(label_mass[longer], both + p)
        scored = []
        for prefix in set(blank_mass) | set(label_mass):
            scored.append((prefix, blank_mass[prefix], label_mass[prefix]))
        scored.sort(key=lambda entry: logaddexp(entry[1], entry[2]), reverse=True)
        beam = scored[:beam_size]
    result = []
    for prefix, ends_blank, ends_label in beam:
        result.append((list(prefix), logaddexp(ends_blank, ends_label)))
    return result
