import pytest

from grader.sandbox import layers
from grader.sandbox.layers import Layers, find_layers, library_folders


@pytest.mark.parametrize(
    ("bubblewrap", "landlock", "seccomp", "level"),
    [
        ("", "", "", "bubblewrap"),
        ("", "no", "", "bubblewrap"),
        ("no", "", "", "landlock"),
        ("no", "no", "", "none"),
        ("", "", "no", "none"),
    ],
)
def test_the_level_is_what_the_layers_allow(bubblewrap, landlock, seccomp, level):
    assert Layers(bubblewrap=bubblewrap, landlock=landlock, seccomp=seccomp).level == level


def test_a_missing_bubblewrap_comes_with_the_command_to_install_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install bubblewrap" in find_layers().bubblewrap


def test_a_bubblewrap_that_is_refused_says_so(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'no permission to create a namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setattr(layers.shutil, "which", lambda _: str(fake))
    reason = find_layers().bubblewrap
    assert "refused here" in reason or "cannot be started" in reason


def test_other_systems_have_no_layers(monkeypatch):
    monkeypatch.setattr(layers.sys, "platform", "darwin")
    assert find_layers().level == "none"


def test_workers_see_libraries_and_not_the_course(course):
    for folder in library_folders():
        assert not str(course.root / "tests").startswith(folder + "/")
        assert folder not in ("/", "/usr", str(course.root), str(course.root.parent))
