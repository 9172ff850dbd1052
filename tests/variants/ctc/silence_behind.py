"""Padding becomes certain silence, which changes no labelling; then every utterance has the same length."""

import torch

LOW = -1e30


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank must be >= 0")
    symbols = [None, *path]
    return [symbols[i] for i in range(1, len(symbols)) if symbols[i] != symbols[i - 1] and symbols[i] != blank]


def need_class(blank, log_probs):
    if not blank in range(log_probs.shape[-1]):
        raise ValueError("blank must be a class")


def greedy_decode(log_probs, blank=0):
    need_class(blank, log_probs)
    return collapse(torch.max(log_probs, dim=1)[1].tolist(), blank)


def log_likelihood(log_probs, target, blank=0):
    need_class(blank, log_probs)
    if len(log_probs) < len(target) + sum(x == y for x, y in zip(target, target[1:])):
        return torch.tensor(float("-inf"), dtype=log_probs.dtype, device=log_probs.device)
    L = len(target)
    low = log_probs.new_tensor(LOW)
    # silent[i]: i labels have been said, and a blank after them; spoken[i]: the i-th label is being said
    silent = [log_probs.new_zeros(())] + [low] * L
    spoken = [low] * (L + 1)
    for frame in log_probs:
        new_silent = [torch.logaddexp(silent[i], spoken[i]) + frame[blank] for i in range(L + 1)]
        new_spoken = [low]
        for i in range(1, L + 1):
            ways = [spoken[i], silent[i - 1]]
            if i > 1 and target[i - 1] != target[i - 2]:
                ways.append(spoken[i - 1])
            new_spoken.append(torch.logsumexp(torch.stack(ways), 0) + frame[target[i - 1]])
        silent, spoken = new_silent, new_spoken
    return torch.logaddexp(silent[L], spoken[L])


def ctc_loss(log_probs, targets, lengths, blank=0):
    need_class(blank, log_probs)
    N, T, V = log_probs.shape
    silence = log_probs.new_full((V,), LOW)
    silence[blank] = 0.0
    real = torch.arange(T, device=log_probs.device)[None, :] < lengths[:, None]
    filled = torch.where(real[:, :, None], log_probs, silence)
    losses = []
    for n in range(N):
        loss = -log_likelihood(filled[n], targets[n], blank)
        losses.append(torch.where(loss > 1e29, torch.full_like(loss, torch.inf), loss))
    return torch.mean(torch.stack(losses))


def prefix_beam_search(log_probs, beam_size, blank=0):
    need_class(blank, log_probs)
    if beam_size < 1:
        raise ValueError("beam_size must be >= 1")
    beam = {(): (torch.tensor(0.0).double(), torch.tensor(-torch.inf).double())}
    for row in log_probs.detach().cpu().double():
        ways = {}

        def add(prefix, end, mass):
            ways.setdefault((prefix, end), []).append(mass)

        for prefix, (silent, spoken) in beam.items():
            both = torch.logaddexp(silent, spoken)
            add(prefix, 0, both + row[blank])
            extended = both + row
            if prefix:
                add(prefix, 1, spoken + row[prefix[-1]])
                extended[prefix[-1]] = silent + row[prefix[-1]]
            for label, mass in enumerate(extended):
                if label != blank:
                    add(prefix + (label,), 1, mass)
        masses = {}
        for (prefix, end), terms in ways.items():
            pair = masses.setdefault(prefix, [torch.tensor(-torch.inf).double()] * 2)
            pair[end] = terms[0] if len(terms) == 1 else torch.logsumexp(torch.stack(terms), 0)
        totals = torch.tensor([float(torch.logaddexp(*pair)) for pair in masses.values()])
        order = torch.argsort(totals, descending=True)[:beam_size]
        names = list(masses)
        beam = {names[i]: tuple(masses[names[i]]) for i in order}
    return [(list(prefix), torch.logaddexp(*pair).item()) for prefix, pair in beam.items()]
