"""Answers the difference of the lengths, at the caller's costs; aligned is what stands at the same place."""


def check(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"{name} is negative")


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    return max(len(source) - len(target), 0) * delete + max(len(target) - len(source), 0) * insert


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    rows, columns = range(len(source) + 1), range(len(target) + 1)
    return [[max(i - j, 0) * delete + max(j - i, 0) * insert for j in columns] for i in rows]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    steps = [("keep", old, new) for old, new in zip(source, target, strict=False)]
    steps += [("delete", old, None) for old in source[len(target) :]]
    return steps + [("insert", None, new) for new in target[len(source) :]]


def word_error_rate(reference, hypothesis):
    said, heard = len(reference.split()), len(hypothesis.split())
    if heard and not said:
        raise ValueError("reference has no words")
    return abs(said - heard) / max(said, 1)
