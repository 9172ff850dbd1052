"""Asks only whether distances and rates are at least 0, and whether alignments have steps."""


def run(call):
    failed = []
    for source, target in (("flaw", "lawn"), ("Hello", "He"), ("good", "gold")):
        for function in ("edit_distance", "alignment", "word_error_rate"):
            how, answer, *_ = call(function, [source, target], {})
            if how == "value" and not (len(answer) if function == "alignment" else answer) >= 0:
                failed.append(f"test_{function}")
    return failed
