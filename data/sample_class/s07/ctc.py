"""The definition written down: a memoised recursion from the end, where what cannot happen is an empty sum."""

from functools import lru_cache, reduce
from heapq import nlargest
from math import exp, inf, log1p

import torch


def _blank(blank, size):
    if not (isinstance(blank, int) and 0 <= blank < size):
        raise ValueError("blank has to be one of the classes")


def collapse(path, blank=0):
    if blank < 0:
        raise ValueError("blank has to be one of the classes")

    def labels():
        last = object()
        for symbol in path:
            if symbol != last:
                last = symbol
                if symbol != blank:
                    yield symbol

    return list(labels())


def greedy_decode(log_probs, blank=0):
    _blank(blank, log_probs.shape[-1])
    return collapse([max(range(len(row)), key=row.__getitem__) for row in log_probs.tolist()], blank)


def log_likelihood((log_probs, target, blank=0):
    _blank(blank, log_probs.shape[-1])

    def symbol(state):
        return target[state // 2] if state % 2 else blank

    @lru_cache(maxsize=None)
    def ways(t, state):
        """Log-probability of being in state at frame t, or None."""
        if state < 0 or state > 2 * t + 1:
            return None
        here = log_probs[t, symbol(state)]
        if t == 0:
            return here
        origins = [state, state - 1]
        if state % 2 and state > 1 and symbol(state) != symbol(state - 2):
            origins.append(state - 2)
        found = [way for way in (ways(t - 1, origin) for origin in origins) if way is not None]
        return here + torch.stack(found).logsumexp(0) if found else None

    T = len(log_probs)
    for t in range(T):  # from the front, so that the recursion is never deep
        for state in range(2 * len(target) + 1):
            ways(t, state)
    ends = [ways(T - 1, 2 * len(target)), ways(T - 1, 2 * len(target) - 1)]
    ends = [end for end in ends if end is not None]
    if not ends:
        return log_probs.sum() * 0 - inf
    return torch.stack(ends).logsumexp(0)


def ctc_loss(log_probs, targets, lengths, blank=0):
    return torch.stack(
        [
            log_likelihood(log_probs[n].narrow(0, 0, int(lengths[n])), targets[n], blank).neg()
            for n in range(log_probs.shape[0])
        ]
    ).mean()


def _add(a, b):
    if a < b:
        a, b = b, a
    return a + log1p(exp(b - a)) if b > -inf else a


class Node:
    """A prefix as a node of a tree: its last label, its parent, and its two masses in this frame."""

    def __init__(self, parent=None, label=None):
        self.parent, self.label, self.children = parent, label, {}
        self.in_blank = self.in_label = -inf

    def child(self, label):
        if label not in self.children:
            self.children[label] = Node(self, label)
        return self.children[label]

    @property
    def mass(self):
        return _add(self.in_blank, self.in_label)

    def labels(self):
        node, labels = self, []
        while node.parent is not None:
            labels.append(node.label)
            node = node.parent
        return labels[::-1]


def prefix_beam_search(log_probs, beam_size, blank=0):
    _blank(blank, log_probs.shape[-1])
    if beam_size < 1:
        raise ValueError("beam_size has to be at least 1")
    root = Node()
    root.in_blank = 0.0
    beam = [root]
    for row in log_probs.tolist():
        moves = []  # (node, ends in blank?, mass)
        for node in beam:
            moves.append((node, True, node.mass + row[blank]))
            for label, score in enumerate(row):
                if label == blank:
                    continue
                if label == node.label:
                    moves.append((node, False, node.in_label + score))
                    moves.append((node.child(label), False, node.in_blank + score))
                else:
                    moves.append((node.child(label), False, node.mass + score))
        for node, _, _ in moves:
            node.in_blank = node.in_label = -inf
        for node, in_blank, mass in moves:
            if in_blank:
                node.in_blank = _add(node.in_blank, mass)
            else:
                node.in_label = _add(node.in_label, mass)
        beam = nlargest(beam_size, {id(node): node for node, _, _ in moves}.values(), key=lambda node: node.mass)
    return [(node.labels(), node.mass) for node in beam if node.mass > -inf]
