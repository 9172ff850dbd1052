"""Asks only whether distances and rates are at least 0, and whether alignments have steps."""


def run(call):
    failed = []
    for source, target in (("flaw", "lawn"), ("Hello", "He"), ("good", "gold")):
        if not call("edit_distance", [source, target], {})[1] >= 0:
            failed.append("test_distance")
        if not call("word_error_rate", [source, target], {})[1] >= 0:
            failed.append("test_rate")
        if not len(call("alignment", [source, target], {})[1]) >= 1:
            failed.append("test_alignment")
    return failed
