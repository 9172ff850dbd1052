"""What one student can cost: all attempts at an exercise share its budget."""

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course import load_course
from grader.grading.run import LEAST_BUDGET, OWN_SHARE, ClassRun
from grader.grading.settings import Settings
from grader.grading.tasks import TaskReader
from grader.judge.processes.task import Part
from grader.results.gradebook import open_gradebook
from grader.results.records import Criterion, CriterionResult, ExerciseResult, Kind, Verdict
from grader.submissions.base import submission_of
from tests.grader.conftest import make_tiny, write

BUDGET = 100.0
LATE = 5.0  # seconds after which a judge stops a test that does not end by itself
LONG = '''
@criterion("Learns", points=4, kind="value", hint="Again.", long=True)
def test_learns(student):
    """It learns to double."""
    assert_equal(student.double(2), 4, "double(2)")
'''


class SlowStudent:
    """A backend for a student who takes a share of the time that there is, and more if nobody stops it."""

    def __init__(self, shares, gains, only_long=False):
        self.shares, self.gains = iter(shares), iter(gains)
        self.only_long = only_long  # what is short is right
        self.tasks = []

    def judge(self, works):
        for work in works:
            budget = work.task.budget or BUDGET
            seconds = budget * next(self.shares) + LATE
            self.tasks.append((work.task, seconds))
            trains = work.task.part is Part.LONG
            gained = bool(work.task.sources["addition"][0].startswith("stand_ins")) and next(self.gains)
            verdicts = {"learns": gained} if trains else {"twice": gained or self.only_long, "zero": self.only_long}
            yield work, result(work.task.exercise, verdicts, seconds)


def result(name, verdicts, seconds):
    criteria = [
        CriterionResult(
            criterion=Criterion(
                id=id_,
                title=id_,
                kind=Kind.VALUE,
                points=1,
                hint="h",
                sentence="s",
                timeout=1,
                hidden=False,
                long=id_ == "learns",
            ),
            verdict=Verdict.PASSED if passed else Verdict.TIMEOUT,
        )
        for id_, passed in verdicts.items()
    ]
    return ExerciseResult(name=name, criteria=tuple(criteria), seconds=seconds)


def doubling(folder):
    """How a class is graded in an exercise that trains a model and builds on another; and a student's files."""
    root = make_tiny(folder)
    manifest = (root / "course.toml").read_text().replace("budget = 8", f'budget = {BUDGET}\nbuilds_on = ["addition"]')
    (root / "course.toml").write_text(manifest.replace("hidden_criteria = 0", "hidden_criteria = 1"))
    write(root / "solutions/stand_ins/addition.py", "def add(a, b):\n    return a + b\n")
    write(root / "tests/hidden/test_doubling.py", "from grader.judge import assert_equal, criterion\n" + LONG)
    course = load_course(root / "course.toml")
    files = {name: write(folder / f"s/{name}.py", "def add(a, b): return 0\n") for name in ("addition", "doubling")}
    return Settings(course=course, exercises=(course.exercise("doubling"),), seed="s", jobs=1, layers=None), files


def attempts(folder, shares, gains, only_long=False):
    """All tasks of one student, with the seconds that they took; a second run finds all of them in the journal."""
    settings_, files = doubling(folder)
    with open_gradebook(folder / "out") as gradebook:
        backends = [SlowStudent(shares, gains, only_long), SlowStudent([], [])]
        students = []
        for backend in backends:
            run = ClassRun(settings_, [submission_of("s", files)], gradebook, backend)
            run.judge_short(lambda work: None)
            run.judge_long(lambda work: None)
            students.append(run.students())
    assert students[0] == students[1] and not backends[1].tasks
    return backends[0].tasks


@settings(max_examples=60, deadline=None)
@given(
    shares=st.lists(st.floats(0, 1.0), min_size=20, max_size=20),
    gains=st.lists(st.booleans(), min_size=20),
    only_long=st.booleans(),
)
def test_all_attempts_together_stay_within_the_budget(tmp_path_factory, shares, gains, only_long):
    tasks = attempts(tmp_path_factory.mktemp("class"), shares, gains, only_long)
    spent = 0.0
    for task, seconds in tasks:
        left = BUDGET - spent
        assert (task.budget or BUDGET) <= max(left, LEAST_BUDGET) + 1e-6
        spent += seconds
    assert spent <= BUDGET + len(tasks) * (LATE + LEAST_BUDGET)
    assert len(tasks) <= 4  # own and with a stand-in, each a short part and one that trains


def test_who_has_used_up_the_time_gets_no_further_attempt(tmp_path):
    used_up = attempts(tmp_path / "a", [1.0] * 9, [True] * 9)
    assert [task.part for task, _ in used_up] == [Part.SHORT, Part.LONG]
    assert sum(task.budget or BUDGET for task, _ in used_up) == BUDGET + LEAST_BUDGET
    kept = attempts(tmp_path / "c", [0.0, 0.0, 1.0, 1.0, 1.0], [True] * 9)
    assert [task.part for task, _ in kept] == [Part.SHORT, Part.SHORT, Part.LONG, Part.LONG]
    assert kept[3][0].budget < (1 - OWN_SHARE) * BUDGET
    quick = attempts(tmp_path / "b", [0.0] * 9, [True] * 9)
    assert [task.part for task, _ in quick] == [Part.SHORT, Part.SHORT, Part.LONG, Part.LONG]
    assert quick[2][0].budget == OWN_SHARE * BUDGET - LATE
    assert quick[3][0].budget == BUDGET - 3 * LATE


def test_time_is_this_students_own(tmp_path):
    """Who comes to the same files with less time left does not decide for others."""
    settings_, files = doubling(tmp_path)
    reader = TaskReader(settings_)
    one, other = (reader.entry(submission_of(name, files), settings_.exercises[0]) for name in "ab")
    assert one.short.key == other.short.key
    one, other = (reader.with_stand_ins(entry, frozenset({"addition"})) for entry in (one, other))
    assert one.short.key != other.short.key
    assert one.short.task == other.short.task
