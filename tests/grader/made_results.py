"""Results as a run would write them, made by hand for tests."""

from __future__ import annotations

from typing import Any

from grader.results.records import Kind, Verdict
from grader.results.schema import GradedCriterion, GradedExercise, GradedStudent, Results

EVIL = "<script>alert(1)</script>"
STRANGE = ("\u202egnp.exe", "\x1b[2J\x00", "a" * 300, "שלום", "'\"&<!--", "x\ny", "#{{ 7 * 7 }}", "%s", " ")


def criterion(id_: str, verdict: str = "passed", **more: Any) -> GradedCriterion:
    values = {"title": f"Title of {id_}", "kind": Kind.VALUE, "points": 1, "hidden": False, "sentence": f"It is {id_}."}
    if verdict not in ("passed", "grader_fault"):
        values |= {"message": "Wrong values.", "hint": f"Think of {id_}."}
    return GradedCriterion(id=id_, verdict=Verdict(verdict), **(values | more))


def exercise(name: str, *criteria: GradedCriterion, **more: Any) -> GradedExercise:
    judged = [c for c in criteria if c.verdict is not Verdict.GRADER_FAULT]
    possible = sum(c.points for c in judged)
    earned = sum(c.points for c in judged if c.verdict is Verdict.PASSED)
    verdicts = {c.verdict for c in criteria}
    if Verdict.GRADER_FAULT in verdicts or "fault" in more:
        verdict = Verdict.GRADER_FAULT
    else:
        verdict = verdicts.pop() if verdicts in ({Verdict.PASSED}, {Verdict.MISSING}) else Verdict.FAILED
    values = {
        "title": f"All about {name}", "score": round(100 * earned / possible, 2) if possible else None,
        "verdict": verdict, "points_earned": earned, "points_possible": possible,
    }  # fmt: skip
    return GradedExercise(name=name, criteria=criteria, **(values | more))


def student(id_: str, *exercises: GradedExercise, **more: Any) -> GradedStudent:
    scores = [e.score for e in exercises if e.score is not None and not e.left_out]
    values = {"score": round(sum(scores) / len(scores), 2) if scores else None}
    return GradedStudent(id=id_, exercises=exercises, **(values | more))


def results(*students: GradedStudent, **more: Any) -> Results:
    return Results(format=1, course="Tiny", students=students, **more)


def large_class(count: int) -> Results:
    """Students with three exercises of eight criteria each, of whom every one fails a little differently."""
    verdicts = ("passed", "failed", "passed", "error", "passed", "timeout", "passed", "missing")
    return results(
        *(
            student(
                f"s{n:04}",
                *(
                    exercise(
                        name,
                        *(
                            criterion(
                                f"c{k}",
                                verdicts[(n * (k + 3) + e) % 8] if n % 5 else "passed",
                                diagnosis="A known mistake." if k == 2 and n % 3 else None,
                                misconceptions=("known",) if k == 2 and n % 3 else (),
                            )
                            for k in range(8)
                        ),
                    )
                    for e, name in enumerate(("first", "second_one", "third"))
                ),
                name=f"Student {n}",
            )
            for n in range(count)
        )
    )
