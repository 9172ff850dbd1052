"""What an exercise forbids, looked for in the student's source; at run time the worker refuses it too."""

from __future__ import annotations

from grader.judge.suite.compare import Mismatch
from grader.judge.suite.student import Student, line_of_source, look_at_source

# What can run code that stands nowhere in the file: a copy of the forbidden code, for one.
CODE_FROM_TEXT = (
    "exec", "eval", "compile", "__import__", "import_module", "spec_from_file_location", "reload", "getsource",
    "getsourcelines", "get_source", "builtins", "__builtins__", "runpy", "marshal", "FunctionType", "CodeType",
)  # fmt: skip


def assert_not_used(student: Student, *names: str) -> None:
    """The student's source mentions none of these names (``MultiheadAttention``), however they are imported.

    Nor does it make code from text, which could be anything.
    """
    for name, line in look_at_source(student, (*names, *CODE_FROM_TEXT)):
        where = line_of_source(student, line)
        if not name:
            problem = "Your file cannot be read as Python, so nobody can see what it uses."
        elif name in CODE_FROM_TEXT:
            problem = f"{name} can run code that is not in your file, which is not allowed here ({where})."
        else:
            problem = f"{name} is not allowed in this exercise ({where})."
        raise Mismatch(problem, problem)
