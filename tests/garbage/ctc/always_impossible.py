"""Nothing is ever possible: -inf for every target, inf for every loss, no labels at all."""

import torch


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank")
    return []


def check(log_probs, blank):
    if not 0 <= blank < log_probs.shape[-1]:
        raise ValueError("blank")


def greedy_decode(log_probs, blank=0):
    check(log_probs, blank)
    return []


def log_likelihood(log_probs, target, blank=0):
    check(log_probs, blank)
    return log_probs.sum() * 0 - torch.inf


def ctc_loss(log_probs, targets, lengths, blank=0):
    check(log_probs, blank)
    return log_probs.new_full((), torch.inf)


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(log_probs, blank)
    if beam_size < 1:
        raise ValueError("beam_size")
    return [([], float("-inf"))]
