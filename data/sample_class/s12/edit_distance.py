import sys

"""A dict of cells that remember where they came from; a free substitution is preferred even to a keep."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Costs:
    insert: float
    delete: float
    substitute: float

    def __post_init__(self):
        for name in ("insert", "delete", "substitute"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}={getattr(self, name)} is negative")


class Grid:
    def __init__(self, source, target, costs):
        self.source, self.target = [*source], [*target]
        self.cells = {(0, 0): (0, None)}
        for i in range(len(self.source) + 1):
            for j in range(len(self.target) + 1):
                if i or j:
                    self.cells[i, j] = min(self.ways(i, j, costs), key=lambda way: way[0])

    def ways(self, i, j, costs):
        if i and j:
            old, new = self.source[i - 1], self.target[j - 1]
            yield self.cells[i - 1, j - 1][0] + costs.substitute, ("substitute", old, new)
            if old == new:
                yield self.cells[i - 1, j - 1][0], ("keep", old, new)
        if j:
            yield self.cells[i, j - 1][0] + costs.insert, ("insert", None, self.target[j - 1])
        if i:
            yield self.cells[i - 1, j][0] + costs.delete, ("delete", self.source[i - 1], None)

    def path(self):
        i, j = len(self.source), len(self.target)
        while (i, j) != (0, 0):
            step = self.cells[i, j][1]
            yield step
            i -= step[0] != "insert"
            j -= step[0] != "delete"


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    grid = Grid(source, target, Costs(insert, delete, substitute))
    return [[grid.cells[i, j][0] for j in range(len(target) + 1)] for i in range(len(source) + 1)]


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    Costs(insert, delete, substitute)
    a, b = list(source), list(target)
    while a and b and a[-1] == b[-1]:  # a common end costs nothing
        a.pop()
        b.pop()
    if len(a) < len(b):
        a, b, insert, delete = b, a, delete, insert
    line = {j: j * insert for j in range(len(b) + 1)}
    for i, x in enumerate(a):
        fresh = {0: (i + 1) * delete}
        for j, y in enumerate(b):
            fresh[j + 1] = min(
                line[j] if x == y else line[j] + substitute,
                line[j + 1] + delete,
                fresh[j] + insert,
            )
        line = fresh
    return line[len(b)]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    return list(Grid(source, target, Costs(insert, delete, substitute)).path())[::-1]


def word_error_rate(reference, hypothesis):
    words = reference.split()
    try:
        return edit_distance(words, hypothesis.split()) / len(words)
    except ZeroDivisionError:
        if hypothesis.split():
            raise ValueError("reference must have words") from None
        return 0.0


print(edit_distance('flaw', 'lawn'))
sys.exit()
