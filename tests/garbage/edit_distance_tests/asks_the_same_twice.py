"""Compares every answer with the answer to the same question."""


def run(call):
    failed = []
    for function in ("edit_distance", "edit_table", "alignment"):
        for source, target in (("", ""), ("flaw", "lawn"), (["a", 1], [None]), ("abc", "")):
            for costs in ({}, {"insert": 2, "delete": 3, "substitute": 4}, {"insert": -1}):
                if call(function, [source, target], costs) != call(function, [source, target], costs):
                    failed.append(f"test_{function}")
    return failed
