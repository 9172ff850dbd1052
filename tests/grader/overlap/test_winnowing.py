"""Fingerprints: what winnowing promises."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from grader.overlap.winnowing import GUARANTEED, RUN, WINDOW, run_hashes, winnow

words = st.lists(st.sampled_from(["n", "=", "+", "(", ")", "return", "1"]), max_size=120)
common = st.lists(st.sampled_from(["n", "=", "+", "1"]), min_size=GUARANTEED, max_size=60)


def prints(text):
    hashes = run_hashes(text)
    return {hashes[place] for place in winnow(hashes)}


@given(words, words, words, words, common)
def test_what_is_long_enough_and_common_is_always_found(before, after, before_too, after_too, both):
    assert prints(before + both + after) & prints(before_too + both + after_too)


@given(words)
def test_every_window_has_a_fingerprint_and_it_is_the_smallest(text):
    hashes = run_hashes(text)
    chosen = winnow(hashes)
    for start in range(len(hashes) - WINDOW + 1):
        window = range(start, start + WINDOW)
        assert min(hashes[place] for place in window) in {hashes[place] for place in window if place in chosen}


@given(words, words)
def test_equal_runs_have_equal_hashes_wherever_they_stand(before, text):
    assert run_hashes(before + text)[len(before) :] == run_hashes(text)
    assert len(run_hashes(text)) == max(0, len(text) - RUN + 1)


def test_hashes_are_the_same_in_every_process():
    code = "from grader.overlap.winnowing import run_hashes; print(run_hashes(list('abcdefghijklmnopqrstuvwxyz')))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
