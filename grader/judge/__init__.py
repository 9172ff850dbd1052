"""What a suite imports: criteria and comparisons. Importing this imports no torch."""

from grader.course import find_course
from grader.judge.suite.accelerator import assert_same_on_device
from grader.judge.suite.compare import Mismatch, assert_close, assert_equal, show, student_raises
from grader.judge.suite.criteria import criterion
from grader.judge.suite.forbidden import assert_not_used
from grader.judge.suite.implementations import (
    Implementation,
    Trials,
    from_file,
    right_implementations,
    wrong_implementations,
)
from grader.judge.suite.student import module_of

__all__ = [
    "Implementation",
    "Mismatch",
    "Trials",
    "assert_close",
    "assert_equal",
    "assert_not_used",
    "assert_same_on_device",
    "criterion",
    "find_course",
    "from_file",
    "module_of",
    "right_implementations",
    "show",
    "student_raises",
    "wrong_implementations",
]
