"""What the answers of a failed test say about a program of ours: does it answer as the student's code did?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from types import CodeType

import msgspec

from grader.judge.diagnosis.recording import Exchange, Recording, functions_of
from grader.judge.diagnosis.replay import Answer, Clock, limit_of, replay
from grader.judge.diagnosis.similarity import HINT, alike, both_nan, nearly, same, tells, weight
from grader.judge.diagnosis.suspects import Suspects
from grader.wire.messages import Failure

SECONDS = 2.0  # for the solution on one test
HOPE = 6  # tests in which a mistake gives no wrong answer and some right ones: then it is not this one
SLOW = 0.1  # seconds of the solution's: such a test is asked only of mistakes that gave a wrong answer in a quicker one


class State(Enum):
    """What the student's answer to one call is, beside the solution's."""

    RIGHT = auto()
    ODD = auto()  # right but for its form: a tuple that should be a list, another dtype
    WRONG = auto()
    OPEN = auto()  # the solution has no answer, or raises the same kind of exception with other words


class Bearing(Enum):
    """What a program's answer to one call says about the mistake in it."""

    NOTHING = auto()
    AGREES = auto()  # wrong as the student is
    RIGHT = auto()  # where the student is wrong: if the mistake was made, it was not alone
    DIFFERS = auto()  # wrong in another way than the student
    CONTRADICTS = auto()  # wrong where the student is right


class Witness:
    """One failed test: the calls, the student's answers, and the solution's."""

    def __init__(self, criterion: str, test: Recording, suspects: Suspects, dull: frozenset[str], clock: Clock) -> None:
        self.criterion = criterion
        self.test = test
        self.functions = functions_of(test.exchanges)
        self.right: list[Answer | None] = []
        start = time.process_time()
        replay(suspects, suspects.solution, test, self._note, SECONDS, clock)
        self.seconds = time.process_time() - start
        self.right += [None] * (len(test.exchanges) - len(self.right))
        self.states = [_state(e.outcome, right) for e, right in zip(test.exchanges, self.right, strict=True)]
        self.weights = [
            weight(e, right) if state in (State.ODD, State.WRONG) and right and e.call.target not in dull else 0
            for e, right, state in zip(test.exchanges, self.right, self.states, strict=True)
        ]

        # What a mistake must explain: the answers that are wrong, or else those of an odd form.
        self.wrong = self._in_state(State.WRONG) or self._in_state(State.ODD)

    @property
    def exchanges(self) -> Sequence[Exchange]:
        return self.test.exchanges

    def _in_state(self, state: State) -> frozenset[int]:
        return frozenset(number for number, one in enumerate(self.states) if one is state)

    def _note(self, number: int, answer: Answer | None) -> bool:
        self.right.append(answer)
        return True

    def bearing(self, number: int, answer: Answer | None) -> Bearing:
        """What this answer of a program of ours says."""
        state, right, theirs = self.states[number], self.right[number], self.exchanges[number].outcome
        if state is State.OPEN or answer is None or right is None:
            return Bearing.NOTHING
        if state is State.WRONG:
            if same(answer, theirs, in_form=False) or alike(answer, theirs) or both_nan(answer, theirs, right):
                return Bearing.AGREES
            return Bearing.RIGHT if same(answer, right, in_form=False) else Bearing.DIFFERS
        if state is State.ODD and same(answer, theirs):
            return Bearing.AGREES
        if same(answer, right, in_form=False) or alike(answer, right):
            return Bearing.RIGHT if state is State.ODD else Bearing.NOTHING
        return Bearing.CONTRADICTS

    def weight_of(self, number: int, answer: Answer | None) -> float:
        """How much it says that this answer agrees: NaN in another place says less, an exception with other words
        hardly anything."""
        theirs, weight = self.exchanges[number].outcome, self.weights[number]
        if answer and same(answer, theirs, in_form=False):
            return weight
        if isinstance(answer, Failure):
            return min(HINT, weight) if tells(answer) else 0
        return min(1, weight)


Key = tuple[int, int]  # one answer: the number of the witness, and of the call


class Trial(msgspec.Struct):
    """A program's answers to failed tests."""

    agrees: dict[Key, float] = {}  # wrong as the student's -> how much that says
    differs: set[Key] = set()  # wrong in another way
    close: set[Key] = set()  # of these the numbers that are nearly the student's
    missed: set[Key] = set()  # right where the student is wrong
    against: set[str] = set()  # functions in which it is wrong where the student is right
    raises: set[str] = set()  # functions in which it raises there
    cut: bool = False  # slow tests were left out

    def shows_in(self, function_of: Mapping[Key, str]) -> set[str]:
        """The functions that it makes wrong."""
        return {function_of[key] for key in (*self.agrees, *self.differs)} | self.against | self.raises


def try_on(
    suspects: Suspects,
    code: CodeType,
    witnesses: Sequence[tuple[int, Witness]],
    clock: Clock,
    hopeless: Callable[[Trial], bool] | None = None,
) -> Trial:
    """Ask a program what failed tests asked; over when it is ``hopeless``: if nobody says when, when it makes few of
    the wrong answers wrong."""
    trial = Trial()
    for count, (place, witness) in enumerate(witnesses):
        if count and not hopeless and witness.seconds > SLOW and not trial.agrees:
            trial.cut = True
            break
        wrong = witness.wrong

        def go_on(
            number: int, answer: Answer | None, place: int = place, witness: Witness = witness,
            wrong: frozenset[int] = wrong,
        ) -> bool:  # fmt: skip
            bearing = witness.bearing(number, answer)
            if bearing is Bearing.CONTRADICTS:
                (trial.raises if isinstance(answer, Failure) else trial.against).add(witness.functions[number])
            elif number in wrong:
                if bearing is Bearing.AGREES:
                    trial.agrees[place, number] = witness.weight_of(number, answer)
                elif bearing is Bearing.DIFFERS:
                    trial.differs.add((place, number))
                    if answer and nearly(answer, witness.exchanges[number].outcome):
                        trial.close.add((place, number))
                elif bearing is Bearing.RIGHT:
                    trial.missed.add((place, number))
            return True

        replay(suspects, code, witness.test, go_on, limit_of(witness.seconds), clock)
        if hopeless(trial) if hopeless else count >= HOPE and trial.missed and not trial.agrees:
            break
    return trial


def _state(theirs: Answer, right: Answer | None) -> State:
    if right is None:
        return State.OPEN
    if same(theirs, right):
        return State.RIGHT
    if alike(theirs, right):
        return State.OPEN
    return State.ODD if same(theirs, right, in_form=False) else State.WRONG
