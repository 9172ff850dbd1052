"""Byte pair encoding with an index: it remembers in which words a pair stands, and a heap knows the next merge."""

import heapq
from collections import Counter, defaultdict
from itertools import pairwise

END = "</w>"
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")


def count_pairs(words):
    counts = defaultdict(int)
    for word, number in words.items():
        for pair in pairwise(word):
            counts[pair] += number
    return Counter(counts)


def merge_pair(word, pair):
    symbols = list(word)
    left, right = pair
    at = 0
    while at < len(symbols) - 1:
        if symbols[at] == left and symbols[at + 1] == right:
            symbols[at : at + 2] = [left + right]
        at += 1
    return tuple(symbols)


class _Index:
    """The different words as rows of symbols, the count of each pair, and the places where it stands."""

    def __init__(self, text):
        counted = Counter(text.split())
        self.words = [(*word, END) for word in counted]
        self.numbers = list(counted.values())
        self.counts = defaultdict(int)
        self.places = defaultdict(set)
        for k in range(len(self.words)):
            self._add(k, +1)
        self.heap = [(-count, pair) for pair, count in self.counts.items()]
        heapq.heapify(self.heap)

    def _add(self, k, sign):
        for pair in pairwise(self.words[k]):
            self.counts[pair] += sign * self.numbers[k]
            if sign > 0:
                self.places[pair].add(k)
            else:
                self.places[pair].discard(k)

    def best(self):
        """The most frequent pair, the smallest of several, or None if none occurs twice."""
        while self.heap:
            negative, pair = self.heap[0]
            if self.counts[pair] == -negative:
                return pair if -negative >= 2 else None
            heapq.heappop(self.heap)  # an old count
        return None

    def merge(self, pair):
        touched = set()
        for k in list(self.places[pair]):
            touched.update(pairwise(self.words[k]))
            self._add(k, -1)
            self.words[k] = merge_pair(self.words[k], pair)
            self._add(k, +1)
            touched.update(pairwise(self.words[k]))
        for changed in touched:
            if self.counts[changed] > 0:
                heapq.heappush(self.heap, (-self.counts[changed], changed))


def learn_merges(text, num_merges):
    index = _Index(text)
    merges = []
    for _ in range(num_merges):
        pair = index.best()
        if pair is None:
            break
        merges.append(pair)
        index.merge(pair)
    return merges


def segment(word, merges):
    """The earliest merge that fits somewhere, again and again."""
    return _segment(word, {tuple(pair): rank for rank, pair in enumerate(merges)})


def _segment(word, ranks):
    symbols = [*word, END]
    while True:
        best = min(pairwise(symbols), key=lambda pair: ranks.get(pair, len(ranks)), default=None)
        if best not in ranks:
            return symbols
        symbols = list(merge_pair(tuple(symbols), best))


def build_vocabulary(text, merges):
    alphabet = sorted(set("".join(text.split())) | {END})
    made = ["".join(pair) for pair in merges]
    return {symbol: number for number, symbol in enumerate([*SPECIALS, *alphabet, *made])}


def encode(text, merges, vocabulary):
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    words = text.split()
    unknown = SPECIALS.index("<unk>")
    pieces = {word: [vocabulary.get(s, unknown) for s in _segment(word, ranks)] for word in set(words)}
    return [number for word in words for number in pieces[word]]


def decode(ids, vocabulary):
    symbols = dict(zip(vocabulary.values(), vocabulary.keys()))
    text = "".join(symbols.get(number, "") for number in ids if number != 3)  # <unk> is not shown
    return text.replace(END, "\n")
