"""Names for files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.files import safe_name
from tests.grader.made_results import EVIL, STRANGE


@given(st.text(st.characters()) | st.sampled_from([EVIL, *STRANGE]))
def test_any_text_gets_a_name_that_every_file_system_takes(text):
    name = safe_name(text)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,59}", name)
    assert safe_name(text) == name


@given(st.lists(st.text(st.sampled_from("aAbB01-_./ ")), unique=True))
def test_other_texts_get_other_names(texts):
    names = {safe_name(text) for text in texts}
    assert len(names) == len(texts)


@pytest.mark.parametrize("text", ["s01", "anna-lena", "group_7", "a" * 60])
def test_a_plain_name_stays(text):
    assert safe_name(text) == text


def test_a_name_that_looks_like_one_of_ours_is_not_taken_for_it():
    taken = safe_name("S01")
    assert taken.startswith("s01-") and safe_name(taken) != taken


@pytest.mark.parametrize("text", ["con", "nul", "com1", "", "..", "-rf"])
def test_names_that_mean_something_to_a_system_are_changed(text):
    assert safe_name(text) != text
