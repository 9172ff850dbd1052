from pathlib import Path

import pytest
from nbgrader.preprocessors.clearsolutions import ClearSolutions

from grader.course.marks import BEGIN, END, Region, find_regions
from grader.errors import MarkError

PATH = Path("solutions/x.py")


def test_regions_are_found_with_their_lines_and_indentation():
    source = f"def f():\n    {BEGIN}\n    return 1\n    {END}\n\n{BEGIN}\ny = 2\n{END}\n"
    assert find_regions(source, PATH) == [Region(2, 4, "    "), Region(6, 8, "")]


def test_marks_in_strings_are_text():
    assert find_regions(f's = """\n{BEGIN}\n"""\n', PATH) == []


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([BEGIN, "x = 1", BEGIN, END], 3, "inside the region that begins in line 1"),
        (["x = 1", BEGIN, "y = 1"], 2, "never closed"),
        (["x = 1", END], 2, "without a"),
        ([BEGIN, "x = 1", END, END], 4, "without a"),
        (["if x:", f"    {BEGIN}", "    y = 1", END], 4, "not indented as"),
        ([f"x = 1  {BEGIN}", END], 1, "alone on its line"),
        (["### BEGIN SOLUTIONS", "x = 1", END], 1, "is not a mark"),
        (["# begin solution", "x = 1", END], 1, "is not a mark"),
        (["#### BEGIN SOLUTION", "x = 1", END], 1, "is not a mark"),
        ([BEGIN + " of f", "x = 1", END], 1, "is not a mark"),
        ([BEGIN, "x = (1", END], 4, "is not valid Python"),
    ],
)
def test_marks_that_do_not_fit_are_errors_with_their_line(lines, line, words):
    with pytest.raises(MarkError, match=words) as caught:
        find_regions("\n".join(lines) + "\n", PATH)
    assert (caught.value.path, caught.value.line) == (PATH, line)


def test_the_marks_are_nbgraders():
    clear = ClearSolutions()
    assert f"### {clear.begin_solution_delimeter.lstrip('# ')}" == BEGIN
    assert f"### {clear.end_solution_delimeter.lstrip('# ')}" == END
