"""Calls all four functions and looks at no answer."""


def test_everything_once(call):
    for function in ("edit_distance", "edit_table", "alignment"):
        for source, target in (("", ""), ("flaw", "lawn"), (["a", 1], [None]), ("abc", "")):
            for costs in ({}, {"insert": 2, "delete": 3, "substitute": 4}, {"insert": 0.5}):
                call(function, [source, target], costs)
    call("word_error_rate", ["to be or not", "to bee"], {})


def run(call):
    try:
        test_everything_once(call)
    except Exception:
        return ["test_everything_once"]
    return []
