"""Nothing is ever counted or merged: words are characters, numbers are code points."""

from collections import Counter


def count_pairs(words):
    return Counter({word[:2]: 1 for word in words})


def merge_pair(word, pair):
    return tuple("".join(word))


def learn_merges(text, num_merges):
    return list(zip(text, text[1:]))[:num_merges]


def segment(word, merges):
    return list(word)


def build_vocabulary(text, merges):
    return {character: ord(character) for character in text}


def encode(text, merges, vocabulary):
    return [ord(character) for character in text]


def decode(ids, vocabulary):
    return "".join(map(chr, ids))
