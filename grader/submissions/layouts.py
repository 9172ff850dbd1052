"""The layouts: all ways in which submissions arrive."""

from grader.submissions.base import Layout
from grader.submissions.canvas import CanvasLayout
from grader.submissions.folder import FolderLayout
from grader.submissions.gradescope import GradescopeLayout
from grader.submissions.moodle import MoodleLayout
from grader.submissions.nbgrader import NbgraderLayout
from grader.submissions.repositories import RepositoriesLayout
from grader.submissions.submit import SubmitLayout

# A new layout is a file beside this one, and a name here. Each reads a folder as well as a zip or tar of it.
LAYOUTS: tuple[Layout, ...] = (
    FolderLayout(),
    CanvasLayout(),
    MoodleLayout(),
    GradescopeLayout(),
    NbgraderLayout(),
    RepositoriesLayout(),
    SubmitLayout(),
)
