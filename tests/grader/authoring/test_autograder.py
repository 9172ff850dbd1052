"""The zip for Gradescope grades a submission, end to end, where paths are redirected."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import grader as package
from grader.authoring.run_autograder import confinement_sentence, points_of

RIGHT = "def add(a, b):\n    return a + b\n"
METADATA = {
    "id": 1, "created_at": "2026-06-01T10:00:00.000000-07:00", "assignment": {"total_points": "40.0"},
    "users": [{"name": "Jané", "email": "../jane@x.org", "id": 7}],
}  # fmt: skip


@pytest.fixture
def autograder(tiny, grader, tmp_path):
    """/autograder, as Gradescope lays it out, in a temporary folder."""

    def lay_out(*options):
        result = grader("gradescope-zip", tmp_path / "autograder.zip", "--course", tiny, *options)
        assert result.exit_code == 0, result.output
        root = tmp_path / "autograder"
        with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
            archive.extractall(root / "source")  # our own
        (root / "submission").mkdir()
        (root / "submission_metadata.json").write_text(json.dumps(METADATA))
        return root

    return lay_out


def run(root, **more):
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable, **more}
    command = [sys.executable, "-I", str(root / "source/run_autograder")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done, json.loads((root / "results/results.json").read_text())


def test_a_submission_is_graded_and_the_confinement_is_told(autograder):
    root = autograder()
    (root / "submission/addition.py").write_text(RIGHT)
    done, document = run(root)
    assert done.returncode == 0, done.stderr
    assert document["score"] == 10.0  # a quarter of 40 points: doubling has three times the weight
    assert [test["visibility"] for test in document["tests"]] == ["visible", "visible", "after_published", "visible"]
    assert "Confinement: " in document["output"]
    assert "none" not in document["output"]
    assert document["stdout_visibility"] == "hidden"


def test_without_confinement_nothing_is_graded_unless_the_teacher_said_so(autograder, tmp_path):
    nothing = tmp_path / "nothing/sitecustomize.py"
    nothing.parent.mkdir()
    nothing.write_text("import grader.worker.seccomp as s\ns.available = lambda: 'not here'\n")
    root = autograder("--exercise", "addition", "--quick")
    (root / "submission/addition.py").write_text(RIGHT)
    done, document = run(root, PYTHONPATH=str(nothing.parent))
    assert done.returncode == 0
    assert "score" not in document
    assert "cannot be confined on this machine" in document["output"]
    settings = root / "source/settings.json"
    settings.write_text(settings.read_text().replace('"unconfined": false', '"unconfined": true'))
    _, document = run(root, PYTHONPATH=str(nothing.parent))
    assert document["score"] == 40.0
    assert "Confinement: none." in document["output"]


@pytest.mark.parametrize("obstacle", ["no course", "no python"])
def test_a_crash_leaves_a_notice_and_no_score(autograder, obstacle):
    root = autograder("--exercise", "addition")
    (root / "submission/addition.py").write_text(RIGHT)
    if obstacle == "no course":
        (root / "source/course/course.toml").unlink()
        _, document = run(root)
    else:
        done, document = run(root, AUTOGRADER_PYTHON=str(root / "nowhere"))
        assert done.returncode != 0
    assert "could not be graded" in document["output"]
    assert "score" not in document
    assert document["tests"] == []


def test_the_zip_has_hidden_suites_solutions_and_the_secret_and_stable_bytes(tiny, grader, tmp_path):
    contents = []
    for name in ("a.zip", "b.zip"):
        (tiny / "exercises/addition/__pycache__").mkdir(exist_ok=True)
        (tiny / "exercises/addition/__pycache__/x.pyc").write_text(name)
        result = grader("gradescope-zip", tmp_path / name, "--course", tiny)
        assert "not for students" in result.output
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    with zipfile.ZipFile(io.BytesIO(contents[0])) as archive:
        names = set(archive.namelist())
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert {
        "course/course.toml", "course/tests/hidden/test_addition.py", "course/solutions/addition.py",
        "course/solutions/grading.toml", "course/exercises/addition/test_addition.py", "setup.sh", "run_autograder",
    } <= names  # fmt: skip
    assert (modes["setup.sh"], modes["run_autograder"], modes["settings.json"]) == (0o755, 0o755, 0o644)
    root = Path(package.__file__).parent
    ours = {f"package/grader/{p.relative_to(root).as_posix()}" for p in root.rglob("*.py")}
    assert ours <= names
    assert not [name for name in names if "__pycache__" in name]


def test_the_zip_of_this_course_has_what_its_suites_import(course, grader, tmp_path):
    from grader.authoring.autograder import course_files

    names = {path.relative_to(course.root).as_posix() for path in course_files(course)}
    assert {"data/digits.py", "constraints.txt", "pyproject.toml"} <= names
    assert any(name.startswith("tests/variants/") for name in names)  # implementations for tests that students write
    assert not any(name.startswith(("data/sample_class", "tests/grader", "tests/attacks")) for name in names)


def test_pip_installs_the_grader_from_the_zip(autograder, tmp_path):
    root = autograder()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    target = tmp_path / "installed"
    command = [*pip, "--target", str(target), str(root / "source/package")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (target / "grader/reports/templates/handout.html.jinja").is_file()
    (requires,) = (line for line in next(target.glob("grader-*/METADATA")).read_text().splitlines() if "torch" in line)
    assert requires.startswith("Requires-Dist: torch")


def test_setup_is_a_valid_shell_script(autograder):
    assert subprocess.run(["bash", "-n", str(autograder() / "source/setup.sh")], check=False).returncode == 0


def test_points_that_make_no_sense_are_100():
    for points in (None, "", "0", 0, -1, "nan", "inf", [], "x"):
        assert points_of({"assignment": {"total_points": points}}) == 100.0
    assert points_of({"assignment": None}) == points_of({"assignment": []}) == 100.0
    assert points_of({"assignment": {"total_points": "40.0"}}) == 40.0


def test_the_sentence_about_confinement_is_honest():
    layers = {"bubblewrap": "not installed", "landlock": None, "seccomp": None}
    assert confinement_sentence({"level": "landlock", "layers": layers}) == (
        "Confinement: landlock, seccomp (without bubblewrap)."
    )
    assert "none" in confinement_sentence({"level": "process", "layers": {}})


def test_files_that_are_not_recognised_are_a_question_and_no_zero(autograder):
    root = autograder("--exercise", "addition")
    (root / "submission/adition.py").write_text(RIGHT)
    (root / "submission/notes.py").write_text("x = 1\n")
    _, document = run(root)
    assert "score" not in document
    assert "What was handed in is unclear" in document["output"]


@pytest.mark.parametrize("metadata", [{}, {"users": None, "created_at": 7}, {"users": [{"name": "\x7f\ud83d"}, 3]}, []])
def test_metadata_that_make_no_sense_stop_nothing(autograder, metadata):
    root = autograder("--exercise", "addition")
    (root / "submission/addition.py").write_text(RIGHT)
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    done, document = run(root)
    assert document.get("score") == 100.0, done.stdout + done.stderr


def test_lateness_counts_from_when_it_was_handed_in(autograder, tiny):
    manifest = tiny / "course.toml"
    manifest.write_text(manifest.read_text() + "\n[policy]\ndue = 2026-05-31T10:00:00-07:00\npenalty_per_day = 10\n")
    root = autograder("--exercise", "addition")
    (root / "submission/addition.py").write_text(RIGHT)
    _, document = run(root)
    assert document["score"] == 36.0
    assert "late by 1 day" in document["output"]
