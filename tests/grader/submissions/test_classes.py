"""The same class in every layout: nobody is lost or invented, the same text counts, and every damage is named."""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from grader.course import load_course
from grader.errors import SubmissionError
from grader.reports.intake import as_document
from grader.results.schema import as_json
from grader.submissions.choice import Rules
from grader.submissions.intake import Attempts, read_class
from grader.submissions.mapping import read_mapping
from grader.submissions.roster import read_roster
from tests.grader.conftest import make_tiny, write
from tests.grader.submissions.classes import (
    AFTER,
    DAMAGES,
    DUE,
    EXERCISES,
    QUESTION,
    WRITERS,
    Entry,
    _put,
    addition,
    doubling,
    make_class,
    messy_class,
    zipped,
)
from tests.grader.submissions.test_archives import damaged

DAMAGE = {damage.name: damage for damage in DAMAGES}
BY_NAME = {writer.name: writer for writer in WRITERS}
SCHOOL = make_class(300, seed=7)
RIGHT = addition("x").decode()


def table(rows: list[list[str]]) -> bytes:
    made = io.StringIO()
    csv.writer(made).writerows(rows)
    return made.getvalue().encode()


@pytest.fixture(scope="module")
def tiny_course(tmp_path_factory):
    return make_tiny(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def read(tiny_course, tmp_path_factory):
    """The class of 300 in one layout, as it was read: (class, what was found)."""

    @cache
    def run(name):
        root = tmp_path_factory.mktemp(name)
        writer = BY_NAME[name]
        school = SCHOOL.without(writer.left_out())
        path = writer.write(school, root / "class")
        roster = read_roster(school.roster(root / "roster.csv"))
        found = read_class(path, load_course(tiny_course / "course.toml"), roster=roster)
        assert not (root / "git-has-run").exists()
        return school, found

    return run


def told(found, student):
    """Everything that a teacher reads about a student."""
    origin = next(s.origin for s in found.submissions if s.student == student)
    unused = [f"{one.file} {one.reason}" for one in found.unused if one.student == student]
    return "\n".join([*origin.notes, origin.question, *origin.questions.values(), *unused])


def test_the_class_has_more_than_25_damages_and_all_kinds_of_students():
    assert len(DAMAGES) >= 25 and len(DAMAGE) == len(DAMAGES)
    assert {work.kind for work in SCHOOL.works} == {"right", "wrong", "stub", "partial", "one only"}
    assert {len(work.members) for work in SCHOOL.works} == {1, 2, 3}
    assert any(work.late for work in SCHOOL.works) and any(work.earlier for work in SCHOOL.works)
    assert len(SCHOOL.people) == 300 and len(SCHOOL.absent) == 3


def test_what_a_layout_cannot_express_is_left_out_by_name():
    few = ["name that is no text", "link to a file", "link to a folder", "pipe"]
    assert {writer.name: writer.left_out() for writer in WRITERS} == {
        "folder": [],
        "zip": ["name that is no text", "pipe"],
        "tar": [],
        "canvas": ["name that is no text", "nothing", "link to a file", "link to a folder", "pipe"],
        "moodle": few,
        "moodle-flat": ["name that is no text", "nothing", "link to a file", "link to a folder", "pipe"],
        "gradescope": few,
        "nbgrader": [],
        "repositories": ["two versions", "pipe"],
        "submit": few,
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_in_every_layout_the_same_text_counts_and_nobody_is_lost_or_invented(read, name):
    school, found = read(name)
    assert found.layout == BY_NAME[name].layout
    assert sorted(s.student for s in found.submissions) == sorted(str(person.number) for person in school.people)
    assert not found.strangers
    assert sorted(found.absent) == sorted(str(person.number) for person in school.absent)
    submissions = {s.student: s for s in found.submissions}
    for work in school.works:
        for person in work.members:
            submission = submissions[str(person.number)]
            assert submission.sources.keys() == work.expected.keys(), work
            for exercise, text in work.expected.items():
                assert text is None or submission.sources[exercise].content == text, work
            if name != "nbgrader":
                assert len(submission.origin.group) == (len(work.members) if work.group else 0)


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "folder"])
def test_what_decides_the_score_is_the_same_as_in_a_folder_per_student(read, name):
    """Sources with their helpers, of notebooks too: the key of a work is a hash of them."""
    expected = {s.student: s.sources for s in read("folder")[1].submissions}
    for submission in read(name)[1].submissions:
        assert submission.sources == expected[submission.student], submission.student


@pytest.mark.parametrize("name", BY_NAME)
def test_questions_are_asked_where_they_are_expected_and_nowhere_else(read, name):
    school, found = read(name)
    origins = {s.student: s.origin for s in found.submissions}
    for work in school.works:
        asks = DAMAGE[work.damage].asks if work.damage else ()
        for person in work.members:
            origin = origins[str(person.number)]
            assert set(EXERCISES if origin.question else origin.questions) == set(asks), (work.damage, origin)
    assert len(found.questions) == sum(1 for work in school.works if work.damage and DAMAGE[work.damage].asks)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_damaged_file_is_named_with_its_student(read, name):
    school, found = read(name)
    for work in school.works:
        if work.damage:
            words = told(found, str(work.members[0].number))
            missing = [file for file in DAMAGE[work.damage].names if file not in words]
            assert not missing, (work.damage, missing, words)


def test_nothing_is_said_of_files_that_nobody_handed_in(read):
    school, found = read("folder")
    folders = {str(p.number): (work.folder, work) for work in school.works for p in work.members}
    for one in found.unused:
        folder, work = folders[one.student]
        names = {*work.files, *(work.earlier or {}), "upload.zip"}
        inside = one.file.removeprefix(f"{folder}/")
        inside = re.sub(r"^attempt \d/", "", inside)
        assert any(inside.startswith(name.partition("/")[0].partition("\udcff")[0]) for name in names), one


# Scores


def scores(result):
    return {
        student["id"]: (student["score"], [(e["name"], e["score"], e["verdict"]) for e in student["exercises"]])
        for student in json.loads(result.stdout)["students"]
    }


def test_scores_agree_between_layouts_to_the_last_digit(tiny, grader, tmp_path):
    """A class with every damage; works that have the same key are judged once."""
    school = make_class(60, seed=3)
    found = {}
    for name in ("folder", "canvas", "repositories"):
        writer = BY_NAME[name]
        mine = school.without(writer.left_out())
        path = writer.write(mine, tmp_path / name)
        roster = mine.roster(tmp_path / f"{name}.csv")
        how = ("--roster", roster, "--json", "--no-diagnosis", "--course", tiny)
        result = grader("grade", path, "--out", tmp_path / "out", *how)
        assert result.exit_code == 4, result.output
        found[name] = scores(result)
    whole = {str(p.number): work for work in school.works for p in work.members}
    for name, students in found.items():
        left_out = set(BY_NAME[name].left_out())
        assert students.keys() == {str(p.number) for p in school.people} - {
            str(p.number) for w in school.works if w.damage in left_out for p in w.members
        }
        for student, score in students.items():
            assert score == found["folder"][student]
            work = whole.get(student)
            if work is None:
                assert score[0] == 0.0  # absent
            elif work.damage and DAMAGE[work.damage].expect == QUESTION:
                assert score[0] is None
            elif work.kind == "right" and work.damage != "empty module":
                assert score[0] == 100.0, work


def put(root: Path, students: dict[str, dict[str, bytes | Entry]]) -> None:
    for student, files in students.items():
        _put(root / student, {p: made if isinstance(made, Entry) else Entry(made) for p, made in files.items()})


def test_right_work_in_a_mess_has_all_points_or_is_a_question_and_nobody_has_zero(tiny, grader, tmp_path):
    messy = messy_class()
    assert len(messy) == 22
    put(tmp_path / "pile", messy)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", "--no-diagnosis", "--course", tiny)
    assert result.exit_code == 4
    found = {s["id"]: s for s in json.loads((tmp_path / "out/results.json").read_text())["students"]}
    assert found.keys() == messy.keys()
    for student, row in found.items():
        expected = None if student in ("linked", "nearly") else 100.0
        assert (row["score"], row["needs_review"]) == (expected, expected is None), row
    top = result.output.partition("Layout:")[0]
    assert "linked" in top and "nearly" in top and "additon.py" in top
    how = ("--no-diagnosis", "--accept-near-names", "--course", tiny)
    grader("grade", tmp_path / "pile", "--out", tmp_path / "out", *how)
    found = {s["id"]: s for s in json.loads((tmp_path / "out/results.json").read_text())["students"]}
    assert found["nearly"]["score"] == 100.0


def test_the_same_mess_in_flat_files_of_canvas(tiny, grader, tmp_path):
    messy = {name: files for name, files in messy_class().items() if name != "linked"}
    flat = {}
    for number, (name, files) in enumerate(messy.items(), start=1):
        if any("/" in path for path in files):
            files = {"work.zip": zipped(files)}
        flat |= {f"{name}_{number}_{100 + n}_{path}": content for n, (path, content) in enumerate(files.items())}
    (tmp_path / "submissions.zip").write_bytes(zipped(flat))
    result = grader(
        "grade", tmp_path / "submissions.zip", "--out", tmp_path / "out", "--no-diagnosis", "--course", tiny
    )
    assert result.exit_code == 4 and "Layout: Canvas" in result.output
    found = {s["name"]: s["score"] for s in json.loads((tmp_path / "out/results.json").read_text())["students"]}
    assert found == {name: None if name == "nearly" else 100.0 for name in messy}


# Rosters


def roster_file(path: Path, head: list[str], *rows: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


ROSTERS = {
    "canvas": (
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework (12)"],
        ["    Points Possible", "", "", "", "", "100"],
        ["Doe, Jane", "11", "u11", "jane", "A", ""],
        ["Müller, Jörg", "12", "u12", "joerg", "A", ""],
        ['="=Sum, Eve"', "13", "u13", "eve", "A", ""],
    ),
    "moodle": (
        ["Identifier", "Full name", "Email address", "Status", "Grade"],
        ["Participant 11", "Jane Doe", "jane@example.org", "", ""],
        ["Participant 12", "Jörg Müller", "joerg@example.org", "", ""],
        ["Participant 13", "Eve Sum", "eve@example.org", "", ""],
    ),
    "classroom 50": (
        ["username", "first_name", "last_name", "email", "section", "github_id"],
        ["jane", "Jane", "Doe", "jane@example.org", "A", "11"],
        ["joerg", "Jörg", "Müller", "joerg@example.org", "A", "12"],
        ["eve", "Eve", "Sum", "eve@example.org", "A", "13"],
    ),
}
IDS = {"canvas": ("11", "12", "13"), "moodle": ("Participant 11", "Participant 12", "Participant 13")}
NAMES = {
    "canvas": ("doejane_11_5_addition.py", "mllerjrg_LATE_12_6_addition.py", "zoe_99_7_addition.py"),
    "moodle": (
        "Jane Doe_11_assignsubmission_file/addition.py", "Jörg Müller_12_assignsubmission_file/addition.py",
        "Zoe_99_assignsubmission_file/addition.py",
    ),
    "classroom 50": ("jane/addition.py", "Jörg Müller/addition.py", "zoe/addition.py"),
}  # fmt: skip


@pytest.mark.parametrize("system", ROSTERS)
def test_a_roster_tells_who_is_missing_and_who_is_a_stranger(tiny, grader, tmp_path, system):
    head, *rows = ROSTERS[system]
    roster = roster_file(tmp_path / "roster.csv", head, *rows)
    (tmp_path / "class.zip").write_bytes(zipped({name: RIGHT.encode() for name in NAMES[system]}))
    result = grader("inspect", tmp_path / "class.zip", "--roster", roster, "--json", "--course", tiny)
    found = json.loads(result.stdout)
    jane, joerg, eve = IDS.get(system, ("jane", "joerg", "eve"))
    assert found["absent"] == [eve]
    assert found["not_on_roster"] == [{"classroom 50": "zoe"}.get(system, "99")]
    assert {s["id"] for s in found["students"]} == {jane, joerg, eve, *found["not_on_roster"]}
    result = grader("inspect", tmp_path / "class.zip", "--roster", roster, "--course", tiny)
    assert f"Handed in nothing (1): {eve}" in result.output and "Not on the roster (1)" in result.output


@pytest.mark.parametrize(
    "top", ["team_blue_1_50_", "Team Blue_77_assignsubmission_file/", "Team Blue_assignsubmission_file_", "team-blue/"]
)
def test_a_group_is_known_by_the_column_of_the_roster(tiny, grader, tmp_path, top):
    """Canvas gives a group the id of one of its members."""
    head = ["id", "name", "group"]
    rows = ["1", "Ann", "Team Blue"], ["2", "Bob", "Team Blue"], ["3", "Cyd", ""]
    roster = roster_file(tmp_path / "roster.csv", head, *rows)
    (tmp_path / "class.zip").write_bytes(
        zipped({f"{top}addition.py": RIGHT.encode(), f"{top}doubling.py": doubling("x")})
    )
    result = grader("inspect", tmp_path / "class.zip", "--roster", roster, "--json", "--course", tiny)
    found = json.loads(result.stdout)
    assert [(s["id"], s["name"], s["group"]) for s in found["students"]] == [
        ("1", "Ann", ["1", "2"]), ("2", "Bob", ["1", "2"]), ("3", "Cyd", []),
    ]  # fmt: skip
    assert found["absent"] == ["3"] and not found["not_on_roster"] and not found["same"]


def test_who_is_missing_has_a_row_with_zero_points(tiny, grader, tmp_path):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    roster = roster_file(tmp_path / "roster.csv", ["id"], ["s1"], ["s2"])
    how = ("--roster", roster, "--exercise", "addition", "--course", tiny)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", *how)
    assert result.exit_code == 0, result.output
    students = json.loads((tmp_path / "out/results.json").read_text())["students"]
    assert [(s["id"], s["score"], s["notes"]) for s in students] == [
        ("s1", 100.0, []),
        ("s2", 0.0, ["handed in nothing"]),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"), ("id,name\n", "has no student"), ("section\nA\n", "row 2 has no id"),
        ("id\ns1\ns1\n", "'s1' is there twice"),
    ],
)  # fmt: skip
def test_a_roster_that_is_none_is_refused(tiny, grader, tmp_path, text, words):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    roster = write(tmp_path / "roster.csv", text)
    result = grader("inspect", tmp_path / "pile", "--roster", roster, "--course", tiny)
    assert result.exit_code == 2 and words in result.output


# Layouts


def test_two_layouts_that_fit_alike_are_named_and_the_teacher_chooses(tiny, grader, tmp_path):
    both = "doejane_11_5_x_1_assignsubmission_file_"
    (tmp_path / "class.zip").write_bytes(zipped({f"{both}addition.py": RIGHT.encode()}))
    result = grader("inspect", tmp_path / "class.zip", "--course", tiny)
    assert result.exit_code == 2
    assert "--layout canvas" in result.output and "--layout moodle" in result.output
    for layout, student in (("canvas", "11"), ("moodle", "1")):
        result = grader("inspect", tmp_path / "class.zip", "--layout", layout, "--json", "--course", tiny)
        found = json.loads(result.stdout)
        assert (found["layout"], [s["id"] for s in found["students"]]) == (layout, [student])


def test_an_unknown_layout_is_refused_with_the_near_name(tiny, grader, tmp_path):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    result = grader("inspect", tmp_path / "pile", "--layout", "canvs", "--course", tiny)
    assert result.exit_code == 2 and "did you mean 'canvas'?" in result.output and "gradescope" in result.output


def test_blind_marking_and_older_names_of_moodle(tiny, grader, tmp_path):
    files = {
        "Participant_11_assignsubmission_file_/addition.py": RIGHT.encode(),
        "Participant 12_12_assignsubmission_file/addition.py": RIGHT.encode(),
        "Participant_13_assignsubmission_onlinetext_onlinetext.html": b"<p>my work</p>",
    }
    (tmp_path / "class.zip").write_bytes(zipped(files))
    found = json.loads(grader("inspect", tmp_path / "class.zip", "--json", "--course", tiny).stdout)
    assert [s["id"] for s in found["students"]] == ["11", "12", "13"]
    assert found["students"][2]["question"] and found["students"][0]["files"]


def test_anonymous_and_typed_submissions_of_canvas(tiny, grader, tmp_path):
    files = {
        "LATE_anon_5ab_77_addition.py": RIGHT.encode(),
        "doejane_11_text.html": b"<p>my work</p>",
        "roe_12_link.html": b"<a>",
        "._doejane_11_5_addition.py": b"\0\x05\x16\x07",
    }
    (tmp_path / "class.zip").write_bytes(zipped(files))
    found = json.loads(grader("inspect", tmp_path / "class.zip", "--json", "--course", tiny).stdout)
    assert [(s["id"], bool(s["question"])) for s in found["students"]] == [("11", True), ("12", True), ("5ab", False)]
    assert {"student": "", "file": "._doejane_11_5_addition.py", "reason": "was left there by a program"} in found[
        "unused"
    ]


def test_what_does_not_look_like_the_others_is_no_less_read(tiny, grader, tmp_path):
    files = {
        **{f"doejane_{n}_5_addition.py": RIGHT.encode() for n in range(5)},
        "late by mail/addition.py": RIGHT.encode(), "empty.zip": zipped({}), "notes.txt": b"",
        "roe_9_8_empty.zip": zipped({}),
    }  # fmt: skip
    (tmp_path / "class.zip").write_bytes(zipped(files))
    found = json.loads(grader("inspect", tmp_path / "class.zip", "--json", "--course", tiny).stdout)
    students = {s["id"]: s for s in found["students"]}
    assert students.keys() == {"0", "1", "2", "3", "4", "9", "late by mail", "empty"}
    assert "does not look like the other submissions" in students["late by mail"]["notes"]
    assert students["9"]["questions"] and students["empty"]["questions"]
    assert {"student": "", "file": "notes.txt", "reason": "is nobody's submission"} in found["unused"]


def test_gradescope_without_its_metadata_keeps_every_folder(tiny, grader, tmp_path):
    for metadata in (b"", b"submission_1: [unclosed", b"- a list\n", b"submission_1:\n  :submitters: 7\n"):
        files = {"submission_1/addition.py": RIGHT.encode(), "submission_2/addition.py": RIGHT.encode()}
        (tmp_path / "class.zip").write_bytes(zipped({**files, "submission_metadata.yml": metadata}))
        found = json.loads(grader("inspect", tmp_path / "class.zip", "--json", "--course", tiny).stdout)
        assert [s["id"] for s in found["students"]] == ["submission_1", "submission_2"]
        assert all("submission_metadata.yml" in " ".join(s["notes"]) for s in found["students"]), found


def test_nbgrader_keeps_what_lies_beside_the_students(tiny, grader, tmp_path):
    put(tmp_path / "course2/submitted", {"s1": {"ps1/addition.py": RIGHT.encode()}, "": {"notes.txt": b""}})
    (tmp_path / "course2/submitted/s2.zip").write_bytes(zipped({"addition.py": RIGHT.encode()}))
    found = json.loads(grader("inspect", tmp_path / "course2", "--json", "--course", tiny).stdout)
    assert [s["id"] for s in found["students"]] == ["s1", "s2"]
    assert [one["file"] for one in found["unused"]] == ["submitted/notes.txt"]


# Whatever bytes come


@pytest.mark.parametrize("name", ["canvas", "moodle", "gradescope", "submit"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_download_is_read_or_refused_in_words(tiny_course, tmp_path, name, data):
    school = make_class(6, seed=2, damages=DAMAGES[:1])
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        path = BY_NAME[name].write(school, Path(folder) / "class")
        victim = path if path.is_file() else min(path.iterdir())
        victim.write_bytes(data.draw(damaged(victim.read_bytes())))
        try:
            found = read_class(path, load_course(tiny_course / "course.toml"))
        except SubmissionError as error:
            assert str(path) in str(error)
            return
    assert found.submissions and all(s.student.encode() for s in found.submissions)


WORDS = st.one_of(st.text(max_size=20), st.integers(), st.none(), st.booleans(), st.floats(), st.dates())
VALUES = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    metadata=st.one_of(
        st.binary(max_size=100),
        st.fixed_dictionaries(
            {"submission_1": st.fixed_dictionaries({":submitters": VALUES, ":created_at": VALUES})}
        ).map(lambda found: yaml.dump(found).encode()),
        st.lists(st.fixed_dictionaries({":name": VALUES, ":sid": VALUES}), max_size=3).map(
            lambda people: yaml.dump({"submission_1": {":submitters": people}}).encode()
        ),
    )
)
@example(metadata=b'submission_1: {":submitters": [{":sid": "\\ud800\\0"}]}')
@example(metadata=b"submission_1: !ruby/object:Evil {a: 1}")
@example(metadata=b"a: &a [x, x]\nb: &b [*a, *a]\nsubmission_1: {':submitters': [{':sid': *b}]}")
@example(metadata=b"[" * 5000)
@example(metadata=b"? {a: 1}\n: 2001-99-99\n")
def test_any_metadata_of_gradescope_leaves_the_student_there(tiny_course, tmp_path, metadata):
    path = tmp_path / "class.zip"
    path.write_bytes(zipped({"submission_1/addition.py": RIGHT.encode(), "submission_metadata.yml": metadata}))
    found = read_class(path, load_course(tiny_course / "course.toml"))
    assert found.submissions
    assert all(s.student.strip() and "addition" in s.sources for s in found.submissions)
    assert as_json(as_document(found))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    about=st.one_of(
        st.binary(max_size=60),
        st.fixed_dictionaries(
            {"format": st.just(1), "student": st.text(max_size=5)},
            optional={"group": st.lists(st.text(max_size=3)), "attempt": st.integers(), "submitted_at": st.text()},
        ).map(lambda found: json.dumps(found).encode()),
    )
)
def test_any_hand_in_leaves_the_student_there(tiny_course, tmp_path, about):
    path = tmp_path / "anna.zip"
    path.write_bytes(zipped({"addition.py": RIGHT.encode(), "hand_in.json": about}))
    found = read_class(path, load_course(tiny_course / "course.toml"))
    assert found.submissions
    assert all(s.student.strip() and "addition" in s.sources for s in found.submissions)
    assert as_json(as_document(found))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.binary(max_size=80), st.lists(st.lists(st.text(max_size=6))).map(table)))
def test_any_table_is_a_roster_or_refused_in_words(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_bytes(b"id,name,group\n" + text)
    try:
        assert read_roster(path).people
    except SubmissionError as error:
        assert str(path) in str(error)
    try:
        read_mapping(path, EXERCISES)
    except SubmissionError as error:
        assert str(path) in str(error)


def test_names_of_students_that_are_no_names_go_through(tiny, grader, tmp_path):
    names = [
        "=1+1",
        "red\x1b[31m",
        "\u202etxt",
        "n" * 250,
        "a,b;c",
        "[bold]x",
        "new\nline",
        "-x",
        "ü" * 100,
        "~x",
    ]
    put(tmp_path / "pile", {name: {"addition.py": RIGHT.encode()} for name in names})
    how = ("--exercise", "addition", "--no-diagnosis", "--course", tiny)
    result = grader("grade", tmp_path / "pile", "--out", tmp_path / "out", *how)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output and "\u202e" not in result.output
    students = json.loads((tmp_path / "out/results.json").read_text())["students"]
    assert sorted(s["id"] for s in students) == sorted(names)
    assert all(s["score"] == 100.0 for s in students)
    with (tmp_path / "out/grades.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == len(names) + 1


# What is printed and written


def test_inspect_writes_what_it_found(tiny, grader, tmp_path):
    put(
        tmp_path / "pile",
        {
            "s1": {"addition.py": b"import utils\n" + RIGHT.encode(), "utils.py": b"x = 1\n", "notes.txt": b""},
            "s2": {"additoin.py": RIGHT.encode()},
        },
    )
    result = grader("inspect", tmp_path / "pile", "--out", tmp_path / "found.json", "--json", "--course", tiny)
    assert result.exit_code == 4
    assert (tmp_path / "found.json").read_text() == result.stdout
    assert json.loads(result.stdout) == {
        "format": 1,
        "layout": "folder",
        "students": [
            {
                "id": "s1", "name": "", "group": [], "submitted_at": None, "attempt": None,
                "files": {"addition": "s1/addition.py"}, "helpers": {"addition": ["utils"]}, "question": "",
                "questions": {}, "notes": [],
            },
            {
                "id": "s2", "name": "", "group": [], "submitted_at": None, "attempt": None, "files": {},
                "helpers": {}, "question": "", "questions": {"addition": "is it in s2/additoin.py?"}, "notes": [],
            },
        ],
        "unused": [
            {"student": "s1", "file": "s1/notes.txt", "reason": "is neither a module nor a notebook"},
            {"student": "s2", "file": "s2/additoin.py", "reason": "looks like addition, but is not called so"},
        ],
        "absent": [], "not_on_roster": [], "same": [], "stubs": [],
    }  # fmt: skip


def test_the_table_of_inspect_keeps_to_80_columns_and_questions_come_first(tiny, grader, tmp_path):
    put(
        tmp_path / "pile",
        {
            "s1" * 60: {"addition.py": RIGHT.encode()},
            "red\x1b[31m": {"addition.py": RIGHT.encode()},
            "odd": {"x.pdf": b""},
        },
    )
    result = grader("inspect", tmp_path / "pile", "--course", tiny)
    assert result.exit_code == 4
    lines = result.output.splitlines()
    assert lines[0].startswith("1 student needs a decision of yours") and "odd" in lines[1]
    table = [line for line in lines if "✓" in line or "·" in line or "?" in line]
    assert table and max(len(line) for line in table) <= 80
    assert "\x1b" not in result.output
    assert "The same addition came from" in result.output


def test_inspect_of_a_class_without_questions_exits_with_zero(tiny, grader, tmp_path):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    assert grader("inspect", tmp_path / "pile", "--course", tiny).exit_code == 0
    assert grader("inspect", tmp_path / "nowhere", "--course", tiny).exit_code == 2


def test_inspect_imports_no_torch(tiny, tmp_path):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    code = "import sys; from grader.cli import main; main(sys.argv[1:], standalone_mode=False)"
    code += "; print([m for m in ('torch', 'numpy', 'pytest') if m in sys.modules])"
    command = [sys.executable, "-c", code, "inspect", str(tmp_path / "pile"), "--course", str(tiny)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# Repositories and attempts


def test_of_repositories_the_last_commit_before_the_due_date_counts(tiny_course, tmp_path):
    school = make_class(60, seed=5, damages=())
    path = BY_NAME["repositories"].write(school, tmp_path / "class")
    course = load_course(tiny_course / "course.toml")
    found = {s.student: s for s in read_class(path, course, due=DUE.timestamp()).submissions}
    assert found.keys() == {work.folder for work in school.works}
    late = [work for work in school.works if work.late]
    assert late
    for work in school.works:
        submission = found[work.folder]
        if submission.origin.submitted_at is None:  # only git's own repositories were committed late
            assert work.late and "no commit is older than" in str(submission.origin), work
        elif work.late and work.earlier and "T12:00:00" in submission.origin.submitted_at:
            assert submission.sources["addition"].content == work.earlier["addition.py"].content
        else:
            assert submission.sources["addition"].content == work.expected["addition"]
    assert not (tmp_path / "git-has-run").exists()
    after = {s.student: s for s in read_class(path, course, due=AFTER.timestamp()).submissions}
    assert all(after[w.folder].sources["addition"].content == w.expected["addition"] for w in school.works)


def test_a_due_date_without_repositories_is_refused(tiny, grader, tmp_path):
    put(tmp_path / "pile", {"s1": {"addition.py": RIGHT.encode()}})
    result = grader("inspect", tmp_path / "pile", "--due", "2026-11-20", "--course", tiny)
    assert result.exit_code == 2 and "--due says which commit of a repository counts" in result.output


def test_attempts_with_one_number_stay_two(tiny_course, tmp_path):
    for number, text in enumerate((b"x = 1\n", b"x = 2\n")):
        about = {"format": 1, "student": "s1", "attempt": 1, "submitted_at": f"2026-11-18T1{number}:00:00+00:00"}
        content = zipped({"hand_in.json": json.dumps(about).encode(), "addition.py": text})
        (tmp_path / "pile").mkdir(exist_ok=True)
        (tmp_path / f"pile/s1-{number}.zip").write_bytes(content)
    course = load_course(tiny_course / "course.toml")
    found = read_class(tmp_path / "pile", course, attempts=Attempts.BEST).submissions
    assert [(s.origin.attempt, s.sources["addition"].content) for s in found] == [(1, b"x = 1\n"), (2, b"x = 2\n")]
    (last,) = read_class(tmp_path / "pile", course).submissions
    assert last.sources["addition"].content == b"x = 2\n"


def test_times_are_compared_across_time_zones(tiny_course, tmp_path):
    times = {"a": "2026-11-18T10:30:00+00:00", "b": "2026-11-18T11:00:00+01:00"}
    (tmp_path / "pile").mkdir()
    for name, when in times.items():
        about = {"format": 1, "student": "s1", "submitted_at": when}
        content = zipped({"hand_in.json": json.dumps(about).encode(), "addition.py": f"x = '{name}'\n".encode()})
        (tmp_path / f"pile/{name}.zip").write_bytes(content)
    (last,) = read_class(tmp_path / "pile", load_course(tiny_course / "course.toml")).submissions
    assert last.sources["addition"].content == b"x = 'a'\n"


@pytest.mark.parametrize("about", [b"", b"[]", b'{"format": 2, "student": "s1"}', b'{"format": 1, "student": " "}'])
def test_a_hand_in_that_cannot_be_read_keeps_the_name_of_its_zip(tiny_course, tmp_path, about):
    (tmp_path / "anna.zip").write_bytes(zipped({"hand_in.json": about, "addition.py": RIGHT.encode()}))
    (only,) = read_class(tmp_path / "anna.zip", load_course(tiny_course / "course.toml")).submissions
    assert only.student == "anna" and "addition" in only.sources
    assert "hand_in.json" in " ".join(only.origin.notes)


def test_a_hand_in_is_for_who_did_it_and_the_others_of_the_group_and_for_no_crowd(tiny_course, tmp_path):
    course = load_course(tiny_course / "course.toml")
    for group, expected in ((["b", " ", "c"], ["a", "b", "c"]), ([f"s{n}" for n in range(500)], ["anna"])):
        about = json.dumps({"format": 1, "student": "a", "group": group}).encode()
        (tmp_path / "anna.zip").write_bytes(zipped({"hand_in.json": about, "addition.py": RIGHT.encode()}))
        assert [s.student for s in read_class(tmp_path / "anna.zip", course).submissions] == expected


def test_a_teacher_may_map_a_file_inside_an_archive(tiny_course, tmp_path):
    (tmp_path / "pile/s1").mkdir(parents=True)
    (tmp_path / "pile/s1/hw.zip").write_bytes(zipped({"mine.py": RIGHT.encode()}))
    course = load_course(tiny_course / "course.toml")
    rules = Rules(mapping={("s1", "s1/hw.zip/mine.py"): "addition"})
    (only,) = read_class(tmp_path / "pile", course, rules=rules).submissions
    assert only.sources["addition"].content == RIGHT.encode()


def test_the_page_for_teachers_names_every_damage_and_every_layout():
    text = (Path(__file__).parents[3] / "docs/submissions.md").read_text(encoding="utf-8")
    table = text.partition("## What becomes of damaged files")[2]
    rows = {line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")}
    assert not [damage.name for damage in DAMAGES if damage.name not in rows]
    assert not [writer.layout for writer in WRITERS if f"`{writer.layout}`" not in text]
