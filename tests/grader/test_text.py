"""Text of students, made safe to show."""

from hypothesis import given
from hypothesis import strategies as st

from grader.text import visible


def test_what_nobody_would_see_is_written_out():
    assert visible("a\u202eb\x1b[2J\x00\u2066\ufeff") == "a\\u202eb\\x1b[2J\\x00\\u2066\\ufeff"


def test_letters_of_all_languages_lines_and_joined_characters_stay():
    text = "שלום Zoë 李\n\tمی\u200cخواهم 👩\u200d💻 <b>"
    assert visible(text) == text


@given(st.text(st.characters()))
def test_it_can_be_written_and_stays_the_same_the_second_time(text):
    shown = visible(text)
    shown.encode()
    assert visible(shown) == shown
