"""Words as chains of symbols, changed where they are merged; a stack merges, the vocabulary shows <unk> in words."""

END = "</w>"


class Symbol:
    def __init__(self, text, next=None):
        self.text, self.next = text, next


def chain(symbols):
    first = None
    for text in reversed(symbols):
        first = Symbol(text, first)
    return first


def walk(first):
    while first is not None:
        yield first
        first = first.next


def merge_chain(first, pair):
    for symbol in walk(first):
        follower = symbol.next
        if follower is not None and symbol.text == pair[0] and follower.text == pair[1]:
            symbol.text += follower.text
            symbol.next = follower.next


def count_pairs(words):
    counts = {}
    for word, times in words.items():
        for symbol in walk(chain(word)):
            if symbol.next:
                key = symbol.text, symbol.next.text
                counts[key] = counts.get(key, 0) + times
    return counts


def merge_pair(word, pair):
    first = chain(word)
    merge_chain(first, pair)
    return tuple(symbol.text for symbol in walk(first))


def learn_merges(text, num_merges):
    times = {}
    for word in text.split():
        times[word] = times.get(word, 0) + 1
    chains = [(chain(list(word) + [END]), n) for word, n in times.items()]
    merges = []
    while len(merges) < num_merges:
        counts = {}
        for first, n in chains:
            for symbol in walk(first):
                if symbol.next:
                    key = symbol.text, symbol.next.text
                    counts[key] = counts.get(key, 0) + n
        best, most = None, 1
        for pair, count in counts.items():
            if count > most or (count == most and best is not None and pair < best):
                best, most = pair, count
        if best is None:
            break
        merges.append(best)
        for first, _ in chains:
            merge_chain(first, best)
    return merges


def segment(word, merges):
    first = chain(list(word) + [END])
    for pair in merges:
        merge_chain(first, pair)
    return [symbol.text for symbol in walk(first)]


def build_vocabulary(text, merges):
    vocabulary = {}

    def add(symbol):
        vocabulary.setdefault(symbol, len(vocabulary))

    for special in ("<pad>", "<sos>", "<eos>", "<unk>"):
        add(special)
    for symbol in sorted(set().union(*text.split(), [END])):
        add(symbol)
    for left, right in merges:
        add(left + right)
    return vocabulary


def encode(text, merges, vocabulary):
    ids = []
    for word in text.split():
        for symbol in segment(word, merges):
            try:
                ids.append(vocabulary[symbol])
            except KeyError:
                ids.append(vocabulary["<unk>"])
    return ids


def decode(ids, vocabulary):
    left_out = {0, 1, 2}
    names = {n: symbol for symbol, n in vocabulary.items() if n not in left_out}
    words = [""]
    for n in ids:
        symbol = names.get(n, "")
        words[-1] += symbol.removesuffix(END)
        if symbol.endswith(END):
            words.append("")
    return " ".join(word for word in words if word)
