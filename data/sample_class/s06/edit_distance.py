"""Edit distance: the cheapest way to turn one sequence into another.

There are very many ways, but few questions: how far apart are the first i items of the source and the first
j items of the target? Each answer follows from three smaller ones, so a table of them fills from its corner.
"""

from collections.abc import Hashable, Sequence

Number = int | float
Step = tuple[str, Hashable | None, Hashable | None]  # what is done, to which source item, to which target item


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
    raise NotImplementedError("edit_table is yours to write")


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
    raise NotImplementedError("edit_distance is yours to write")


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
    raise NotImplementedError("alignment is yours to write")


def word_error_rate(reference: str, hypothesis: str) -> float:
    """The word edits that separate a hypothesis from the reference, per word of the reference.

    reference, hypothesis: texts, their words separated by white space -> one float, which can exceed 1

    >>> word_error_rate("it is a nice day", "it was nice day")
    0.4
    """
    raise NotImplementedError("word_error_rate is yours to write")
