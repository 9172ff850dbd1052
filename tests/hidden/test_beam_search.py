"""Hidden tests of `beam_search`. Oracles: the contract written down without stopping early, and all sequences."""

import math
import random
from itertools import pairwise

import torch

from grader.judge import Mismatch, assert_close, assert_equal, criterion, student_raises

TOLERANCE = {"rtol": 1e-4, "atol": 1e-4}  # scores may be summed in float32
CLEAR = 2e-3  # how far apart hypotheses must be, at least, where a test depends on their order
TINY = 1e-6
LONG = 30  # tokens after which a search is taken for endless; no max_len of a model here is near it


# Models


class Model:
    """A `step`: log-probabilities as a function of the prefix and a seed. It writes down what it is asked."""

    def __init__(self, seed, *, sos, eos, size, end=0.0, sharpness=1.5, dtype=torch.float32):
        self.seed = seed
        self.sos, self.eos, self.size = sos, eos, size
        self.end = end  # how much more probable than other tokens <eos> is, as a logit
        self.sharpness = sharpness
        self.dtype = dtype
        self.strict = False  # takes lists of plain ints only; where that is not the question, tensors too
        self.rows = {}
        self.calls = []

    @property
    def special(self):
        return {"sos": self.sos, "eos": self.eos}

    def __call__(self, prefixes):
        prefixes = as_prefixes(prefixes, strict=self.strict)
        self.calls.append(prefixes)
        rows = [self.row(tuple(prefix[1:])) for prefix in prefixes]
        return torch.tensor(rows, dtype=self.dtype).reshape(len(prefixes), self.size)

    def row(self, tokens):
        """The log-probabilities after these tokens, V plain floats."""
        if tokens not in self.rows:
            self.rows[tokens] = self.make_row(tokens)
        return self.rows[tokens]

    def make_row(self, tokens):
        generator = random.Random(hash((self.seed, *tokens)))
        logits = [generator.gauss(0, self.sharpness) for _ in range(self.size)]
        logits[self.eos] += self.end
        logits[self.sos] -= 20.0
        most = max(logits)
        norm = most + math.log(sum(math.exp(logit - most) for logit in logits))
        return [logit - norm for logit in logits]


class Table(Model):
    """A model by hand: what has been said -> {token: probability}; () is the beginning, None whatever is not listed."""

    def __init__(self, table, *, sos, eos, size, dtype=torch.float32):
        super().__init__(0, sos=sos, eos=eos, size=size, dtype=dtype)
        self.table = table

    def make_row(self, tokens):
        listed = self.table.get(tokens, self.table[None])
        return [math.log(listed.get(token, TINY)) for token in range(self.size)]


class Renamed(Model):
    """Another model with new ids for its tokens: old id -> new id; further tokens are as good as impossible."""

    def __init__(self, model, new, size):
        super().__init__(0, sos=new[model.sos], eos=new[model.eos], size=size)
        self.model = model
        self.old = {new_id: old_id for old_id, new_id in enumerate(new)}

    def make_row(self, tokens):
        if not all(token in self.old for token in tokens):  # nobody gets here but by mistake
            return [-math.log(self.size)] * self.size
        row = self.model.row(tuple(self.old[token] for token in tokens))
        return [row[self.old[token]] if token in self.old else -60.0 for token in range(self.size)]


def sure_model(letters, **options):
    """A model that is nearly sure of these letters, as any beam is: its ``letters``."""
    sos, eos = USUAL
    said = (*letters, eos)
    table = {said[:n]: {said[n]: 0.9, 3 + n: 0.03} for n in range(len(said))} | {None: {4: 0.5, 3: 0.4}}
    model = Table(table, sos=sos, eos=eos, size=9, **options)
    model.letters = letters
    return model


def wrong(problem):
    return Mismatch(problem, problem)


def plain(value):
    """Lists and numbers in the place of tensors, where their kind is not the question."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def as_prefixes(prefixes, longest=LONG, *, strict=False):
    """What step is given, after a look at its kinds."""
    if not strict:
        prefixes = plain(prefixes)
    lists = isinstance(prefixes, list | tuple) and all(isinstance(prefix, list | tuple) for prefix in prefixes)
    if not lists or not all(type(token) is int for prefix in prefixes for token in prefix):
        raise wrong("step must be called with a list of prefixes, each a list of plain ints.")
    if any(len(prefix) > longest for prefix in prefixes):
        raise wrong("step is called with a prefix far longer than max_len: the search does not end.")
    return [list(prefix) for prefix in prefixes]


USUAL = (1, 2)  # <sos> and <eos>, as they often are: criteria about something else use these


def tokens_for(rng, count, size=9, special=USUAL):
    """Different token ids in no order: <sos>, <eos>, and letters; without special, <sos> is not 1 and <eos> not 2."""
    while True:
        sos, eos = special or rng.sample(range(size), 2)
        letters = rng.sample([token for token in range(3 if special else 0, size) if token not in (sos, eos)], count)
        if special or (sos != 1 and eos != 2):
            return [sos, eos, *letters]


# Oracles


def right_parent(rank, parent, live):
    return parent


def search(model, *, beam_size, max_len, alpha, n_best, parent_of=right_parent):
    """What the contract asks for, how near the nearest decision was, and the live prefixes of every step.

    With another ``parent_of`` it is what a search finds that puts new tokens behind the wrong hypotheses.
    """
    live, finished, asked, gap = [((), 0.0)], [], [], math.inf
    for length in range(1, max_len + 1):
        if not live:
            break
        asked.append(sorted([model.sos, *tokens] for tokens, _ in live))
        grown = [
            (total + log_prob, parent, token)
            for parent, (tokens, total) in enumerate(live)
            for token, log_prob in enumerate(model.row(tokens))
        ]
        grown.sort(key=lambda candidate: -candidate[0])
        gap = min([gap, *(a[0] - b[0] for a, b in pairwise(grown[beam_size - 1 : beam_size + 1]))])
        before, live = live, []
        for rank, (total, parent, token) in enumerate(grown[:beam_size]):
            tokens = (*before[parent_of(rank, parent, before)][0], token)
            if token == model.eos:
                finished.append((list(tokens), total / length**alpha))
            else:
                live.append((tokens, total))
    unfinished = [(list(tokens), total / max_len**alpha) for tokens, total in live]
    ranked = []
    for group in (finished, unfinished):
        group.sort(key=lambda hypothesis: -hypothesis[1])
        shown = group[: max(0, n_best - len(ranked)) + 1]
        gap = min([gap, *(a[1] - b[1] for a, b in pairwise(shown))])
        ranked += group
    return ranked[:n_best], gap, asked


WRONG_PARENTS = (
    lambda rank, parent, live: min(rank, len(live) - 1),  # whoever stands in the same row
    lambda rank, parent, live: min(parent, max(0, len(live) - 2)),  # the last row is never looked at
    lambda rank, parent, live: 0,
)


def parents_matter(settings):
    """Wanted are models for which each search with a wrong parent finds something else."""

    def wanted(model, expected):
        return all(search(model, **settings, parent_of=wrong_one)[0] != expected for wrong_one in WRONG_PARENTS)

    return wanted


def draw(rng, wanted=lambda model, expected: True, *, settings, letters=4, special=USUAL, **options):
    """A random model in which no two candidates are so near that rounding decides: model, result, prefixes asked."""
    for _ in range(300):
        sos, eos = tokens_for(rng, 0, letters + 2, special)
        model = Model(rng.getrandbits(32), sos=sos, eos=eos, size=letters + 2, **options)
        expected, gap, asked = search(model, **settings)
        if gap > CLEAR and wanted(model, expected):
            return model, expected, asked
    raise AssertionError("no model found")


def beam_search(student, model, *, beam_size, max_len, alpha, n_best):
    model.calls.clear()
    return student.beam_search(
        model, **model.special, beam_size=beam_size, max_len=max_len, length_alpha=alpha, n_best=n_best
    )


def ranked(found, model):
    """The hypotheses as [(letters, score)], whatever they say of <sos>, of <eos>, and of kinds of numbers.

    Some criteria look closer at these. All others ask for letters, so that a slip is lost once only.
    """
    entries = plain([found] if isinstance(found, tuple) else found)
    if not isinstance(entries, list) or not all(isinstance(entry, list) and len(entry) == 2 for entry in entries):
        raise wrong("A search must return hypotheses.")
    for tokens, score in entries:
        if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
            raise wrong("A hypothesis must have a list of plain ints.")
        if not isinstance(score, float) or math.isnan(score):
            raise wrong("A score must be a number.")
    return [(tuple(token for token in tokens if token not in (model.sos, model.eos)), s) for tokens, s in entries]


def spoken(found, model):
    """The letters of each hypothesis."""
    return [letters for letters, _ in ranked(found, model)]


def words(student, model, **settings):
    """The letters of each hypothesis that the student's beam search finds."""
    return spoken(beam_search(student, model, **settings), model)


def going_on(student, model, **settings):
    """The student's beam search finds the letters that it finds only if it does not stop too early."""
    expected = spoken(search(model, **settings)[0], model)
    found = words(student, model, **settings)
    assert_equal(sorted(found[: len(expected)]), sorted(expected), f"the letters of beam_search(a table, {settings})")


def check_beam(model):
    """The model was asked about several hypotheses of one token, which a greedy search never does."""
    if len({tuple(prefix) for call in model.calls for prefix in call if len(prefix) == 2}) < 2:
        raise wrong("A beam with several places asks step about several prefixes.")


def hypotheses(found, what):
    """The search's result as [(tokens, score)], after a look at its kinds."""
    if not isinstance(found, list):
        raise wrong(f"{what} must return a list.")
    for entry in found:
        fits = isinstance(entry, list | tuple) and len(entry) == 2 and isinstance(entry[0], list | tuple)
        if not fits or not all(type(token) is int for token in entry[0]) or not isinstance(entry[1], float):
            raise wrong("Each result is a Hypothesis: a list of plain ints, and a plain float as the score.")
        if math.isnan(entry[1]):
            raise wrong("A score is NaN.")
    return [(list(tokens), score) for tokens, score in found]


def total_of(model, tokens):
    """The sum of the log-probabilities of these tokens, by asking the model."""
    return math.fsum(model.row(tuple(tokens[:i]))[token] for i, token in enumerate(tokens))


# greedy_search


@criterion(
    "Greedy through random models",
    points=2,
    kind="value",
    hint="The best token each time, with the caller's sos and eos; the score is the sum of exactly these log-"
    "probabilities, that of <eos> among them, undivided.",
)
def test_greedy_random(student, rng):
    """Greedy search takes the most probable token until <eos> or max_len, whatever numbers these tokens have."""
    ends = set()
    while len(ends) < 2:  # some searches end in <eos>, some at max_len
        for dtype in (torch.float64, torch.float32):
            settings = {"beam_size": 1, "max_len": 5, "alpha": 0, "n_best": 1}
            model, [(tokens, score)], _ = draw(rng, settings=settings, end=0.5, dtype=dtype, special=())
            ends.add(tokens[-1] == model.eos)
            found = student.greedy_search(model, **model.special, max_len=5)
            assert_close(found, (tokens, score), f"greedy_search(…, {model.special}, max_len=5)", **TOLERANCE)


@criterion(
    "Greedy asks no more than it needs",
    points=1,
    kind="efficiency",
    hint="One prefix a call, one token longer each time, and no call after <eos> or after max_len tokens.",
)
def test_greedy_calls(student, rng):
    """Greedy search calls step once for each token, with the one prefix that it has."""
    sos, eos, a, b = tokens_for(rng, 2, special=())
    table = {(): {a: 0.6, b: 0.3}, (a,): {b: 0.7, eos: 0.2}, (a, b): {eos: 0.8, a: 0.1}, None: {b: 0.5, a: 0.4}}
    for max_len, tokens in ((7, [a, b, eos]), (2, [a, b])):
        model = Table(table, sos=sos, eos=eos, size=9)
        model.strict = True
        found = student.greedy_search(model, **model.special, max_len=max_len)
        assert_equal(spoken([found], model), [(a, b)], f"the letters of greedy_search(a table, max_len={max_len})")
        asked = [[[sos, *tokens[:i]]] for i in range(len(tokens))]
        assert_equal(model.calls, asked, "the prefixes of all calls of step by greedy_search")


# beam_search: which hypotheses


@criterion(
    "Random models, many settings",
    points=4,
    kind="value",
    hint="Do one step by hand: all continuations of all live hypotheses in one list, sorted by plain sum, the first "
    "beam_size kept. Do the arguments of the call have an effect, each of them?",
)
def test_random_models(student, rng):
    """Results equal those of the contract, followed word by word, for many beams, lengths and values of alpha."""
    for beam_size, max_len, alpha, n_best, end, dtype in (
        (2, 6, 0, 1, 0.5, torch.float32),
        (2, 5, 1, 2, 0.0, torch.float64),
        (3, 6, 0.7, 1, 1.0, torch.float64),
        (3, 5, 1.5, 3, 0.0, torch.float32),
        (4, 4, 1, 2, -1.0, torch.float64),
        (5, 6, 0, 3, 0.5, torch.float64),
        (5, 5, 0.3, 2, 0.0, torch.float32),
        (1, 6, 1, 1, -1.0, torch.float32),
        (3, 1, 1, 2, 0.0, torch.float64),
        (4, 7, 1.5, 1, -0.5, torch.float64),
        (3, 6, 2.1, 2, -0.5, torch.float32),
    ):
        settings = {"beam_size": beam_size, "max_len": max_len, "alpha": alpha, "n_best": n_best}
        telling = [parents_matter(settings)] if min(beam_size, n_best) > 1 and max_len > 1 else []
        model, expected, _ = draw(rng, *telling, settings=settings, end=end, dtype=dtype, special=())
        found = beam_search(student, model, **settings)
        if not isinstance(found, list):
            raise wrong("beam_search must return a list.")
        what = f"beam_search(a random model, {model.special}, {settings})"
        assert_close(ranked(found, model), ranked(expected, model), f"the letters and scores of {what}", **TOLERANCE)


@criterion(
    "Wide enough, the search is exhaustive",
    points=3,
    kind="value",
    hint="With room for everything nothing may be lost: each finished hypothesis is kept, and each live one extended "
    "by every token.",
)
def test_exhaustive(student, rng):
    """With a beam as wide as the number of sequences, the best of all sequences come out."""

    def every(model, tokens, left):
        if tokens[-1:] == (model.eos,):
            yield list(tokens)
        elif left:
            for token in range(model.size):
                yield from every(model, (*tokens, token), left - 1)

    for letters, max_len, alpha in ((2, 4, 1), (3, 3, 0), (2, 4, 1.5), (3, 3, 1)):
        settings = {"max_len": max_len, "alpha": alpha, "n_best": (letters + 2) ** max_len}  # it never stops early
        while True:
            sos, eos, *_ = tokens_for(rng, 0, letters + 2)
            model = Model(rng.getrandbits(32), sos=sos, eos=eos, size=letters + 2, end=-0.5)
            best = max(every(model, (), max_len), key=lambda tokens: total_of(model, tokens) / len(tokens) ** alpha)
            narrow = search(model, beam_size=model.size, **settings)[0]  # and does not find it
            if best not in [tokens for tokens, _ in narrow]:
                break
        found = words(student, model, beam_size=(letters + 2) ** max_len, **settings)
        if tuple(best[:-1]) not in found:  # all of its tokens but <eos>
            raise wrong(f"A beam with room for every sequence misses the best one (max_len={max_len}).")


@criterion(
    "A finished hypothesis uses up a place, once",
    points=3,
    kind="value",
    hint="First choose the top beam_size of all candidates, then set aside those that end in <eos>. The places are "
    "not refilled in that step, and in the next step there are beam_size again.",
)
def test_place_in_the_beam(student, rng):
    """A candidate that ends in <eos> has one of the beam_size places of its step, and none in the next."""
    sos, eos, a, b, c = tokens_for(rng, 3)
    settings = {"beam_size": 2, "max_len": 4, "alpha": 1, "n_best": 9}  # more than there are: it never stops early
    vague = {a: 0.36, b: 0.34, c: 0.28, eos: 0.02}
    # b is third behind <eos>, so it is gone, though it would go on well.
    refilled = {(): {a: 0.45, eos: 0.3, b: 0.24}, (b,): {eos: 0.99}, None: vague}
    found = words(student, Table(refilled, sos=sos, eos=eos, size=9), **settings)
    if any(word[:1] == (b,) for word in found):
        raise wrong("A candidate behind the first beam_size moves up into the place of a finished one.")
    if (a,) in found:
        raise wrong("A candidate that ends in <eos> is kept though it is not among the first beam_size.")
    # After <eos> had a place there are two places again: for a b and a c.
    narrowed = {(): {eos: 0.45, a: 0.4, b: 0.14}, (a,): {b: 0.5, c: 0.48}, (a, c): {eos: 0.98}, None: vague}
    found = words(student, Table(narrowed, sos=sos, eos=eos, size=9), **settings)
    if (a, c) not in found:
        raise wrong("In the step after <eos> had a place there are not beam_size places again.")


@criterion(
    "All parents compete for all places",
    points=2,
    kind="value",
    hint="One ranking over the candidates of all parents: a good parent may have several children in the beam, a poor "
    "one none.",
)
def test_parents_compete(student, rng):
    """The places of a step go to the best candidates, whichever hypotheses they continue."""
    sos, eos, a, b, c = tokens_for(rng, 3)
    vague = {a: 0.37, b: 0.33, c: 0.28, eos: 0.02}
    table = {(): {a: 0.6, b: 0.38}, (a,): {a: 0.5, b: 0.46}, (a, b): {eos: 0.98}, None: vague}
    for alpha in (0, 1):
        found = words(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=3, alpha=alpha, n_best=9)
        if (a, b) not in found:
            raise wrong("The two best candidates are children of one parent, and not both are kept.")


@criterion(
    "The list where few have finished",
    points=2,
    kind="value",
    hint="What is still live at max_len stands behind all that has finished; its score is normalised in the same way, "
    "and no <eos> is made up.",
)
def test_few_finished(student, rng):
    """Live hypotheses fill the list where fewer than n_best have finished, and are ranked after these."""
    settings = {"beam_size": 3, "max_len": 4, "alpha": 1, "n_best": 3}

    def mixed(model, expected):
        """Some have finished, and something live would be before them if that did not count."""
        done = [score for tokens, score in expected if tokens[-1] == model.eos]
        late = all(len(tokens) == settings["max_len"] for tokens, _ in expected)  # when to stop is not the question
        return late and 0 < len(done) < len(expected) and max(score for _, score in expected) > max(done)

    def none_done(model, expected):
        return all(tokens[-1] != model.eos for tokens, _ in expected)

    for end, wanted in ((-1.0, mixed), (-1.0, mixed), (-30.0, none_done)):
        model, expected, _ = draw(rng, wanted, settings=settings, end=end)
        done = sum(tokens[-1] == model.eos for tokens, _ in expected)
        found = beam_search(student, model, **settings)
        heard, letters = spoken(found, model), spoken(expected, model)
        for what, one, other in (
            ("finished", heard[:done], letters[:done]), ("unfinished", heard[done:], letters[done:])
        ):  # fmt: skip
            assert_equal(sorted(one), sorted(other), f"the letters of the {what} ones of beam_search({settings})")
        if sum(plain(tokens)[-1:] == [model.eos] for tokens, _ in found) > done:
            raise wrong("An unfinished hypothesis has no <eos>.")


@criterion(
    "As many as are wanted",
    points=2,
    kind="value",
    hint="n_best and beam_size are two numbers: all finished hypotheses of all steps count, the first n_best are "
    "returned, and fewer if there are fewer.",
)
def test_as_many_as_wanted(student, rng):
    """n_best hypotheses are returned, more or fewer than beam_size; and only as many as there are."""
    for beam_size, n_best in ((2, 5), (4, 1), (4, 3), (2, 50)):
        settings = {"beam_size": beam_size, "max_len": 6, "alpha": 1, "n_best": n_best}
        many = min(n_best, 2 * beam_size + 1)
        model, expected, _ = draw(rng, lambda _, found, many=many: len(found) >= many, settings=settings, end=0.5)
        found = words(student, model, **settings)
        if not many <= len(found) <= len(expected) + (n_best - len(expected)) * (n_best == 50):
            raise wrong(f"beam_search returns {len(found)} hypotheses for n_best={n_best}, beam_size={beam_size}.")
        every = search(model, **{**settings, "n_best": 99})[0]
        if len(set(found) & set(spoken(every, model))) < min(n_best, 2):
            raise wrong("The results are not those of a beam search.")


@criterion(
    "Equals in order",
    points=1,
    kind="value",
    hint="Sort by (-sum, token), or with a stable sort; sorting in reverse turns equals around too.",
)
def test_equals_in_order(student, rng):
    """Among equally probable continuations of a hypothesis the lower token id comes first."""
    sos, eos = USUAL
    for size in (5, 6, 8):
        low, high = 3, rng.randrange(4, size)
        model = Table({None: {low: 0.4, high: 0.4, eos: 0.15}}, sos=sos, eos=eos, size=size)
        found = student.greedy_search(model, **model.special, max_len=1)
        (letters,) = spoken([found], model)
        assert_equal(letters[:1], (low,), f"the first letter of greedy_search where {low} and {high} are equals")
        for places in (1, 2):
            found = words(student, model, beam_size=places, max_len=1, alpha=1, n_best=places)
            what = f"the first letters of beam_search where {low} and {high} are equals"
            assert_equal([letters[:1] for letters in found], [(low,), (high,)][:places], what)
    eos = 5
    for other, first in ((7, ()), (3, (3,))):  # <eos> is a token like others
        model = Table({(): {eos: 0.4, other: 0.4}, None: {6: 0.9}}, sos=sos, eos=eos, size=9)
        what = f"where <eos>={eos} and {other} are equals"
        found = student.greedy_search(model, **model.special, max_len=1)
        assert_equal(spoken([found], model)[0][:1], first, f"the first letter of greedy_search {what}")
        found = words(student, model, beam_size=1, max_len=1, alpha=1, n_best=1)
        assert_equal([letters[:1] for letters in found], [first], f"the first letter of beam_search {what}")
    table = {(): {4: 0.6, 3: 0.35}, (4,): {6: 0.3, 8: 0.3, 7: 0.3}, None: {3: 0.5}}
    found = words(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=2, alpha=1, n_best=2)
    what = "the first two letters of beam_search with equals in the second step"
    assert_equal([letters[:2] for letters in found], [(4, 6), (4, 7)], what)


# beam_search: when to stop, and what step sees


@criterion(
    "A longer one can still win",
    points=3,
    kind="value",
    hint="How good can a live hypothesis become? Its sum can stay as it is, and its length can grow to max_len. Stop "
    "when that is worse than the n_best-th of the finished ones, and not before.",
)
def test_not_too_early(student, rng):
    """The search goes on while some live hypothesis could still get among the n_best finished ones."""
    sos, eos, a, b, c = tokens_for(rng, 3)
    onward = {(a,) * n: {a: 0.98, b: 0.01} for n in range(1, 5)} | {(a,) * 5: {eos: 0.98}}
    vague = {c: 0.5, b: 0.4, eos: 0.08}

    # <eos> comes first, and is better than all that is live, now and in the next step; five steps later it is not.
    for p_eos, p_a, alpha in ((0.55, 0.25, 1), (0.7, 0.05, 2), (0.5, 0.3, 0.7)):
        table = {(): {eos: p_eos, a: p_a, b: 0.04}, **onward, None: vague}
        going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=6, alpha=alpha, n_best=1)

    # It takes all of max_len, and one token less would not do.
    onto = {(a,): {a: 0.995}, (a, a): {a: 0.995}, (a, a, a): {eos: 0.995}}
    table = {(): {eos: 0.55, a: 0.1, b: 0.04}, **onto, None: vague}
    going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=4, alpha=1, n_best=1)

    # The best cannot be beaten any more, the second best can.
    table = {(): {eos: 0.9, a: 0.08, b: 0.01}, **onward, (a,): {eos: 0.5, a: 0.4, b: 0.04}, None: vague}
    going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=6, alpha=1, n_best=2)

    # The first finished one is poor, and there are better ones with a smaller sum of their own.
    table = {(): {a: 0.9, eos: 0.06}, (a,): {b: 0.5, eos: 0.3, c: 0.18}, (a, b): {eos: 0.9}, None: vague}
    for alpha in (0, 1):
        going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=5, alpha=alpha, n_best=1)

    # Nine steps later, and after many have finished.
    far = {(a,) * n: {a: 0.99, b: 0.005} for n in range(1, 9)} | {(a,) * 9: {eos: 0.99}}
    table = {(): {eos: 0.5, a: 0.012}, **far, None: {c: 0.5, b: 0.4}}
    going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=10, alpha=1, n_best=1)
    table = {(a,) * n: {a: 0.5, eos: 0.3} if n < 4 else {a: 0.98} for n in range(7)} | {(a,) * 7: {eos: 0.98}}
    table[None] = {c: 0.5, b: 0.4}
    going_on(student, Table(table, sos=sos, eos=eos, size=9), beam_size=2, max_len=8, alpha=1, n_best=1)


@criterion(
    "Stopping in time",
    points=2,
    kind="efficiency",
    hint="Stop as soon as n_best have finished and the best live one, at its very best, is behind all of them; or "
    "when nothing is live; or at max_len.",
)
def test_in_time(student, rng):
    """When no live hypothesis can change the result any more, step is not called again."""
    sos, eos, a, b, c = tokens_for(rng, 3)
    sure = {(): {eos: 0.9, a: 0.06, b: 0.03}, (a,): {eos: 0.9, b: 0.05, c: 0.03}, None: {eos: 0.7, c: 0.2, b: 0.08}}
    never = {None: {a: 0.5, b: 0.3, c: 0.1}}
    near = {(): {eos: 0.55, a: 0.067}, None: {b: 0.6, c: 0.3}}
    nearer = {(): {eos: 0.55, a: 0.239}, None: {b: 0.6, c: 0.3}}
    for table, beam_size, max_len, alpha, n_best, calls in (
        (sure, 2, 8, 0, 1, 1),  # the first <eos> is better than anything that is live
        (sure, 2, 5, 1, 1, 1),  # and stays so, however long that becomes
        (sure, 2, 8, 0, 2, 2),  # the second one too
        (sure, 1, 8, 1, 1, 1),  # nothing is live
        (sure, 1, 8, 1, 3, 1),
        (never, 2, 4, 1, 1, 4),  # max_len
        (never, 3, 1, 1, 2, 1),
        (near, 2, 4, 1, 1, 1),  # with one token more than max_len it could
        (nearer, 2, 3, 0.7, 1, 1),
    ):
        model = Table(table, sos=sos, eos=eos, size=9)
        settings = {"beam_size": beam_size, "max_len": max_len, "alpha": alpha, "n_best": n_best}
        best = spoken(search(model, **settings)[0], model)[0]
        if all(word[: len(best)] != best for word in words(student, model, **settings)):
            raise wrong("The best hypothesis is not found.")
        if table is never and max_len > 1:
            check_beam(model)
        if not all(model.calls):
            raise wrong("step is called without any prefix.")
        if len({len(prefix) for call in model.calls for prefix in call}) > calls:
            raise wrong("step is called again though the search is over.")
        asked = [{tuple(prefix) for prefix in call} for call in model.calls]
        if sum(map(len, asked)) > len(set().union(*asked)):
            raise wrong("step is asked twice about one prefix.")


@criterion(
    "What step is asked",
    points=3,
    kind="efficiency",
    hint="Write down the prefixes of each call. One call a time step, each live prefix in it once, from <sos> on, and "
    "none that has ended.",
)
def test_what_step_is_asked(student, rng):
    """Step is called once a time step, with all live prefixes together, and never sees a finished one."""
    for beam_size, max_len, end in ((3, 5, 0.5), (4, 4, 0.0), (2, 6, 0.5)):
        settings = {"beam_size": beam_size, "max_len": max_len, "alpha": 0.5, "n_best": 99}  # so it never stops early
        while True:  # all places of the first step are live ones, so that they must all be asked about in the second
            model, _, asked = draw(rng, settings=settings, end=end, special=())
            if len(asked[1]) == beam_size:
                break
        model.strict = True
        heard = words(student, model, **settings)
        prefixes = [prefix for call in model.calls for prefix in call]
        if any(prefix[:1] != [model.sos] for prefix in prefixes):
            raise wrong("step is called with a prefix that does not begin with <sos>.")
        if any(model.eos in prefix for prefix in prefixes):
            raise wrong("step is called with a prefix that has already ended in <eos>.")
        for length, call in enumerate(model.calls, start=1):
            if {len(prefix) for prefix in call} != {length}:
                raise wrong("Call n of step must be about all live prefixes, and these have n tokens with <sos>.")
            if len({tuple(prefix) for prefix in call}) > beam_size:
                raise wrong("step is asked about more prefixes than the beam has places.")
        if len(model.calls) > max_len:
            raise wrong("step is called more than once a time step.")
        calls = [sorted(map(list, {tuple(prefix) for prefix in call})) for call in model.calls]
        assert_equal(calls[:2], asked[:2], f"the prefixes of the first two calls of step ({settings})")
        known = {tuple(prefix[1:]) for prefix in prefixes}
        if not heard or not all(word[:n] in known for word in heard for n in range(len(word))):
            raise wrong("The results are not what one gets by asking step.")


# Properties


@criterion(
    "The names of the tokens do not matter",
    points=2,
    kind="invariance",
    hint="sos and eos are the caller's: never compare with 1 or 2, and let no token id count but in ties.",
)
def test_names_of_tokens(student, rng):
    """Renumbering the tokens, <sos> and <eos> among them, renumbers the results and changes nothing else."""
    settings = {"beam_size": 3, "max_len": 5, "alpha": 1, "n_best": 3}

    def telling(model, expected):
        """Greedy search finds something else than a beam does."""
        greedy = search(model, beam_size=1, max_len=4, alpha=0, n_best=1)[0]
        return spoken(expected[:1], model) != spoken(greedy, model)

    model, expected, _ = draw(rng, telling, settings=settings, end=0.5)
    first = ranked(beam_search(student, model, **settings), model)
    greedy = ranked([student.greedy_search(model, **model.special, max_len=4)], model)
    if spoken(expected, model)[0] not in [letters for letters, _ in first]:
        raise wrong("The best hypothesis is not found.")

    # Old id -> new id, and every token moves; among as many, or in a large vocabulary.
    shift = rng.randrange(1, model.size)
    for new, size in (
        ([(token + shift) % model.size for token in range(model.size)], model.size),
        (rng.sample(range(260, 290), model.size), 290),
    ):
        renamed = Renamed(model, new, size)
        for before, found, what in (
            (first, beam_search(student, renamed, **settings), "beam_search"),
            (greedy, [student.greedy_search(renamed, **renamed.special, max_len=4)], "greedy_search"),
        ):
            expected = [(tuple(new[token] for token in letters), score) for letters, score in before]
            what = f"the letters and scores of {what} with renumbered tokens ({renamed.special})"
            assert_close(ranked(found, renamed), expected, what, **TOLERANCE)

    sos, eos, a, b = rng.sample(range(260, 290), 4)  # <sos> is a token like others: a model may say it
    table = {(): {sos: 0.6, a: 0.3}, (sos,): {a: 0.5, sos: 0.3}, None: {eos: 0.8, sos: 0.1, b: 0.05}}
    model = Table(table, sos=sos, eos=eos, size=290)
    beam = beam_search(student, model, beam_size=3, max_len=4, alpha=0, n_best=9)
    greedy = student.greedy_search(model, **model.special, max_len=4)
    for what, found in (("beam_search", beam), ("greedy_search", [greedy])):
        ranked(found, model)  # which looks at the kinds
        said = [[token for token in plain(tokens) if token != eos] for tokens, _ in found]
        if not any(tokens[-2:] == [sos, a] for tokens in said):
            raise wrong(f"{what} does not find the hypothesis in which <sos> is said.")
        if any(plain(tokens).count(eos) > 1 for tokens, _ in found):
            raise wrong(f"{what} goes on behind <eos>, with a large vocabulary.")


@criterion(
    "Scores that can be checked",
    points=2,
    kind="invariance",
    hint="Add up the log-probabilities of your tokens once more, from the rows that step returns. Every hypothesis has "
    "a token list of its own, and no hypothesis comes twice.",
)
def test_rescoring(student, rng):
    """Results are distinct, well-formed and sorted, and each score is that of its own tokens."""
    for alpha, end, sharpness in ((1, 0.5, 1.5), (0.6, -1.0, 1.5), (0, 0.0, 1.5), (0.1, 0.0, 9.0)):
        sos, eos, pad = tokens_for(rng, 1, 11)
        seed = rng.getrandbits(32)
        model = Model(seed, sos=sos, eos=eos, size=11, end=end, sharpness=sharpness)
        make_row = model.make_row
        model.make_row = lambda tokens, make=make_row, out=(sos, pad): [  # two tokens are impossible
            -math.inf if token in out else log_prob for token, log_prob in enumerate(make(tokens))
        ]
        settings = {"beam_size": 4, "max_len": 9, "alpha": alpha, "n_best": 5}
        found = hypotheses(beam_search(student, model, **settings), "beam_search")
        if not found:
            raise wrong("A search must return a result.")
        if len({tuple(tokens) for tokens, _ in found}) < len(found):
            raise wrong("The same hypothesis is returned twice.")
        for tokens, score in found:
            whole = len(tokens) == 9 or tokens[-1:] == [eos]
            if not whole or len(tokens) > 9 or eos in tokens[:-1] or sos in tokens:
                raise wrong("Tokens must follow <sos>, and end with the first <eos> or after max_len.")
            expected = total_of(model, tokens) / len(tokens) ** alpha
            assert_close(score, expected, f"the score of {tokens}, length_alpha={alpha},", **TOLERANCE)
        order = [(tokens[-1] == eos, score) for tokens, score in found]
        if order != sorted(order, reverse=True):
            raise wrong("Results must be sorted: finished before unfinished, and best first.")

    sos, eos, a, b = tokens_for(rng, 2)  # probabilities of exactly 1 and 0
    model = Model(0, sos=sos, eos=eos, size=9)
    model.make_row = lambda tokens: [0.0 if t == [a, b, eos][len(tokens) % 3] else -math.inf for t in range(9)]
    found = ranked(beam_search(student, model, beam_size=2, max_len=5, alpha=0, n_best=1), model)
    assert_close(found[:1], [((a, b), 0.0)], "the letters and score of beam_search, one token is certain,", **TOLERANCE)
    found = ranked([student.greedy_search(model, **model.special, max_len=5)], model)
    assert_close(found, [((a, b), 0.0)], "the letters and score of greedy_search, one token is certain,", **TOLERANCE)


@criterion(
    "A long search does not underflow",
    points=1,
    kind="robustness",
    hint="A hundred tokens together may have a probability of e^-800, which no float holds: add log-probabilities.",
)
def test_long_search(student, rng):
    """Improbable sequences keep a finite score, because everything is done in log space."""
    size, max_len = 1500, 106
    model = Table({}, sos=1, eos=2, size=size)  # its names
    rows = torch.randn(3, size) * 0.01
    best = [rng.randrange(3, size) for _ in range(3)]
    rows[[0, 1, 2], best] += 0.15  # the best token of each row is a clear one, and all are improbable
    rows = rows.log_softmax(1)

    def step(prefixes):
        return torch.stack([rows[len(prefix) % 3] for prefix in as_prefixes(prefixes, 2 * max_len)])

    places = [(i + 1) % 3 for i in range(max_len)]
    total = sum(rows[place, best[place]].item() for place in places)
    expected = [(tuple(best[place] for place in places), total)]
    beam = student.beam_search(step, **model.special, beam_size=1, max_len=max_len, length_alpha=0)
    greedy = student.greedy_search(step, **model.special, max_len=max_len)
    for what, found in (("beam_search", beam), ("greedy_search", [greedy])):
        what = f"the letters and scores of {what}, {max_len} steps with {size} tokens"
        assert_close(ranked(found, model), expected, what, **TOLERANCE)

    # Three tokens, of which all but one are hardly possible: the beam has room for <eos> all the same.
    for p_eos in (1e-9, 1e-12):
        model = Table({None: {0: 1.0, 2: p_eos, 1: 1e-30}}, sos=1, eos=2, size=3)
        found = dict(ranked(beam_search(student, model, beam_size=2, max_len=1, alpha=0, n_best=2), model))
        assert_close(
            found.get((), 0.0), math.log(p_eos), f"the score of <eos> with a probability of {p_eos}", **TOLERANCE
        )


@criterion(
    "Nothing is remembered",
    points=1,
    kind="robustness",
    hint="A default argument or a global that you change lives on to the next call: make your lists inside.",
)
def test_nothing_remembered(student, rng):
    """The same search has the same result after other searches, and defaults are those of the contract."""
    settings = {"beam_size": 3, "max_len": 5, "alpha": 1.0, "n_best": 1}
    model, other, third = (sure_model(letters) for letters in ((3, 4), (5, 3), (6, 7, 8)))
    before = ranked(beam_search(student, model, **settings), model)
    for one in (model, other, model, third, other, third):  # all arguments but step are equal
        found = ranked(student.beam_search(one, **one.special, beam_size=3, max_len=5), one)
        assert_equal([letters for letters, _ in found[:1]], [one.letters], "the letters of beam_search, after others")
        found = student.greedy_search(one, **one.special, max_len=5)
        assert_equal(spoken([found], one), [one.letters], "the letters of greedy_search, after others")
        if one is model:
            found = ranked(student.beam_search(one, **one.special, beam_size=3, max_len=5), one)
            what = "the letters and scores of beam_search with the defaults of length_alpha and n_best"
            assert_close(found, before, what, **TOLERANCE)
    many = {**settings, "n_best": 4}
    first, second = (ranked(beam_search(student, model, **many), model) for _ in range(2))
    assert_close(second, first, "the letters and scores of beam_search, for the second time", **TOLERANCE)


@criterion(
    "On the accelerator",
    points=2,
    kind="device",
    hint="What step returns lies on its own device: make new tensors there (log_probs.new_tensor), or use .tolist().",
)
def test_on_the_accelerator(student, device, rng):
    """The same hypotheses come out when step answers from an accelerator."""
    settings = {"beam_size": 3, "max_len": 4, "alpha": 1, "n_best": 3}
    model, _, _ = draw(rng, settings=settings, dtype=torch.float32)
    greedy, beam = {"max_len": 4}, {"beam_size": 3, "max_len": 4, "n_best": 3}
    for function, sizes in ((student.greedy_search, greedy), (student.beam_search, beam)):
        here, there = (
            ranked([found] if function is student.greedy_search else found, model)
            for found in (one(model, **model.special, **sizes) for one in (function, function.on(device)))
        )
        assert_close(there, here, "a search where step answers from the accelerator", **TOLERANCE)
    check_beam(model)

    # And these are right ones: models that are nearly sure of what they say.
    for letters in ((3, 4), (5, 3)):
        model = sure_model(letters, dtype=torch.float32)
        found = [student.greedy_search(model, **model.special, max_len=3)]
        found += ranked(student.beam_search(model, **model.special, beam_size=2, max_len=3), model)[:1]
        assert_equal(spoken(found, model), [letters, letters], "what a model is nearly sure of")


@criterion(
    "Negative sizes are refused too",
    points=1,
    kind="robustness",
    hint="Everything below 1 is refused, for each of the arguments, with its name in the message; 1 is fine.",
)
def test_negative_sizes(student, rng):
    """beam_size, max_len or n_best below 1 raises a ValueError that names the argument, and 1 does not."""
    sos, eos, a = tokens_for(rng, 1)
    model = Table({None: {a: 0.7, eos: 0.2}}, sos=sos, eos=eos, size=9)
    sizes = {"beam_size": 1, "max_len": 1, "n_best": 1}
    for name in sizes:
        for value in (0, -1, -3):
            with student_raises("ValueError", naming=name):
                student.beam_search(model, **model.special, **{**sizes, name: value})
    for value in (0, -2):
        with student_raises("ValueError", naming="max_len"):
            student.greedy_search(model, **model.special, max_len=value)
    expected = [((a,), math.log(0.7))]
    found = spoken(student.beam_search(model, **model.special, **sizes, length_alpha=0), model)
    assert_equal([letters[:1] for letters in found], [(a,)], "the first letter of beam_search, all sizes 1")
    found = ranked([student.greedy_search(model, **model.special, max_len=1)], model)
    assert_close(found, expected, "the letters and score of greedy_search, 1", **TOLERANCE)
