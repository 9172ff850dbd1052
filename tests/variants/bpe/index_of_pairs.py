"""Counts are kept up to date: of each pair it is known in which words it stands, and a heap has the most frequent."""

from collections import Counter, defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise

END = "</w>"


def count_pairs(words):
    total = Counter()
    for word, count in words.items():
        for pair, places in Counter(pairwise(word)).items():
            total[pair] += places * count
    return total


def merge_pair(word, pair):
    out = []
    rest = iter(range(len(word)))
    for i in rest:
        if i + 1 < len(word) and (word[i], word[i + 1]) == tuple(pair):
            out.append(word[i] + word[i + 1])
            next(rest)
        else:
            out.append(word[i])
    return tuple(out)


class Index:
    def __init__(self, text):
        counted = Counter(text.split())
        self.words = [tuple(word) + (END,) for word in counted]
        self.times = list(counted.values())
        self.counts = Counter()
        self.where = defaultdict(set)
        for n in range(len(self.words)):
            self.add(n, +1)
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapify(self.heap)

    def add(self, n, sign):
        changed = set()
        for pair in pairwise(self.words[n]):
            self.counts[pair] += sign * self.times[n]
            self.where[pair].add(n)
            changed.add(pair)
        return changed

    def best(self):
        while self.heap:
            count, pair = heappop(self.heap)
            if self.counts[pair] == -count:
                return (pair, -count) if -count >= 2 else None
        return None

    def merge(self, pair):
        changed = set()
        for n in self.where.pop(pair):
            changed |= self.add(n, -1)
            self.words[n] = merge_pair(self.words[n], pair)
            changed |= self.add(n, +1)
        for other in changed:
            if self.counts[other] > 0:
                heappush(self.heap, (-self.counts[other], other))


def learn_merges(text, num_merges):
    index, merges = Index(text), []
    for _ in range(num_merges):
        found = index.best()
        if found is None:
            return merges
        merges.append(found[0])
        index.merge(found[0])
    return merges


def segment(word, merges):
    """Again and again the earliest merge that fits somewhere, at its first place."""
    rank = {pair: n for n, pair in enumerate(merges)}
    symbols = [*word, END]
    while True:
        fits = [(rank[pair], place) for place, pair in enumerate(pairwise(symbols)) if pair in rank]
        if not fits:
            return symbols
        _, place = min(fits)
        symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]


def build_vocabulary(text, merges):
    symbols = ["<pad>", "<sos>", "<eos>", "<unk>"]
    symbols.extend(sorted({c for word in text.split() for c in word} | {END}))
    symbols.extend(a + b for a, b in merges)
    return dict(zip(symbols, range(len(symbols))))


def encode(text, merges, vocabulary):
    known = {}
    ids = []
    for word in text.split():
        if word not in known:
            known[word] = [vocabulary.get(symbol, vocabulary["<unk>"]) for symbol in segment(word, merges)]
        ids.extend(known[word])
    return ids


def decode(ids, vocabulary):
    back = {n: symbol for symbol, n in vocabulary.items()}
    words, current = [], ""
    for n in ids:
        current += back[n]
        if current.endswith(END):
            words.append(current[: -len(END)])
            current = ""
    if current:
        words.append(current)
    return " ".join(words)
