"""From a text to tokens, whatever the text is."""

from hypothesis import given
from hypothesis import strategies as st

from grader.overlap.tokens import MAX_TOKENS, tokens_of

CODE = 'def area(width, height):\n    """Of a box."""\n    return width * height  # easy\n'


def words(text):
    return list(tokens_of(text).words)


def test_names_comments_strings_and_layout_do_not_count():
    renamed = "def surface ( a , b ) :\n\n  'Doc.'\n  return a*b\n"
    assert words(CODE) == words(renamed)


def test_keywords_numbers_operators_and_attributes_count():
    assert words("return x.softmax(-1)") != words("return x.softmax(-2)")
    assert words("return x.softmax(-1)") != words("return x.sigmoid(-1)")
    assert words("a + b") != words("a - b")
    assert words("for x in y") != words("if x in y")


def test_a_hash_sign_in_a_string_begins_no_comment_and_a_quote_in_a_comment_no_string():
    assert words('x = "# no comment" + y') == words('x = "" + y')
    assert words("x = 1  # it's\ny = 2") == words("x = 1\ny = 2")


def test_strings_of_every_kind_are_one_token_and_an_open_one_ends_with_its_line_or_the_text():
    for text in ("'a'", '"a"', "rb'a'", "f'{x}'", "'''a\n'b'\n'''", '"""a"""', r"'\''", '"""open\nto the end'):
        assert words(text) == ['"'], text
    assert words("'open\nx") == ['"', "n"]


@given(st.text())
def test_any_text_has_tokens_that_stand_where_they_say(text):
    found = tokens_of(text)
    places = list(zip(found.starts, found.ends, strict=True))
    assert all(start < end for start, end in places)
    assert places == sorted(places)
    covered = "".join(text[start:end] for start, end in places)
    if "#" not in text and "\\" not in text:
        assert covered == "".join(c for c in text if not c.isspace()) or any(c in text for c in "'\"")


def test_texts_that_are_made_to_take_long_take_one_pass():
    for piece in (" \n", "'", '"', '"""', "\\", "(", "rb", "#", "0_", ".", "'''\\"):
        assert len(tokens_of(piece * 300_000).words) <= MAX_TOKENS
