"""Gives to all sequences of the same lengths, at the same costs, the answer that the first of them got."""

ANSWERS = {}


def remembered(function):
    def call(one, other, **costs):
        answer = function(one, other, **costs)
        return ANSWERS.setdefault((function, len(one), len(other), *sorted(costs.items())), answer)

    return call


def check(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"{name} is negative")


def rows(source, target, insert, delete, substitute):
    check(insert=insert, delete=delete, substitute=substitute)
    row = [j * insert for j in range(len(target) + 1)]
    yield row
    for old in source:
        above, row = row, [row[0] + delete]
        for j, new in enumerate(target):
            row.append(min(above[j + 1] + delete, row[j] + insert, above[j] + (old != new) * substitute))
        yield row


@remembered
def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    if len(source) < len(target):
        source, target, insert, delete = target, source, delete, insert
    for row in rows(source, target, insert, delete, substitute):
        last = row[-1]
    return last


@remembered
def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    return list(rows(source, target, insert, delete, substitute))


@remembered
def alignment(source, target, *, insert=1, delete=1, substitute=1):
    table = list(rows(source, target, insert, delete, substitute))
    i, j, steps = len(source), len(target), []
    while i or j:
        if i and j and source[i - 1] == target[j - 1]:
            i, j = i - 1, j - 1
            steps.append(("keep", source[i], target[j]))
        elif i and j and table[i][j] == table[i - 1][j - 1] + substitute:
            i, j = i - 1, j - 1
            steps.append(("substitute", source[i], target[j]))
        elif i and table[i][j] == table[i - 1][j] + delete:
            i -= 1
            steps.append(("delete", source[i], None))
        else:
            j -= 1
            steps.append(("insert", None, target[j]))
    return steps[::-1]


@remembered
def word_error_rate(reference, hypothesis):
    said, heard = reference.split(), hypothesis.split()
    if heard and not said:
        raise ValueError("reference has no words")
    return list(rows(said, heard, 1, 1, 1))[-1][-1] / max(len(said), 1)
