"""The command ``grader``: thin commands over the packages, which are imported only when they are needed.

Exit codes: 0 done; 1 something to mend was found (``check``, ``validate``, ``doctor``, ``stubs --check``, ``notebooks
--check``); 2 usage; 3 a fault of ours while grading; 130 interrupted.
"""

from grader.cli import author, student, teacher
from grader.cli.base import main

__all__ = ["author", "main", "student", "teacher"]
