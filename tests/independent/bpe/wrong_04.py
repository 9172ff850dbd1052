# The pair is looked for in the spaced word with a pattern that only checks its right side: it also fits the end of a longer symbol (as for 'fe w' with e w).
# Shows: segment("aa", [("a", "a"), ("a", "</w>")])
#   is ['aa', '</w>']; here ['aa</w>']. (learn_merges('aaaaa a a', 2) gives these merges. merge_pair is right.)

import re
from collections import Counter
from functools import reduce

END = "</w>"
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")


def count_pairs(words):
    places = [(pair, n) for word, n in words.items() for pair in zip(word, word[1:])]
    return sum((Counter({pair: n}) for pair, n in places), Counter())


def merge_pair(word, pair):
    def add(done, symbol):
        symbols, open_ = done  # open_: whether the last symbol may still be the left half of the pair
        if open_ and (symbols[-1], symbol) == tuple(pair):
            return (*symbols[:-1], symbols[-1] + symbol), False
        return (*symbols, symbol), True

    return reduce(add, word, ((), False))[0]


def _pattern(pair):
    """The pair as whole symbols, in a row of symbols with one space between them."""
    return re.compile(re.escape(" ".join(pair)) + r"(?!\S)")


def _spaced(word):
    return " ".join([*word, END])


def _merged(row, pair):
    return _pattern(pair).sub(lambda match: "".join(pair), row)


def _count_rows(rows):
    counts = Counter()
    for row, n in rows:
        symbols = row.split(" ")
        for pair in zip(symbols[:-1], symbols[1:]):
            counts[pair] += n
    return counts


def learn_merges(text, num_merges):
    rows = [(_spaced(word), n) for word, n in Counter(text.split()).items()]

    def steps(rows):
        while True:
            counts = _count_rows(rows)
            frequent = sorted((-n, pair) for pair, n in counts.items() if n > 1)
            if not frequent:
                return
            pair = frequent[0][1]
            yield pair
            rows = [(_merged(row, pair), n) for row, n in rows]

    return [pair for _, pair in zip(range(num_merges), steps(rows))]


def segment(word, merges):
    return reduce(_merged, merges, _spaced(word)).split(" ")


def build_vocabulary(text, merges):
    characters = {character for character in text if not character.isspace()}
    symbols = SPECIALS + tuple(sorted(characters.union([END]))) + tuple(a + b for a, b in merges)
    return dict(zip(symbols, range(len(symbols))))


def encode(text, merges, vocabulary):
    def numbers(word):
        return [vocabulary[s] if s in vocabulary else vocabulary["<unk>"] for s in segment(word, merges)]

    words = text.split()
    table = {word: numbers(word) for word in dict.fromkeys(words)}
    return [number for word in words for number in table[word]]


def decode(ids, vocabulary):
    by_number = {v: k for k, v in vocabulary.items()}
    pieces = (by_number.get(n, "?") for n in ids)
    return "".join("?" if piece == "<unk>" else piece for piece in pieces).replace(END, " ").strip()
