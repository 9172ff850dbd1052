"""numpy: lexsort by sum and token; one array of sums, one list of token lists."""

from collections import namedtuple

import numpy as np

Hypothesis = namedtuple("Hypothesis", ["tokens", "score"])


def greedy_search(step, *, sos, eos, max_len):
    if max_len < 1:
        raise ValueError("max_len < 1")
    tokens, score = [], np.float64(0)
    while True:
        row = step([[sos] + tokens]).cpu().numpy()[0]
        tokens.append(int(np.argmax(row)))
        score += row[tokens[-1]]
        if tokens[-1] == eos or len(tokens) == max_len:
            return Hypothesis(tokens, float(score))


class BeamSearch:
    def __init__(self, eos, beam_size, max_len, alpha, n_best):
        self.eos, self.beam_size, self.max_len, self.alpha, self.n_best = eos, beam_size, max_len, alpha, n_best
        self.sequences = [[]]
        self.sums = np.zeros(1)
        self.finished = []

    def advance(self, log_probs):
        sums = self.sums[:, None] + log_probs.astype(np.float64)
        parents, tokens = np.indices(sums.shape)
        order = np.lexsort((parents.ravel(), tokens.ravel(), -sums.ravel()))[: self.beam_size]
        kept = []
        for i in order:
            parent, token, total = parents.flat[i], tokens.flat[i], sums.flat[i]
            sequence = self.sequences[parent] + [int(token)]
            if token == self.eos:
                self.finished.append(Hypothesis(sequence, self.rate(total, len(sequence))))
            else:
                kept.append((sequence, total))
        self.sequences = [sequence for sequence, _ in kept]
        self.sums = np.array([total for _, total in kept])
        self.finished.sort(key=lambda h: h.score, reverse=True)

    def rate(self, total, length):
        return float(total / np.power(float(length), self.alpha))

    @property
    def over(self):
        if not self.sequences:
            return True
        if len(self.finished) < self.n_best:
            return False
        return self.rate(self.sums.max(), self.max_len) <= self.finished[self.n_best - 1].score

    def results(self):
        live = sorted(zip(self.sequences, self.sums), key=lambda pair: -pair[1])
        unfinished = [Hypothesis(s, self.rate(total, len(s))) for s, total in live]
        return (self.finished + unfinished)[: self.n_best]


def beam_search(step, *, sos, eos, beam_size, max_len, length_alpha=1.0, n_best=1):
    if min(beam_size, max_len, n_best) < 1:
        raise ValueError(f"beam_size, max_len and n_best must be >= 1, not {beam_size}, {max_len}, {n_best}")
    search = BeamSearch(eos, beam_size, max_len, length_alpha, n_best)
    for _ in range(max_len):
        search.advance(step([[sos] + s for s in search.sequences]).cpu().numpy())
        if search.over:
            break
    return search.results()
