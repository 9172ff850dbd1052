"""The solution of `bpe` beside the package tokenizers, and learning beside a search of the whole text as well.

tokenizers knows no symbol of four characters to begin with, so its words have one character in the place of END.
Of equally frequent pairs it takes another one than the contract: learning is compared as far as no two are equal.
"""

import importlib.util
import json
import random
from pathlib import Path

import pytest

tokenizers = pytest.importorskip("tokenizers")

ROOT = Path(__file__).resolve().parents[2]
LAST = "\ue000"  # stands for END


@pytest.fixture(scope="module")
def solution():
    spec = importlib.util.spec_from_file_location("bpe", ROOT / "solutions" / "bpe.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw_text(draw, letters):
    words = ["".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(draw.randint(2, 15))]
    words = [word for word in words for _ in range(draw.randint(1, 30))]
    draw.shuffle(words)
    return " ".join(words)


def search(text, most, end):
    """Merges by a look at all words of the text for each of them, and how many come before the first tie."""
    words = [[*word, end] for word in text.split()]
    merges, clear = [], None
    while len(merges) < most:
        counts = {}
        for word in words:
            for place in range(1, len(word)):
                pair = word[place - 1], word[place]
                counts[pair] = counts.get(pair, 0) + 1
        top = max(counts.values(), default=0)
        if top < 2:
            break
        best = sorted(pair for pair, count in counts.items() if count == top)
        if len(best) > 1 and clear is None:
            clear = len(merges)
        merges.append(best[0])
        for word in words:
            place = 0
            while place + 1 < len(word):
                if (word[place], word[place + 1]) == best[0]:
                    word[place : place + 2] = ["".join(best[0])]
                place += 1
    return merges, len(merges) if clear is None else clear


@pytest.mark.parametrize("letters", ["ab", "abc", "aZ1", "abcdefgh"])
def test_learns_what_a_search_of_the_text_finds(solution, letters):
    draw = random.Random(letters)
    for _ in range(15):
        text, most = draw_text(draw, letters), draw.choice([1, 5, 40])
        assert solution.learn_merges(text, most) == search(text, most, solution.END)[0]


@pytest.mark.parametrize("letters", ["abc", "abcd", "abcdefgh"])
def test_learns_what_tokenizers_learns(solution, letters):
    draw, compared = random.Random(letters), 0
    for _ in range(40):
        text = draw_text(draw, letters)
        _, clear = search(text, 30, solution.END)
        trained = tokenizers.Tokenizer(tokenizers.models.BPE())
        trained.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
        characters = len({LAST, *text} - {" "})
        trainer = tokenizers.trainers.BpeTrainer(vocab_size=characters + clear, min_frequency=2, show_progress=False)
        trained.train_from_iterator([" ".join(word + LAST for word in text.split())], trainer)
        theirs = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
        ours = solution.learn_merges(text, clear)
        assert [(a.replace(LAST, solution.END), b.replace(LAST, solution.END)) for a, b in theirs] == ours
        compared += clear
    assert compared > 80


@pytest.mark.parametrize("letters", ["ab", "abc", "abcdefgh"])
def test_cuts_words_as_tokenizers_does(solution, letters):
    draw = random.Random(letters)
    for _ in range(15):
        merges = solution.learn_merges(draw_text(draw, letters), 60)
        theirs = [(left.replace(solution.END, LAST), right.replace(solution.END, LAST)) for left, right in merges]
        symbols = [*sorted({LAST, "?", *letters}), *(left + right for left, right in theirs)]
        vocabulary = {symbol: number for number, symbol in enumerate(symbols)}
        model = tokenizers.models.BPE(vocab=vocabulary, merges=theirs)
        for _ in range(30):
            word = "".join(draw.choices(letters + "?", weights=[9] * len(letters) + [1], k=draw.randint(1, 12)))
            cut = [token.value.replace(LAST, solution.END) for token in model.tokenize(word + LAST)]
            assert solution.segment(word, merges) == cut


def test_a_text_comes_back(solution):
    draw = random.Random(5)
    for _ in range(30):
        text = draw_text(draw, "abc<é7")
        merges = solution.learn_merges(text, draw.choice([0, 3, 50]))
        vocabulary = solution.build_vocabulary(text, merges)
        assert sorted(vocabulary.values()) == list(range(4 + len({*text, solution.END} - {" "}) + len(merges)))
        assert solution.decode(solution.encode(text, merges, vocabulary), vocabulary) == text
