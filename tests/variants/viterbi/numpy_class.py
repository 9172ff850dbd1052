"""A class around numpy arrays, as a package of one's own would have it."""

import numpy as np
import torch


def lse(a, axis):
    top = a.max(axis=axis, keepdims=True)
    safe = np.where(np.isinf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.squeeze(np.log(np.exp(a - safe).sum(axis=axis, keepdims=True)) + safe, axis=axis)


class HMM:
    def __init__(self, initial, transition, emission):
        self.like = initial
        self.pi, self.A, self.B = (p.detach().cpu().numpy().astype(np.float64) for p in (initial, transition, emission))

    def tensor(self, array):
        return torch.tensor(array, dtype=self.like.dtype, device=self.like.device)

    def scores(self, seen):
        return self.B[:, seen].T  # (T, S)

    def alphas(self, seen):
        out = self.scores(seen)  # a copy, because of the index list
        out = np.array(out)
        out[0] += self.pi
        for t in range(1, len(seen)):
            out[t] += lse(out[t - 1][:, None] + self.A, 0)
        return out

    def betas(self, seen):
        scores, out = self.scores(seen), np.zeros((len(seen), len(self.pi)))
        for t in range(len(seen) - 2, -1, -1):
            out[t] = lse(self.A + scores[t + 1] + out[t + 1], 1)
        return out


def normalised(a):
    total = lse(a, 1)[:, None]
    total[np.isinf(total)] = 0.0
    return a - total


def log_joint(states, observations, initial, transition, emission):
    m = HMM(initial, transition, emission)
    return m.tensor(m.pi[states[0]] + m.A[states[:-1], states[1:]].sum() + m.B[states, observations].sum())


def bayes_filter(observations, initial, transition, emission):
    m = HMM(initial, transition, emission)
    return m.tensor(normalised(m.alphas(observations)))


def log_evidence(observations, initial, transition, emission):
    m = HMM(initial, transition, emission)
    # Any place would do: beginnings times ends, summed over the states there.
    middle = len(observations) // 2
    return m.tensor(lse((m.alphas(observations) + m.betas(observations))[middle], 0))


def posterior(observations, initial, transition, emission):
    m = HMM(initial, transition, emission)
    return m.tensor(normalised(m.alphas(observations) + m.betas(observations)))


def viterbi(observations, initial, transition, emission):
    m = HMM(initial, transition, emission)
    T, S = len(observations), len(m.pi)
    delta, psi = np.full((T, S), -np.inf), np.zeros((T, S), dtype=int)
    delta[0] = m.pi + m.B[:, observations[0]]
    for t in range(1, T):
        ways = delta[t - 1][:, None] + m.A
        psi[t] = np.argmax(ways, axis=0)
        delta[t] = ways[psi[t], np.arange(S)] + m.B[:, observations[t]]
    path = np.zeros(T, dtype=int)
    path[-1] = delta[-1].argmax()
    for t in range(T - 1, 0, -1):
        path[t - 1] = psi[t, path[t]]
    return path.tolist(), float(delta[-1, path[-1]])
