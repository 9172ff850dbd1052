"""Edit distance around one generator of rows."""

from collections import deque
from collections.abc import Hashable, Sequence

Number = int | float
Step = tuple[str, Hashable | None, Hashable | None]


def _require_costs(**costs):
    negative = [name for name, cost in costs.items() if cost < 0]
    if negative:
        raise ValueError(f"negative cost: {', '.join(negative)}")


def _rows(source, target, insert, delete, substitute):
    """All rows of the table, one after the other; only the last is kept here."""
    row = [0]
    for _ in target:
        row.append(row[-1] + insert)
    yield row
    for item in source:
        above, row = row, [row[0] + delete]
        for j in range(len(target)):
            row.append(
                min(
                    above[j + 1] + delete,
                    row[j] + insert,
                    above[j] + (substitute if item != target[j] else 0),
                )
            )
        yield row


def edit_table(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[list[Number]]:
    _require_costs(insert=insert, delete=delete, substitute=substitute)
    return list(_rows(source, target, insert, delete, substitute))


def edit_distance(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> Number:
    _require_costs(insert=insert, delete=delete, substitute=substitute)
    if len(target) <= len(source):
        rows = _rows(source, target, insert, delete, substitute)
    else:
        rows = _rows(target, source, delete, insert, substitute)
    return deque(rows, maxlen=1)[0][-1]


def alignment(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[Step]:
    """Each cell carries its cost and the chain of steps that led to it."""
    _require_costs(insert=insert, delete=delete, substitute=substitute)
    row = [(0, None)]
    for new in target:
        cost, chain = row[-1]
        row.append((cost + insert, (chain, ("insert", None, new))))
    for old in source:
        above = row
        cost, chain = above[0]
        row = [(cost + delete, (chain, ("delete", old, None)))]
        for j, new in enumerate(target):
            corner, corner_chain = above[j]
            step = ("keep", old, new) if old == new else ("substitute", old, new)
            ways = [
                (corner + (0 if old == new else substitute), (corner_chain, step)),
                (above[j + 1][0] + delete, (above[j + 1][1], ("delete", old, None))),
                (row[j][0] + insert, (row[j][1], ("insert", None, new))),
            ]
            row.append(min(ways, key=lambda way: way[0]))
    steps = []
    chain = row[-1][1]
    while chain is not None:
        chain, step = chain
        steps.append(step)
    return list(reversed(steps))


def word_error_rate(reference: str, hypothesis: str) -> float:
    words = reference.split()
    heard = hypothesis.split()
    if words:
        return edit_distance(words, heard) / len(words)
    if heard:
        raise ValueError("reference has no words, hypothesis has some")
    return 0.0
