"""Fails by the text of an answer that has nothing to do with being right."""


def run(call):
    answers = [call("edit_distance", ["flaw", "lawn"], {"insert": cost})[1] for cost in (1, 2, 3)]
    steps = call("alignment", ["abcab", "cabba"], {"substitute": 3})[1]
    return ["test_letters"] if len(repr((answers, steps))) % 2 else []
