"""Whole rows with numpy; the insertions along a row are a running minimum. Items become numbers first."""

import numpy as np


def rows(source, target, insert, delete, substitute):
    """Yields one row of the table after the other."""
    for name, cost in (("insert", insert), ("delete", delete), ("substitute", substitute)):
        if cost < 0:
            raise ValueError(f"the cost {name} is negative: {cost}")
    codes = {}
    target = np.array([codes.setdefault(item, len(codes)) for item in target], dtype=np.int64)
    ramp = np.arange(len(target) + 1) * float(insert)
    row = ramp.copy()
    yield row
    for item in source:
        change = np.where(target == codes.get(item, -1), 0.0, substitute)
        row_without_insertions = row + delete
        np.minimum(row_without_insertions[1:], row[:-1] + change, out=row_without_insertions[1:])
        row = np.minimum.accumulate(row_without_insertions - ramp) + ramp
        yield row


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    return np.stack(list(rows(source, target, insert, delete, substitute))).tolist()


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    if len(source) >= len(target):
        every_row = rows(source, target, insert, delete, substitute)
    else:
        if min(insert, delete) < 0:
            raise ValueError("insert and delete must not be negative")
        every_row = rows(target, source, delete, insert, substitute)
    for row in every_row:
        pass
    return row[-1].item()


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    table = edit_table(source, target, insert=insert, delete=delete, substitute=substitute)
    i, j, steps = len(source), len(target), []
    while (i, j) != (0, 0):
        here = table[i][j]
        if i and np.isclose(here, table[i - 1][j] + delete):  # deletions first
            i -= 1
            steps.append(("delete", source[i], None))
        elif j and np.isclose(here, table[i][j - 1] + insert):
            j -= 1
            steps.append(("insert", None, target[j]))
        else:
            i, j = i - 1, j - 1
            steps.append(("keep" if source[i] == target[j] else "substitute", source[i], target[j]))
    steps.reverse()
    return steps


def word_error_rate(reference, hypothesis):
    words, guess = reference.split(), hypothesis.split()
    if not words and guess:
        raise ValueError("cannot rate a hypothesis against an empty reference")
    return edit_distance(words, guess) / max(len(words), 1)
