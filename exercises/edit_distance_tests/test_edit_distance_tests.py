"""Public tests of edit_distance_tests: your tests meet a right implementation and a few wrong ones.

Where the course's solution is not at hand, the right one is your own `edit_distance.py`, so write that first.
"""

from pathlib import Path

from exercises.edit_distance_tests.questions import checked
from grader.judge import Implementation, Mismatch, Trials, criterion, from_file

TRIALS = Trials(checked)

ROOT = Path(__file__).parents[2]
SOLUTION, OWN = ROOT / "solutions/edit_distance.py", ROOT / "exercises/edit_distance/edit_distance.py"


def right_one():
    try:
        right = from_file(SOLUTION if SOLUTION.is_file() else OWN)
        right.load()
    except Exception as error:  # whatever a student's own file does when it is imported
        problem = f"Your edit_distance.py, on which your tests are tried here, cannot be imported ({error})."
        raise Mismatch(problem, problem) from error
    return right


def exchanged(right):
    """Insertion costs what deletion should, and the other way round."""

    def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
        return right["edit_distance"](source, target, insert=delete, delete=insert, substitute=substitute)

    return {"edit_distance": edit_distance}


def always_one(right):
    def edit_distance(source, target, *, insert=1, delete=1, substitute=1):
        return right["edit_distance"](source, target, insert=insert, delete=delete)

    return {"edit_distance": edit_distance}


def on_its_side(right):
    def edit_table(source, target, **costs):
        return [list(column) for column in zip(*right["edit_table"](source, target, **costs), strict=True)]

    return {"edit_table": edit_table}


def any_case(right):
    def edit_distance(source, target, **costs):
        source, target = (s.lower() if isinstance(s, str) else s for s in (source, target))
        return right["edit_distance"](source, target, **costs)

    return {"edit_distance": edit_distance}


def from_its_end(right):
    return {"alignment": lambda *sequences, **costs: right["alignment"](*sequences, **costs)[::-1]}


def nothing_kept(right):
    def alignment(*sequences, **costs):
        return [step for step in right["alignment"](*sequences, **costs) if step[0] != "keep"]

    return {"alignment": alignment}


def at_most_one(right):
    return {"word_error_rate": lambda *texts: min(1.0, right["word_error_rate"](*texts))}


def per_word_heard(right):
    def word_error_rate(reference, hypothesis):
        edits = right["word_error_rate"](reference, hypothesis) * len(reference.split())
        return edits / max(1, len(hypothesis.split()))

    return {"word_error_rate": word_error_rate}


# What is wrong, in words, and how a right implementation becomes wrong in this way.
DISTANCES = {
    "insertion and deletion exchange their costs": exchanged,
    "a substitution always costs 1": always_one,
    "the rows of the table belong to the target": on_its_side,
    "upper and lower case are the same": any_case,
}
OTHERS = {
    "the alignment is read from its end": from_its_end,
    "the alignment leaves out what is kept": nothing_kept,
    "the word error rate never exceeds 1": at_most_one,
    "the word error rate is per word of the hypothesis": per_word_heard,
}


def wrong_ones(right, mistakes):
    """The right implementation with each of these mistakes in it."""

    def wrong(name, change):
        def load():
            module = right.load()
            return {**module, **change(module)}

        return Implementation(name, load)

    return {name: wrong(name, change) for name, change in mistakes.items()}


def check_right(student):
    """No test fails on the right implementation."""
    right = right_one()
    TRIALS.try_all(student, [right, *wrong_ones(right, DISTANCES | OTHERS).values()])
    if failed := TRIALS.failures(student, right):
        whose = "the solution" if SOLUTION.is_file() else "your own edit_distance.py (one of the two is wrong)"
        problem = f"These tests fail on {whose}: {', '.join(failed)}."
        raise Mismatch(problem, problem)
    return right


def found(student, right, mistakes):
    """For each mistake, whether a test fails on it."""
    return {name: bool(TRIALS.failures(student, wrong)) for name, wrong in wrong_ones(right, mistakes).items()}


def check_found(student, mistakes):
    """The right implementation passes, and none of these mistakes survives."""
    verdicts = found(student, check_right(student), mistakes)
    if not all(verdicts.values()):
        lines = [f"  {'found   ' if killed else 'not yet '} {name}" for name, killed in verdicts.items()]
        problem = "\n".join(["Not all of these wrong implementations are found by your tests:", *lines])
        raise Mismatch(problem, problem)


@criterion(
    "No false alarm",
    points=2,
    kind="robustness",
    question="Could two different alignments both be right?",
    hint="Read the contract in the handout of edit_distance again: what does it leave open? And does a test assert "
    "anything yet?",
    step="Compare costs and not the steps themselves where several alignments are equally cheap.",
    timeout=60,
)
def test_no_false_alarm(student):
    """A right implementation passes all of your tests, and one of the wrong ones shown here does not."""
    right = check_right(student)
    if not any(found(student, right, DISTANCES | OTHERS).values()):
        problem = "No wrong implementation fails any of your tests: they assert nothing that could fail."
        raise Mismatch(problem, problem)


@criterion(
    "Wrong distances and tables",
    points=2,
    kind="value",
    question="Which pair of words tells an insertion from a deletion?",
    hint="For each of the mistakes in the list: with which input would it give another result?",
    step="Use different costs for the three operations, words of different lengths, and one pair that differs "
    "in case only.",
    timeout=60,
)
def test_wrong_distances(student):
    """Four mistakes in distances and tables are found."""
    check_found(student, DISTANCES)


@criterion(
    "Wrong alignments and rates",
    points=2,
    kind="value",
    question="What must be true of every alignment, whichever one it is?",
    hint="Replay the steps of an alignment: do they make the target out of the source, and at what cost?",
    step="Follow the steps: do they use up the source and build the target, at the cost that you expect? And try "
    "a rate above 1.",
    timeout=60,
)
def test_wrong_alignments_and_rates(student):
    """Four mistakes in alignments and word error rates are found."""
    check_found(student, OTHERS)
