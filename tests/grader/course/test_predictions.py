from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.authoring.answers import write_answers
from grader.course import find_course
from grader.course.predictions import normal_form, path_of, read_predictions, reply
from grader.errors import GraderError
from grader.student.predict import predict
from grader.validation.predictions import prove_predictions, solution_answers

COURSE = find_course(Path(__file__))
NAMES = [exercise.name for exercise in COURSE.exercises]


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_gives_the_right_answers_and_no_known_mistake(name):
    exercise = COURSE.exercise(name)
    predictions = read_predictions(COURSE, exercise)
    assert prove_predictions(COURSE, exercise).problems == ()
    for number, answer in enumerate(solution_answers(COURSE, exercise), start=1):
        assert reply(predictions, number, answer).right
        for wrong, words in predictions.question[number - 1].mistakes.items():
            found = reply(predictions, number, wrong)
            assert not found.right and words in found.words


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault
@given(st.lists(st.integers(-99, 99), min_size=1))
def test_brackets_commas_and_decimals_make_no_difference(numbers):
    ways = [str(numbers), str(tuple(numbers)), " ".join(map(str, numbers)), ", ".join(f"{n:.1f}" for n in numbers)]
    assert len({normal_form(way) for way in ways}) == 1


def test_different_answers_stay_different():
    answers = ["[]", "0", "1", "-1", "1 1", "11", "inf", "-inf", "nan", "0.12", "0.13", "a", "b"]
    assert len({normal_form(answer) for answer in answers}) == len(answers)
    assert normal_form("−1/2") == normal_form(-0.5) and normal_form("<EOS>") == normal_form("eos")
    assert normal_form(".64") == normal_form("0.64") and normal_form("-.5, 2.") == normal_form("[-0.5, 2]")


def test_a_stale_answer_is_a_problem_that_the_command_mends(tmp_path):
    (tmp_path / "course.toml").write_text(COURSE.manifest.read_text(encoding="utf-8"))
    exercise = COURSE.exercise("edit_distance")
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "edit_distance.py").write_bytes(COURSE.solution(exercise).read_bytes())
    course = find_course(tmp_path)
    path = path_of(course, exercise)
    path.parent.mkdir(parents=True)
    text = path_of(COURSE, exercise).read_text(encoding="utf-8")
    path.write_text(text.replace('answer = "', 'answer = "0'), encoding="utf-8")
    assert "grader answers" in prove_predictions(course, exercise).problems[0]
    assert write_answers(course, exercise, only_check=True) and write_answers(course, exercise)
    assert path.read_text(encoding="utf-8") == text
    assert not write_answers(course, exercise)


def test_a_notebook_asks_and_answers(capsys, monkeypatch):
    monkeypatch.chdir(COURSE.root)
    predict("ctc")
    predict("ctc", 1, [1, 1])
    predict("ctc", 1, [1])
    said = capsys.readouterr().out
    assert "collapse([1, 1, 0, 1])" in said and "Right." in said and "Merge first" in said
    with pytest.raises(GraderError, match="no question 9"):
        predict("ctc", 9, 1)
