"""The solution of bleu beside sacrebleu, and beside nltk where nltk counts as the contract does."""

import importlib.util
import random
import warnings
from pathlib import Path

import pytest

nltk_bleu = pytest.importorskip("nltk.translate.bleu_score")
metrics = pytest.importorskip("sacrebleu.metrics")

SOLUTION = Path(__file__).parents[2] / "solutions/bleu.py"
SPEC = importlib.util.spec_from_file_location("bleu_solution", SOLUTION)
bleu = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bleu)

CORPORA = 100


def changed(rng, sentence):
    """The sentence with some words replaced, left out or said twice: much of it still matches."""
    words = []
    for word in sentence:
        words += rng.choices([[word], [rng.choice("abcdefg")], [], [word, word]], weights=[12, 2, 1, 1])[0]
    return words


def draw_corpus(rng, *, shortest=0):
    """Hypotheses, references, max_n; each sentence has its own number of references."""
    hypotheses, references = [], []
    for _ in range(rng.randrange(1, 7)):
        said = rng.choices("abcdefg", k=rng.randrange(shortest, 23))
        hypotheses.append(said)
        references.append([changed(rng, said) or ["a"] for _ in range(rng.randrange(1, 4))])
    return hypotheses, references, rng.randrange(1, 6)


def by_sacrebleu(hypotheses, references, max_n):
    """sacrebleu takes texts, references by the column with None where there is none, and says percent."""
    columns = [
        [" ".join(own[place]) if place < len(own) else None for own in references]
        for place in range(max(map(len, references)))
    ]
    metric = metrics.BLEU(tokenize="none", smooth_method="none", force=True, max_ngram_order=max_n)
    return metric.corpus_score([" ".join(one) for one in hypotheses], columns)


def test_corpora_have_the_scores_that_sacrebleu_gives():
    rng, zeros, short = random.Random(1), 0, 0
    for _ in range(CORPORA):
        hypotheses, references, max_n = draw_corpus(rng)
        expected = by_sacrebleu(hypotheses, references, max_n)
        assert bleu.corpus_bleu(hypotheses, references, max_n) == pytest.approx(expected.score / 100, abs=1e-12)
        wanted = sum(
            bleu.closest_length(len(hypothesis), [len(one) for one in own])
            for hypothesis, own in zip(hypotheses, references, strict=True)
        )
        assert wanted == expected.ref_len
        assert bleu.brevity_penalty(expected.sys_len, wanted) == pytest.approx(expected.bp)
        for n in range(1, max_n + 1):
            counted = [bleu.clipped_matches(*pair, n) for pair in zip(hypotheses, references, strict=True)]
            assert sum(matches for matches, _ in counted) == expected.counts[n - 1]
            assert sum(total for _, total in counted) == expected.totals[n - 1]
        zeros += expected.score == 0
        short += 0 < expected.bp < 1
    assert zeros > 3 and short > 20  # the borders have been met


def test_nltk_agrees_where_no_hypothesis_is_too_short():
    rng = random.Random(2)
    for _ in range(CORPORA):
        hypotheses, references, max_n = draw_corpus(rng, shortest=5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where a precision is 0, nltk says so
            expected = nltk_bleu.corpus_bleu(references, hypotheses, weights=[1 / max_n] * max_n)
        assert bleu.corpus_bleu(hypotheses, references, max_n) == pytest.approx(expected, abs=1e-12)


def test_the_parts_are_those_of_nltk():
    rng = random.Random(3)
    for _ in range(CORPORA):
        (hypothesis, *_), (own, *_), _ = draw_corpus(rng, shortest=5)
        for n in range(1, 6):
            share = nltk_bleu.modified_precision(own, hypothesis, n)
            assert bleu.clipped_matches(hypothesis, own, n) == (share.numerator, share.denominator)
        length, lengths = rng.randrange(12), [rng.randrange(12) for _ in range(4)]
        closest = nltk_bleu.closest_ref_length([["a"] * one for one in lengths], length)
        assert bleu.closest_length(length, lengths) == closest
        assert bleu.brevity_penalty(length, closest) == pytest.approx(
            nltk_bleu.brevity_penalty(closest, length) if length else 0.0
        )


def test_seven_times_the():
    references = [words.split() for words in ("the cat is on the mat", "there is a cat on the mat")]
    assert bleu.clipped_matches(["the"] * 7, references, 1) == (2, 7)
