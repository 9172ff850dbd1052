"""A tree of nodes that know their parent; tokens are read off backwards at the end."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Optional


class Hypothesis(NamedTuple):
    tokens: list[int]
    score: float


@dataclass(frozen=True, eq=False)
class Node:
    token: int
    total: float = 0.0
    parent: Optional[Node] = None

    def path(self):
        node, tokens = self, []
        while node is not None:
            tokens.append(node.token)
            node = node.parent
        return tokens[::-1]

    def hypothesis(self, alpha):
        tokens = self.path()[1:]
        return Hypothesis(tokens, self.total / len(tokens) ** alpha)


def _positive(name, value):
    if value <= 0:
        raise ValueError(f"'{name}' has to be positive")


def greedy_search(step, *, sos, eos, max_len):
    _positive("max_len", max_len)
    return _search(step, sos, eos, 1, max_len, 0.0, 1)[0]


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    _positive("beam_size", beam_size)
    _positive("max_len", max_len)
    _positive("n_best", n_best)
    return _search(step, sos, eos, beam_size, max_len, length_alpha, n_best)


def _search(step, sos, eos, beam_size, max_len, alpha, n_best):
    beam = [Node(sos)]
    ended = []
    depth = 0
    while beam and depth < max_len and not _decided(beam, ended, max_len, alpha, n_best):
        answers = step([node.path() for node in beam])
        children = [
            Node(token, node.total + float(value), node)
            for node, row in zip(beam, answers.cpu().double())
            for token, value in enumerate(row)
        ]
        children.sort(key=lambda child: (-child.total, child.token))
        beam = []
        for child in children[:beam_size]:
            (ended if child.token == eos else beam).append(child)
        depth += 1
    finished = sorted((node.hypothesis(alpha) for node in ended), key=attrgetter("score"), reverse=True)
    unfinished = sorted((node.hypothesis(alpha) for node in beam if node.parent), key=attrgetter("score"), reverse=True)
    return finished[:n_best] + unfinished[: max(0, n_best - len(finished))]


def _decided(beam, ended, max_len, alpha, n_best):
    if len(ended) < n_best:
        return False
    scores = sorted((node.hypothesis(alpha).score for node in ended), reverse=True)
    return all(node.total / max_len**alpha <= scores[n_best - 1] for node in beam)
