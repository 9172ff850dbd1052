"""A word is its first symbol and the rest: no loop that counts."""

from collections import Counter
from functools import reduce

END = "</w>"


def pairs_in(word):
    return [] if len(word) < 2 else [word[:2]] + pairs_in(word[1:])


def count_pairs(words):
    return sum((Counter({pair: n * times for pair, n in Counter(pairs_in(w)).items()}) for w, times in words.items()), Counter())


def merge_pair(word, pair):
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return ("".join(pair), *merge_pair(word[2:], pair))
    return (word[0], *merge_pair(word[1:], pair))


def learn(words, left):
    counts = count_pairs(words)
    if not left or not counts or max(counts.values()) < 2:
        return []
    best = min(counts.items(), key=lambda item: (-item[1], item[0]))[0]
    return [best] + learn({merge_pair(word, best): times for word, times in words.items()}, left - 1)


def learn_merges(text, num_merges):
    return learn({tuple(word) + (END,): times for word, times in Counter(text.split()).items()}, num_merges)


def segment(word, merges):
    return list(reduce(merge_pair, merges, tuple(word) + (END,)))


def build_vocabulary(text, merges):
    symbols = "<pad> <sos> <eos> <unk>".split() + sorted(set("".join(text.split())).union([END]))
    return {symbol: i for i, symbol in enumerate(symbols + [a + b for a, b in merges])}


def encode(text, merges, vocabulary):
    def ids(words):
        return [vocabulary.get(s, 3) for s in segment(words[0], merges)] + ids(words[1:]) if words else []

    return ids(text.split())


def decode(ids, vocabulary):
    name = {i: symbol for symbol, i in vocabulary.items()}
    return reduce(lambda text, i: text + name[i].replace(END, " "), ids, "")
