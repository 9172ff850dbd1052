"""Edit distance without helpers: one row in place, and back-pointers for the alignment."""

from collections.abc import Hashable, Sequence

Number = int | float
Step = tuple[str, Hashable | None, Hashable | None]


def edit_table(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[list[Number]]:
    if insert < 0:
        raise ValueError("insert is negative")
    if delete < 0:
        raise ValueError("delete is negative")
    if substitute < 0:
        raise ValueError("substitute is negative")
    table = [[j * insert for j in range(len(target) + 1)]]
    for i, s in enumerate(source):
        row = [(i + 1) * delete]
        for j, t in enumerate(target):
            if s == t:
                best = table[i][j]
            else:
                best = table[i][j] + substitute
            if table[i][j + 1] + delete < best:
                best = table[i][j + 1] + delete
            if row[j] + insert < best:
                best = row[j] + insert
            row.append(best)
        table.append(row)
    return table


def edit_distance(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> Number:
    if insert < 0:
        raise ValueError("insert must be at least 0")
    if delete < 0:
        raise ValueError("delete must be at least 0")
    if substitute < 0:
        raise ValueError("substitute must be at least 0")
    if len(target) > len(source):
        return edit_distance(target, source, insert=delete, delete=insert, substitute=substitute)
    # row[j]: from the items of source seen so far to target[:j]
    row = [j * insert for j in range(len(target) + 1)]
    seen = 0
    for s in source:
        seen += 1
        corner = row[0]
        row[0] = seen * delete
        for j, t in enumerate(target, 1):
            old = row[j]
            row[j] = min(corner if s == t else corner + substitute, old + delete, row[j - 1] + insert)
            corner = old
    return row[len(target)]


def alignment(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[Step]:
    if insert < 0:
        raise ValueError("insert: no negative costs")
    if delete < 0:
        raise ValueError("delete: no negative costs")
    if substitute < 0:
        raise ValueError("substitute: no negative costs")
    m, n = len(source), len(target)
    cost = {(0, 0): 0}
    origin = {}
    for j in range(1, n + 1):
        cost[0, j] = j * insert
        origin[0, j] = "insert"
    for i in range(1, m + 1):
        cost[i, 0] = i * delete
        origin[i, 0] = "delete"
        for j in range(1, n + 1):
            if source[i - 1] == target[j - 1]:
                cost[i, j] = cost[i - 1, j - 1]
                origin[i, j] = "keep"
            else:
                cost[i, j] = cost[i - 1, j - 1] + substitute
                origin[i, j] = "substitute"
            if cost[i - 1, j] + delete < cost[i, j]:
                cost[i, j] = cost[i - 1, j] + delete
                origin[i, j] = "delete"
            if cost[i, j - 1] + insert < cost[i, j]:
                cost[i, j] = cost[i, j - 1] + insert
                origin[i, j] = "insert"
    steps = []
    i, j = m, n
    while (i, j) != (0, 0):
        what = origin[i, j]
        if what == "insert":
            steps.append((what, None, target[j - 1]))
            j = j - 1
        elif what == "delete":
            steps.append((what, source[i - 1], None))
            i = i - 1
        else:
            steps.append((what, source[i - 1], target[j - 1]))
            i = i - 1
            j = j - 1
    return steps[::-1]


def word_error_rate(reference: str, hypothesis: str) -> float:
    reference_words = reference.split()
    hypothesis_words = hypothesis.split()
    if len(reference_words) == 0 and len(hypothesis_words) == 0:
        return 0.0
    if len(reference_words) == 0:
        raise ValueError("empty reference")
    errors = edit_distance(reference_words, hypothesis_words)
    return errors / len(reference_words)
