"""Hidden tests of bleu.

Expected values come from lists: n-grams are slices, counted with `list.count`, and the score is a product and a root
(`score`). Sizes differ from each other, so that no two of them can be exchanged.

A criterion looks at its own property. What a part gives is asked by the criteria of that part. Where a whole score is
asked, a wrong one is content if it equals the score that follows from the student's own parts (`check_score`), and the
inputs are such that the property decides. Each asks for several different scores, so that no constant is enough.
"""

import math
from itertools import count

from grader.judge import Mismatch, assert_close, assert_equal, criterion, show

WORDS = ["red", "green", "blue", "black", "white", "brown", "grey", "pink"]


def grams(tokens, n):
    """All n-grams in their order, as tuples."""
    return [tuple(tokens[start:end]) for start, end in enumerate(range(n, len(tokens) + 1))]


def matches(hypothesis, references, n):
    """(matches, total), n-gram by n-gram."""
    said = grams(hypothesis, n)
    most = {gram: max(grams(reference, n).count(gram) for reference in references) for gram in said}
    return sum(min(said.count(gram), most[gram]) for gram in most), len(said)


def nearest(length, lengths):
    """From the length outwards, the shorter side first."""
    return next(near for far in count() for near in (length - far, length + far) if near in lengths)


def penalty(length, wanted):
    return 0.0 if length == 0 else min(1.0, math.exp(1 - wanted / length))


def combine(counted, lengths, factor, max_n):
    """From (matches, total) of every sentence for every n, and from both lengths, to the score."""
    product = 1.0
    for of_one_n in counted:
        found, total = sum(one for one, _ in of_one_n), sum(every for _, every in of_one_n)
        product *= found / total if found else 0.0
    return factor(*lengths) * product ** (1 / max_n)


def score(hypotheses, references, max_n=4):
    pairs = list(zip(hypotheses, references, strict=True))
    counted = [[matches(*pair, n) for pair in pairs] for n in range(1, max_n + 1)]
    wanted = sum(nearest(len(hypothesis), list(map(len, own))) for hypothesis, own in pairs)
    return combine(counted, (sum(map(len, hypotheses)), wanted), penalty, max_n)


def score_of_parts(student, hypotheses, references, max_n=4):
    """What follows from the student's own parts."""
    pairs = list(zip(hypotheses, references, strict=True))
    counted = [[student.clipped_matches(*pair, n) for pair in pairs] for n in range(1, max_n + 1)]
    wanted = sum(student.closest_length(len(hypothesis), list(map(len, own))) for hypothesis, own in pairs)
    return combine(counted, (sum(map(len, hypotheses)), wanted), student.brevity_penalty, max_n)


def check_scores(student, *cases):
    """For each (hypotheses, references, max_n): the score is right, or wrong as the student's own parts are.

    In the second case other criteria say so. The cases have different scores, and must get different ones.
    """
    scores = set()
    for hypotheses, references, *max_n in cases:
        expected = score(hypotheses, references, *max_n)
        found = student.corpus_bleu(hypotheses, references, **({"max_n": max_n[0]} if max_n else {}))
        what = f"corpus_bleu({', '.join(map(repr, (joined(hypotheses), list(map(joined, references)), *max_n)))})"
        try:
            assert_close(found, expected, what)
        except Mismatch as wrong:
            try:
                assert_close(found, score_of_parts(student, hypotheses, references, *max_n), what)
            except Exception:
                raise wrong from None
        scores.add(f"{found:.6g}")
    assert len(scores) > 1, f"corpus_bleu gives the score {scores.pop()} to translations that are not equally good"


def joined(sentences):
    return [" ".join(map(str, sentence)) for sentence in sentences]


def check_counts(student, tokens, n):
    """The counts are right; n-grams that do not occur are missing or have a count of 0."""
    what = f"ngram_counts({tokens!r}, {n})"
    found = student.ngram_counts(tokens, n)
    assert isinstance(found, dict), f"{what} must be a Counter, not {show(found)}"
    every = grams(tokens, n)
    expected = {gram: every.count(gram) for gram in every}
    assert_equal({gram: times for gram, times in found.items() if times != 0}, expected, what)


def check_matches(student, *cases):
    """For each (hypothesis, references, n): what is clipped is right, or wrong only as the student's counts are."""
    answers = set()
    for case in cases:
        found, what = student.clipped_matches(*case), f"clipped_matches({', '.join(map(repr, case))})"
        try:
            assert_equal(found, matches(*case), what)
        except Mismatch as wrong:
            try:
                hypothesis, references, n = case
                said, *others = [student.ngram_counts(sentence, n) for sentence in (hypothesis, *references)]
                real = sum(times for gram, times in said.items() if gram in grams(hypothesis, n))
                assert real >= len(hypothesis) - n, "these are no counts, or more than one is missing"
                most = {gram: max(other.get(gram, 0) for other in others) for gram in said}
                own = sum(min(said[gram], most[gram]) for gram in said), sum(said.values())
                assert_equal(found, own, what)
            except Exception:
                raise wrong from None
        answers.add(found)
    assert len(answers) > 1, f"clipped_matches gives {answers.pop()}, whatever it is asked"


def fresh(rng, *lengths):
    """Sentences of these lengths in which no word occurs twice, not in two of them either."""
    words = iter(rng.sample(range(1000, 9999), k=sum(lengths)))
    return [[f"w{next(words)}" for _ in range(length)] for length in lengths]


def spoilt(sentence, *places):
    """The sentence with new words at these places: as long, and with fewer matches."""
    return [f"not-{word}" if place in places else word for place, word in enumerate(sentence)]


@criterion(
    "Tokens are what they are",
    points=2,
    kind="robustness",
    hint="Make a tuple of the tokens and look into none of them: do not join, split, fold or sort them.",
)
def test_any_tokens(student, rng):
    """N-grams are tuples of the tokens as they come, be they words, numbers or texts with spaces, for every n."""
    sentence = rng.choices(WORDS[:3], k=11)
    for n in (1, 2, 5, 10, 11, 12, 17):
        check_counts(student, sentence, n)
    check_counts(student, [], 1)
    check_counts(student, [], 3)
    for tokens in (
        ["New York", "is", "New", "York is", "New York", "is"],
        ["The", "the", "THE", "the", "the.", "."],
        rng.choices([0, 7, 3, 11], k=9),
        [3, "3", 3, "3", ("a", 3), None],
        ["b", "a", "a", "b", "c", "a", "b"],
        ["", " ", "", "  "],
    ):
        check_counts(student, tokens, 1)
        check_counts(student, tokens, 2)
    for hypothesis, references, n, expected in (
        (["ab", "c", "d"], [["a", "bc", "d"], ["abc", "d", "d"]], 2, (0, 2)),
        (["a b", "c", "d"], [["a", "b c", "d"], ["c", "d", "a"]], 2, (1, 2)),
        (["The", "cat", "Sat", "."], [["the", "cat", "sat"], ["THE", "CAT"]], 1, (1, 4)),
        ([1, 12, 3, 4], [[11, 2, 3, 4, 1], ["1", "12"]], 2, (1, 3)),
        (["b", "a", "c"], [["a", "b", "c"], ["c", "b"]], 2, (0, 2)),
    ):
        found = student.clipped_matches(hypothesis, references, n)
        assert_equal(found, expected, f"clipped_matches({hypothesis!r}, {references!r}, {n})")
    hypothesis = ["The", "cat", "on", "the", "red", "mat", "x y", "z", 3, "cats"]
    reference = ["the", "cat", "on", "the", "red", "mat", "x", "y z", "3", "Cats"]
    names = {token: f"word{number}" for number, token in enumerate([*hypothesis, *reference])}
    odd = student.corpus_bleu([hypothesis], [[reference]])
    plain = student.corpus_bleu([[names[token] for token in hypothesis]], [[[names[token] for token in reference]]])
    assert isinstance(odd, float) and odd > 0.05, f"corpus_bleu of a match of five words is {show(odd)}"
    assert_close(odd, plain, "corpus_bleu of the same sentences with other names for the same tokens")


@criterion(
    "Most in one reference",
    points=3,
    kind="value",
    hint="The reference that has an n-gram most may be another one for each n-gram, and none for all together.",
)
def test_most_in_one(student, rng):
    """Each n-gram is clipped by the reference that has this n-gram most, whatever the other references have."""
    red, green, blue = WORDS[:3]
    cases = [
        ([red] * 5 + [green] * 4, [[red] * 3 + [green], [red] + [green] * 2 + [blue] * 5], 1),
        ([red] * 5 + [green] * 4, [[green] * 3 + [red] * 2, [red] * 7, [blue] * 9], 1),
        ([red, green] * 3, [[red, green, blue], [green, red, blue, green, red]], 2),
        ([red, green, blue] * 2, [[red, green, blue, blue], [green, blue, red, green]], 3),
        ([red, green, green], [[red] * 7 + [green]], 1),
    ]
    cases += [(hypothesis, references[::-1], n) for hypothesis, references, n in cases]
    for size, lengths in ((11, (7, 13, 5)), (13, (17,)), (7, (11, 3, 19, 5))):
        hypothesis = rng.choices(WORDS[:3], k=size)
        references = [rng.choices(WORDS[:4], k=length) for length in lengths]
        cases += [(hypothesis, references, n) for n in (1, 2, 3)]
    check_matches(student, *cases)


@criterion(
    "Nothing to count",
    points=2,
    kind="robustness",
    hint="The total is a number of n-grams of the hypothesis, and a short sentence may have none: 0, and not 1.",
)
def test_nothing_to_count(student, rng):
    """The total counts the n-grams of the hypothesis, 0 if it is too short; a short reference has none to match."""
    (long,) = fresh(rng, 11)
    cases = [(long[:size], [long, long[3:]], n) for size in (0, 1, 2, 3) for n in (1, 2, 3, 5)]
    cases += [(long[:7], own, n) for own in ([long[:2], []], [[], long[:3]], [[]]) for n in (1, 2, 3)]
    check_matches(student, *cases)


@criterion(
    "Equally near",
    points=2,
    kind="value",
    hint="If one reference is as much longer as another is shorter, the shorter one counts, wherever it stands.",
)
def test_closest_ties(student, rng):
    """Of two lengths that are equally near the shorter counts, and the order of the references does not matter."""
    for length, lengths in (
        (7, [8, 6]),
        (7, [6, 8]),
        (11, [19, 3, 13, 9]),
        (5, [5, 4, 6]),
        (5, [17, 6, 4, 4, 6]),
        (13, [15, 10, 11]),
        (0, [3, 2, 5]),
        (2, [4, 0]),
        (9, [100, 10**6]),
    ):
        expected = nearest(length, lengths)
        assert_equal(student.closest_length(length, lengths), expected, f"closest_length({length}, {lengths})")
    for _ in range(4):
        length, lengths = rng.randrange(5, 20), rng.choices(range(3, 23), k=5)
        expected = nearest(length, lengths)
        assert_equal(student.closest_length(length, lengths), expected, f"closest_length({length}, {lengths})")


@criterion(
    "From silence to a flood of words",
    points=2,
    kind="robustness",
    hint="Before you divide by the length of the hypothesis: may it be 0?",
)
def test_all_lengths(student, rng):
    """The penalty is 0 for an empty hypothesis, 1 for one that is long enough, and exp(1 − r / c) between these."""
    some = rng.randrange(20, 40)
    for length, reference in (
        (0, 5),
        (0, 1),
        (0, 0),
        (1, 1),
        (1, 2),
        (some - 1, some),
        (some, some),
        (some + 1, some),
        (some, 3 * some + 1),
        (5, 0),
        (1999, 2000),
        (10**6, 3),
    ):
        expected = penalty(length, reference)
        assert_close(student.brevity_penalty(length, reference), expected, f"brevity_penalty({length}, {reference})")


@criterion(
    "Each sentence against its own references",
    points=3,
    kind="value",
    hint="Count in each sentence on its own, then sum over the corpus, and divide only after that.",
)
def test_sentence_by_sentence(student, rng):
    """N-grams match in the sentence's own references only; the sums over all sentences are divided."""
    one, two, three = fresh(rng, 17, 5, 11)
    references = [[one], [two], [three]]
    # In the third the words of other sentences are said: they match nothing there.
    moved = [[*two[:4], *one[4:]], [*three[:1], *two[1:]], [*three[:8], *one[:3]]]
    # In the fourth a sentence repeats itself, and another one has a reference that repeats the same words.
    often = [[*one[:8], *one[:8]], [*one[:8], *three[:8]], [*three, *three[:5]]]
    check_scores(
        student,
        ([spoilt(one, 3, 9), spoilt(two, 4), spoilt(three, 0, 5)], references),
        ([spoilt(one, 8), two, spoilt(three, 2, 3, 4, 9)], references),
        (moved, references),
        (often, [[one[:16]], [[*one[:8], *one[:8]]], [three, [*three[:5], *one]]]),
    )


@criterion(
    "The length of a corpus",
    points=3,
    kind="value",
    hint="Sum what each sentence is compared with, and only then ask whether the corpus is too short.",
)
def test_lengths_of_the_corpus(student, rng):
    """The penalty compares the summed lengths, where each sentence counts its own closest reference."""
    sentences = fresh(rng, 23, 19, 17)
    cases = []
    for lengths in (  # of beginnings of the sentences: all that is said is right, and only lengths matter
        ((11, [13]), (7, [11]), (13, [17])),
        ((11, [23, 13, 7]), (7, [3, 8, 19]), (13, [17, 10, 14])),
        ((11, [23, 10]), (7, [6, 19]), (13, [17, 16])),
        ((20, [19, 23]), (7, [11])),  # one that says too much makes up for one that says too little
        ((7, [10]), (18, [16, 23])),
        ((20, [19, 23]), (7, [8])),  # together as long as they should be
        ((11, [13, 9]), (7, [11])),  # two are equally near
    ):
        pairs = list(zip(sentences, lengths, strict=False))
        references = [[sentence[:end] for end in ends] for sentence, (_, ends) in pairs]
        cases.append(([sentence[:length] for sentence, (length, _) in pairs], references))
    check_scores(student, *cases)


@criterion(
    "A zero anywhere",
    points=3,
    kind="value",
    hint="What is a product with a factor of 0? Leave no factor out, and put nothing small in its place.",
)
def test_zero_anywhere(student, rng):
    """The score is 0 if not a single n-gram of one length matches in the whole corpus, or if there is none."""
    (one,) = fresh(rng, 11)
    for places in ((5,), (0, 5, 6), (4, 9)):  # four words in a row are left
        found = student.corpus_bleu([spoilt(one, *places)], [[one]])
        assert isinstance(found, float) and found > 0.05, f"corpus_bleu of a match of four words is {show(found)}"
    for hypothesis, reference in (
        (spoilt(one, 3, 7), one),  # three words in a row are left
        (spoilt(one, 2, 5, 8), one),
        (spoilt(one, 1, 3, 5, 7, 9), one),
        (spoilt(one, *range(11)), one),
        (one[:3], one[:3]),
        (one[:1], one[:1]),
        (one, one[:3]),
        ([], one),
        (one, []),
        ([], []),
    ):
        found = student.corpus_bleu([hypothesis], [[reference]])
        assert_close(found, 0.0, f"corpus_bleu({joined([hypothesis])}, [{joined([reference])}])")
    assert_close(student.corpus_bleu([], []), 0.0, "corpus_bleu([], [])")
    assert_close(student.corpus_bleu([one[:2], one[:3]], [[one[:2]], [one[:3]]]), 0.0, "corpus_bleu of short sentences")


@criterion(
    "As long as max_n says",
    points=2,
    kind="value",
    hint="With max_n = 2 two precisions count, and their geometric mean is a square root.",
)
def test_max_n(student, rng):
    """All n-grams from 1 to max_n count alike, be max_n 1 or 6; without it they go up to 4."""
    one, two = fresh(rng, 17, 13)
    for sentence, places in ((one, (2, 10)), (two, (7,))):
        hypothesis, reference = [[*spoilt(sentence, *places), "and", "more"]], [[sentence]]
        cases = [(hypothesis, reference, max_n) for max_n in (1, 2, 3, 5, 6, 4)]
        check_scores(student, *cases, (hypothesis, reference))


@criterion(
    "A sentence without a word",
    points=2,
    kind="robustness",
    hint="An empty hypothesis has nothing right and nothing wrong in it, but its reference should have been said.",
)
def test_short_among_others(student, rng):
    """A hypothesis that is empty, or too short for an n-gram, adds nothing to the counts, but its length counts."""
    one, two, three = fresh(rng, 13, 5, 7)
    said = spoilt(one, 6)
    check_scores(
        student,
        ([said, []], [[one], [two]]),
        ([said, [], two[:1]], [[one], [[], two], [[], two]]),
        ([[], said, []], [[two, three], [one], [three]]),
        ([said, two[:2], three[:3]], [[one], [two[:2]], [three[:3]]]),
        ([three[:1], said, two[:3]], [[three], [one], [two[:4], two]]),
    )


@criterion(
    "A call leaves no trace",
    points=2,
    kind="robustness",
    hint="Sort a copy, count in a Counter that is new for each call, and keep nothing for the next one.",
)
def test_no_trace(student, rng):
    """The arguments are unchanged after a call, and a call does not depend on the calls before it."""
    one, two = fresh(rng, 11, 7)
    near, far = spoilt(one, 5), spoilt(one, 0, 6)
    lengths, others = [13, 3, 8, 5], [2, 17, 11]
    answers = []
    for _ in range(2):
        replies = []
        for function, *args in (
            (student.ngram_counts, near, 2),
            (student.ngram_counts, far, 2),
            (student.closest_length, 7, lengths),
            (student.closest_length, 7, others),
            (student.clipped_matches, near, [two, one], 1),
            (student.clipped_matches, near, [two, two[:3]], 1),
            (student.corpus_bleu, [near, two], [[two, one, two[:3]], [one, two, two[:3]]]),
            (student.corpus_bleu, [far, two], [[two, one, two[:3]], [one, two, two[:3]]]),
        ):
            reply = function.observe(*args)
            assert_equal(list(reply.args), args, "the arguments after the call")
            replies.append(reply.value)
        answers.append(replies)
    assert_equal(answers[1], answers[0], "the answers to the same questions")
    # What is right is asked elsewhere; but there must be answers, and they must not be those to other questions.
    counts, other_counts, length, other_length, many, few, better, worse = answers[0]
    assert isinstance(counts, dict) and isinstance(other_counts, dict), "ngram_counts gives no Counter"
    assert counts.keys() != other_counts.keys(), "ngram_counts gives the counts of another sentence"
    assert length in lengths and other_length in others, "closest_length gives no length of a reference"
    assert many[0] - few[0] >= 7, "clipped_matches finds words of another call"
    assert better > worse, "corpus_bleu gives no better score to the better hypothesis"
