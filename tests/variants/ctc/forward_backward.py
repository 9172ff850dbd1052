"""A gradient of one's own: forward and backward variables, and the occupancies as the derivative."""

import torch
import torch.nn.functional as F


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError(f"blank={blank}")
    return [now for now, last in zip(path, [blank] + list(path[:-1])) if now != last and now != blank]


def _check(log_probs, blank):
    if blank < 0 or blank > log_probs.shape[-1] - 1:
        raise ValueError(f"blank={blank}, classes={log_probs.shape[-1]}")


def greedy_decode(log_probs, blank=0):
    _check(log_probs, blank)
    return collapse(log_probs.argmax(-1).tolist(), blank)


def _sweep(emissions, skip):
    """Forward variables of all frames, the emission of each included: (T, S)."""
    T, S = emissions.shape
    alphas = torch.full((T, S), -torch.inf, dtype=emissions.dtype, device=emissions.device)
    alphas[0, :2] = emissions[0, :2]
    for t in range(1, T):
        alphas[t] = alphas[t - 1]
        alphas[t, 1:] = torch.logaddexp(alphas[t, 1:], alphas[t - 1, :-1])
        jump = alphas[t - 1, :-2].masked_fill(~skip, -torch.inf)
        alphas[t, 2:] = torch.logaddexp(alphas[t, 2:], jump)
        alphas[t] += emissions[t]
    return alphas


class _LogLikelihood(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_probs, states):
        emissions = log_probs[:, states]
        skip = states[2:] != states[:-2]
        alphas = _sweep(emissions, skip)
        betas = _sweep(emissions.flip(0, 1), skip.flip(0)).flip(0, 1)
        result = alphas[-1, -2:].logsumexp(0)
        if result.isinf():
            occupancy = torch.zeros_like(emissions)
        else:
            occupancy = (alphas + betas - emissions - result).exp()
        ctx.save_for_backward(occupancy, states)
        ctx.classes = log_probs.shape[1]
        return result

    @staticmethod
    def backward(ctx, gradient):
        occupancy, states = ctx.saved_tensors
        full = occupancy.new_zeros(occupancy.shape[0], ctx.classes)
        full.index_add_(1, states, occupancy)
        if gradient.isinf():
            return torch.zeros_like(full), None
        return gradient * full, None


def log_likelihood(log_probs, target, blank=0):
    _check(log_probs, blank)
    states = torch.full((2 * len(target) + 1,), blank, dtype=torch.long, device=log_probs.device)
    if target:
        states[1::2] = torch.as_tensor(target, device=log_probs.device)
    return _LogLikelihood.apply(log_probs, states)


def ctc_loss(log_probs, targets, lengths, blank=0):
    terms = [log_likelihood(log_probs[n, :l], targets[n], blank) for n, l in enumerate(lengths.tolist())]
    return -torch.stack(terms).mean(0)


def prefix_beam_search(log_probs, beam_size, blank=0):
    _check(log_probs, blank)
    if beam_size < 1:
        raise ValueError(f"beam_size={beam_size}")
    NONE = torch.tensor(-torch.inf, dtype=log_probs.dtype)
    beam = [((), torch.zeros((), dtype=log_probs.dtype), NONE)]
    log_probs = log_probs.detach().cpu()
    for frame in log_probs:
        found = {}

        def put(prefix, in_blank, in_label):
            old = found.get(prefix, (NONE, NONE))
            found[prefix] = (torch.logaddexp(old[0], in_blank), torch.logaddexp(old[1], in_label))

        for prefix, in_blank, in_label in beam:
            both = torch.logaddexp(in_blank, in_label)
            put(prefix, both + frame[blank], NONE)
            for label in range(len(frame)):
                if label == blank:
                    continue
                if prefix and prefix[-1] == label:
                    put(prefix, NONE, in_label + frame[label])
                    put(prefix + (label,), NONE, in_blank + frame[label])
                else:
                    put(prefix + (label,), NONE, both + frame[label])
        ranked = sorted(found.items(), key=lambda item: torch.logaddexp(*item[1]).item(), reverse=True)
        beam = [(prefix, *masses) for prefix, masses in ranked[:beam_size]]
    return [(list(prefix), torch.logaddexp(b, l).item()) for prefix, b, l in beam]
