"""Asks of what kind an answer is, never which one it is; an error is as good as an answer."""


def answers(call):
    for source, target in (("flaw", "lawn"), ("Hello", "He"), ("INTENTION", "EXECUTION")):
        for function, kind in (("edit_distance", int | float), ("edit_table", list), ("alignment", list)):
            for costs in ({}, {"insert": 2, "delete": 3, "substitute": 4}):
                yield call(function, [source, target], costs), kind
    yield call("word_error_rate", ["to be or not", "to bee"], {}), float


def run(call):
    failed = []
    for (how, answer, *_), kind in answers(call):
        if how == "value" and not isinstance(answer, kind):
            failed.append(f"test_{kind}")
    return failed
