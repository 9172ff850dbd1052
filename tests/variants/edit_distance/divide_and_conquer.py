"""Hirschberg's alignment: halve the source, find where the best way crosses the middle, and solve both parts."""

from itertools import accumulate


def _require_non_negative(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"`{name}` cannot be negative")


def _rows(source, target, insert, delete, substitute):
    row = [0, *accumulate(insert for _ in target)]
    yield row
    for a in source:
        row = list(
            accumulate(
                zip(row, row[1:], target),
                lambda left, cell: min(
                    left + insert, cell[1] + delete, cell[0] + (substitute if a != cell[2] else 0)
                ),
                initial=row[0] + delete,
            )
        )
        yield row


def _last(iterator):
    for value in iterator:
        pass
    return value


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    _require_non_negative(insert=insert, delete=delete, substitute=substitute)
    return list(_rows(source, target, insert, delete, substitute))


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    _require_non_negative(insert=insert, delete=delete, substitute=substitute)
    if len(source) < len(target):
        return _last(_rows(target, source, delete, insert, substitute))[-1]
    return _last(_rows(source, target, insert, delete, substitute))[-1]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    _require_non_negative(insert=insert, delete=delete, substitute=substitute)
    costs = (insert, delete, substitute)

    def solve(a, b):
        if len(a) == 0:
            return [("insert", None, y) for y in b]
        if len(b) == 0:
            return [("delete", x, None) for x in a]
        if len(a) == 1:
            x = a[0]
            pairs = [(0 if x == y else substitute, k) for k, y in enumerate(b)]
            cheapest, k = min(pairs)
            if cheapest > insert + delete:
                return [("delete", x, None), *solve(a[:0], b)]
            name = "keep" if x == b[k] else "substitute"
            return [*solve(a[:0], b[:k]), (name, x, b[k]), *solve(a[:0], b[k + 1 :])]
        half = len(a) // 2
        front = _last(_rows(a[:half], b, *costs))
        back = _last(_rows(a[half:][::-1], b[::-1], *costs))[::-1]
        cut = min(range(len(b) + 1), key=lambda k: front[k] + back[k])
        return solve(a[:half], b[:cut]) + solve(a[half:], b[cut:])

    return solve(source, target)


def word_error_rate(reference, hypothesis):
    match reference.split(), hypothesis.split():
        case [], []:
            return 0.0
        case [], _:
            raise ValueError("reference is empty but hypothesis is not")
        case ref, hyp:
            return edit_distance(hyp, ref) / len(ref)
