"""What a suite imports: criteria and comparisons. Importing this imports no torch."""

from grader.judge.compare import Mismatch, assert_close, assert_equal, student_raises
from grader.judge.criteria import criterion

__all__ = ["Mismatch", "assert_close", "assert_equal", "criterion", "student_raises"]
