"""CTC, with whole columns of the lattice at once."""

import math
from itertools import groupby

import torch


def _check_blank(blank, num_classes=None):
    if blank < 0:
        raise ValueError(f"blank must not be negative, not {blank}")
    if num_classes is not None and blank >= num_classes:
        raise ValueError(f"blank must be below {num_classes}, not {blank}")


def collapse(path: list[int], blank: int = 0) -> list[int]:
    _check_blank(blank)
    return [symbol for symbol, _ in groupby(path) if symbol != blank]


def greedy_decode(log_probs: torch.Tensor, blank: int = 0) -> list[int]:
    _check_blank(blank, log_probs.shape[-1])
    best = log_probs.argmax(dim=-1).tolist()
    return collapse(best, blank)


def _safe_logsumexp(terms):
    """logsumexp over dim 0, whose gradient is 0 where all terms are -inf."""
    empty = (terms == -math.inf).all(dim=0)
    terms = torch.where(empty, torch.zeros_like(terms), terms)
    total = torch.logsumexp(terms, dim=0)
    return torch.where(empty, torch.full_like(total, -math.inf), total)


def log_likelihood(log_probs: torch.Tensor, target: list[int], blank: int = 0) -> torch.Tensor:
    _check_blank(blank, log_probs.shape[-1])
    symbols = [blank]
    for label in target:
        symbols += [label, blank]
    num_states = len(symbols)
    states = torch.tensor(symbols, device=log_probs.device)
    emissions = log_probs[:, states]  # (T, S)

    may_skip = torch.zeros(num_states, dtype=torch.bool, device=log_probs.device)
    may_skip[2:] = (states[2:] != blank) & (states[2:] != states[:-2])

    nothing = log_probs.new_full((2,), -math.inf)
    start = torch.arange(num_states, device=log_probs.device) < 2
    alpha = emissions[0].masked_fill(~start, -math.inf)
    for t in range(1, len(log_probs)):
        padded = torch.cat([nothing, alpha])  # (S + 2,)
        stay, one, two = padded[2:], padded[1:-1], padded[:-2]
        two = two.masked_fill(~may_skip, -math.inf)
        alpha = _safe_logsumexp(torch.stack([stay, one, two])) + emissions[t]
    return _safe_logsumexp(alpha[-2:])


def ctc_loss(log_probs: torch.Tensor, targets: list[list[int]], lengths: torch.Tensor, blank: int = 0) -> torch.Tensor:
    _check_blank(blank, log_probs.shape[-1])
    losses = [
        -log_likelihood(frames[:length], target, blank)
        for frames, target, length in zip(log_probs, targets, lengths.tolist())
    ]
    return torch.stack(losses).mean()


def prefix_beam_search(log_probs: torch.Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    num_classes = log_probs.shape[-1]
    _check_blank(blank, num_classes)
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    frames = log_probs.detach().double()
    beam = {(): (0.0, -math.inf)}  # prefix -> (ends in blank, ends in its last label)
    for frame in frames:
        said = frame.tolist()
        prefixes = list(beam)
        stays = {}
        longer = frame.new_empty(len(prefixes), num_classes)
        for row, prefix in enumerate(prefixes):
            in_blank, in_label = beam[prefix]
            total = _add(in_blank, in_label)
            longer[row] = frame + total
            longer[row, blank] = -math.inf
            if prefix:
                last = prefix[-1]
                longer[row, last] = said[last] + in_blank
                stays[prefix] = [said[blank] + total, said[last] + in_label]
            else:
                stays[prefix] = [said[blank] + total, -math.inf]
        for row, prefix in enumerate(prefixes):
            # a longer prefix that is in the beam already: the two ways to it add up
            for child in prefixes:
                if child and child[:-1] == prefix:
                    stays[child][1] = _add(stays[child][1], longer[row, child[-1]].item())
                    longer[row, child[-1]] = -math.inf
        candidates = [(_add(*masses), prefix, tuple(masses)) for prefix, masses in stays.items()]
        values, places = longer.flatten().topk(min(beam_size, longer.numel()))
        for value, place in zip(values.tolist(), places.tolist()):
            if value > -math.inf:
                prefix = prefixes[place // num_classes] + (place % num_classes,)
                candidates.append((value, prefix, (-math.inf, value)))
        candidates.sort(key=lambda candidate: candidate[0], reverse=True)
        beam = {prefix: masses for _, prefix, masses in candidates[:beam_size]}
    found = [(list(prefix), _add(*masses)) for prefix, masses in beam.items()]
    return sorted(found, key=lambda pair: pair[1], reverse=True)


def _add(a, b):
    """log(exp(a) + exp(b)) of two floats."""
    if a < b:
        a, b = b, a
    if b == -math.inf:
        return a
    return a + math.log1p(math.exp(b - a))
