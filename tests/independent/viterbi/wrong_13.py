# viterbi keeps its scores in a torch table of the default dtype, so a float64 model is maximised and scored in float32.
# Shows: viterbi([0, 1, 2], *COOKS)[1] gives -4.751352787017822, right is -4.751352696166173

import numpy as np
import torch

COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)


class Trellis:
    def __init__(self, observations, initial, transition, emission):
        array = lambda tensor: tensor.detach().cpu().to(torch.float64).numpy()
        self.initial = array(initial)
        self.transition = array(transition)
        self.says = array(emission).T[np.array(observations, dtype=int)]  # (T, S)
        self.length, self.size = self.says.shape
        self.kind = dict(dtype=initial.dtype, device=initial.device)

    def tensor(self, numbers):
        return torch.tensor(np.asarray(numbers), **self.kind)

    def beginnings(self, add):
        table = np.empty((self.length, self.size))
        table[0] = self.initial + self.says[0]
        for t in range(1, self.length):
            table[t] = add.reduce(table[t - 1][:, None] + self.transition, axis=0) + self.says[t]
        return table

    def ends(self, add):
        table = np.zeros((self.length, self.size))
        for t in range(self.length - 2, -1, -1):
            table[t] = add.reduce(self.transition + (self.says[t + 1] + table[t + 1]), axis=1)
        return table

    @staticmethod
    def shares(table):
        total = np.logaddexp.reduce(table, axis=1, keepdims=True)
        return table - np.where(np.isneginf(total), 0.0, total)


def log_joint(states, observations, initial, transition, emission):
    trellis = Trellis(observations, initial, transition, emission)
    states = np.array(states, dtype=int)
    total = trellis.initial[states[0]]
    total = total + trellis.says[np.arange(trellis.length), states].sum()
    total = total + trellis.transition[states[:-1], states[1:]].sum()
    return trellis.tensor(total)


def bayes_filter(observations, initial, transition, emission):
    trellis = Trellis(observations, initial, transition, emission)
    return trellis.tensor(trellis.shares(trellis.beginnings(np.logaddexp)))


def log_evidence(observations, initial, transition, emission):
    trellis = Trellis(observations, initial, transition, emission)
    return trellis.tensor(np.logaddexp.reduce(trellis.beginnings(np.logaddexp)[-1]))


def posterior(observations, initial, transition, emission):
    trellis = Trellis(observations, initial, transition, emission)
    return trellis.tensor(trellis.shares(trellis.beginnings(np.logaddexp) + trellis.ends(np.logaddexp)))


def viterbi(observations, initial, transition, emission):
    trellis = Trellis(observations, initial, transition, emission)
    table = torch.zeros(trellis.length, trellis.size)
    table[0] = torch.from_numpy(trellis.initial + trellis.says[0])
    for t in range(1, trellis.length):
        table[t] = torch.from_numpy((table[t - 1].numpy()[:, None] + trellis.transition).max(axis=0) + trellis.says[t])
    table = table.numpy()
    state = int(np.argmax(table[-1]))
    score = float(table[-1, state])
    path = [state]
    for t in range(trellis.length - 1, 0, -1):  # no pointers: look again which state it was
        state = int(np.argmax(table[t - 1] + trellis.transition[:, state]))
        path.append(state)
    path.reverse()
    return path, score
