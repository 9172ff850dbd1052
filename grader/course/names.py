"""The names that an exercise asks for: of a notebook, these and what they need is run."""

from __future__ import annotations

import ast
import re

from grader.course.manifest import Exercise
from grader.course.paths import Course

WORD = re.compile(r"[A-Za-z_]\w*")


def wanted_names(course: Course, exercise: Exercise) -> tuple[str, ...]:
    """What the solution defines, and those of the exercises that this one builds on, whose modules a suite may use too.

    Where there is none, as with students, every word of the public suite: these are more than enough.
    """
    try:
        solution, suite = course.solution(exercise), course.public_suite(exercise)
        if not solution.is_file():
            return tuple(sorted(set(WORD.findall(suite.read_text(encoding="utf-8")))))
        solutions = [solution, *(course.solution(course.exercise(name)) for name in exercise.builds_on)]
        found = (_defined(ast.parse(file.read_bytes())) for file in solutions if file.is_file())
        return tuple(sorted(set[str]().union(*found)))
    except (OSError, SyntaxError, ValueError):  # whoever runs it says so
        return ()


def _defined(tree: ast.Module) -> set[str]:
    """Names at the top level: functions, classes, and what is assigned."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found
