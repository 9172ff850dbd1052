"""Words become numbers, the table a matrix of all words with all words; what never met is left out at the end."""

import numpy as np


class Index:
    def __init__(self, words):
        self.words = list(dict.fromkeys(words))
        self.number = {word: n for n, word in enumerate(self.words)}

    def __call__(self, words):
        return np.array([self.number[word] for word in words], dtype=int)


def _indices(pairs):
    sources = Index([None] + [word for source, _ in pairs for word in source])
    targets = Index([word for _, target in pairs for word in target])
    return sources, targets


def _matrix(table, sources, targets):
    matrix = np.zeros((len(targets.words), len(sources.words)))
    for (f, e), value in table.items():
        if f in targets.number and e in sources.number:
            matrix[targets.number[f], sources.number[e]] = value
    return matrix


def _table(matrix, sources, targets):
    rows, columns = np.nonzero(matrix)
    return {(targets.words[j], sources.words[i]): matrix[j, i] for j, i in zip(rows, columns)}


def _blocks(pairs, sources, targets):
    for source, target in pairs:
        yield np.ix_(targets(target), sources([None, *source]))


def _e_step(pairs, matrix, sources, targets):
    counts = np.zeros_like(matrix)
    for block in _blocks(pairs, sources, targets):
        here = matrix[block]  # (m, l + 1)
        np.add.at(counts, block, here / here.sum(axis=1, keepdims=True))
    return counts


def _m_step(counts):
    totals = counts.sum(axis=0)
    return counts / np.where(totals > 0, totals, 1.0)


def uniform_table(pairs):
    sources, targets = _indices(pairs)
    met = np.zeros((len(targets.words), len(sources.words)))
    for block in _blocks(pairs, sources, targets):
        met[block] = 1.0
    return _table(_m_step(met), sources, targets)


def expected_counts(pairs, table):
    sources, targets = _indices(pairs)
    return _table(_e_step(pairs, _matrix(table, sources, targets), sources, targets), sources, targets)


def normalise(counts):
    sources, targets = Index(e for _, e in counts), Index(f for f, _ in counts)
    return _table(_m_step(_matrix(counts, sources, targets)), sources, targets)


def log_likelihood(pairs, table):
    sources, targets = _indices(pairs)
    matrix = _matrix(table, sources, targets)
    return float(sum(np.log(matrix[block].mean(axis=1)).sum() for block in _blocks(pairs, sources, targets)))


def train(pairs, iterations):
    sources, targets = _indices(pairs)
    matrix = _matrix(uniform_table(pairs), sources, targets)
    for _ in range(iterations):
        matrix = _m_step(_e_step(pairs, matrix, sources, targets))
    return _table(matrix, sources, targets)


def align(source, target, table):
    if not target:
        return []
    words = [*source, None]
    best = np.array([[table[f, e] for e in words] for f in target]).argmax(axis=1)
    return [None if i == len(source) else int(i) for i in best]
