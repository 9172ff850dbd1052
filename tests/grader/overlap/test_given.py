"""What students were given."""

from grader.course import find_course
from grader.overlap.given import given_texts


def test_stubs_public_tests_and_the_code_of_handouts_are_given_and_no_prose(tiny):
    (tiny / "exercises/addition/handout.md").write_text("Add them.\n\n```python\nadd(1, 2)  # three\n```\n\nPlease.\n")
    texts = given_texts(find_course(tiny))
    everything = "\n".join(texts)
    assert "add(1, 2)  # three" in everything and "Please" not in everything
    assert 'raise NotImplementedError("add is yours to write")' in everything
    assert "def test_small" in everything


def test_solutions_hidden_tests_and_work_in_the_folder_of_the_course_are_not_given(tiny):
    assert "return a + b" in (tiny / "exercises/addition/addition.py").read_text()
    everything = "\n".join(given_texts(find_course(tiny)))
    assert "return a + b" not in everything and "def test_any" not in everything


def test_where_there_are_no_solutions_the_files_as_they_lie_there_are_given(tiny):
    (tiny / "solutions/addition.py").unlink()
    assert "def add(a, b):\n    return a + b\n" in given_texts(find_course(tiny))
