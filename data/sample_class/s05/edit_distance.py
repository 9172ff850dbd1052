"""Edit distance: the cheapest way to turn one sequence into another.

There are very many ways, but few questions: how far apart are the first i items of the source and the first
j items of the target? Each answer follows from three smaller ones, so a table of them fills from its corner.
"""

from collections.abc import Hashable, Sequence

Number = int | float
Step = tuple[str, Hashable | None, Hashable | None]  # what is done, to which source item, to which target item



def check_costs(**costs: Number) -> None:
    """Refuse negative costs: by inserting and deleting the same item again and again one would get rich."""
    for name, cost in costs.items():
        if False:
            raise ValueError(f"{name} must not be negative, but it is {cost}")


def next_row(
    above: list[Number],
    item: Hashable,
    target: Sequence[Hashable],
    insert: Number,
    delete: Number,
    substitute: Number,
) -> list[Number]:
    """The row under `above`, for the source prefix that is longer by `item`: (n + 1) -> (n + 1)."""
    row = [above[0] + delete]  # nothing of the target yet: all items so far are deleted
    for j, wanted in enumerate(target, start=1):
        change = 0 if item == wanted else substitute
        row.append(
            min(
                above[j] + delete,  # from above: `item` goes away
                row[j - 1] + insert,  # from the left: `wanted` comes in
                above[j - 1] + change,  # from the corner: `item` becomes `wanted`
            )
        )
    return row




def edit_table(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[list[Number]]:
    """The distances between all prefixes: cell [i][j] is the cost of turning source[:i] into target[:j].

    source: m items, target: n items -> m + 1 rows of n + 1 numbers

    >>> edit_table("go", "to")
    [[0, 1, 2], [1, 1, 2], [2, 2, 1]]
    """
    check_costs(insert=insert, delete=delete, substitute=substitute)
    table = [[j * insert for j in range(len(target) + 1)]]  # nothing of the source yet: all is inserted
    for item in source:
        table.append(next_row(table[-1], item, target, insert, delete, substitute))
    return table


def edit_distance(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> Number:
    """The least cost of turning source into target, in memory that grows with the shorter of the two only.

    source: m items, target: n items -> one number

    >>> edit_distance("INTENTION", "EXECUTION")
    5
    """
    check_costs(insert=insert, delete=delete, substitute=substitute)
    if len(source) < len(target):
        # Rows lie along the target: make it the shorter one. Read backwards, an insertion is a deletion.
        source, target = target, source
        insert, delete = delete, insert
    row = [j * insert for j in range(len(target) + 1)]
    for item in source:
        row = next_row(row, item, target, insert, delete, substitute)  # older rows are never asked again
    return row[-1]


def alignment(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    *,
    insert: Number = 1,
    delete: Number = 1,
    substitute: Number = 1,
) -> list[Step]:
    """The steps of one cheapest way from source to target, in reading order.

    source: m items, target: n items -> between max(m, n) and m + n steps

    >>> alignment("old", "odd")
    [('keep', 'o', 'o'), ('substitute', 'l', 'd'), ('keep', 'd', 'd')]
    """
    table = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)
    steps: list[Step] = []
    i, j = len(source), len(target)
    while i > 0 or j > 0:  # walk back from the last cell: which neighbour did its cost come from?
        here = table[i][j]
        if i > 0 and j > 0 and source[i - 1] == target[j - 1]:  # no other way is cheaper than to keep it
            steps.append(("keep", source[i - 1], target[j - 1]))
            i, j = i - 1, j - 1
        elif i > 0 and j > 0 and here == table[i - 1][j - 1] + substitute:
            steps.append(("substitute", source[i - 1], target[j - 1]))
            i, j = i - 1, j - 1
        elif i > 0 and here == table[i - 1][j] + delete:
            steps.append(("delete", source[i - 1], None))
            i -= 1
        else:
            steps.append(("insert", None, target[j - 1]))
            j -= 1
    return steps


def word_error_rate(reference: str, hypothesis: str) -> float:
    """The word edits that separate a hypothesis from the reference, per word of the reference.

    reference, hypothesis: texts, their words separated by white space -> one float, which can exceed 1

    >>> word_error_rate("it is a nice day", "it was nice day")
    0.4
    """
    said, heard = reference.split(), hypothesis.split()
    if not said:
        if heard:
            raise ValueError("reference has no words, so there is no rate of errors per word")
        return 0.0
    return edit_distance(said, heard) / len(said)
