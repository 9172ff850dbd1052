"""Public tests of `viterbi`. Run them with `pytest exercises/viterbi` or `grader check viterbi`.

The hidden ones ask for more.
"""

import math
from itertools import pairwise, product

import torch

from grader.judge import assert_close, assert_equal, criterion, show


def logs(probabilities):
    return torch.tensor(probabilities, dtype=torch.float64).log()


# The model of the handout: initial, transition, emission. States: 0 noun, 1 verb; words: 0 cooks, 1 can, 2 fish.
COOKS = (logs([0.6, 0.4]), logs([[0.1, 0.9], [0.8, 0.2]]), logs([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]]))

# A walk through three rooms in a row, from room 0 on: each step leads to the left or right, or ends at the wall.
ROOMS = (
    logs([1.0, 0.0, 0.0]),
    logs([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]),
    logs([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]),
)


def number(found, what):
    """A number, or what is in a tensor of one: its shape and dtype are another criterion's business."""
    is_one = isinstance(found, float) or (isinstance(found, torch.Tensor) and found.numel() == 1)
    assert is_one, f"{what} must be one number, found {show(found)}"
    return float(found)


def check_rows(found, probabilities, what):
    """A row of log-probabilities for each observation; its dtype is another criterion's business."""
    expected = torch.tensor(probabilities, dtype=torch.float64).log()
    is_tensor = isinstance(found, torch.Tensor)
    assert is_tensor, f"{what} must be a tensor, found {show(found)}"
    assert_close(found.double(), expected, what, rtol=1e-4, atol=1e-5)


@criterion(
    "One path",
    points=1,
    kind="value",
    question="Which probabilities have to be multiplied for the path noun, verb, noun?",
    hint="The first state has its initial probability, each later one a transition, and each state emits its word.",
    step="Begin with initial[s] + emission[s, o] of the first; for each pair of neighbours add transition[before, s] "
    "and emission[s, o].",
)
def test_one_path(student):
    """The log joint of a path and a sentence is the sum of its logarithms: the eight paths of the handout."""
    table = {"NNN": 12, "NNV": 21.6, "NVN": 864, "NVV": 43.2, "VNN": 320, "VNV": 576, "VVN": 640, "VVV": 32}
    for letters, share in table.items():
        path = ["NV".index(letter) for letter in letters]
        what = f"log_joint({path}, [0, 1, 2], …) of the handout's model"
        found = number(student.log_joint(path, [0, 1, 2], *COOKS), what)
        assert_close(found, math.log(share / 100_000), what, rtol=1e-5)
    what = "log_joint([1, 0], [2, 1], …) of the handout's model"
    assert_close(number(student.log_joint([1, 0], [2, 1], *COOKS), what), math.log(0.0128), what, rtol=1e-5)


@criterion(
    "What is known so far",
    points=1,
    kind="value",
    question="After the word cooks, and before the next word is seen: how probable is a noun?",
    hint="Three steps for each word: predict by the transition, correct by the emission, divide by the sum.",
    step="predicted = (row[:, None] + transition).logsumexp(dim=0); add emission[:, symbol]; subtract the logsumexp. "
    "The first word has initial in the place of a prediction.",
)
def test_so_far(student):
    """bayes_filter gives, after each word, the shares of the states by this word and those before it."""
    what = "bayes_filter([0, 1, 2], …) of the handout's model"
    rows = [[0.06 / 0.26, 0.2 / 0.26], [0.664 / 1.04, 0.376 / 1.04], [0.01836 / 0.025088, 0.006728 / 0.025088]]
    check_rows(student.bayes_filter([0, 1, 2], *COOKS), rows, what)
    what = "bayes_filter([2, 1], …) of the handout's model"
    check_rows(student.bayes_filter([2, 1], *COOKS), [[0.3 / 0.34, 0.04 / 0.34], [0.062 / 0.34, 0.278 / 0.34]], what)


@criterion(
    "All sentences share probability 1",
    points=1,
    kind="invariance",
    question="How many paths emit a sentence of three words, and what have they to do with its probability?",
    hint="The sum over all paths: logsumexp wherever paths meet, and no normalisation on the way.",
    step="Go on as in the filter, but without dividing: in the end the logsumexp of the last row.",
)
def test_shares_of_one(student):
    """log_evidence is the logarithm of the sum over all paths, so all sentences of two words sum to 1."""
    what = "log_evidence([0, 1, 2], …) of the handout's model"
    found = number(student.log_evidence([0, 1, 2], *COOKS), what)
    assert_close(found, math.log(0.025088), what, rtol=1e-5)
    sentences = product(range(3), repeat=2)
    shares = [math.exp(number(student.log_evidence(list(words), *COOKS), "log_evidence")) for words in sentences]
    assert_close(sum(shares), 1.0, "the sum over all sentences of two words", rtol=1e-5)


@criterion(
    "Afterwards one knows better",
    points=1,
    kind="value",
    question="Why does the word can change what one thinks of the word before it?",
    hint="For each word: how probable are all beginnings up to this state, times all ends from this state on?",
    step="Ends: begin behind the last word with log 1 = 0. Going back, add the emission of the word after, then take "
    "the logsumexp over its states, dim=1. Beginnings + ends, normalised in each row.",
)
def test_afterwards(student):
    """posterior gives, for each word, the shares of the states by the whole sentence."""
    what = "posterior([0, 1, 2], …) of the handout's model"
    rows = [[0.375, 0.625], [0.009296 / 0.025088, 0.015792 / 0.025088], [0.01836 / 0.025088, 0.006728 / 0.025088]]
    check_rows(student.posterior([0, 1, 2], *COOKS), rows, what)
    what = "posterior([2, 1], …) of the handout's model"
    check_rows(
        student.posterior([2, 1], *COOKS), [[0.12 / 0.136, 0.016 / 0.136], [0.0248 / 0.136, 0.1112 / 0.136]], what
    )


@criterion(
    "The best path is not the path of the best states",
    points=2,
    kind="value",
    question="Of which path is the number in a cell, and where did that path come from?",
    hint="As the filter, with the maximum in the place of the sum; and remember for each state where its maximum was.",
    step="best, came_from = (best[:, None] + transition).max(dim=0). In the end begin with the best last state, and "
    "follow came_from back to the first; then turn the path round.",
)
def test_best_path(student):
    """The best path of 'cooks can fish' is noun, verb, noun, though its first state is the less probable one."""
    for sentence, path, share in (([0, 1, 2], [0, 1, 0], 0.00864), ([2, 1], [0, 1], 0.108), ([0, 2], [1, 0], 0.08)):
        what = f"viterbi({sentence}, …) of the handout's model"
        found = student.viterbi(sentence, *COOKS)
        assert isinstance(found, list | tuple) and len(found) == 2, f"{what} must be a pair, found {show(found)}"
        states, score = found
        states = states.tolist() if isinstance(states, torch.Tensor) else [int(state) for state in states]
        assert_equal(states, path, f"the path of {what}")
        assert_close(number(score, what), math.log(share), f"the log joint of {what}", rtol=1e-5)


@criterion(
    "What is impossible is -inf, and never NaN",
    points=1,
    kind="robustness",
    question="What are -inf + 1, logsumexp(-inf, -inf), and -inf minus -inf?",
    hint="-inf is the right logarithm of 0, and sums and logsumexp can do with it. NaN comes from -inf minus -inf, and "
    "from 0 times -inf.",
    step="Use torch.logsumexp in the place of a formula of your own, and subtract only what is larger than -inf.",
)
def test_impossible(student):
    """From room 0 one needs two steps to room 2: so says every function, with -inf where nothing else is possible."""
    seen = [0, 1, 1, 0]
    reachable = [[room <= t for room in range(3)] for t in range(4)]
    for name in ("bayes_filter", "posterior"):
        found = getattr(student, name)(seen, *ROOMS)
        what = f"{name}({seen}, …) of the three rooms"
        assert isinstance(found, torch.Tensor) and found.shape == (4, 3), f"{what} must be a tensor (4, 3)"
        assert not bool(found.isnan().any()), f"{what} has NaN in it:\n{found}"
        assert_equal((found > -math.inf).tolist(), reachable, f"where {what} is more than -inf")
    what = f"log_joint([0, 2, 2, 1], {seen}, …), through a wall,"
    assert_close(number(student.log_joint([0, 2, 2, 1], seen, *ROOMS), what), -math.inf, what)
    assert number(student.log_joint([0, 1, 2, 2], seen, *ROOMS), "log_joint") > -math.inf, "this walk is possible"
    found = number(student.log_evidence(seen, *ROOMS), "log_evidence")
    assert math.isfinite(found), f"log_evidence({seen}, …) of the three rooms must be a finite number, found {found}"
    states, score = student.viterbi(seen, *ROOMS)
    assert math.isfinite(number(score, "viterbi")), f"the score of viterbi({seen}, …) must be finite, found {score}"
    assert all(ROOMS[1][int(a), int(b)] > -math.inf for a, b in pairwise(states)), (
        f"viterbi went through a wall: {states}"
    )
