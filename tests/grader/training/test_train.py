"""``grader train``: a model gets better, a run goes on where it stopped, and what is written can be looked at."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from data.learners import cosine
from data.training import TASKS
from grader.training import run
from grader.training.scores import distance_between, error_rates
from grader.training.tasks import batches_of_epoch

SMALL = "ab"


@given(st.text(SMALL, max_size=6), st.text(SMALL, max_size=6), st.text(SMALL, max_size=6))
def test_the_distance_is_one(a, b, c):
    assert distance_between(a, b) == distance_between(b, a)
    assert (distance_between(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= distance_between(a, b) <= max(len(a), len(b))
    assert distance_between(a, c) <= distance_between(a, b) + distance_between(b, c)


def test_error_rates_take_the_nearest_reference():
    assert error_rates([list("abc"), list("x")], [[list("abd"), list("abc")], [list("yz")]]) == (2 / 5, 1 / 2)
    assert error_rates([[]], [[list("ab")]]) == (1.0, 1.0)


def test_an_epoch_has_every_pair_once():
    pairs = [(f"{i}" * (i % 7 + 1), f"{i}") for i in range(500)]
    first, second = (batches_of_epoch(pairs, 32, 1, epoch) for epoch in (0, 1))
    assert sorted(pair for batch in first for pair in batch) == sorted(pairs)
    assert first != second
    assert first == batches_of_epoch(pairs, 32, 1, 0)
    assert len(first) == 16


def test_the_learning_rate_rises_and_falls():
    rates = [cosine(step, 100, 10) for step in range(101)]
    assert rates.index(max(rates)) == 10
    assert max(rates) == 1
    assert rates[0] == 0
    assert rates[-1] == pytest.approx(0)


@pytest.fixture
def train(course, grader):
    def start(exercise, out, *options):
        options = ("--task", "digits", "--out", out, "--file", course.root / f"solutions/{exercise}.py", *options)
        return grader("train", exercise, "--course", course.root, "--json", *options)

    return start


def outcome(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.training
@pytest.mark.parametrize("exercise", ["seq2seq", "transformer"])
def test_a_model_learns_and_an_interrupted_run_comes_to_the_same_end(train, tmp_path, monkeypatch, exercise):
    steps = ("--steps", 60, "--word", "31/41")
    whole = outcome(train(exercise, tmp_path / "whole", *steps))
    state = json.loads((tmp_path / "whole/run.json").read_text())
    assert state["losses"][-1][1] < state["losses"][0][1]
    for name in ("loss.svg", "loss.png", "attention_31_41.svg", "attention_31_41.png", "model.safetensors"):
        assert (tmp_path / "whole" / name).stat().st_size > 500

    original, seen = run.Training._progress, []

    def interrupt(self, step, samples=()):
        seen.append(step)
        if len(seen) == 40:  # in the middle of the second chunk
            raise KeyboardInterrupt
        return original(self, step, samples)

    monkeypatch.setattr(run.Training, "_progress", interrupt)
    stopped = train(exercise, tmp_path / "parts", *steps)
    assert stopped.exit_code == 130
    assert "interrupted at step 25" in stopped.stderr
    again = outcome(train(exercise, tmp_path / "parts", *steps))
    assert seen[40] == 25
    both = [load_file(tmp_path / name / "model.safetensors") for name in ("whole", "parts")]
    assert all(both[0][key].equal(both[1][key]) for key in both[0])
    for key in ("symbol_error_rate", "sequence_error_rate", "loss", "steps"):
        assert again[key] == whole[key]


@pytest.mark.training
def test_another_run_in_the_folder_is_not_overwritten(train, tmp_path):
    outcome(train("seq2seq", tmp_path, "--steps", 1))
    refused = train("seq2seq", tmp_path, "--steps", 2)
    assert refused.exit_code == 2
    assert "--fresh" in refused.stderr
    assert outcome(train("seq2seq", tmp_path, "--steps", 2, "--fresh"))["steps"] == 2
    (tmp_path / "model.safetensors").write_bytes(b"broken")
    broken = train("seq2seq", tmp_path, "--steps", 2)
    assert broken.exit_code == 2
    assert "does not fit your model" in broken.stderr


def test_what_cannot_be_trained_is_said(grader, course, tmp_path):
    result = grader("train", "ctc", "--course", course.root, "--out", tmp_path)
    assert result.exit_code == 2
    assert "seq2seq or transformer" in result.stderr
    broken = tmp_path / "seq2seq.py"
    broken.write_text("import nothing_at_all\n")
    result = grader("train", "seq2seq", "--course", course.root, "--out", tmp_path / "out", "--file", broken)
    assert result.exit_code == 2
    assert "cannot be trained yet" in result.stderr and "has no attribute" in result.stderr
    stub = course.module(course.exercise("seq2seq"))
    result = grader("train", "seq2seq", "--course", course.root, "--out", tmp_path / "out", "--file", stub)
    assert result.exit_code == 2
    assert "cannot be trained yet" in result.stderr and "is yours to write" in result.stderr
    sys.modules.pop("seq2seq", None)  # this one was imported, and is no use to other tests


def test_every_task_has_sizes_for_both_exercises():
    assert all(task.sizes.keys() == {"seq2seq", "transformer"} for task in TASKS.values())


def test_what_training_needs_is_said_before_it_starts(course, monkeypatch, grader, tmp_path):
    from grader.training import run

    monkeypatch.setattr(run, "find_spec", lambda name: None)
    result = grader("train", "seq2seq", "--out", tmp_path, "--course", course.root)
    assert result.exit_code == 2
    assert "needs matplotlib and safetensors. Run: python -m pip install" in " ".join(result.output.split())


def test_without_torch_one_sentence_says_what_helps(tiny, monkeypatch, grader):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for command in ("check", "train"):
        result = grader(command, "addition", "--course", tiny)
        assert result.exit_code == 2 and "torch is not installed here. Run:" in result.output
