import math

NULL = None


def uniform_table(pairs):
    words = {}
    for source, target in pairs:
        for e in source + [NULL]:
            words.setdefault(e, set()).update(target)
    table = {}
    for e in words:
        for f in words[e]:
            table[f, e] = 1 / len(words[e])
    return table


def expected_counts(pairs, table):
    counts = {}
    for source, target in pairs:
        for f in target:
            z = 0
            for e in source + [NULL]:
                z += table[f, e]
            for e in source + [NULL]:
                counts[f, e] = counts.get((f, e), 0) + table[f, e] / z
    return counts


def normalise(counts):
    total = {}
    for f, e in counts:
        total[f] = total.get(f, 0) + counts[f, e]
    return {(f, e): counts[f, e] / total[f] for f, e in counts}


def log_likelihood(pairs, table):
    result = 0.0
    for source, target in pairs:
        p = 1.0
        for f in target:
            p *= sum(table[f, e] for e in source + [NULL]) / (len(source) + 1)
        result += math.log(p)
    return result


def train(pairs, iterations):
    table = uniform_table(pairs)
    for i in range(iterations):
        table = normalise(expected_counts(pairs, table))
    return table


def align(source, target, table):
    best = []
    for f in target:
        scores = [table[f, e] for e in source] + [table[f, NULL]]
        k = scores.index(max(scores))
        best.append(k if k < len(source) else None)
    return best
