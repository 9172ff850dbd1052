"""All different words as one row of numbers with walls between them; numpy counts and merges."""

import numpy as np

END = "</w>"
SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"]
WALL = -1


def count_pairs(words):
    names = sorted({symbol for word in words for symbol in word})
    number = {name: n for n, name in enumerate(names)}
    row, weights = [], []
    for word, count in words.items():
        row += [number[symbol] for symbol in word] + [WALL]
        weights += [count] * (len(word) + 1)
    return {(names[a], names[b]): count for (a, b), count in _count(np.array(row, int), weights).items()}


def _count(row, weights):
    """Exact whole numbers, however large."""
    if len(row) < 2:
        return {}
    real = (row[:-1] != WALL) & (row[1:] != WALL)
    pairs = np.stack([row[:-1], row[1:]], axis=1)[real]
    weights = np.array(weights, dtype=np.int64)[:-1][real]
    if not len(pairs):
        return {}
    different, which = np.unique(pairs, axis=0, return_inverse=True)
    sums = np.zeros(len(different), dtype=np.int64)
    np.add.at(sums, which.reshape(-1), weights)
    return {(int(a), int(b)): int(count) for (a, b), count in zip(different, sums)}


def _places(row, a, b):
    """Where the pair is merged: of a run of places that overlap every second one."""
    places = np.flatnonzero((row[:-1] == a) & (row[1:] == b))
    if a != b:
        return places
    chosen, last = [], -2
    for place in places:
        if place > last + 1:
            chosen.append(place)
            last = place
    return np.array(chosen, dtype=int)


def merge_pair(word, pair):
    names = list(dict.fromkeys([*word, *pair]))
    row = np.array([names.index(symbol) for symbol in word], dtype=int)
    a, b = (names.index(symbol) for symbol in pair)
    names.append("".join(pair))
    places = _places(row, a, b)
    row[places] = len(names) - 1
    return tuple(names[n] for n in np.delete(row, places + 1))


def learn_merges(text, num_merges):
    words, counts = np.unique(np.array(text.split() or [""]), return_counts=True)
    names = sorted(set("".join(words)) | {END})
    number = {name: n for n, name in enumerate(names)}
    row, weights = [], []
    for word, count in zip(words.tolist(), counts.tolist()):
        symbols = [*map(number.get, word), number[END], WALL]
        row += symbols
        weights += [count] * len(symbols)
    row, weights = np.array(row), np.array(weights)
    merges = []
    while len(merges) < num_merges:
        pairs = [(-count, names[a], names[b], a, b) for (a, b), count in _count(row, weights).items() if count > 1]
        if not pairs:
            break
        _, left, right, a, b = min(pairs)
        merges.append((left, right))
        names.append(left + right)
        places = _places(row, a, b)
        row[places] = len(names) - 1
        row, weights = np.delete(row, places + 1), np.delete(weights, places + 1)
    return merges


def segment(word, merges):
    symbols = (*word, END)
    for pair in merges:
        if pair[0] in symbols:
            symbols = merge_pair(symbols, pair)
    return list(symbols)


def build_vocabulary(text, merges):
    letters = np.unique(np.array([END, *"".join(text.split())])).tolist()
    return {str(symbol): n for n, symbol in enumerate(SPECIAL + letters + ["".join(pair) for pair in merges])}


def encode(text, merges, vocabulary):
    pieces = [symbol for word in text.split() for symbol in segment(word, merges)]
    return np.array([vocabulary.get(symbol, 3) for symbol in pieces], dtype=int).tolist()


def decode(ids, vocabulary):
    symbols = np.array(sorted(vocabulary, key=vocabulary.get), dtype=object)
    return str("".join(symbols[np.array(ids, dtype=int)])).replace(END, "\n").strip()
