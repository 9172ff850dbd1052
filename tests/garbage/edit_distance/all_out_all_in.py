"""Deletes all of the source and inserts all of the target; the distance and the table say what that costs."""


def check(**costs):
    for name, cost in costs.items():
        if cost < 0:
            raise ValueError(f"{name} is negative")


def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    return len(source) * delete + len(target) * insert


def edit_table(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    return [[i * delete + j * insert for j in range(len(target) + 1)] for i in range(len(source) + 1)]


def alignment(source, target, *, insert=1, delete=1, substitute=1):
    check(insert=insert, delete=delete, substitute=substitute)
    return [*(("delete", old, None) for old in source), *(("insert", None, new) for new in target)]


def word_error_rate(reference, hypothesis):
    said, heard = reference.split(), hypothesis.split()
    if heard and not said:
        raise ValueError("reference has no words")
    return (len(said) + len(heard)) / len(said) if said else 0.0
