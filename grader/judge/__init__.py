"""What a suite imports: criteria and comparisons. Importing this imports no torch."""

from grader.judge.accelerator import assert_same_on_device
from grader.judge.compare import Mismatch, assert_close, assert_equal, show, student_raises
from grader.judge.criteria import criterion
from grader.judge.shortcuts import assert_not_used
from grader.judge.student import module_of

__all__ = [
    "Mismatch",
    "assert_close",
    "assert_equal",
    "assert_not_used",
    "assert_same_on_device",
    "criterion",
    "module_of",
    "show",
    "student_raises",
]
