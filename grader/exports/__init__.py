"""Results for other programs: one file per format, listed here."""

from grader.exports.base import Format
from grader.exports.canvas import CANVAS
from grader.exports.canvas_feedback import CANVAS_FEEDBACK
from grader.exports.classroom50 import CLASSROOM50
from grader.exports.csv import CSV
from grader.exports.gradescope import GRADESCOPE
from grader.exports.json import JSON
from grader.exports.junit import JUNIT
from grader.exports.moodle import MOODLE
from grader.exports.moodle_feedback import MOODLE_FEEDBACK
from grader.exports.nbgrader import NBGRADER

# A new format is a file beside this one, and an object of it here.
_ALL = (
    CSV, JSON, CANVAS, CANVAS_FEEDBACK, MOODLE, MOODLE_FEEDBACK, GRADESCOPE, NBGRADER, CLASSROOM50, JUNIT,
)  # fmt: skip
FORMATS: dict[str, Format] = {one.name: one for one in _ALL}
