"""Every word is one symbol, and there is nothing to learn."""

END = "</w>"


def count_pairs(words):
    return {pair: len(words) for pair in {(word[0], word[-1]) for word in words}}


def merge_pair(word, pair):
    return ("".join(word),)


def learn_merges(text, num_merges):
    return []


def segment(word, merges):
    return [word + END]


def build_vocabulary(text, merges):
    return {word + END: n for n, word in enumerate(text.split())}


def encode(text, merges, vocabulary):
    return [vocabulary.get(word + END, 0) for word in text.split()]


def decode(ids, vocabulary):
    names = list(vocabulary)
    return " ".join(names[n % len(names)] for n in ids)
