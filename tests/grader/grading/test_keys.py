"""The key of a result changes with everything that decides about it, and with nothing else."""

from msgspec.structs import replace

from grader.course import load_course
from grader.grading.keys import fingerprint, hash_files, hash_sources
from grader.grading.settings import Settings
from grader.sandbox.layers import find_layers
from tests.grader.conftest import write


def test_hashes_tell_names_contents_and_absence_apart(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"xy")
    hashes = {hash_files([a]), hash_files([a, b]), hash_files([a], extra="1")}
    b.write_bytes(b"")
    hashes |= {hash_files([a, b]), hash_files([b])}
    assert len(hashes) == 5
    assert hash_files([b, a]) == hash_files([a, b])
    sources = [
        {},
        {"m": ("m.py", b"")},
        {"m": ("m.py", b"x")},
        {"n": ("n.py", b"x")},
        {"m": ("m.py", b"x"), "n": ("n.py", b"")},
    ]
    assert len({hash_sources(s) for s in sources}) == 5


def fingerprint_of(tiny, name="addition", **changed):
    course = load_course(tiny / "course.toml")
    settings = Settings(course=course, exercises=course.exercises, seed=course.secret, jobs=1, layers=None)
    return fingerprint(replace(settings, **changed), course.exercise(name))


def test_whatever_a_suite_imports_from_the_course_counts(tiny):
    suite = tiny / "tests/hidden/test_addition.py"
    write(suite, "from data.words import WORDS\nfrom tests.hidden import helpers\nimport torch\n")
    write(tiny / "data/words.py", "from .more import MORE\nWORDS = 1\n")
    write(tiny / "tests/hidden/helpers.py", "import data.numbers\n")
    files = ("data/words.py", "data/more.py", "data/numbers.py", "data/__init__.py", "tests/hidden/helpers.py")
    seen = {fingerprint_of(tiny)}
    for name in (*files, "tests/hidden/conftest.py", "conftest.py", "tests/hidden/test_addition.py"):
        path = tiny / name
        write(path, (path.read_text() if path.is_file() else "") + "# changed\n")
        seen.add(fingerprint_of(tiny))
    assert len(seen) == 9
    for name in ("data/unused.py", "exercises/addition/handout.md", "solutions/misconceptions/addition.toml"):
        write(tiny / name, "# changed\n")
    assert fingerprint_of(tiny) in seen


def test_seed_versions_and_confinement_count(tiny, monkeypatch):
    seen = {fingerprint_of(tiny), fingerprint_of(tiny, seed="other"), fingerprint_of(tiny, layers=find_layers())}
    weaker = replace(find_layers(), bubblewrap="not installed")
    seen.add(fingerprint_of(tiny, layers=weaker))
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    seen.add(fingerprint_of(tiny))
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"{name} 99")
    seen.add(fingerprint_of(tiny))
    assert len(seen) == 6
    assert fingerprint_of(tiny) == fingerprint_of(tiny, jobs=2, quick=True)


def test_implementations_of_another_exercise_count(tiny):
    path = tiny / "course.toml"
    path.write_text(path.read_text().replace("weight = 3", 'implementations_of = ["addition"]'))
    seen = {fingerprint_of(tiny, "doubling")}
    for name in ("solutions/addition.py", "solutions/misconceptions/addition.toml", "tests/variants/addition/a.py"):
        write(tiny / name, "# changed\n")
        seen.add(fingerprint_of(tiny, "doubling"))
    assert len(seen) == 4


def test_a_suite_that_is_not_python_has_a_key_too(tiny):
    write(tiny / "tests/hidden/test_addition.py", "def (:\n")
    assert fingerprint_of(tiny)
