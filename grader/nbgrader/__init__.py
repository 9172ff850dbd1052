"""What takes part in nbgrader's own commands: preprocessors that a course's ``nbgrader_config.py`` names."""

from grader.nbgrader.execute import ConfinedExecute, LeaveFaults
from grader.nbgrader.restore import RestoreCells
from grader.nbgrader.solutions import StubSolutions

__all__ = ["ConfinedExecute", "LeaveFaults", "RestoreCells", "StubSolutions"]
