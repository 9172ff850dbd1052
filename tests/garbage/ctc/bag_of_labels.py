"""Frames without order: a target has the mean log-probability of its labels, a path is a set."""

import torch


def check(blank, classes=float("inf")):
    if not 0 <= blank < classes:
        raise ValueError("blank")


def collapse(path, blank=0):
    check(blank)
    return sorted(set(path) - {blank}, reverse=True)


def greedy_decode(log_probs, blank=0):
    check(blank, log_probs.shape[1])
    return [int(log_probs.mean(0).argmax())]


def log_likelihood(log_probs, target, blank=0):
    check(blank, log_probs.shape[1])
    return log_probs.mean(0)[[*target, blank]].sum()


def ctc_loss(log_probs, targets, lengths, blank=0):
    return -torch.stack(
        [log_likelihood(f[:n], t, blank) for f, t, n in zip(log_probs, targets, lengths, strict=True)]
    ).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError("beam_size")
    order = log_probs.mean(0).argsort(descending=True).tolist()
    return [([label], log_probs[:, label].sum().item()) for label in order[:beam_size]]
