"""What a file's name says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.submissions.names import exercise_of, is_clutter, near_exercise

EXERCISES = ("edit_distance", "edit_distance_tests", "ctc", "attention", "multihead_attention", "beam_search")


@pytest.mark.parametrize(
    ("name", "exercise", "number"),
    [
        ("ctc.py", "ctc", 0),
        ("CTC.py", "ctc", 0),
        ("ctc.PY", "ctc", 0),
        ("ctc.IPYNB", "ctc", 0),
        ("ctc-1.py", "ctc", 1),
        ("ctc (2).py", "ctc", 2),
        ("ctc(3).ipynb", "ctc", 3),
        ("Copy_of_ctc.ipynb", "ctc", 1),
        ("Copy of Copy of ctc.ipynb", "ctc", 1),
        ("ctc - Copy.py", "ctc", 1),
        ("ctc - Copy (2).py", "ctc", 2),
        ("ctc copy 2.py", "ctc", 2),
        ("ctc-1-2.py", "ctc", 2),
        ("edit-distance.py", "edit_distance", 0),
        ("Edit Distance.py", "edit_distance", 0),
        ("edit_distance_tests.py", "edit_distance_tests", 0),
        ("ctc.pyc", "", 0),
        ("ctc_final.py", "", 0),
        ("test_ctc.py", "", 0),
        (".py", "", 0),
    ],
)
def test_an_exercise_is_known_whatever_was_put_around_its_name(name, exercise, number):
    assert exercise_of(name, EXERCISES) == (exercise, number)


@pytest.mark.parametrize(
    ("name", "exercise"),
    [
        ("edit_distnace.py", "edit_distance"),
        ("ctc_final.py", "ctc"),
        ("my_ctc2.py", "ctc"),
        ("hw3-multihead_attention-v2.py", "multihead_attention"),
        ("ctc.py.txt", "ctc"),
        ("ctc.ipynb.json", "ctc"),
        ("test_ctc.py", ""),
        ("conftest.py", ""),
        ("utils.py", ""),
        ("report.pdf", ""),
        ("ctc.docx", ""),
        ("fact.py", ""),
    ],
)
def test_a_near_name_is_seen_and_others_are_not(name, exercise):
    assert near_exercise(name, EXERCISES) == exercise


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("__MACOSX/s01/._ctc.py", True),
        ("s01/.DS_Store", True),
        ("s01/.ipynb_checkpoints/ctc-checkpoint.ipynb", True),
        ("s01/ctc-checkpoint.ipynb", True),
        ("s01/__pycache__/ctc.cpython-311.pyc", True),
        ("s01/ctc.py", False),
        ("environment/ctc.py", False),
    ],
)
def test_what_programs_leave_behind_is_nobodys_work(path, expected):
    assert is_clutter(path.split("/")) is expected


@given(st.text(max_size=300))
def test_any_name_can_be_asked_about(name):
    exercise_of(name, EXERCISES)
    near_exercise(name, EXERCISES)
