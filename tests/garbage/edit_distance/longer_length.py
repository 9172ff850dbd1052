"""Answers the length of the longer sequence, as if nothing were ever kept."""


def check(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"{name} is negative")


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    both, more, less = min(len(source), len(target)), len(target), len(source)
    change = min(substitute, insert + delete)
    return both * change + (more - both) * insert + (less - both) * delete


def edit_table(source, target, **costs):
    rows, columns = range(len(source) + 1), range(len(target) + 1)
    return [[edit_distance(source[:i], target[:j], **costs) for j in columns] for i in rows]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    steps = [("substitute", old, new) for old, new in zip(source, target, strict=False)]
    steps += [("delete", old, None) for old in source[len(target) :]]
    return steps + [("insert", None, new) for new in target[len(source) :]]


def word_error_rate(reference, hypothesis):
    said, heard = reference.split(), hypothesis.split()
    if heard and not said:
        raise ValueError("reference has no words")
    return max(len(said), len(heard)) / len(said) if said else 0.0
