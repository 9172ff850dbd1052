"""Rows by reduce; the walk back goes to the neighbour that explains a number best, without any comparison of sums."""

from functools import reduce
from itertools import chain


def _checked(insert, delete, substitute):
    for cost, name in ((insert, "insert"), (delete, "delete"), (substitute, "substitute")):
        if cost < 0:
            raise ValueError(f"cost of {name} below 0")
    return insert, delete, substitute


def _next(row, item, target, insert, delete, substitute):
    def extend(new, column):
        above, corner, wanted = column
        return (*new, min(new[-1] + insert, above + delete, corner if item == wanted else corner + substitute))

    return reduce(extend, zip(row[1:], row, target), (row[0] + delete,))


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    costs = _checked(insert, delete, substitute)
    first = tuple(k * insert for k in range(len(target) + 1))
    grow = lambda rows, item: [*rows, _next(rows[-1], item, target, *costs)]
    return [list(row) for row in reduce(grow, source, [first])]


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    insert, delete, substitute = _checked(insert, delete, substitute)
    if len(source) < len(target):
        source, target, insert, delete = target, source, delete, insert
    row = tuple(k * insert for k in range(len(target) + 1))
    return reduce(lambda row, item: _next(row, item, target, insert, delete, substitute), source, row)[-1]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    table = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)

    def ways(i, j):
        if i and j and source[i - 1] == target[j - 1]:
            yield table[i - 1][j - 1], i - 1, j - 1, ("keep", source[i - 1], target[j - 1])
        elif i and j:
            yield table[i - 1][j - 1] + substitute, i - 1, j - 1, ("substitute", source[i - 1], target[j - 1])
        if i:
            yield table[i - 1][j] + delete, i - 1, j, ("delete", source[i - 1], None)
        if j:
            yield table[i][j - 1] + insert, i, j - 1, ("insert", None, target[j - 1])

    def walk(i, j):
        while i or j:
            _, i, j, step = min(ways(i, j), key=lambda way: way[0])
            yield step

    return list(walk(len(source), len(target)))[::-1]


def word_error_rate(reference, hypothesis):
    said, heard = map(str.split, (reference, hypothesis))
    if not any(chain(said, heard)):
        return 0.0
    if not said:
        raise ValueError("reference: no words")
    return edit_distance(heard, said) / len(said)
