"""What a public criterion asks, and why it matters."""

from __future__ import annotations

from grader.course import Course, Exercise
from grader.course.suites import WrittenTest, read_suite
from grader.errors import GraderError, did_you_mean

WHY = {
    "value": "It looks at the values: a formula with a slip in it still runs, and only the numbers tell.",
    "shape": "It looks at the shape of the result: later steps rely on it, and a wrong axis can hide for long.",
    "invariance": "It changes something that must not matter, such as padding or order: the result must stay the same.",
    "gradient": "It looks at gradients: without them a model learns nothing, even if its values are right.",
    "device": "It runs on an accelerator: a tensor that is made on the wrong device works on your machine only.",
    "robustness": "It tries the edges, such as empty or wrong inputs: real data has them.",
    "efficiency": "It looks at time or memory: a right answer that comes far too late is of no use.",
}


def find_criterion(course: Course, words: str) -> tuple[Exercise, WrittenTest]:
    """The public criterion with this id or title; ``exercise/id`` where several exercises have it."""
    name, slash, id_ = words.rpartition("/")
    exercises = [course.exercise(name)] if slash else list(course.exercises)
    tests = [(exercise, test) for exercise in exercises for test in read_suite(course.public_suite(exercise))]
    found = [pair for pair in tests if (id_ or words).lower() in (pair[1].id.lower(), pair[1].title.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise GraderError(f"{words}: several exercises have it: {', '.join(f'{e.name}/{t.id}' for e, t in found)}.")
    near = did_you_mean(id_ or words, [test.id for _, test in tests])
    raise GraderError(f"There is no public criterion {words!r}{near} `grader explain EXERCISE` lists them.")
