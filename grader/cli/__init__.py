"""The command ``grader``: one file per command, thin over the packages, which are imported only when they are needed.

Exit codes: 0 done; 1 something to mend was found (``check``, ``submit``, ``validate``, ``doctor``, ``stubs --check``,
``notebooks --check``, ``export``); 2 usage; 3 a fault of ours while grading; 4 a teacher must decide something
(``inspect``, ``grade``); 130 interrupted.
"""

from grader.cli.adjust import adjust
from grader.cli.answers import answers
from grader.cli.base import main
from grader.cli.check import check
from grader.cli.diagnoses import diagnoses
from grader.cli.diff import diff
from grader.cli.doctor import doctor
from grader.cli.explain import explain
from grader.cli.export import export
from grader.cli.github_workflow import github_workflow
from grader.cli.grade import grade
from grader.cli.gradescope_zip import gradescope_zip
from grader.cli.handouts import handouts
from grader.cli.hint import hint
from grader.cli.inspect import inspect
from grader.cli.nbgrader_course import nbgrader_course
from grader.cli.new import new
from grader.cli.notebooks import notebooks
from grader.cli.predict import predict
from grader.cli.release import release
from grader.cli.report import report
from grader.cli.run import run
from grader.cli.show import show
from grader.cli.similar import similar
from grader.cli.statistics import statistics
from grader.cli.status import status
from grader.cli.stubs import stubs
from grader.cli.submit import submit
from grader.cli.train import train
from grader.cli.validate import validate
from grader.cli.watch import watch

# A new command is a file beside this one, and a name here. A release has those for students, and what they import.
FOR_STUDENTS = (check, watch, hint, status, explain, predict, show, run, submit, train)
COMMANDS = (
    *FOR_STUDENTS, inspect, grade, adjust, report, diff, similar, statistics, export, doctor, new, validate,
    diagnoses, stubs, notebooks, answers, handouts, release, gradescope_zip, github_workflow,
    nbgrader_course,
)  # fmt: skip

for command in COMMANDS:
    main.add_command(command)

__all__ = ["COMMANDS", "FOR_STUDENTS", "main"]
