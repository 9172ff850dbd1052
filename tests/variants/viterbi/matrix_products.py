"""A matrix for each step and a product in the (logsumexp, +) or (max, +) semiring; the posterior from all prefixes and suffixes."""

import functools

import torch


def steps(observations, initial, transition, emission):
    """M_0 with one row, then a matrix for each further observation: M[r, s] = log p(s, o | r)."""
    first = (initial + emission[:, observations[0]])[None, :]
    return [first] + [transition + emission[:, o][None, :] for o in observations[1:]]


def times(a, b):
    return torch.logsumexp(a[:, :, None] + b[None, :, :], dim=1)


def products(matrices):
    total, found = None, []
    for m in matrices:
        total = m if total is None else times(total, m)
        found.append(total)
    return found


def log_joint(states, observations, initial, transition, emission):
    matrices = steps(observations, initial, transition, emission)
    rows = [0, *states[:-1]]
    return sum(m[r, s] for m, r, s in zip(matrices, rows, states))


def bayes_filter(observations, initial, transition, emission):
    prefixes = torch.cat(products(steps(observations, initial, transition, emission)))
    total = prefixes.logsumexp(1, keepdim=True)
    return torch.where(prefixes == -torch.inf, prefixes, prefixes - total)


def log_evidence(observations, initial, transition, emission):
    matrices = steps(observations, initial, transition, emission)
    one = torch.zeros(len(initial), 1, dtype=initial.dtype, device=initial.device)
    # From the back, so that only vectors are multiplied.
    return functools.reduce(lambda right, m: times(m, right), reversed(matrices), one).squeeze()


def posterior(observations, initial, transition, emission):
    matrices = steps(observations, initial, transition, emission)
    prefixes = products(matrices)
    suffix = initial.new_zeros(len(initial), 1)
    rows = []
    for prefix, matrix in zip(reversed(prefixes), reversed(matrices)):
        joint = prefix[0] + suffix[:, 0]
        rows.append(torch.where(joint == -torch.inf, joint, joint - joint.logsumexp(0)))
        suffix = times(matrix, suffix)
    return torch.stack(rows[::-1])


def viterbi(observations, initial, transition, emission):
    matrices = steps(observations, initial, transition, emission)
    # How good the best end is from each state on: max-product from the back. Then walk forward along the best.
    ends = [initial.new_zeros(len(initial))]
    for m in reversed(matrices[1:]):
        ends.append((m + ends[-1]).amax(1))
    ends.reverse()
    path, row = [], 0
    for m, end in zip(matrices, ends):
        row = int((m[row] + end).argmax())
        path.append(row)
    return path, (matrices[0][0] + ends[0]).max().item()
