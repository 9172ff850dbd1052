"""The solution of word_alignment beside nltk's IBMModel1, which begins where it is told to, on drawn corpora.

nltk counts a target word that stands twice in its sentence only once, and lets the last of equal positions win; so no
drawn target sentence has a word twice, and links are compared where no two numbers are equal.
"""

import importlib.util
import random
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("nltk")
from nltk.translate import AlignedSent, IBMModel1

ROOT = Path(__file__).resolve().parents[2]
LEAST = 1e-12  # nltk's smallest probability


@pytest.fixture(scope="module")
def solution():
    spec = importlib.util.spec_from_file_location("word_alignment", ROOT / "solutions" / "word_alignment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpus(draw, *, pairs):
    """Source sentences may have a word twice, and may be empty; target sentences may be empty."""
    sources, targets = "abcdefg"[: draw.randint(3, 7)], "opqrstuvw"[: draw.randint(4, 9)]
    return [
        (draw.choices(sources, k=draw.randint(0, 6)), draw.sample(targets, k=draw.randint(0, 4))) for _ in range(pairs)
    ]


def of_nltk(pairs, table, iterations):
    rows = defaultdict(lambda: defaultdict(float))
    for (wanted, word), share in table.items():
        rows[wanted][word] = share
    sentences = [AlignedSent(target, source) for source, target in pairs]
    return IBMModel1(sentences, iterations, {"translation_table": rows}), sentences


@pytest.mark.parametrize("seed", range(40))
def test_training_and_links_are_those_of_nltk(solution, seed):
    draw = random.Random(seed)
    pairs, iterations = corpus(draw, pairs=draw.randint(1, 9)), draw.randint(1, 15)
    model, sentences = of_nltk(pairs, solution.uniform_table(pairs), iterations)
    table = solution.train(pairs, iterations)
    for (wanted, word), share in table.items():
        assert model.translation_table[wanted][word] == pytest.approx(share, rel=1e-6, abs=10 * LEAST)
    for (source, target), sentence in zip(pairs, sentences, strict=True):
        links = solution.align(source, target, table)
        for j, link in sentence.alignment:
            numbers = sorted({word: table[target[j], word] for word in (*source, None)}.values(), reverse=True)
            if len(numbers) == 1 or numbers[0] > numbers[1] * (1 + 1e-6):
                assert (source[link] if link is not None else None) == (
                    source[links[j]] if links[j] is not None else None
                )


@pytest.mark.parametrize("seed", range(20))
def test_the_likelihood_never_falls(solution, seed):
    pairs = corpus(random.Random(seed), pairs=6)
    table = solution.uniform_table(pairs)
    before = solution.log_likelihood(pairs, table)
    for _ in range(30):
        table = solution.normalise(solution.expected_counts(pairs, table))
        after = solution.log_likelihood(pairs, table)
        assert after >= before - 1e-9
        before = after


def test_nltk_counts_a_repeated_target_word_once(solution):
    """What the handout says of nltk; if this fails, mend the handout."""
    pairs = [(["a"], ["x", "x", "y"])]
    model, _ = of_nltk(pairs, solution.uniform_table(pairs), 1)
    assert solution.train(pairs, 1)["x", "a"] == pytest.approx(2 / 3)
    assert model.translation_table["x"]["a"] == pytest.approx(1 / 2)
