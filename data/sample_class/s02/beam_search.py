"""Tensors all the way: prefixes (k, t), scores (k,), topk over the flattened sums; impossible tokens stay in."""

from typing import NamedTuple

import torch


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


def top(flat, k):
    """topk, but the lowest index first among equals"""
    k = min(k, flat.numel())
    threshold = torch.topk(flat, k).values[-1]
    above = (flat > threshold).nonzero().flatten()
    at = (flat == threshold).nonzero().flatten()
    index = torch.cat([above, at])[:k]
    order = flat[index].sort(descending=True, stable=True).indices
    return flat[index][order], index[order]


@torch.no_grad()
def greedy_search(step, *, sos, eos, max_len):
    if max_len < 1:
        raise ValueError("max_len must be positive")
    prefix = [sos]
    score = torch.zeros(())
    while len(prefix) <= max_len:
        row = step([prefix]).squeeze(0)
        value, index = row.max(dim=-1)
        score = score + value.cpu()
        prefix.append(index.item())
        if prefix[-1] == eos:
            break
    return Hypothesis(prefix[1:], score.item())


@torch.no_grad()
def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    if beam_size < 1:
        raise ValueError("beam_size must be positive")
    if max_len < 1:
        raise ValueError("max_len must be positive")
    if n_best < 1:
        raise ValueError("n_best must be positive")
    prefixes = torch.tensor([[sos]])  # (k, t)
    scores = None
    finished = []
    for t in range(1, max_len + 1):
        log_probs = step(prefixes.tolist())
        device = log_probs.device
        V = log_probs.size(1)
        if scores is None:
            scores = torch.zeros(1, dtype=log_probs.dtype, device=device)
        scores, index = top((scores.unsqueeze(1) + log_probs).view(-1), beam_size)
        parents = torch.div(index, V, rounding_mode="floor").cpu()
        tokens = (index % V).cpu()
        prefixes = torch.cat([prefixes[parents], tokens[:, None]], dim=1)
        done = tokens == eos
        for prefix, score in zip(prefixes[done].tolist(), scores[done.to(device)].tolist()):
            finished.append(Hypothesis(prefix[1:], score / t**length_alpha))
        prefixes, scores = prefixes[~done], scores[(~done).to(device)]
        if prefixes.size(0) == 0:
            break
        if len(finished) >= n_best:
            finished = sorted(finished, key=lambda h: h.score, reverse=True)
            reachable = scores.max().item() / max_len**length_alpha
            if finished[n_best - 1].score > reachable:
                break
    finished = sorted(finished, key=lambda h: h.score, reverse=True)
    live = [Hypothesis(p[1:], s / (len(p) - 1) ** length_alpha) for p, s in zip(prefixes.tolist(), scores.tolist())]
    return (finished + live)[:n_best]
