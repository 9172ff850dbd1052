import re

import pytest

from grader.course import find_course, load_course
from grader.errors import ManifestError, UnknownExerciseError


def test_a_good_manifest_keeps_the_order_and_fills_defaults(tiny):
    course = load_course(tiny / "course.toml")
    assert [e.name for e in course.exercises] == ["addition", "doubling"]
    assert course.weights == {"addition": 1.0, "doubling": 3.0}
    assert course.exercise("doubling").builds_on == ()
    assert course.secret.endswith("07")
    assert course.hidden_suite(course.exercise("addition")) == tiny / "tests/hidden/test_addition.py"


def test_the_course_is_found_from_below(tiny):
    assert find_course(tiny / "exercises" / "addition").root == tiny


def test_without_a_manifest_the_message_says_what_to_do(tmp_path):
    with pytest.raises(ManifestError, match="--course FOLDER"):
        find_course(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("weight = 3", "wieght = 3", "exercise[1].wieght", ["did you mean 'weight'?", "Allowed: name, title"]),
        ('title = "Tiny"', 'titel = "Tiny"', "titel", ["did you mean 'title'?", "Allowed: format, title"]),
        ('title = "Twice"', "", "exercise[1].title", ["missing"]),
        ("weight = 3", "weight = 'three'", "exercise[1].weight", ["found 'three'", "expected float"]),
        ("weight = 3", "weight = 0", "exercise[1].weight", ["found 0", "> 0"]),
        ("format = 1", "format = 2", "format", ["found 2", "reads 1"]),
        ("format = 1", "", "format", ["missing"]),
        ('name = "doubling"', 'name = "Doubling!"', "exercise[1].name", ["found 'Doubling!'", "matching regex"]),
        ('name = "doubling"', 'name = "addition"', "exercise[1].name", ["'addition' appears twice"]),
        ("weight = 3", 'builds_on = ["adition"]', "exercise[1].builds_on", ["did you mean 'addition'?"]),
        ("weight = 3", 'implementations_of = ["x"]', "exercise[1].implementations_of", ["Allowed here: addition"]),
        ('title = "Tiny"', 'title = "Tiny"\nseed = 7', "seed", ["is not a known key"]),
        ('["doubling.py"]', '["double.py"]', "exercise[1].files", ["must contain 'doubling.py'"]),
        ('["doubling.py"]', '["../doubling.py"]', "exercise[1].files[0]", ["found '../doubling.py'"]),
        ('["doubling.py"]', "[]", "exercise[1].files", ["found []"]),
    ],
)
def test_a_mistake_is_named_with_key_finding_and_allowed(tiny, old, new, key, words):
    path = tiny / "course.toml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(ManifestError) as caught:
        load_course(path)
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{path}: {key}: ")
    for word in words:
        assert word in str(caught.value)


def test_broken_toml_gives_the_line(tiny):
    (tiny / "course.toml").write_text("format = 1\ntitle = \n")
    with pytest.raises(ManifestError, match=re.escape("line 2")):
        load_course(tiny / "course.toml")


def test_what_an_exercise_builds_on_must_come_earlier(tiny):
    path = tiny / "course.toml"
    path.write_text(path.read_text().replace('title = "One and one"', 'title = "x"\nbuilds_on = ["doubling"]'))
    with pytest.raises(ManifestError, match="not an earlier exercise"):
        load_course(path)


def test_an_unknown_exercise_gets_a_suggestion(tiny):
    with pytest.raises(UnknownExerciseError, match="did you mean 'addition'"):
        load_course(tiny / "course.toml").exercise("adition")


def test_select_keeps_the_order_of_the_course(tiny):
    course = load_course(tiny / "course.toml")
    assert [e.name for e in course.select(("doubling", "addition"))] == ["addition", "doubling"]
    assert len(course.select(())) == 2
