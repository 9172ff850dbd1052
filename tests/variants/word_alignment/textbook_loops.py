"""Indices and plain loops as in a textbook: NULL is word 0 of a longer sentence, and training writes out both steps."""

import math

NULL = None


def uniform_table(pairs):
    partners = {}
    for source, target in pairs:
        sentence = [NULL] + source
        for i in range(len(sentence)):
            if sentence[i] not in partners:
                partners[sentence[i]] = []
            for j in range(len(target)):
                if target[j] not in partners[sentence[i]]:
                    partners[sentence[i]].append(target[j])
    table = {}
    for e in partners:
        for f in partners[e]:
            table[(f, e)] = 1.0 / len(partners[e])
    return table


def expected_counts(pairs, table):
    count = {}
    for source, target in pairs:
        sentence = [NULL] + source
        for j in range(len(target)):
            f = target[j]
            s_total = 0.0
            for i in range(len(sentence)):
                s_total = s_total + table[(f, sentence[i])]
            for i in range(len(sentence)):
                e = sentence[i]
                c = table[(f, e)] / s_total
                if (f, e) in count:
                    count[(f, e)] = count[(f, e)] + c
                else:
                    count[(f, e)] = c
    return count


def normalise(counts):
    total = {}
    for pair in counts:
        e = pair[1]
        if e not in total:
            total[e] = 0.0
        total[e] = total[e] + counts[pair]
    table = {}
    for pair in counts:
        table[pair] = counts[pair] / total[pair[1]]
    return table


def log_likelihood(pairs, table):
    result = 0.0
    for source, target in pairs:
        sentence = [NULL] + source
        for j in range(len(target)):
            p = 0.0
            for i in range(len(sentence)):
                p = p + table[(target[j], sentence[i])]
            result = result + math.log(p) - math.log(len(source) + 1)
    return result


def train(pairs, iterations):
    table = uniform_table(pairs)
    n = 0
    while n < iterations:
        count = expected_counts(pairs, table)
        table = normalise(count)
        n = n + 1
    return table


def align(source, target, table):
    result = []
    for j in range(len(target)):
        best = None
        best_p = table[(target[j], NULL)]
        for i in range(len(source) - 1, -1, -1):
            p = table[(target[j], source[i])]
            if p >= best_p:
                best = i
                best_p = p
        result.append(best)
    return result
