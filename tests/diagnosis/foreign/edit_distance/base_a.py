"""Edit distance, with small helpers: a check, a row, a walk back."""

from collections.abc import Hashable, Sequence

Number = int | float
Step = tuple[str, Hashable | None, Hashable | None]


def _check_costs(insert, delete, substitute):
    for name, cost in (("insert", insert), ("delete", delete), ("substitute", substitute)):
        if cost < 0:
            raise ValueError(f"{name} must not be negative, but it is {cost}")


def _diagonal_cost(old, new, substitute):
    return 0 if old == new else substitute


def edit_table(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[list[Number]]:
    """The distances between all prefixes."""
    _check_costs(insert, delete, substitute)
    m, n = len(source), len(target)
    table = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m + 1):
        table[i][0] = i * delete
    for j in range(n + 1):
        table[0][j] = j * insert
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            above = table[i - 1][j] + delete
            left = table[i][j - 1] + insert
            diagonal = table[i - 1][j - 1] + _diagonal_cost(source[i - 1], target[j - 1], substitute)
            table[i][j] = min(above, left, diagonal)
    return table


def edit_distance(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> Number:
    """The least cost of turning source into target, with two rows along the shorter sequence."""
    _check_costs(insert, delete, substitute)
    if len(source) < len(target):
        # read backwards: an insertion becomes a deletion
        source, target = target, source
        insert, delete = delete, insert
    previous = [j * insert for j in range(len(target) + 1)]
    for i, old in enumerate(source, start=1):
        current = [i * delete]
        for j, new in enumerate(target, start=1):
            above = previous[j] + delete
            left = current[j - 1] + insert
            corner = previous[j - 1] + _diagonal_cost(old, new, substitute)
            current.append(min(above, left, corner))
        previous = current
    return previous[-1]


def alignment(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[Step]:
    """The steps of one cheapest way, found by a walk back through the table."""
    table = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)
    i, j = len(source), len(target)
    steps = []
    while i > 0 or j > 0:
        ways = []  # (cost up to here, what was done last)
        if i > 0 and j > 0:
            cost = _diagonal_cost(source[i - 1], target[j - 1], substitute)
            ways.append((table[i - 1][j - 1] + cost, "diagonal"))
        if i > 0:
            ways.append((table[i - 1][j] + delete, "delete"))
        if j > 0:
            ways.append((table[i][j - 1] + insert, "insert"))
        _, last = min(ways, key=lambda way: way[0])
        if last == "diagonal":
            i, j = i - 1, j - 1
            name = "keep" if source[i] == target[j] else "substitute"
            steps.append((name, source[i], target[j]))
        elif last == "delete":
            i -= 1
            steps.append(("delete", source[i], None))
        else:
            j -= 1
            steps.append(("insert", None, target[j]))
    steps.reverse()
    return steps


def word_error_rate(reference: str, hypothesis: str) -> float:
    """The word edits per word of the reference."""
    said, heard = reference.split(), hypothesis.split()
    if not said:
        if heard:
            raise ValueError("the reference has no words, so there is nothing to divide by")
        return 0.0
    return edit_distance(said, heard) / len(said)
