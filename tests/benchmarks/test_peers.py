"""``benchmarks/peers.py``: its submissions are what they are called, and its forgeries are no straw men."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course import find_course

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def course():
    return find_course(ROOT)


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import peer_tools
    import peers

    yield peers, peer_tools
    for name in ("peers", "peer_tools", "peer_class", "measuring"):
        sys.modules.pop(name, None)


def test_the_submissions_are_what_they_are_called(peers, course, tmp_path):
    peers, _ = peers
    submissions = peers.make_class(course, 60)
    kinds = [one.kind for one in submissions]
    assert len({one.source for one in submissions}) == len(submissions) == 60
    assert kinds[-5:] == ["crash", "loop", *peers.FORGERIES]
    assert {kind: kinds.count(kind) for kind in ("right", "wrong", "stub")} == {"right": 25, "wrong": 24, "stub": 6}
    some = submissions[:10]
    truth = peers.ask(tmp_path, peers.write_class(some, tmp_path / "class"))
    by_kind = {kind: {truth[one.name] for one in some if one.kind == kind} for kind in kinds[:10]}
    assert by_kind["right"] == {peers.FULL}
    assert by_kind["stub"] == {0}
    assert min(by_kind["wrong"]) >= 0 and max(by_kind["wrong"]) < peers.FULL


@pytest.mark.attack
def test_the_forgeries_have_full_marks_where_code_and_checks_share_a_process(peers, course, tmp_path):
    peers, tools = peers
    submissions = [one for one in peers.make_class(course, 6) if one.kind in peers.FORGERIES]
    folder = peers.write_class(submissions, tmp_path / "class")
    tool = tools.PlainPytest(Path(sys.executable), tmp_path / "tool", course, 60)
    tool.folder.mkdir()
    tool.prepare()
    with peers.measure() as meter:
        points = tool.grade(meter, folder)
    assert set(points.values()) == {peers.FULL}, (points, tool.said)
    assert meter.cost.cpu > 0 and meter.cost.counted


@pytest.mark.attack
def test_one_command_measures_and_writes_table_json_and_picture(tmp_path):
    command = [sys.executable, ROOT / "benchmarks/peers.py", "--submissions", "8", "--repeat", "1", "--limit", "2"]
    command += ["--tool", "grader grade", "--json", tmp_path / "peers.json", "--svg", tmp_path / "peers.svg"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    (tool,) = json.loads((tmp_path / "peers.json").read_text())["tools"]
    assert tool["agree"] == len(tool["honest"]) == 3
    assert tool["hostile"]["x_crash"] == 2 and not tool["hung"]
    assert not any(tool["hostile"][f"x_{name}"] for name in ("equal", "no_checks", "looks_up"))
    assert (tmp_path / "peers.svg").read_text().startswith("<svg")
