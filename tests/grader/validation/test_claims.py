"""What a single mistake may cost."""

import msgspec
import pytest

from grader.course.misconceptions import Misconception
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, Verdict
from grader.validation.claims import Evidence, prove_costs, rows

CRITERIA = [
    Criterion(id=f"c{n}", title="T", kind=Kind.VALUE, points=1, hint="h", sentence="s", timeout=1.0, hidden=False)
    for n in range(10)
]


def result(failed, criteria=CRITERIA):
    verdicts = [Verdict.FAILED if n < failed else Verdict.PASSED for n in range(len(criteria))]
    judged = [CriterionResult(criterion=c, verdict=verdict) for c, verdict in zip(criteria, verdicts, strict=True)]
    return ExerciseResult(name="ctc", criteria=tuple(judged))


def mistake(id_, **fields):
    return Misconception(id=id_, explanation="e", hint="h", caught_by=("c0",), find="a", replace="b", **fields)


def evidence(*mistakes, criteria=CRITERIA):
    return Evidence(
        solution=result(0, criteria), stub=result(len(criteria), criteria), variants={}, mistakes=mistakes, garbage={},
        justified={}, other_seeds={}, in_process={},
    )  # fmt: skip


def test_a_mistake_that_costs_more_than_it_should_needs_a_reason():
    dear, cheap = (mistake("dear", severity=30), result(5)), (mistake("cheap"), result(4))
    proof = prove_costs(evidence(dear, cheap))
    assert proof.problems == ("dear costs 50 %.",)
    assert proof.finding == "median 45 %, worst 50 %, 1 cost more"
    reasoned = (msgspec.structs.replace(dear[0], costs_more="It is the idea of the exercise."), dear[1])
    assert prove_costs(evidence(reasoned, cheap)).holds
    assert prove_costs(evidence()).holds


def test_of_few_criteria_each_may_cost_much():
    few = CRITERIA[:4]
    assert prove_costs(evidence((mistake("dear"), result(2, few)), criteria=few)).holds


@pytest.mark.parametrize(("severity", "once"), [(30, 70.0), (60, 50.0), (100, 50.0)])
def test_the_matrix_has_the_score_where_a_mistake_costs_once(severity, once):
    (row,) = rows(evidence((mistake("dear", severity=severity), result(5))))
    assert (row.score, row.once) == (50.0, once)
