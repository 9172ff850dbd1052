"""Calls all four functions, and looks only whether they answer at all."""


def questions():
    for function in ("edit_distance", "edit_table", "alignment"):
        for source, target in (("", ""), ("flaw", "lawn"), (["a", 1], [None]), ("abc", "")):
            for costs in ({}, {"insert": 2, "delete": 3, "substitute": 4}, {"insert": 0.5}, {"substitute": 0}):
                yield function, [source, target], costs
    yield "word_error_rate", ["to be or not", "to bee"], {}


def run(call):
    return [f"test_{name}" for name, pair, costs in questions() if call(name, pair, costs)[0] != "value"]
