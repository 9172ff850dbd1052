"""The gradebook of Canvas: our cells change, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ExportError
from grader.exports.base import Options
from grader.exports.canvas import export
from grader.results.records import Verdict
from tests.grader.exports.conftest import criterion, exercise, results_of, simple, student

HEADER = "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Addition (11),Homework (12),Current Score"
MANUAL = ",,,,,,,Manual Posting,"
POINTS = "    Points Possible,,,,,,10.00,40.00,(read only)"
GRADEBOOK = "\r\n".join([
    HEADER, MANUAL, POINTS,
    '"Doe, Jane",101,sis-1,jdoe,A,"late, but ""fine""",7.00,1.00,70.00',
    '="=Evil",102,sis-2,evil,A,,,,',
    "Smith; Bob,103,sis-3,bob,B,,EX,EX,",
    "Müller Ann,104,sis-4,ann,B,,N/A,N/A,",
    '"Lee, Kim",105,,kim@x.org,B,,5.00,"5.00",50.00',
    '"Student, Test",106,,,B,,,,',
    "",
])  # fmt: skip


def both(id, first, total, **more):  # noqa: A002
    return student(id, total, exercise("addition", first, criterion("small")), exercise("doubling", total), **more)


CLASS = [both("101", 100.0, 50.0, name="Jane Doe"), both("evil", 0.0, 25.0), both("bob", 100.0, 100.0),
         both("104", 1.0, 2.0), both("Kim Lee", 33.33, 66.67)]  # fmt: skip


@pytest.fixture
def fill(grader, written, tmp_path):
    """Run the command on a gradebook; gives the result and the file that it wrote."""

    def run(content, students, *options):
        (tmp_path / "gradebook.csv").write_bytes(content)
        out = tmp_path / "out.csv"
        result = grader(
            "export", written(*students), "--format", "canvas", "--into", tmp_path / "gradebook.csv", "--out", out,
            *options,
        )  # fmt: skip
        assert (tmp_path / "gradebook.csv").read_bytes() == content
        return result, out.read_bytes() if out.exists() else None

    return run


def test_the_total_goes_into_the_named_column_and_every_other_byte_stays(fill):
    content = GRADEBOOK.encode()
    result, filled = fill(content, CLASS, "--column", "Homework (12)")
    assert result.exit_code == 0, result.output
    expected = content
    for old, new in (
        (b",7.00,1.00,70.00", b",7.00,20,70.00"),
        (b",evil,A,,,,", b",evil,A,,,10,"),
        (b',5.00,"5.00",50', b',5.00,"26.67",50'),
    ):
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert filled == expected
    assert "Smith; Bob: Homework (12) stays as it is: the student is excused (EX)." in result.output
    assert "Müller Ann: Homework (12) stays as it is: it is not assigned to the student (N/A)." in result.output
    assert "In the file, not in the results: Student, Test." in result.output
    assert "Changed cells: 3" in result.output


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_semicolons_decimal_commas_and_encodings_stay(fill, end, encoding):
    text = (
        f"Student;ID;SIS Login ID;Section;Addition (11){end}    Points Possible;;;;10,00{end}"
        f"Doe, Jané;101;jdoe;A;7,00{end}Lee;102;lee;A;{end}"
    )
    result, filled = fill(text.encode(encoding), [simple("101", 85.0), simple("lee", 100.0)], "--column", "Addition")
    assert result.exit_code == 0, result.output
    expected = text.replace("7,00", "8,5").replace(f"lee;A;{end}", f"lee;A;10{end}")
    assert filled == expected.encode(encoding)


def test_a_decimal_comma_in_a_file_with_commas_is_quoted(fill):
    text = 'Student,ID,Section,A (1)\n    Points Possible,,,"10,00"\nJane,1,A,\n'
    _, filled = fill(text.encode(), [simple("1", 85.0)], "--column", "A (1)")
    assert filled == text.replace("Jane,1,A,\n", 'Jane,1,A,"8,5"\n').encode()


def test_exercises_go_into_the_columns_with_their_titles_or_into_those_that_are_named(fill):
    result, filled = fill(GRADEBOOK.encode(), CLASS)
    assert result.exit_code == 0, result.output
    assert b",10,1.00,70.00" in filled  # Addition (11) is the title of the exercise; no column is called Doubling
    options = ("--exercise", "addition", "--column", "Homework", "--exercise", "total", "--column", "Addition (11)")
    _, filled = fill(GRADEBOOK.encode(), CLASS, *options)
    assert b",5,40,70.00" in filled


def test_a_dry_run_shows_old_and_new_and_writes_nothing(fill):
    result, filled = fill(GRADEBOOK.encode(), CLASS, "--column", "Homework (12)", "--dry-run")
    assert (result.exit_code, filled) == (0, None)
    assert "1.00 → 20" in result.output
    assert "(empty) → 10" in result.output
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_a_group_fills_every_member(fill):
    result, filled = fill(
        GRADEBOOK.encode(), [both("team", 100.0, 100.0, group=("101", "evil"))], "--column", "Homework"
    )
    assert result.exit_code == 0
    assert b",7.00,40,70.00" in filled
    assert b",evil,A,,,40," in filled


def test_members_of_a_group_with_results_of_their_own_get_those(fill):
    group = ("101", "evil")  # as Gradescope tells it: one result for each, and each knows the group
    students = [both("101", 100.0, 100.0, group=group), both("evil", 100.0, 50.0, group=group)]
    result, filled = fill(GRADEBOOK.encode(), students, "--column", "Homework")
    assert result.exit_code == 0, result.output
    assert b",7.00,40,70.00" in filled
    assert b",evil,A,,,20," in filled


def test_students_who_are_not_in_the_file_are_named_and_the_exit_code_says_so(fill):
    students = [*CLASS, both("nobody", 1.0, 1.0, name="No\x1bBody"), both("team", 1.0, 1.0, group=("ghost",))]
    result, filled = fill(GRADEBOOK.encode(), students, "--column", "Homework")
    assert result.exit_code == 1
    assert "without a place: nobody (No\\x1bBody), ghost of the group team." in result.output
    assert b",7.00,20,70.00" in filled  # everybody else is written


def test_a_name_counts_only_if_it_is_unique(fill):
    text = 'Student,ID,Section,A (1)\n    Points Possible,,,10\n"Doe, Jane",1,A,\nJane Doe,2,A,\n'
    result, filled = fill(text.encode(), [simple("doejane", 100.0)], "--column", "A (1)")
    assert (result.exit_code, filled) == (1, text.encode())
    assert "2 rows of the file fit" in result.output


def test_an_id_counts_more_than_a_name_and_two_students_never_share_a_row(fill):
    text = 'Student,ID,Section,A (1)\n    Points Possible,,,10\n"Doe, Jane",1,A,\n'
    result, filled = fill(text.encode(), [simple("1", 50.0), simple("x", 90.0, name="Jane Doe")], "--column", "A (1)")
    assert result.exit_code == 1
    assert filled.endswith(b"1,A,5\n")
    assert "without a place: x (Jane Doe)" in result.output
    twins = [simple("x", 90.0, name="Jane Doe"), simple("y", 10.0, name="Doe, Jane")]
    result, filled = fill(text.encode(), twins, "--column", "A (1)")
    assert (result.exit_code, filled) == (1, text.encode())
    assert "x (Jane Doe), y (Doe, Jane): several want the same row" in result.output


def test_an_id_whose_name_is_another_is_told(fill):
    result, _ = fill(GRADEBOOK.encode(), [simple("101", 50.0, name="Bob Smith")], "--column", "Homework")
    assert "Doe, Jane: the id is that of 101, but the results call the student Bob Smith." in result.output


@pytest.mark.parametrize("who", ["no score", "review", "optional"])
def test_a_student_without_a_score_leaves_the_cell_as_it_is(tmp_path, who):
    made = {
        "no score": simple("101", None),
        "review": simple("101", 50.0, needs_review=True),
        "optional": student("101", None, exercise("addition", 0.0, optional=True, verdict=Verdict.MISSING)),
    }[who]
    (tmp_path / "g.csv").write_bytes(GRADEBOOK.encode())
    options = Options(into=str(tmp_path / "g.csv"), columns=("Homework",), exercises=("addition",))
    report = export(results_of(made), options)
    assert report.files[""] == GRADEBOOK.encode()
    assert not report.changes
    assert any("Doe, Jane: Homework (12) stays as it is: the student" in remark for remark in report.remarks)


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (GRADEBOOK, ["--column", "Homwork (12)"], "did you mean 'Homework (12)'?"),
        (GRADEBOOK, ["--column", "New"], "makes a new assignment"),
        (GRADEBOOK, ["--column", "Current Score"], "read only"),
        (GRADEBOOK, ["--column", "Notes"], "not an assignment"),
        (GRADEBOOK, ["--column", "ID"], "not an assignment"),
        (GRADEBOOK, ["--column", "Homework", "--column", "Addition"], "Name one column for each exercise"),
        (GRADEBOOK, ["--exercise", "additoin"], "did you mean 'addition'?"),
        (GRADEBOOK, ["--exercise", "doubling"], "Say --column"),
        (GRADEBOOK.replace(POINTS, ""), ["--column", "Homework"], "no row 'Points Possible'"),
        (GRADEBOOK.replace("ID,", "Id,", 1), ["--column", "Homework"], "not a gradebook of Canvas"),
        (GRADEBOOK.replace("40.00", "0"), ["--column", "Homework"], "worth 0 points"),
        ("", ["--column", "Homework"], "not a gradebook of Canvas"),
        (GRADEBOOK.replace("Addition (11)", "Homework (11)"), ["--column", "Homework"], "2 columns"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(fill, content, options, words):
    result, filled = fill(content.encode(), CLASS, *options)
    assert (result.exit_code, filled) == (2, None)
    assert words in result.output


def test_the_download_itself_is_never_overwritten(grader, written, tmp_path):
    path = tmp_path / "g.csv"
    path.write_bytes(GRADEBOOK.encode())
    result = grader(
        "export", written(*CLASS), "--format", "canvas", "--into", path, "--out", path, "--column", "Homework"
    )
    assert result.exit_code == 2
    assert "Name another file" in result.output


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters='\0\r\n",;\ufeff'), max_size=6)


@given(
    st.lists(st.tuples(names, st.sampled_from(["", "7", "EX", "N/A", '"3"', "x"])), min_size=1, max_size=6),
    st.sampled_from(",;"), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)  # fmt: skip
def test_all_bytes_outside_the_filled_cells_stay(tmp_path_factory, rows, delimiter, end, encoding):
    path = tmp_path_factory.mktemp("canvas") / "g.csv"

    def text(cells):
        lines = [["Student", "ID", "A (1)", "B"], ["    Points Possible", "", "50.00", ""]]
        lines += [
            [f'"{name}"', str(n), cell, f" {name}"] for n, ((name, _), cell) in enumerate(zip(rows, cells, strict=True))
        ]
        return end.join([*map(delimiter.join, lines), ""]).encode(encoding)

    old = [cell for _, cell in rows]
    path.write_bytes(text(old))
    report = export(
        results_of(*(simple(str(n), 50.0) for n in range(len(rows)))), Options(into=str(path), columns=("A",))
    )
    new = [cell if cell in ("EX", "N/A") else '"25"' if cell[:1] == '"' else "25" for cell in old]
    assert report.files[""] == text(new)


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(ExportError, match="cannot be read"):
        export(results_of(), Options(into=str(tmp_path)))
