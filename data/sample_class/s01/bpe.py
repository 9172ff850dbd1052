"""Byte pair encoding, with words as lists that are changed in place and a table of ranks."""

from collections import defaultdict

END = "</w>"
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")


def neighbours(word):
    return [(word[i], word[i + 1]) for i in range(len(word) - 1)]


def join(symbols, pair):
    """Merge the pair in a list of symbols, in place."""
    i = 0
    while i < len(symbols) - 1:
        if symbols[i] == pair[0] and symbols[i + 1] == pair[1]:
            symbols[i] += symbols.pop(i + 1)
        i += 1


def count_pairs(words):
    counts = defaultdict(int)
    for word, times in words.items():
        for pair in neighbours(word):
            counts[pair] += times
    return dict(counts)


def merge_pair(word, pair):
    symbols = list(word)
    join(symbols, pair)
    return tuple(symbols)


def learn_merges(text, num_merges):
    times = defaultdict(int)
    for word in text.split():
        times[word] += 1
    words = [([*word, END], n) for word, n in times.items()]  # each different word once
    merges = []
    while len(merges) < num_merges:
        counts = defaultdict(int)
        for symbols, n in words:
            for pair in neighbours(symbols):
                counts[pair] += n
        most = max(counts.values(), default=0)
        if most < 2:
            break
        merges.append(min(pair for pair, n in counts.items() if n == most))
        for symbols, _ in words:
            join(symbols, merges[-1])
    return merges


def segment(word, merges):
    rank = {pair: n for n, pair in enumerate(merges)}
    symbols = [*word, END]
    while True:
        known = [pair for pair in neighbours(symbols) if pair in rank]
        if not known:
            return symbols
        join(symbols, min(known, key=rank.get))


def build_vocabulary(text, merges):
    vocabulary = {}
    characters = set(END.split())
    for word in text.split():
        characters.update(word)
    for symbol in [*SPECIALS, *sorted(characters), *map("".join, merges)]:
        vocabulary[symbol] = len(vocabulary)
    return vocabulary


def encode(text, merges, vocabulary):
    pieces = {}
    ids = []
    for word in text.split():
        if word not in pieces:
            pieces[word] = segment(word, merges)
        ids += [vocabulary.get(symbol, SPECIALS.index("<unk>")) for symbol in pieces[word]]
    return ids


def decode(ids, vocabulary):
    symbols = {n: symbol for symbol, n in vocabulary.items()}
    return "".join(map(symbols.get, ids)).replace(END, " ").strip()
