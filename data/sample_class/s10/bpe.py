"""Byte pair encoding: a vocabulary between characters and words.

Words are too many, and new ones always come; characters are few, but say little each. So begin with characters, and
merge the two neighbours that occur most often, again and again: frequent words become one symbol, rare ones a few.
"""

from collections import Counter
from itertools import pairwise

END = "</w>"  # the end of a word: a symbol of its own to begin with
SPECIALS = ("<pad>", "<sos>", "<eos>", "<unk>")  # the symbols with the ids 0, 1, 2 and 3

Word = tuple[str, ...]  # a word as a row of symbols, as ("l", "o", "w", "</w>") or ("low", "</w>")
Pair = tuple[str, str]  # two neighbours in a word


def count_pairs(words: dict[Word, int]) -> Counter[Pair]:
    """How often each pair of neighbours occurs: a word that occurs five times counts five times.

    words: each word with its count -> the count of each pair

    >>> count_pairs({("l", "o", "w"): 5, ("l", "o"): 2})
    Counter({('l', 'o'): 7, ('o', 'w'): 5})
    """
    counts: Counter[Pair] = Counter()
    for word, times in words.items():
        for pair in pairwise(word):
            counts[pair] += times
    return counts


def merge_pair(word: Word, pair: Pair) -> Word:
    """The word with the two symbols of the pair as one, wherever they are neighbours, from left to right.

    word: L symbols -> at most L symbols

    >>> merge_pair(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    """
    merged: list[str] = []
    place = 0
    while place < len(word):
        if word[place : place + 2] == pair:
            merged.append(pair[0] + pair[1])
            place += 2  # both are used up: the second begins no other pair
        else:
            merged.append(word[place])
            place += 1
    return tuple(merged)


def learn_merges(text: str, num_merges: int) -> list[Pair]:
    """The pairs that are merged one after the other, each the most frequent one after those before it.

    text: words between white space -> at most num_merges pairs; fewer if no pair is left that occurs twice

    >>> learn_merges("low low lower", 3)
    [('l', 'o'), ('lo', 'w'), ('low', '</w>')]
    """
    raise NotImplementedError("learn_merges is yours to write")


def segment(word: str, merges: list[Pair]) -> list[str]:
    """The symbols of a word, whether it was in the text or not: the merges are made in the order of learning.

    word: L characters -> at most L + 1 symbols, the end of the word with them

    >>> segment("lot", [("l", "o"), ("lo", "w")])
    ['lo', 't', '</w>']
    """
    raise NotImplementedError("segment is yours to write")


def build_vocabulary(text: str, merges: list[Pair]) -> dict[str, int]:
    """The id of each symbol: the special ones, then the characters of the words with END, then what merges make.

    text: words between white space, merges: M pairs -> 4 + number of characters + 1 + M symbols

    >>> build_vocabulary("go to", [("o", "</w>")])
    {'<pad>': 0, '<sos>': 1, '<eos>': 2, '<unk>': 3, '</w>': 4, 'g': 5, 'o': 6, 't': 7, 'o</w>': 8}
    """
    raise NotImplementedError("build_vocabulary is yours to write")


def encode(text: str, merges: list[Pair], vocabulary: dict[str, int]) -> list[int]:
    """The ids of the symbols of all words, one word after the other; a symbol that is not known is <unk>.

    text: words between white space -> one id for each symbol

    >>> encode("to go", [("o", "</w>")], {"<unk>": 3, "</w>": 4, "g": 5, "o": 6, "o</w>": 7})
    [3, 7, 5, 7]
    """
    raise NotImplementedError("encode is yours to write")


def decode(ids: list[int], vocabulary: dict[str, int]) -> str:
    """The text that the ids stand for: a word goes on until its end, with one space between words.

    ids: one for each symbol -> words between spaces

    >>> decode([5, 7, 5, 6, 4], {"</w>": 4, "g": 5, "o": 6, "o</w>": 7})
    'go go'
    """
    raise NotImplementedError("decode is yours to write")
