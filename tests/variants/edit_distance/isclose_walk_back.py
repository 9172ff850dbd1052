"""Copies as lists, arrays of doubles along the shorter sequence, and a walk back that allows for rounding."""

from array import array
from math import isclose


def _costs_or_error(insert, delete, substitute):
    for name, value in dict(insert=insert, delete=delete, substitute=substitute).items():
        if value < 0:
            raise ValueError("the cost '%s' is %r, but costs start at zero" % (name, value))


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    _costs_or_error(insert, delete, substitute)
    source, target = list(source), list(target)
    table = []
    for i in range(len(source) + 1):
        table.append([None] * (len(target) + 1))
        for j in range(len(target) + 1):
            if i == 0 or j == 0:
                table[i][j] = i * delete + j * insert
                continue
            diagonal = table[i - 1][j - 1]
            if source[i - 1] != target[j - 1]:
                diagonal += substitute
            table[i][j] = min(diagonal, table[i - 1][j] + delete, table[i][j - 1] + insert)
    return table


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    _costs_or_error(insert, delete, substitute)
    source, target = list(source), list(target)
    if len(target) > len(source):
        source, target, insert, delete = target, source, delete, insert
    width = len(target) + 1
    old, new = array("d", bytes(8 * width)), array("d", bytes(8 * width))
    for j in range(1, width):
        old[j] = j * insert
    for i in range(len(source)):
        new[0] = (i + 1) * delete
        for j in range(1, width):
            best = old[j - 1] if source[i] == target[j - 1] else old[j - 1] + substitute
            if old[j] + delete < best:
                best = old[j] + delete
            if new[j - 1] + insert < best:
                best = new[j - 1] + insert
            new[j] = best
        old, new = new, old
    return old[-1]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    table = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)
    steps = []
    i, j = len(source), len(target)
    while i or j:
        here = table[i][j]
        if i and isclose(here, table[i - 1][j] + delete):
            i -= 1
            steps.append(("delete", source[i], None))
        elif j and isclose(here, table[i][j - 1] + insert):
            j -= 1
            steps.append(("insert", None, target[j]))
        else:
            i, j = i - 1, j - 1
            steps.append(("keep" if source[i] == target[j] else "substitute", source[i], target[j]))
    return list(reversed(steps))


def word_error_rate(reference, hypothesis):
    reference, hypothesis = reference.split(), hypothesis.split()
    if len(reference) > 0:
        return edit_distance(reference, hypothesis) / len(reference)
    if len(hypothesis) > 0:
        raise ValueError("nothing was said, but something was heard")
    return 0.0
