"""Each symbol has a character of its own, so that a merge is `str.replace` on the different words."""

from collections import Counter

END = "</w>"


class Alphabet:
    """Characters that stand for symbols, from a private part of Unicode."""

    def __init__(self):
        self.sign, self.name = {}, {}

    def __call__(self, symbol):
        if symbol not in self.sign:
            sign = chr(0xF0000 + len(self.sign))
            self.sign[symbol], self.name[sign] = sign, symbol
        return self.sign[symbol]


def count_pairs(words):
    counts = Counter()
    for word, times in words.items():
        counts.update({pair: 0 for pair in zip(word, word[1:])})
        for left, right in zip(word[:-1], word[1:]):
            counts[(left, right)] = counts[(left, right)] + times
    return counts


def merge_pair(word, pair):
    sign = Alphabet()
    line = "".join(map(sign, word)).replace(sign(pair[0]) + sign(pair[1]), sign(pair[0] + pair[1]))
    return tuple(sign.name[c] for c in line)


def learn_merges(text, num_merges):
    sign = Alphabet()
    times = Counter("".join(map(sign, [*word, END])) for word in text.split())
    merges = []
    for _ in range(num_merges):
        counts = Counter()
        for word, n in times.items():
            for i in range(1, len(word)):
                counts[word[i - 1 : i + 1]] += n
        ranked = sorted((-n, sign.name[pair[0]], sign.name[pair[1]]) for pair, n in counts.items())
        if not ranked or ranked[0][0] > -2:
            break
        _, a, b = ranked[0]
        merges.append((a, b))
        times = Counter({word.replace(sign(a) + sign(b), sign(a + b)): n for word, n in times.items()})
    return merges


def segment(word, merges):
    sign = Alphabet()
    line = "".join(map(sign, word)) + sign(END)
    for a, b in merges:
        line = line.replace(sign(a) + sign(b), sign(a + b))
    return [sign.name[c] for c in line]


def build_vocabulary(text, merges):
    vocabulary = dict.fromkeys(["<pad>", "<sos>", "<eos>", "<unk>"])
    vocabulary.update(dict.fromkeys(sorted([END, *{c for c in text if c.split()}])))
    vocabulary.update(dict.fromkeys(a + b for a, b in merges))
    return {symbol: n for n, symbol in enumerate(vocabulary)}


def encode(text, merges, vocabulary):
    pieces = {word: segment(word, merges) for word in set(text.split())}
    ids = []
    for word in text.split():
        ids += [vocabulary[s] if s in vocabulary else vocabulary["<unk>"] for s in pieces[word]]
    return ids


def decode(ids, vocabulary):
    symbols = list(vocabulary)  # in the order of their ids
    symbols.sort(key=vocabulary.__getitem__)
    text = ""
    for n in ids:
        text += symbols[n]
    return text.replace(END, " ")
