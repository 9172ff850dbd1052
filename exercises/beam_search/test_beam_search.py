"""Public tests of `beam_search`. Run them with `pytest exercises/beam_search` or `grader check beam_search`.

The hidden tests use other models, and other numbers for <sos> and <eos>.
"""

import math
import random
from itertools import product

import torch

from grader.judge import Mismatch, assert_close, assert_equal, criterion, show, student_raises

SOS, EOS, A, B, SIZE = 1, 2, 4, 5, 6  # 0 is <pad> and 3 is <unk>: both are as good as impossible
NEVER = 1e-9
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}

# The model of the handout: P(a), P(b) and P(<eos>) after what has been said so far.
HANDOUT = {
    "": (0.5, 0.4, 0.1),
    "a": (0.4, 0.25, 0.35),
    "b": (0.05, 0.05, 0.9),
    "aa": (0.1, 0.3, 0.6),
    "else": (0.05, 0.05, 0.9),
}

PLAIN = {"": (0.9, 0.05, 0.05), "else": (0.05, 0.05, 0.9)}  # a, and then the end


class Model:
    """The caller's `step`: a table by what has been said so far. It writes down what it is asked."""

    def __init__(self, table, *, strict=False):
        self.table = table
        self.strict = strict  # takes lists of plain ints only; where that is not the question, tensors too
        self.calls = []

    def __call__(self, prefixes):
        prefixes = as_prefixes(prefixes, self.strict)
        self.calls.append(prefixes)
        return torch.tensor([self.row(prefix[1:]) for prefix in prefixes])  # (k, V)

    def row(self, tokens):
        said = "".join({A: "a", B: "b"}.get(token, "?") for token in tokens)
        p_a, p_b, p_eos = self.table.get(said, self.table["else"])
        return [math.log(p) for p in (NEVER, NEVER, p_eos, NEVER, p_a, p_b)]


class RandomModel(Model):
    """Some distribution after each prefix, always the same one."""

    def __init__(self, seed):
        super().__init__({})
        self.seed = seed

    def row(self, tokens):
        generator = random.Random(hash((self.seed, *tokens)))
        logits = torch.tensor([generator.gauss(0, 1.5) for _ in range(SIZE)])
        logits[SOS] -= 20.0  # it could be said, but that is another question
        return logits.log_softmax(0).tolist()


def as_prefixes(prefixes, strict):
    """What step is given, after a look at its kinds."""
    if not strict:
        prefixes = plain(prefixes)
    lists = isinstance(prefixes, list | tuple) and all(isinstance(prefix, list | tuple) for prefix in prefixes)
    if not lists or not all(type(token) is int for prefix in prefixes for token in prefix):
        problem = "step must be called with a list of prefixes, each a list of plain ints"
        raise Mismatch(f"{problem}; found {show(prefixes)}.", f"{problem}.")
    if any(len(prefix) > 30 for prefix in prefixes):
        problem = "step is called with a prefix far longer than max_len."
        raise Mismatch(problem, problem)
    return [list(prefix) for prefix in prefixes]


def plain(value):
    """Lists and numbers in the place of tensors, where their kind is not the question."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def ranked(found, what):
    """The hypotheses as [(letters, score)], whatever they say of <sos>, of <eos>, and of kinds of numbers.

    The criteria about these look closer; all others ask which letters were found, so that a slip is lost once only.
    """
    entries = plain([found] if isinstance(found, tuple) else found)
    fits = isinstance(entries, list) and all(isinstance(entry, list) and len(entry) == 2 for entry in entries)
    if not fits or not all(isinstance(tokens, list) and isinstance(score, float) for tokens, score in entries):
        raise Mismatch(f"{what} must give hypotheses; found {show(found)}.", f"{what} must give hypotheses.")
    return [([token for token in tokens if token not in (SOS, EOS)], score) for tokens, score in entries]


def letters(found, what):
    return [tokens for tokens, _ in ranked(found, what)]


def log(*probabilities):
    return math.log(math.prod(probabilities))


@criterion(
    "The greedy way through the handout's model",
    points=2,
    kind="value",
    question="When does the search stop, and what has it kept?",
    hint="argmax over the row of the one prefix, until <eos> or max_len; .item() makes plain numbers. No division by "
    "the length here.",
    step="Loop at most max_len times: take the best token, add its log-probability, append it, and stop after <eos>.",
)
def test_greedy_of_the_handout(student):
    """Greedy search takes the best token each time, ends at <eos> or max_len, and reports the plain sum."""
    for max_len, tokens, score in [
        (4, [A, A, EOS], log(0.5, 0.4, 0.6)),
        (3, [A, A, EOS], log(0.5, 0.4, 0.6)),
        (2, [A, A], log(0.5, 0.4)),
    ]:
        found = student.greedy_search(Model(HANDOUT, strict=True), sos=SOS, eos=EOS, max_len=max_len)
        assert_close(found, (tokens, score), f"greedy_search(the handout's model, max_len={max_len})", **TOLERANCE)


@criterion(
    "The tree of the handout",
    points=3,
    kind="value",
    question="How many candidates are there before two are kept?",
    hint="Print the kept candidates after each step and lay them beside the handout's table.",
    step="For each live prefix add its sum to every next log-probability; sort all of them together; keep the "
    "best two.",
)
def test_tree_of_the_handout(student):
    """A beam of 2 finds the two hypotheses of the handout's tree, with their scores."""
    model = Model(HANDOUT, strict=True)
    found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=2, max_len=4, n_best=2)
    expected = [([B, EOS], log(0.4, 0.9) / 2), ([A, A, EOS], log(0.5, 0.4, 0.6) / 3)]
    assert_close(found, expected, "beam_search(the handout's model, beam_size=2, max_len=4, n_best=2)", **TOLERANCE)
    found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=1, max_len=4)
    assert_close(found, expected[1:], "beam_search(the handout's model, beam_size=1, max_len=4)", **TOLERANCE)


@criterion(
    "One call a step, and no call too many",
    points=2,
    kind="efficiency",
    question="How many prefixes go into one call?",
    hint="All live prefixes go into one call. After each step: is there anything live that could still beat what has "
    "finished?",
    step="Stop when nothing is live, or when the best live sum cannot pass the worst of the finished that you "
    "would return.",
)
def test_calls_of_the_handout(student):
    """The search of the handout asks three times: for <sos>, for a and b together, for aa; then nothing can change."""
    model = Model(HANDOUT)
    found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=2, max_len=4)
    assert letters(found, "beam_search"), "beam_search(the handout's model, beam_size=2) must find something"
    calls = [sorted({tuple(prefix) for prefix in call}) for call in model.calls]
    assert_equal(calls, [[(SOS,)], [(SOS, A), (SOS, B)], [(SOS, A, A)]], "the prefixes of all calls of step")
    model = Model(PLAIN)
    found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=1, max_len=4)
    assert [A] in letters(found, "beam_search"), "beam_search(a model that says a, beam_size=1) must find a"
    assert_equal(model.calls, [[[SOS]], [[SOS, A]]], "the prefixes of all calls of step")


@criterion(
    "Length and score",
    points=2,
    kind="value",
    question="What does dividing by the length do to a negative number?",
    hint="sum / len(tokens) ** length_alpha. Does len(tokens) count <eos>, and not <sos>?",
    step="Rank by the sum divided by len(tokens) ** length_alpha, where tokens holds <eos> and no <sos>.",
)
def test_length_and_score(student):
    """Scores are divided by the length to the power of length_alpha, so that longer hypotheses can win."""
    table = {"": (0.4, 0.1, 0.5), "a": (0.9, 0.04, 0.06), "aa": (0.95, 0.02, 0.03), "else": (0.03, 0.02, 0.95)}
    short, long = log(0.5), log(0.4, 0.9, 0.95, 0.95)
    for alpha in (0, 0.25, 0.5, 1, 1.5):
        found = student.beam_search(
            Model(table), sos=SOS, eos=EOS, beam_size=2, max_len=4, length_alpha=alpha, n_best=2
        )
        expected = [([], short), ([A, A, A], long / 4**alpha)]  # letters: <eos> has no part in this question
        expected.sort(key=lambda hypothesis: -hypothesis[1])
        found = ranked(found, "beam_search")
        assert_close(found, expected, f"the letters and scores of beam_search(…, length_alpha={alpha})", **TOLERANCE)


@criterion(
    "Finished before unfinished",
    points=2,
    kind="value",
    question="What is an unfinished hypothesis worth to somebody who reads it?",
    hint="Two lists: finished ones, ranked; behind them what is still live at max_len, ranked; then the first n_best.",
    step="Sort both lists by score, put the finished first, and cut at n_best.",
)
def test_finished_before_unfinished(student):
    """A finished hypothesis comes before every unfinished one, even if its score is worse."""
    table = {"aa": (0.85, 0.05, 0.1), "else": (0.9, 0.06, 0.04)}
    for n_best, expected in ((1, [[A, A]]), (2, [[A, A], [A, A, A]])):
        found = student.beam_search(Model(table), sos=SOS, eos=EOS, beam_size=2, max_len=3, n_best=n_best)
        what = f"beam_search(…, beam_size=2, max_len=3, n_best={n_best})"
        assert_equal(letters(found, what), expected, f"the letters of {what}")
        assert n_best == 1 or plain(found)[1][0][-1:] != [EOS], "an unfinished hypothesis has no <eos>"


@criterion(
    "A beam of one is greedy",
    points=2,
    kind="invariance",
    question="What is left of the beam when it has one place?",
    hint="With one place, the best continuation has it; and if that is <eos>, nothing live is left.",
    step="Keep exactly beam_size candidates after each step; a finished one takes a place of that step too.",
)
def test_beam_of_one(student, rng):
    """With beam_size=1 and length_alpha=0, beam search finds what greedy search finds."""
    for seed in (rng.getrandbits(32) for _ in range(6)):
        found = student.greedy_search(RandomModel(seed), sos=SOS, eos=EOS, max_len=5)
        (greedy,) = ranked([found], "greedy_search")
        found = student.beam_search(RandomModel(seed), sos=SOS, eos=EOS, beam_size=1, max_len=5, length_alpha=0)
        beam = ranked(found, "beam_search(…, beam_size=1)")[:1]
        assert_close(beam, [greedy], "the letters and the score of beam_search(…, beam_size=1)", **TOLERANCE)
        row, tokens = RandomModel(seed).row, [*greedy[0], EOS][:5]
        total = sum(row(tokens[:i])[token] for i, token in enumerate(tokens))
        assert_close(greedy[1], total, "the score of both", **TOLERANCE)


@criterion(
    "A beam as wide as the tree",
    points=2,
    kind="value",
    question="How many candidates are there in the first step?",
    hint="A beam may be wider than the vocabulary: at first there are fewer candidates than places. Keep all of them.",
    step="Keep the smaller number of beam_size and of the candidates that there are.",
)
def test_wide_beam(student):
    """A beam that has room for everything finds the best of all sequences."""
    model = Model(HANDOUT)
    every = []
    for length in range(3):
        for said in product([A, B], repeat=length):
            tokens = [*said, EOS]
            every.append((tokens, sum(model.row(tokens[:i])[token] for i, token in enumerate(tokens))))
    every.sort(key=lambda hypothesis: -hypothesis[1])
    found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=SIZE**3, max_len=3, length_alpha=0.0, n_best=3)
    best = every[0][0][:-1]  # b; of <eos> and of scores other tests ask
    assert best in letters(found, "beam_search"), f"beam_search(…, beam_size={SIZE**3}, max_len=3) misses the best"
    found = student.beam_search(Model(PLAIN), sos=SOS, eos=EOS, beam_size=SIZE**3, max_len=3, length_alpha=0.0)
    assert [A] in letters(found, "beam_search"), "beam_search(a model that says a, a wide beam) misses the best"


@criterion(
    "Sizes below one are refused",
    points=1,
    kind="robustness",
    question="Which sizes make no sense?",
    hint='raise ValueError(f"beam_size must be …, not {beam_size}"): the message names the argument.',
    step="Compare the three arguments with 1 before the search, and name the one that is too small.",
)
def test_sizes_below_one(student):
    """beam_size, max_len or n_best of 0 raises a ValueError that names the argument."""
    sizes = {"beam_size": 2, "max_len": 3, "n_best": 1}
    for name in sizes:
        with student_raises("ValueError", naming=name):
            student.beam_search(Model(HANDOUT), sos=SOS, eos=EOS, **{**sizes, name: 0})
    with student_raises("ValueError", naming="max_len"):
        student.greedy_search(Model(HANDOUT), sos=SOS, eos=EOS, max_len=0)
    always_b = Model({"else": (0.1, 0.8, 0.1)})
    for model, expected in ((Model(HANDOUT), ([A], log(0.5))), (always_b, ([B], log(0.8)))):  # and 1 is right
        found = student.beam_search(model, sos=SOS, eos=EOS, beam_size=1, max_len=1, length_alpha=0)
        said = [tokens[:1] for tokens in letters(found, "beam_search")]
        assert_equal(said, [expected[0]], "the first letter of beam_search(…, beam_size=1, max_len=1)")
        found = student.greedy_search(model, sos=SOS, eos=EOS, max_len=1)
        assert_close(ranked([found], "greedy_search"), [expected], "greedy_search(…, max_len=1)", **TOLERANCE)


@criterion(
    "Where step answers",
    points=1,
    kind="device",
    question="Where does a tensor live that you make from a list, and where do the numbers live that step gave you?",
    hint="log_probs.new_tensor(…) is made where log_probs are; .tolist() brings plain numbers from anywhere.",
    step="Make the prefixes where you please, but before you add two tensors bring both to one device, or "
    "both to plain numbers.",
)
def test_where_step_answers(student, device):
    """beam_search finds the same where step answers from an accelerator."""
    for table, best in ((HANDOUT, [B]), (PLAIN, [A])):
        here, there = (
            ranked(search(Model(table), sos=SOS, eos=EOS, beam_size=2, max_len=4, n_best=2), "beam_search")
            for search in (student.beam_search, student.beam_search.on(device))
        )
        assert best in [tokens for tokens, _ in here], "beam_search(…, n_best=2) misses the best"
        assert_close(there, here, "beam_search(…, on an accelerator, n_best=2)", **TOLERANCE)
