"""Recursion with a cache for the table and the alignment; one row, overwritten in place, for the distance."""

import sys
from functools import lru_cache


def _check(costs):
    bad = [name for name, value in costs.items() if value < 0]
    if bad:
        raise ValueError("negative cost: " + ", ".join(bad))


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    _check({"insert": insert, "delete": delete, "substitute": substitute})

    @lru_cache(maxsize=None)
    def distance(i, j):
        if i == 0:
            return j * insert
        if j == 0:
            return i * delete
        if source[i - 1] == target[j - 1]:
            return distance(i - 1, j - 1)
        return min(distance(i, j - 1) + insert, distance(i - 1, j) + delete, distance(i - 1, j - 1) + substitute)

    return [[distance(i, j) for j in range(len(target) + 1)] for i in range(len(source) + 1)]


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    _check({"insert": insert, "delete": delete, "substitute": substitute})
    if len(source) > len(target):
        long, short, per_long, per_short = source, target, delete, insert
    else:
        long, short, per_long, per_short = target, source, insert, delete
    row = [k * per_short for k in range(len(short) + 1)]
    for item in long:
        corner = row[0]
        row[0] += per_long
        for k in range(1, len(row)):
            above = row[k]
            row[k] = min(above + per_long, row[k - 1] + per_short, corner + (item != short[k - 1]) * substitute)
            corner = above
    return row[-1]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    _check({"insert": insert, "delete": delete, "substitute": substitute})
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))

    @lru_cache(maxsize=None)
    def best(i, j):
        """Cost and steps (as a linked list) from source[i:] to target[j:]."""
        if i == len(source) and j == len(target):
            return 0, None
        options = []
        if i < len(source) and j < len(target):
            cost, rest = best(i + 1, j + 1)
            if source[i] == target[j]:
                options.append((cost, (("keep", source[i], target[j]), rest)))
            else:
                options.append((cost + substitute, (("substitute", source[i], target[j]), rest)))
        if i < len(source):
            cost, rest = best(i + 1, j)
            options.append((cost + delete, (("delete", source[i], None), rest)))
        if j < len(target):
            cost, rest = best(i, j + 1)
            options.append((cost + insert, (("insert", None, target[j]), rest)))
        return min(options, key=lambda option: option[0])

    steps = []
    _, node = best(0, 0)
    while node:
        step, node = node
        steps.append(step)
    return steps


def word_error_rate(reference, hypothesis):
    expected = reference.split()
    got = hypothesis.split()
    if not expected:
        if not got:
            return 0.0
        raise ValueError("the reference has no words")
    return float(edit_distance(expected, got)) / len(expected)
