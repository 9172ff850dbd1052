"""What a cluster worker does, without a cluster."""

import pytest

from grader.course import load_course
from grader.grading.backends.messages import Agreed, Broken, Judged, Refused, decode_reply, encode
from grader.grading.backends.remote import COURSE, RemoteJudge, terms_of
from grader.grading.settings import Settings
from grader.judge.processes.task import Task
from grader.results.records import Verdict
from grader.sandbox.layers import find_layers
from tests.grader.conftest import make_tiny, write


@pytest.fixture
def terms(tiny):
    course = load_course(tiny / "course.toml")
    return encode(
        terms_of(Settings(course=course, exercises=course.exercises[:1], seed="", jobs=1, layers=find_layers()))
    )


@pytest.mark.attack
def test_it_judges_bytes_and_ends_its_judge_when_nobody_asks(terms):
    remote = RemoteJudge(terms, idle=0.2)
    task = Task(exercise="addition", sources={"addition": ("addition.py", b"def add(a, b):\n    return a - b\n")})
    try:
        assert decode_reply(remote.check()) == Agreed()
        for _ in range(2):  # the second time with a new judge
            reply = decode_reply(remote.grade(encode(task)))
            assert isinstance(reply, Judged)
            assert [c.verdict for c in reply.result.criteria].count(Verdict.FAILED) == 2
            process = remote.judge.process
            process.wait(20)
            assert process.returncode is not None
        assert isinstance(decode_reply(remote.grade(b"no task")), Broken)
    finally:
        remote.close()


@pytest.mark.parametrize("change", ["tests/hidden/test_addition.py", "solutions/addition.py"])
def test_wherever_the_course_lies_it_must_be_the_same(terms, tmp_path, monkeypatch, change):
    other = make_tiny(tmp_path / "elsewhere/other")
    monkeypatch.setenv(COURSE, str(other))
    remote = RemoteJudge(terms)
    assert decode_reply(remote.check()) == Agreed()
    write(other / "solutions/doubling.py", "another exercise")
    assert decode_reply(remote.check()) == Agreed()
    write(other / change, (other / change).read_text() + "# changed\n")
    refused = decode_reply(remote.check())
    assert [one.what for one in refused.differences] == ["the files of the course for addition"]
    assert decode_reply(remote.grade(encode(Task(exercise="addition", sources={})))) == refused
    (other / "course.toml").unlink()
    (absent,) = decode_reply(remote.check()).differences
    assert absent.what == "the course"
    assert "course.toml: not found here" in absent.found
    remote.close()


def test_other_versions_and_layers_are_named(terms, monkeypatch):
    remote = RemoteJudge(terms)
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"{name} 99")
    monkeypatch.setenv("PATH", "/nowhere")  # without bubblewrap
    refused = decode_reply(remote.check())
    assert isinstance(refused, Refused)
    assert {one.what for one in refused.differences} == {"torch", "confinement"}
    remote.close()
