"""Public tests."""

from grader.judge import assert_equal, criterion


@criterion("A small sum", points=1, kind="value", hint="Use +.", timeout=2)
def test_add(student):
    """One and two is three."""
    assert_equal(student.add(1, 2), 3, "add(1, 2)")


@criterion("A small list", points=1, kind="value", hint="Return it.", timeout=2)
def test_echo(student):
    """What goes in comes out."""
    assert_equal(student.echo([1, "two", None, 4.5]), [1, "two", None, 4.5], "echo([1, 'two', None, 4.5])")
