"""CTC over a whole batch: one lattice for all utterances; log_likelihood is a batch of one."""

import math

import torch

INF = float("inf")


def _require_class(blank, limit=INF):
    if blank < 0 or blank >= limit:
        raise ValueError(f"blank={blank} is no class")


def collapse(path: list[int], blank: int = 0) -> list[int]:
    _require_class(blank)
    merged = []
    for symbol in path:
        if not merged or merged[-1] != symbol:
            merged.append(symbol)
    return [symbol for symbol in merged if symbol != blank]


def greedy_decode(log_probs: torch.Tensor, blank: int = 0) -> list[int]:
    _require_class(blank, log_probs.shape[1])
    _, classes = log_probs.max(dim=1)
    classes = torch.unique_consecutive(classes)
    return classes[classes != blank].tolist()


def _log_add(a, b):
    """logaddexp with a gradient of 0 where both are -inf."""
    never = (a == -INF) & (b == -INF)
    a = a.masked_fill(never, 0.0)
    b = b.masked_fill(never, 0.0)
    return torch.logaddexp(a, b).masked_fill(never, -INF)


def _shift(alpha, by):
    """Move every state by so many places to the right."""
    if alpha.shape[1] <= by:
        return torch.full_like(alpha, -INF)
    filler = alpha.new_full((alpha.shape[0], by), -INF)
    return torch.cat([filler, alpha[:, :-by]], dim=1)


def _batch_log_likelihood(log_probs, targets, lengths, blank):
    batch, frames, _ = log_probs.shape
    device = log_probs.device
    width = 2 * max(len(target) for target in targets) + 1
    states = torch.full((batch, width), blank, dtype=torch.long, device=device)
    for n, target in enumerate(targets):
        if target:
            states[n, 1 : 2 * len(target) : 2] = torch.tensor(target, device=device)
    skip = torch.zeros(batch, width, dtype=torch.bool, device=device)
    skip[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])

    real = torch.arange(frames, device=device) < lengths[:, None]  # (N, T)
    log_probs = log_probs.masked_fill(~real[:, :, None], 0.0)

    emitted = log_probs[:, 0].gather(1, states)
    entry = torch.arange(width, device=device) < 2
    alpha = emitted.masked_fill(~entry, -INF)
    for t in range(1, frames):
        arrived = _log_add(alpha, _shift(alpha, 1))
        arrived = _log_add(arrived, _shift(alpha, 2).masked_fill(~skip, -INF))
        arrived = arrived + log_probs[:, t].gather(1, states)
        alpha = torch.where(real[:, t, None], arrived, alpha)
    last = torch.tensor([2 * len(target) for target in targets], device=device)[:, None]
    in_blank = alpha.gather(1, last).squeeze(1)
    in_label = alpha.gather(1, (last - 1).clamp(min=0)).squeeze(1)
    in_label = in_label.masked_fill(last.squeeze(1) == 0, -INF)
    return _log_add(in_blank, in_label)


def log_likelihood(log_probs: torch.Tensor, target: list[int], blank: int = 0) -> torch.Tensor:
    _require_class(blank, log_probs.shape[1])
    lengths = torch.tensor([log_probs.shape[0]], device=log_probs.device)
    return _batch_log_likelihood(log_probs[None], [target], lengths, blank)[0]


def ctc_loss(log_probs: torch.Tensor, targets: list[list[int]], lengths: torch.Tensor, blank: int = 0) -> torch.Tensor:
    _require_class(blank, log_probs.shape[2])
    return -_batch_log_likelihood(log_probs, targets, lengths, blank).mean()


def prefix_beam_search(log_probs: torch.Tensor, beam_size: int, blank: int = 0) -> list[tuple[list[int], float]]:
    _require_class(blank, log_probs.shape[1])
    if beam_size < 1:
        raise ValueError(f"beam_size={beam_size}, but at least one prefix has to be kept")
    beam = {(): [0.0, -INF]}
    for row in log_probs.detach().cpu().double().tolist():
        fresh = {}

        def pour(prefix, place, mass):
            if mass == -INF:
                return
            masses = fresh.setdefault(prefix, [-INF, -INF])
            masses[place] = _plus(masses[place], mass)

        for prefix, (blank_mass, label_mass) in beam.items():
            total = _plus(blank_mass, label_mass)
            pour(prefix, 0, total + row[blank])
            if prefix:
                pour(prefix, 1, label_mass + row[prefix[-1]])
            for symbol, log_p in enumerate(row):
                if symbol == blank:
                    continue
                repeated = prefix[-1:] == (symbol,)
                pour(prefix + (symbol,), 1, (blank_mass if repeated else total) + log_p)
        ranked = sorted(fresh, key=lambda prefix: _plus(*fresh[prefix]), reverse=True)
        beam = {prefix: fresh[prefix] for prefix in ranked[:beam_size]}
    return [(list(prefix), _plus(*masses)) for prefix, masses in beam.items()]


def _plus(x, y):
    top = max(x, y)
    return top if top == -INF else top + math.log(math.exp(x - top) + math.exp(y - top))
