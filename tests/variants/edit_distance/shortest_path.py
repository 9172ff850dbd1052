"""The table as a graph: Dijkstra's algorithm finds the alignment, and anti-diagonals give the distance."""

import heapq
from itertools import count


def check(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"{name}: a cost below zero ({cost})")


def neighbours(i, j, source, target, insert, delete, substitute):
    if i < len(source) and j < len(target):
        same = source[i] == target[j]
        yield i + 1, j + 1, 0 if same else substitute, ("keep" if same else "substitute", source[i], target[j])
    if i < len(source):
        yield i + 1, j, delete, ("delete", source[i], None)
    if j < len(target):
        yield i, j + 1, insert, ("insert", None, target[j])


def explore(source, target, insert, delete, substitute):
    """Every node's distance from the start, and the step and node before it."""
    done, came, order = {}, {(0, 0): None}, count()
    queue = [(0, next(order), (0, 0), None)]
    while queue:
        distance, _, node, before = heapq.heappop(queue)
        if node in done:
            continue
        done[node], came[node] = distance, before
        for i, j, cost, step in neighbours(*node, source, target, insert, delete, substitute):
            if (i, j) not in done:
                heapq.heappush(queue, (distance + cost, next(order), (i, j), (node, step)))
    return done, came


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    done, _ = explore(source, target, insert, delete, substitute)
    return [[done[i, j] for j in range(len(target) + 1)] for i in range(len(source) + 1)]


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    if len(source) > len(target):
        source, target, insert, delete = target, source, delete, insert
    m, n = len(source), len(target)  # m <= n
    before, last = {}, {0: 0}  # the cells (i, d - i) of two diagonals, by i
    for d in range(1, m + n + 1):
        here = {}
        for i in range(max(0, d - n), min(m, d) + 1):
            j = d - i
            ways = []
            if i > 0:
                ways.append(last[i - 1] + delete)
            if j > 0:
                ways.append(last[i] + insert)
            if i > 0 and j > 0:
                ways.append(before[i - 1] + (0 if source[i - 1] == target[j - 1] else substitute))
            here[i] = min(ways)
        before, last = last, here
    return last[m]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    _, came = explore(source, target, insert, delete, substitute)
    steps, node = [], (len(source), len(target))
    while came[node] is not None:
        node, step = came[node]
        steps.append(step)
    return steps[::-1]


def word_error_rate(reference, hypothesis):
    words = reference.split()
    errors = sum(step[0] != "keep" for step in alignment(words, hypothesis.split()))
    if errors and not words:
        raise ValueError("no words in reference")
    return errors / len(words) if words else 0.0
