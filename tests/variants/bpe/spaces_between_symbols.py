"""Words as texts with spaces between their symbols, and a regular expression that merges: the way of the paper."""

import re
from collections import defaultdict

END = "</w>"


def count_pairs(words):
    pairs = defaultdict(int)
    for word, count in words.items():
        for i in range(len(word) - 1):
            pairs[word[i], word[i + 1]] += count
    return pairs


def _replace(text, pair):
    together = re.escape(pair[0] + " " + pair[1])
    return re.sub(rf"(?<!\S){together}(?!\S)", lambda _: "".join(pair), text)


def merge_pair(word, pair):
    return tuple(_replace(" ".join(word), pair).split(" ")) if word else ()


def learn_merges(text, num_merges):
    vocab = defaultdict(int)
    for word in text.split():
        vocab[" ".join(word) + " " + END] += 1
    merges = []
    while len(merges) < num_merges:
        pairs = count_pairs({tuple(word.split(" ")): count for word, count in vocab.items()})
        if not pairs or max(pairs.values()) == 1:
            break
        most = max(pairs.values())
        best = sorted(pair for pair in pairs if pairs[pair] == most)[0]
        vocab = {_replace(word, best): count for word, count in vocab.items()}
        merges += [best]
    return merges


def segment(word, merges):
    text = " ".join([*word, END])
    for pair in merges:
        text = _replace(text, pair)
    return text.split(" ")


def build_vocabulary(text, merges):
    vocabulary = {"<pad>": 0, "<sos>": 1, "<eos>": 2, "<unk>": 3}
    letters = set(text)
    letters = {letter for letter in letters if not letter.isspace()}
    letters.add(END)
    for letter in sorted(letters):
        vocabulary[letter] = len(vocabulary)
    for pair in merges:
        vocabulary["".join(pair)] = len(vocabulary)
    return vocabulary


def encode(text, merges, vocabulary):
    ids = []
    for word in text.split():
        for symbol in segment(word, merges):
            if symbol in vocabulary:
                ids.append(vocabulary[symbol])
            else:
                ids.append(3)
    return ids


def decode(ids, vocabulary):
    names = dict(zip(vocabulary.values(), vocabulary.keys()))
    return " ".join("".join(names[i] for i in ids).split(END))
