import json

import pytest

from grader.judge.doctor import examine
from grader.sandbox import layers


@pytest.fixture(scope="module")
def findings():
    """What a worker could do, tried once."""
    return examine(layers.find_layers())


def test_every_layer_is_named_and_the_attempts_are_refused(grader, findings, monkeypatch):
    monkeypatch.setattr("grader.judge.doctor.examine", lambda found: findings)
    result = grader("doctor")
    assert result.exit_code == 0, result.output
    for words in ("landlock (files)", "seccomp (system calls)", "in force", "read a file of the course", "refused"):
        assert words in result.output
    assert "it succeeded" not in result.output


def test_json(grader, findings, monkeypatch):
    monkeypatch.setattr("grader.judge.doctor.examine", lambda found: findings)
    document = json.loads(grader("doctor", "--json").stdout)
    assert document["level"] in ("bubblewrap", "landlock")
    assert set(document["attempts"].values()) == {""}


def test_a_machine_without_layers_is_told_so(grader, monkeypatch):
    nothing = layers.Layers(bubblewrap="not installed", landlock="none", seccomp="none")
    monkeypatch.setattr(layers, "find_layers", lambda: nothing)
    result = grader("doctor")
    assert result.exit_code == 1
    assert "not in force: not installed" in result.output
    assert "--unconfined" in result.output
