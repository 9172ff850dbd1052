"""Hidden tests of edit_distance_tests: how many of the known mistakes of edit_distance do the student's tests find?

The implementations are ours and run here; the student's tests run where student code runs, and reach them by data.
Chosen are mistakes that show in values, end by themselves, and do the same over every transport.
"""

from collections import Counter
from functools import cache
from pathlib import Path

from exercises.edit_distance_tests.questions import checked
from grader.judge import Mismatch, Trials, criterion, find_course, right_implementations, wrong_implementations

TRIALS = Trials(checked)
PATIENCE = 100  # seconds for a criterion, of which hardly any are needed: later ones ask only for what is not known yet

MISTAKES = {
    "distances": (
        "insert-always-one",
        "swapped-for-memory-only",
        "inner-costs-swapped",
        "distance-border-without-cost",
        "match-costs-too",
        "substitute-always-two",
        "no-substitution",
        "position-by-position",
        "last-items-forgotten",
        "diagonal-lost",
        "least-of-last-row",
        "transposition-allowed",
        "empty-means-zero",
        "band-around-the-diagonal",
    ),
    "items": (
        "text-of-the-items",
        "falsy-items-alike",
        "white-space-stripped",
        "strings-only",
    ),
    "costs": (
        "costs-cut-to-integers",
        "zero-refused",
        "negative-cost-accepted",
        "negative-cost-not-named",
        "checked-in-the-distance-only",
    ),
    "tables": (
        "table-insert-delete-swapped",
        "row-border-zero",
        "items-one-off",
        "table-without-border",
    ),
    "alignments": (
        "alignment-of-the-way-back",
        "alignment-with-default-costs",
        "alignment-to-the-least-neighbour",
        "alignment-position-by-position",
        "alignment-stops-at-the-border",
        "alignment-keep-by-cost",
    ),
    "word error rates": (
        "rate-per-longer-text",
        "rate-of-characters",
        "rate-rounded",
        "rate-with-dear-substitutions",
        "rate-of-a-bag-of-words",
        "split-at-single-spaces",
        "empty-reference-rated",
    ),
}

# These fall over where a right one answers: who finds no others looks at no answer.
LOUD = {
    "strings-only",
    "costs-cut-to-integers",
    "zero-refused",
    "table-insert-delete-swapped",
    "table-without-border",
}


@cache
def right_ones():
    course = find_course(Path(__file__).parent)
    return right_implementations(course, course.exercise("edit_distance"))


@cache
def wrong_ones():
    course = find_course(Path(__file__).parent)
    exercise = course.exercise("edit_distance")
    return {area: wrong_implementations(course, exercise, ids) for area, ids in MISTAKES.items()}


def check_right(student):
    """No test fails on any right implementation."""
    TRIALS.try_all(student, [*right_ones(), *(wrong for mistakes in wrong_ones().values() for wrong in mistakes)])
    alarms = sum(bool(TRIALS.failures(student, right)) for right in right_ones())
    if alarms:
        problem = (
            f"Your tests fail on {alarms} of {len(right_ones())} right implementations: "
            "they ask for something that the contract leaves open."
        )
        raise Mismatch(problem, problem)


def check_share(student, percent):
    """The student's tests find so many of the mistakes, without a false alarm."""
    check_right(student)
    total = sum(map(len, MISTAKES.values()))
    found, survivors = 0, Counter()
    for area, mistakes in wrong_ones().items():
        for wrong in mistakes:
            if TRIALS.failures(student, wrong):
                found += 1
            else:
                survivors[area] += 1
            if 100 * found >= percent * total:
                return  # the others are left to the criteria that ask for more
    where = ", ".join(f"{count} of {len(MISTAKES[area])} in {area}" for area, count in survivors.items())
    problem = f"Your tests find {found} of {total} wrong implementations. Not found: {where}."
    raise Mismatch(problem, problem)


@criterion(
    "Right in any style",
    points=3,
    kind="robustness",
    hint="Several alignments can be cheapest, sums of fractions are rounded in more than one way, and messages differ.",
    timeout=PATIENCE,
)
def test_variants_pass(student):
    """Right implementations in other styles pass all of your tests, and some wrong answer does not."""
    check_right(student)
    quiet = [wrong for mistakes in wrong_ones().values() for wrong in mistakes if wrong.name not in LOUD]
    if not any(TRIALS.failures(student, wrong) for wrong in quiet):
        problem = "No wrong answer fails any of your tests: they assert nothing about what is answered."
        raise Mismatch(problem, problem)


@criterion(
    "A quarter of the mistakes",
    points=2,
    kind="value",
    hint="Try each of the four functions with a few values that you know for sure.",
    timeout=PATIENCE,
)
def test_a_quarter(student):
    """Your tests find a quarter of the wrong implementations."""
    check_share(student, 25)


@criterion(
    "Half of the mistakes",
    points=2,
    kind="value",
    hint="Use costs that differ from each other and from 1, and sequences of different lengths.",
    timeout=PATIENCE,
)
def test_half(student):
    """Your tests find half of the wrong implementations."""
    check_share(student, 50)


@criterion(
    "Seven in ten",
    points=2,
    kind="value",
    hint="Which cells of the table, and which steps of an alignment, does no test of yours look at?",
    timeout=PATIENCE,
)
def test_seven_in_ten(student):
    """Your tests find seven tenths of the wrong implementations."""
    check_share(student, 70)


@criterion(
    "Most of the mistakes",
    points=3,
    kind="value",
    hint="Go through the contract sentence by sentence: empty sequences, lists, fractions, zero, errors, white space.",
    timeout=PATIENCE,
)
def test_most(student):
    """Your tests find 85 % of the wrong implementations."""
    check_share(student, 85)


@criterion(
    "Hardly any mistake is left",
    points=2,
    kind="value",
    hint="What is left are corners: very different lengths, odd items, free operations, messages.",
    timeout=PATIENCE,
)
def test_nearly_all(student):
    """Your tests find 95 % of the wrong implementations."""
    check_share(student, 95)
