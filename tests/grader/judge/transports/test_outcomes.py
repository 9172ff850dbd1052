"""A place in a student's file says no more than its line."""

import textwrap

import pytest

from grader.judge.transports.outcomes import raised
from grader.wire.messages import Failure

SOURCE = textwrap.dedent("""
    import math

    def first(x):
        # def commented(x):
        if x:
    # a comment at the margin
            return math.sqrt(x)
        def inner():
            return 1 / 0
        return inner()

    class Model:
        def forward(self, x):
            return x.y

    VALUE = 1 / 1
    def short(): return 1 / 0
    async def later(): return 1 / 0
    """).lstrip()


def place_of(line, source=SOURCE):
    failure = Failure(types=("ValueError",), message="", frames=(line,))
    return raised(failure, "a.py", {"a": ("a.py", source.encode())}).line


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("return math.sqrt(x)", "first"),
        ("            return 1 / 0", "inner"),
        ("return inner()", "first"),
        ("return x.y", "forward"),
        ("VALUE", ""),
        ("def short", "short"),
        ("async def later", "later"),
    ],
)
@pytest.mark.parametrize("said", ["first", "commented", "secret", ""])
def test_the_function_is_read_off_the_file_and_not_believed(text, function, said):
    lines = SOURCE.splitlines()
    number = next(n for n, line in enumerate(lines, 1) if text.strip() in line and "commented" not in line)
    if text.startswith(" "):
        number = next(n for n, line in enumerate(lines, 1) if line == "        return 1 / 0")
    place = f"a.py:{number}"
    expected = f"{place} in {function}" if function else place
    assert place_of(f"{place} in {said}" if said else place) == expected


@pytest.mark.parametrize("line", ["a.py:0", "a.py:999", "b.py:1", "a.py:x", "a.py:1 in f; rm", "../a.py:1"])
def test_a_place_that_is_not_there_is_left_out(line):
    assert place_of(line) == ""


def test_a_file_of_very_many_lines_gives_no_place():
    assert place_of("a.py:6", SOURCE + "\n" * 5000) == ""
    assert place_of("a.py:6", SOURCE.replace("\n", "\r")).startswith("a.py:6")
