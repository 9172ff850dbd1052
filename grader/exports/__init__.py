"""Results for other programs: one file per format, listed here."""

from grader.exports.base import Format
from grader.exports.csv import GRADES_CSV

# A new format is a file beside this one, and a name here.
FORMATS: dict[str, Format] = {"csv": GRADES_CSV}
