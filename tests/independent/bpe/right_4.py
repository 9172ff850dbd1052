"""Byte pair encoding with classes: a word is a linked list, and numpy counts pairs of numbered symbols."""

from collections import Counter

import numpy as np

END = "</w>"
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")


class Node:
    __slots__ = ("symbol", "next")

    def __init__(self, symbol, following=None):
        self.symbol = symbol
        self.next = following


class Chain:
    """A word as a chain of symbols, which merges change."""

    def __init__(self, symbols):
        self.head = None
        for symbol in reversed(list(symbols)):
            self.head = Node(symbol, self.head)

    def __iter__(self):
        node = self.head
        while node is not None:
            yield node.symbol
            node = node.next

    def merge(self, left, right):
        node = self.head
        while node is not None and node.next is not None:
            if node.symbol == left and node.next.symbol == right:
                node.symbol = left + right
                node.next = node.next.next
            node = node.next
        return self


class Table:
    """Symbols and their numbers."""

    def __init__(self, words):
        self.symbols = sorted({symbol for word in words for symbol in word})
        self.number = {symbol: k for k, symbol in enumerate(self.symbols)}

    def pair(self, code):
        left, right = divmod(int(code), len(self.symbols))
        return self.symbols[left], self.symbols[right]


def count_pairs(words):
    table = Table(words)
    codes, numbers = [], []
    for word, number in words.items():
        row = [table.number[symbol] for symbol in word]
        codes += [a * len(table.symbols) + b for a, b in zip(row, row[1:])]
        numbers += [number] * max(len(row) - 1, 0)
    different, where = np.unique(np.array(codes, dtype=np.int64), return_inverse=True)
    totals = np.zeros(len(different), dtype=np.int64)
    np.add.at(totals, where, np.array(numbers, dtype=np.int64))
    return Counter({table.pair(code): int(total) for code, total in zip(different, totals)})


def merge_pair(word, pair):
    left, right = pair
    return tuple(Chain(word).merge(left, right))


class Learner:
    def __init__(self, text):
        self.words = {(*word, END): number for word, number in Counter(text.split()).items()}
        self.merges = []

    def best(self):
        pairs = count_pairs(self.words)
        ranking = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
        return ranking[0] if ranking and pairs[ranking[0]] >= 2 else None

    def learn(self, num_merges):
        while len(self.merges) < num_merges and (pair := self.best()) is not None:
            self.merges.append(pair)
            self.words = {merge_pair(word, pair): number for word, number in self.words.items()}
        return self.merges


class Codec:
    def __init__(self, merges):
        self.merges = merges
        self.cut = {}

    def segment(self, word):
        if word not in self.cut:
            chain = Chain([*word, END])
            for left, right in self.merges:
                chain.merge(left, right)
            self.cut[word] = list(chain)
        return self.cut[word]


def learn_merges(text, num_merges):
    return Learner(text).learn(num_merges)


def segment(word, merges):
    return Codec(merges).segment(word)


def build_vocabulary(text, merges):
    vocabulary = {symbol: number for number, symbol in enumerate(SPECIALS)}
    for symbol in sorted(Counter("".join(text.split())) + Counter([END])):
        vocabulary.setdefault(symbol, len(vocabulary))
    for pair in merges:
        vocabulary.setdefault("".join(pair), len(vocabulary))
    return vocabulary


def encode(text, merges, vocabulary):
    codec = Codec(merges)  # for this call only
    unknown = vocabulary["<unk>"]
    return [vocabulary.get(symbol, unknown) for word in text.split() for symbol in codec.segment(word)]


def decode(ids, vocabulary):
    symbols = {number: symbol for symbol, number in vocabulary.items()}
    words = [[]]
    for number in ids:
        symbol = symbols.get(number, "<unk>")
        words[-1].append(symbol.removesuffix(END))
        if symbol.endswith(END):
            words.append([])
    return " ".join("".join(word) for word in words).strip()
