"""Replace this: a right solution in another style. It gets all points; add others beside it."""


def bigrams(words):
    return list(zip(words, words[1:], strict=False))
