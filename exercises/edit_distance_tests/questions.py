"""What your tests may ask an implementation: the four functions of `edit_distance`, with inputs of a sensible size.

Implementations run with the judge, not with your code, so what reaches them is checked here first.
"""

from typing import Any, NoReturn

from grader.judge import Mismatch

COSTS = ("insert", "delete", "substitute")
SIGNATURES = {"edit_distance": COSTS, "edit_table": COSTS, "alignment": COSTS, "word_error_rate": ()}

MAX_ITEMS = 60  # of a sequence
MAX_TEXT = 200  # characters of a text
MAX_ITEM_TEXT = 20  # characters of an item
MAX_COST = 10**6
MAX_NUMBER = 10**18  # as an item


def checked(*asked: Any) -> tuple[str, tuple[Any, ...], dict[str, int | float]]:
    """The function, its two sequences and its costs, if they are of the form and size that all implementations take."""
    if len(asked) != 3 or not isinstance(asked[0], str) or asked[0] not in SIGNATURES:
        _object(
            f"An implementation is asked as call(function, [source, target], costs); it has {', '.join(SIGNATURES)}."
        )
    name, arguments, costs = asked
    if not isinstance(arguments, list | tuple) or len(arguments) != 2:
        _object(f"{name} takes two sequences.")
    if not isinstance(costs, dict) or any(cost not in SIGNATURES[name] for cost in costs):
        _object(f"{name} takes {'the costs ' + ', '.join(SIGNATURES[name]) if SIGNATURES[name] else 'no costs'}.")
    for cost in costs.values():
        if not isinstance(cost, int | float) or not abs(cost) <= MAX_COST:
            _object(f"A cost is a number up to {MAX_COST:,}.")
    for sequence in arguments:
        if not SIGNATURES[name]:
            if not isinstance(sequence, str) or len(sequence) > MAX_TEXT:
                _object(f"{name} is tested with texts of up to {MAX_TEXT} characters.")
        elif not isinstance(sequence, str | list | tuple) or len(sequence) > MAX_ITEMS:
            _object(
                f"{name} is tested with strings and lists of up to {MAX_ITEMS} items: short ones show mistakes too."
            )
        elif not all(map(_is_item, sequence)):
            _object(f"Items are numbers, None, strings of up to {MAX_ITEM_TEXT} characters, and tuples of these.")
    return name, tuple(arguments), costs


def _is_item(item: Any, depth: int = 0) -> bool:
    if isinstance(item, tuple):
        return depth < 3 and len(item) <= MAX_ITEM_TEXT and all(_is_item(part, depth + 1) for part in item)
    if isinstance(item, str):
        return len(item) <= MAX_ITEM_TEXT
    return item is None or (isinstance(item, int | float) and abs(item) < MAX_NUMBER)


def _object(problem: str) -> NoReturn:
    raise Mismatch(problem, problem)
