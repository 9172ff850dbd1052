"""Hidden tests of `viterbi`. The oracle looks at every single path of states.

Whether a function has the right values is asked by one criterion for each. Others look at their own property: where a
function has wrong values anyhow (`is_right`), they ask it only for what a wrong one can have as well. Easy answers
(`that_answer`) make sure that anything is computed. One function of the five may fail at these: its own criterion asks
them, too.
"""

import math
from collections import Counter
from functools import cache
from typing import NamedTuple

import torch

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion

FLOAT_SCORES = {"rtol": 1e-4, "atol": 1e-5}  # for what may be computed in float32: only `dtypes` asks for more
ROWS, TOTALS = ("bayes_filter", "posterior"), ("log_joint", "log_evidence")
FUNCTIONS = (*TOTALS, *ROWS, "viterbi")
NEVER = -math.inf
ORDINARY = ((3, 5, 4), (4, 2, 3))  # sizes: states, symbols, observations


# Models


class Model(NamedTuple):
    initial: torch.Tensor  # (S,)
    transition: torch.Tensor  # (S, S)
    emission: torch.Tensor  # (S, V)

    def to(self, dtype):
        return Model(*(part.to(dtype) for part in self))


def random_model(states, symbols, sharpness=1.5):
    shapes = ((states,), (states, states), (states, symbols))
    return Model(*((torch.randn(shape, dtype=torch.float64) * sharpness).log_softmax(-1) for shape in shapes))


def sparse(part, rng, share):
    """The same with some entries impossible, never all of a row."""
    rows = part.reshape(-1, part.shape[-1]).clone()
    for row in rows:
        for place in rng.sample(range(len(row)), round(share * len(row))):
            row[place] = NEVER
    return rows.log_softmax(1).reshape(part.shape)


def draw(model, length):
    """States and symbols as the model makes them: nothing impossible."""
    states, symbols, weights = [], [], model.initial
    for _ in range(length):
        states.append(torch.multinomial(weights.exp(), 1).item())
        symbols.append(torch.multinomial(model.emission[states[-1]].exp(), 1).item())
        weights = model.transition[states[-1]]
    return states, symbols


# The oracle: every single path


@cache
def all_paths(states, length):
    return torch.cartesian_prod(*[torch.arange(states)] * length).reshape(-1, length)  # (P, T)


def joints(paths, symbols, model):
    """The log joint of each path (P,)."""
    initial, transition, emission = model
    moves = transition[paths[:, :-1], paths[:, 1:]].sum(1)
    return initial[paths[:, 0]] + moves + emission[paths, torch.tensor(symbols)].sum(1)


def shares(model, symbols, length, place):
    """log p(state at this place | the first `length` symbols): (S,)."""
    paths = all_paths(len(model.initial), length)
    scores = joints(paths, symbols[:length], model)
    ends = [scores[paths[:, place] == state].logsumexp(0) for state in range(len(model.initial))]
    return torch.stack(ends) - scores.logsumexp(0)


def expected_of(name, model, states, symbols):
    """What a function has to answer; for `viterbi` the largest log joint."""
    places = range(len(symbols))
    if name == "log_joint":
        return joints(torch.tensor([states]), symbols, model)[0].item()
    if name == "bayes_filter":
        return torch.stack([shares(model, symbols, place + 1, place) for place in places])
    if name == "posterior":
        return torch.stack([shares(model, symbols, len(symbols), place) for place in places])
    scores = joints(all_paths(len(model.initial), len(symbols)), symbols, model)
    return (scores.logsumexp(0) if name == "log_evidence" else scores.max()).item()


# Answers of whatever dtype and kind of number: these are another criterion's business


def number(found, what):
    is_one = isinstance(found, float) or (isinstance(found, torch.Tensor) and found.numel() == 1)
    assert is_one, f"{what} must be one number"
    return float(found)


def path_and_score(found, model):
    """The path as a list of states, and the score as a number."""
    assert isinstance(found, list | tuple) and len(found) == 2, "viterbi must be a pair"
    path, score = found
    path = path.tolist() if isinstance(path, torch.Tensor) else path
    assert isinstance(path, list | tuple), "the path of viterbi must be a list"
    path = [int(number(float(state) if isinstance(state, int) else state, "a state")) for state in path]
    assert path and all(0 <= state < len(model.initial) for state in path), "the path of viterbi must be one of states"
    return path, number(float(score) if isinstance(score, int) else score, "the score of viterbi")


def ask(student, name, model, states, symbols):
    first = (states, symbols) if name == "log_joint" else (symbols,)
    return getattr(student, name)(*first, *model)


def check(student, name, model, states, symbols, expected=None, **tolerance):
    """A function's answer is that of the oracle."""
    tolerance = tolerance or FLOAT_SCORES
    found = ask(student, name, model, states, symbols)
    expected = expected_of(name, model, states, symbols) if expected is None else expected
    what = f"{name} of {len(symbols)} observations with {len(model.initial)} states"
    if name == "viterbi":  # of several best paths any is right
        path, found = path_and_score(found, model)
        assert len(path) == len(symbols), "the path of viterbi must have a state for each observation"
        joint = joints(torch.tensor([path]), symbols, model)[0].item()
        assert_close(joint, expected, f"the log joint of the path of {what}", **tolerance)
        what = f"the score of {what}"
    if name in ROWS:
        assert isinstance(found, torch.Tensor), f"{name} must be a tensor"
        assert_close(found.double(), expected, what, **tolerance)
    else:
        assert_close(number(found, what), expected, what, **tolerance)


def is_right(student, name):
    """Whether a function has right values where nothing is out of the ordinary."""
    for states, symbols, length in ORDINARY:
        model = random_model(states, symbols)
        try:
            check(student, name, model, *draw(model, length), rtol=1e-3, atol=1e-3)
        except AssertionError:
            return False
    return True


def check_value(student, name, rng):
    """The criterion of each function's values: fewer states than symbols, and more; one observation; one state."""
    for states, symbols, length in (*ORDINARY, (3, 7, 5), (5, 3, 4), (2, 3, 11), (3, 5, 1), (1, 3, 2)):
        model = random_model(states, symbols)
        check(student, name, model, *draw(model, length))
        path, seen = ([rng.randrange(count) for _ in range(length)] for count in (states, symbols))
        check(student, name, model, path, seen)  # what the model would hardly do
    for model, path, seen, _ in easy_questions():
        check(student, name, model, path, seen)


# Easy answers: whoever has one mistake somewhere gets these right all the same, and whoever computes nothing does not


def easy_model(likes):
    """Three states that stay as they are more often than not, each with a favourite symbol. Two more are rare."""
    emission = torch.full((3, 5), 0.04, dtype=torch.float64)
    emission[range(3), likes] = 0.9
    emission[:, [symbol for symbol in range(5) if symbol not in likes]] = 0.01
    stay = torch.full((3, 3), 0.2, dtype=torch.float64) + 0.4 * torch.eye(3, dtype=torch.float64)
    return Model(torch.full((3,), 1 / 3, dtype=torch.float64).log(), stay.log(), emission.log())


def easy_questions():
    """Model, path, symbols and the state that nearly all of them come from."""
    # Twice the same symbols, and each time another state likes the first of them; then others with the first model.
    for likes, state in (([1, 4, 2], 0), ([4, 2, 1], 2), ([1, 4, 2], 1)):
        other = (state + 1) % 3
        yield easy_model(likes), [state] * 5, [likes[one] for one in (state, state, other, state, state)], state


def that_answer(student):
    """The functions that answer, with the easy answers. One may raise or have wrong ones: it loses its own criteria."""
    found, wrong = {name: [] for name in FUNCTIONS}, set()
    raised = None
    for name in FUNCTIONS:
        try:
            for model, path, symbols, state in easy_questions():
                answers = [ask(student, name, model, path, symbols)]
                if name in TOTALS:  # something less likely beside it
                    answers.append(ask(student, name, model, [3 - state - (state + 1) % 3] * 5, [*symbols[:3], 0, 3]))
                found[name].append(is_easy_answer(name, answers, model, state))
        except Exception as failure:
            kinds = getattr(failure, "types", ())
            if raised or not kinds or "NotImplementedError" in kinds:  # the second; not the student's; not written yet
                raise
            raised = failure
            del found[name]
            wrong.add(name)
    wrong |= {name for name, right in found.items() if not all(right)}
    assert len(wrong) < 2, f"what is likely, and what is not, to {' and to '.join(sorted(wrong))}"
    return list(found)


def is_easy_answer(name, answers, model, state):
    try:
        if name in TOTALS:
            likely, unlikely = (number(one, name) for one in answers)
            return likely > unlikely
        if name in ROWS:
            return answers[0].shape == (5, 3) and most_common(answers[0].argmax(1).tolist()) == state
        return most_common(path_and_score(answers[0], model)[0]) == state
    except (AssertionError, AttributeError):  # another kind of thing
        return False


def most_common(states):
    return Counter(states).most_common(1)[0][0]


# One criterion for the values of each function


@criterion(
    "Any path of any model",
    points=2,
    kind="value",
    hint="Write the sum for a path of one state, then of two: how many terms of each of the three tables?",
)
def test_any_path(student, rng):
    """The log joint has one initial state, a transition for each pair of neighbours, and an emission for each state."""
    check_value(student, "log_joint", rng)


@criterion(
    "What has been seen so far, and nothing else",
    points=3,
    kind="value",
    hint="Row t must not change when observations are added after t. The first state has no transition before it; "
    "transition goes from row to column.",
)
def test_filter_by_enumeration(student, rng):
    """Each row of the filter is what all paths up to there say together, with any number of states and symbols."""
    check_value(student, "bayes_filter", rng)


@criterion(
    "All paths together",
    points=2,
    kind="value",
    hint="For two states and two observations there are four paths: write them down and add their probabilities.",
)
def test_evidence_by_enumeration(student, rng):
    """The evidence is the sum over every single path."""
    check_value(student, "log_evidence", rng)


@criterion(
    "With all that was seen",
    points=3,
    kind="value",
    hint="The last row is that of the filter. For the others: which emissions belong to the end of a path, and which "
    "to its beginning? Each of them to one only.",
)
def test_posterior_by_enumeration(student, rng):
    """Each row of the posterior is the share of all paths through each state."""
    check_value(student, "posterior", rng)


@criterion(
    "No path is better",
    points=3,
    kind="value",
    hint="The maximum goes over where one comes from. Remember its place for each state, and walk back along these.",
)
def test_no_better_path(student, rng):
    """No path has a larger log joint than the one of viterbi, and its score is that log joint; ties do not matter."""
    check_value(student, "viterbi", rng)
    model = random_model(5, 3)
    twins = [0, 1, 1, 2, 0]  # states that cannot be told apart: many paths are equally good
    tied = Model(model.initial[twins], model.transition[twins][:, twins], model.emission[twins])
    tied = Model(*(part.log_softmax(-1) for part in tied))
    even = Model(*(torch.zeros_like(part).log_softmax(-1) for part in model))
    for one in (tied, even):
        check(student, "viterbi", one, *draw(one, 4))


# All together


@criterion(
    "Where much is impossible",
    points=3,
    kind="robustness",
    hint="Print what you have after each observation. Where does the first NaN come from: -inf minus -inf, 0 times "
    "-inf, or log(0) that you kept away with a small number?",
)
def test_much_is_impossible(student, rng):
    """With -inf among the parameters, too: -inf where the probability is 0, a right number elsewhere, and never NaN."""
    names = that_answer(student)
    for name in names:
        right = is_right(student, name)
        for states, symbols, length in ((5, 3, 4), (3, 5, 6)):
            model = random_model(states, symbols)
            model = Model(*(sparse(part, rng, 0.4) for part in model))
            path, seen = draw(model, length)
            if right:
                check(student, name, model, path, seen)
                if name == "log_joint":  # paths that the model can hardly take
                    check(student, name, model, [path[0], *path[:-1]], seen)
                    check(student, name, model, path[::-1], seen)
            else:
                check_no_nan(ask(student, name, model, path, seen))

    # Nothing fits: no state emits the last symbol; or there is no way back from the second state to the first.
    silent = random_model(3, 4)
    silent = Model(*silent[:2], torch.cat([silent.emission, torch.full((3, 1), NEVER, dtype=torch.float64)], dim=1))
    one_way = ([0.5, 0.5], [[0.6, 0.4], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    one_way = Model(*(torch.tensor(part, dtype=torch.float64).log() for part in one_way))
    for model, path, seen in ((silent, [0, 2, 1, 1], [0, 2, 3, 4]), (one_way, [0, 1, 0], [0, 1, 0])):
        for name in set(names) - set(ROWS):
            found = ask(student, name, model, path, seen)
            found = path_and_score(found, model)[1] if name == "viterbi" else number(found, name)
            assert_equal(found, NEVER, f"{name} of what is impossible")


def check_no_nan(found):
    for part in found if isinstance(found, list | tuple) else [found]:
        values = part if isinstance(part, list | tuple) else [part]
        for value in values:
            assert not bool(torch.as_tensor(value).isnan().any()), "there is NaN in the result"


@criterion(
    "Nothing underflows",
    points=3,
    kind="robustness",
    timeout=5,
    hint="exp of -1000 is 0 in floating point, and its logarithm is gone. Add logarithms and use logsumexp; exp of a "
    "result is yours to take at the very end, or not at all.",
)
def test_nothing_underflows(student, rng):
    """Long sequences, and probabilities as small as e^-1000 in a single step, have right logarithms."""
    right = {name: is_right(student, name) for name in that_answer(student)}

    # Where every state follows every other with the same probability, each observation can be looked at alone.
    states, symbols, length = 3, 97, 211
    emission = random_model(states, symbols, sharpness=1.0).emission
    model = Model(
        *(torch.zeros(*shape, states, dtype=torch.float64).log_softmax(-1) for shape in ((), (states,))), emission
    )
    path, seen = ([rng.randrange(count) for _ in range(length)] for count in (states, symbols))
    said = emission[:, seen].T  # (T, S)
    apart = length * math.log(1 / states)
    expected = {
        "log_joint": apart + said[range(length), path].sum().item(),
        "log_evidence": apart + said.logsumexp(1).sum().item(),
        "bayes_filter": said.log_softmax(1),
        "posterior": said.log_softmax(1),
        "viterbi": apart + said.amax(1).sum().item(),
    }
    for dtype, tolerance in ((torch.float64, FLOAT_SCORES), (torch.float32, {"rtol": 1e-4, "atol": 0.02})):
        for name in right:
            if right[name]:
                check(student, name, model.to(dtype), path, seen, expected[name], **tolerance)
            else:
                check_no_nan(ask(student, name, model.to(dtype), path, seen))

    # What is very unlikely is not impossible: every parameter may be as small as e^-1000.
    for states, symbols, length in ((3, 5, 4), (2, 3, 6)):
        model = random_model(states, symbols, sharpness=600.0)
        path, seen = ([rng.randrange(count) for _ in range(length)] for count in (states, symbols))
        for name in right:
            if right[name]:
                check(student, name, model, path, seen, rtol=1e-4, atol=1e-3)


@criterion(
    "Precise in float64, at home in float32",
    points=2,
    kind="shape",
    hint="New tensors take the dtype of the parameters (torch.zeros_like, new_full). A 0-dim result has the shape (); "
    "states are plain ints, and the score of viterbi is a plain float.",
)
def test_dtypes(student):
    """Tensors have the dtype of the parameters and are as precise as that; viterbi has plain ints and a plain float."""
    states, symbols, length = 3, 5, 7
    model = random_model(states, symbols)
    path, seen = draw(model, length)
    names = that_answer(student)
    for dtype, tolerance in ((torch.float64, {"rtol": 1e-9, "atol": 1e-9}), (torch.float32, FLOAT_SCORES)):
        given = model.to(dtype)
        for name in names:
            found, what = ask(student, name, given, path, seen), f"{name} in {dtype}"
            expected = expected_of(name, given.to(torch.float64), path, seen)
            if name == "viterbi":
                check_plain(found)
                found = found[1]
                expected = expected if abs(found - expected) < 1e-3 else found  # it is wrong, and not imprecise
            else:
                expected = torch.as_tensor(expected, dtype=dtype)
                assert isinstance(found, torch.Tensor), f"{what} must be a tensor"
                assert found.shape == expected.shape, f"{what} must have the shape {tuple(expected.shape)}"
                assert found.dtype is dtype, f"{what} must have the dtype of the parameters"
                expected = torch.where((found - expected).abs() < 1e-3, expected, found)
            assert_close(found, expected, what, **tolerance)


def check_plain(found):
    assert isinstance(found, list | tuple) and len(found) == 2, "viterbi must be a pair"
    path, score = found
    assert isinstance(path, list), "the path of viterbi must be a list"
    assert all(type(state) is int for state in path), "the states of viterbi must be plain ints"
    assert isinstance(score, float), "the score of viterbi must be a plain float"


@criterion(
    "Nothing is changed, nothing is remembered",
    points=2,
    kind="robustness",
    hint="x += y and x[...] = y change a tensor where it is, and initial is the caller's. Work on new tensors, and "
    "keep nothing from one call to the next.",
)
def test_nothing_changed(student):
    """No function changes its arguments; the same call has the same result after other calls, and others their own."""
    model, other = random_model(3, 5), random_model(3, 5)
    path, seen = draw(model, 4)
    calls = {name: ((path, seen) if name == "log_joint" else (seen,)) for name in that_answer(student)}
    first = {name: getattr(student, name).observe(*start, *model) for name, start in calls.items()}
    for name, start in calls.items():
        kept, found = first[name].value, getattr(student, name)(*start, *other)
        assert kept is not None, f"{name} returns nothing"
        assert not same(found, kept), f"{name} has the same answer for two different models"
        assert_equal(list(first[name].args), [*start, *model], f"the arguments of {name} after the call")
    for name, start in calls.items():
        again = getattr(student, name)(*start, *model)
        assert_equal(again, first[name].value, f"{name}, called with the same arguments once more,")


def same(found, before):
    try:
        assert_equal(found, before, "the answer")
    except AssertionError:
        return False
    return True


@criterion(
    "At home on an accelerator",
    points=2,
    kind="device",
    hint="A tensor that you make needs the device of the parameters: torch.zeros_like(initial), initial.new_full, or "
    "device=initial.device.",
)
def test_on_an_accelerator(student, device):
    """On an accelerator all results are the CPU's, and tensors are on the accelerator."""
    model = random_model(3, 5).to(torch.float32)
    path, seen = draw(model, 6)
    for name in that_answer(student):
        function = getattr(student, name)
        arguments = ((path, seen) if name == "log_joint" else (seen,)) + tuple(model)
        if name == "viterbi":  # plain numbers, which are nowhere
            expected = function(*arguments)
            assert_close(function.on(device)(*arguments), expected, "viterbi on the accelerator", **FLOAT_SCORES)
        else:
            assert_same_on_device(function, device, name, *arguments)
