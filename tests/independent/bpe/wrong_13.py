# encode keeps the pieces of each word in a default argument, so a later call with other merges or another vocabulary gets the numbers of the first.
# Shows: encode("to", [], {"<unk>": 3, "</w>": 4, "t": 5, "o": 6}); then encode("to", [("o", "</w>")], {"<unk>": 3, "</w>": 4, "t": 5, "o": 6, "o</w>": 7})
#   the second is [5, 7]; here [5, 6, 4].

from collections import Counter

END = "</w>"
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")


def count_pairs(words):
    pairs = Counter()
    for word, count in words.items():
        for i in range(len(word) - 1):
            pairs[(word[i], word[i + 1])] += count
    return pairs


def merge_pair(word, pair):
    first, second = pair
    result = []
    i = 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == first and word[i + 1] == second:
            result.append(first + second)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return tuple(result)


def learn_merges(text, num_merges):
    words = {}
    for word, count in Counter(text.split()).items():
        words[tuple(word) + (END,)] = count
    merges = []
    while len(merges) < num_merges:
        pairs = count_pairs(words)
        if not pairs:
            break
        highest = max(pairs.values())
        if highest < 2:
            break
        best = min(pair for pair, count in pairs.items() if count == highest)
        merges.append(best)
        words = {merge_pair(word, best): count for word, count in words.items()}
    return merges


def segment(word, merges):
    symbols = tuple(word) + (END,)
    for pair in merges:
        symbols = merge_pair(symbols, pair)
    return list(symbols)


def build_vocabulary(text, merges):
    characters = {END}
    for word in text.split():
        characters.update(word)
    vocabulary = {}
    for symbol in list(SPECIALS) + sorted(characters):
        vocabulary[symbol] = len(vocabulary)
    for first, second in merges:
        vocabulary[first + second] = len(vocabulary)
    return vocabulary


def encode(text, merges, vocabulary, known={}):  # each different word is cut once
    ids = []
    for word in text.split():
        if word not in known:
            known[word] = [vocabulary.get(symbol, 3) for symbol in segment(word, merges)]
        ids.extend(known[word])
    return ids


def decode(ids, vocabulary):
    symbols = {number: symbol for symbol, number in vocabulary.items()}
    words = []
    current = ""
    for number in ids:
        symbol = symbols.get(number, "<unk>")
        if symbol.endswith(END):
            words.append(current + symbol[: -len(END)])
            current = ""
        else:
            current += symbol
    if current:
        words.append(current)
    return " ".join(words)
