import pytest

from grader.course.misconceptions import apply_misconception, load_misconceptions
from grader.errors import GraderError, MisconceptionError

SOLUTION = """import functools


def f(x):
    return x + 1


class Model:
    @functools.cache
    def g(self):
        return 2
"""


def bank(tmp_path, body, head="format = 1"):
    path = tmp_path / "bank.toml"
    path.write_text(f"{head}\n[[misconception]]\nid = 'a'\nexplanation = 'e'\nhint = 'h'\ncaught_by = ['c']\n{body}\n")
    return path


def apply(path):
    (mistake,) = load_misconceptions(path)
    return apply_misconception(mistake, SOLUTION, path)


def test_find_and_replace(tmp_path):
    assert "return x - 1" in apply(bank(tmp_path, "find = 'x + 1'\nreplace = 'x - 1'"))


def test_a_whole_method_with_its_decorator(tmp_path):
    wrong = apply(bank(tmp_path, "function = 'Model.g'\ncode = '''\ndef g(self):\n    return 3\n'''"))
    assert wrong.endswith("class Model:\n    def g(self):\n        return 3\n")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("find = 'nowhere'\nreplace = 'x'", "occurs 0 times"),
        ("find = 'return'\nreplace = 'x'", "occurs 2 times"),
        ("find = 'x + 1'\nreplace = 'x +'", "invalid Python"),
        ("function = 'h'\ncode = 'def h(): pass'", "has no 'h'"),
        ("", "needs either"),
        ("find = 'x + 1'\nreplace = 'x'\nfunction = 'f'\ncode = ''", "needs either"),
    ],
)
def test_an_edit_that_does_not_fit_is_an_error(tmp_path, body, words):
    with pytest.raises(MisconceptionError, match=words):
        apply(bank(tmp_path, body))


def test_an_unknown_key_and_a_wrong_format_are_errors(tmp_path):
    with pytest.raises(GraderError, match="fnd"):
        load_misconceptions(bank(tmp_path, "fnd = 'x'"))
    with pytest.raises(GraderError, match="format"):
        load_misconceptions(bank(tmp_path, "find = 'x'", head="format = 9"))
