"""The whole batch at once: targets padded, finished utterances held by torch.where, a large negative number for log 0."""

import torch
from torch.nn.utils.rnn import pad_sequence

LOG_ZERO = -1e30


def _check_blank(blank, num_classes=None):
    if blank < 0:
        raise ValueError(f"blank must be >= 0, got {blank}")
    if num_classes is not None and blank >= num_classes:
        raise ValueError(f"blank must be < {num_classes}, got {blank}")


def collapse(path, blank=0):
    _check_blank(blank)
    path = list(path)
    keep = [i for i in range(len(path)) if i == 0 or path[i] != path[i - 1]]
    return [path[i] for i in keep if path[i] != blank]


def greedy_decode(log_probs, blank=0):
    _check_blank(blank, log_probs.shape[1])
    best = torch.unique_consecutive(log_probs.argmax(-1))
    return best[best != blank].tolist()


def _negative_log_likelihoods(log_probs, targets, lengths, blank):
    N, T, V = log_probs.shape
    _check_blank(blank, V)
    device = log_probs.device
    sizes = torch.tensor([len(t) for t in targets], device=device)
    longest = int(sizes.max())
    extended = torch.full((N, 2 * longest + 1), blank, device=device)
    if longest:
        padded = pad_sequence(
            [torch.tensor(t, dtype=torch.long, device=device) for t in targets], batch_first=True, padding_value=blank
        )
        extended[:, 1::2] = padded

    S = extended.shape[1]
    can_skip = torch.zeros((N, S), dtype=torch.bool, device=device)
    can_skip[:, 2:] = (extended[:, 2:] != blank) & (extended[:, 2:] != extended[:, :-2])

    zero = log_probs.new_full((), LOG_ZERO)
    start = (torch.arange(S, device=device) < 2).expand(N, S)
    alpha = torch.where(start, log_probs[:, 0].gather(1, extended), zero)
    for t in range(1, T):
        one = torch.cat([zero.expand(N, 1), alpha[:, :-1]], dim=1)
        two = torch.cat([zero.expand(N, 2), alpha], dim=1)[:, :S]
        two = torch.where(can_skip, two, zero)
        new = torch.logsumexp(torch.stack([alpha, one, two], dim=-1), dim=-1) + log_probs[:, t].gather(1, extended)
        new = new.clamp(min=LOG_ZERO)
        alpha = torch.where((t < lengths.to(device))[:, None], new, alpha)

    last = alpha.gather(1, 2 * sizes[:, None])[:, 0]
    last_label = alpha.gather(1, (2 * sizes[:, None] - 1).clamp(min=0))[:, 0]
    last_label = torch.where(sizes > 0, last_label, zero)
    ll = torch.logaddexp(last, last_label)
    return torch.where(ll < LOG_ZERO / 2, torch.full_like(ll, float("inf")), -ll)


def log_likelihood(log_probs, target, blank=0):
    lengths = torch.tensor([log_probs.shape[0]])
    return -_negative_log_likelihoods(log_probs.unsqueeze(0), [target], lengths, blank)[0]


def ctc_loss(log_probs, targets, lengths, blank=0):
    return _negative_log_likelihoods(log_probs, targets, lengths, blank).mean()


def prefix_beam_search(log_probs, beam_size, blank=0):
    T, V = log_probs.shape
    _check_blank(blank, V)
    if beam_size < 1:
        raise ValueError(f"beam_size must be positive, got {beam_size}")
    log_probs = log_probs.detach().cpu().double()  # a search over lists
    prefixes = [()]
    ends = torch.tensor([[0.0, float("-inf")]], dtype=torch.float64)  # (B, 2): in blank, in label
    for t in range(T):
        total = ends.logsumexp(1)  # (B,)
        grow = total[:, None] + log_probs[t]  # (B, V)
        rows, cols, stays = [], [], torch.full((len(prefixes),), float("-inf"), dtype=torch.float64)
        for i, prefix in enumerate(prefixes):
            if prefix:
                c = prefix[-1]
                stays[i] = ends[i, 1] + log_probs[t, c]
                grow[i, c] = ends[i, 0] + log_probs[t, c]
        in_blank = grow[:, blank].tolist()
        table = {}
        for i, prefix in enumerate(prefixes):
            table[prefix] = [in_blank[i], stays[i].item()]
        grow = grow.tolist()
        for i, prefix in enumerate(prefixes):
            for c in range(V):
                if c == blank:
                    continue
                longer = prefix + (c,)
                if longer in table:
                    both = torch.tensor([table[longer][1], grow[i][c]], dtype=torch.float64)
                    table[longer][1] = both.logsumexp(0).item()
                else:
                    table[longer] = [float("-inf"), grow[i][c]]
        prefixes = list(table)
        ends = torch.tensor([table[p] for p in prefixes], dtype=torch.float64)
        order = ends.logsumexp(1).topk(min(beam_size, len(prefixes))).indices
        prefixes = [prefixes[i] for i in order.tolist()]
        ends = ends[order]
    return list(zip([list(p) for p in prefixes], ends.logsumexp(1).tolist()))
