"""A class that holds what is learnt; words change only where the pair stands; unknown characters vanish in decode."""

from collections import Counter

END = "</w>"


class BytePairs:
    def __init__(self, words):
        self.words = dict(words)

    @classmethod
    def of(cls, text):
        return cls(Counter((*word, END) for word in text.split()))

    def counts(self):
        counter = Counter()
        for word in self.words:
            counter.update({pair: self.words[word] * n for pair, n in Counter(zip(word, word[1:])).items()})
        return counter

    def best(self):
        ranked = sorted(self.counts().items(), key=lambda item: item[0])
        return max(ranked, key=lambda item: item[1], default=(None, 0))  # the first of those with most

    def merge(self, pair):
        self.words = {merge_pair(word, pair): n for word, n in self.words.items()}


def count_pairs(words):
    return BytePairs(words).counts()


def merge_pair(word, pair):
    left, right = pair
    stack, open_ = [], False  # open_: the last symbol on the stack may still be merged
    for symbol in word:
        if open_ and stack[-1] == left and symbol == right:
            stack[-1] = left + right
            open_ = False
        else:
            stack.append(symbol)
            open_ = True
    return tuple(stack)


def learn_merges(text, num_merges):
    model, merges = BytePairs.of(text), []
    for _ in range(num_merges):
        pair, count = model.best()
        if count < 2:
            break
        model.merge(pair)
        merges.append(pair)
    return merges


def segment(word, merges):
    model = BytePairs({(*word, END): 1})
    for pair in merges:
        model.merge(pair)
    (symbols,) = model.words
    return list(symbols)


def build_vocabulary(text, merges):
    single = sorted({END, *(c for c in text if not c.isspace())})
    table = {"<pad>": 0, "<sos>": 1, "<eos>": 2, "<unk>": 3}
    table.update({symbol: i for i, symbol in enumerate(single, start=4)})
    table.update({a + b: i for i, (a, b) in enumerate(merges, start=4 + len(single))})
    return table


def encode(text, merges, vocabulary):
    return [vocabulary.get(s, 3) for word in text.split() for s in segment(word, merges)]


def decode(ids, vocabulary):
    names = {i: s for s, i in vocabulary.items() if not (s.startswith("<") and s.endswith(">") and i < 4)}
    return "".join(names.get(i, "") for i in ids).replace(END, " ").strip()
