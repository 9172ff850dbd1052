"""The grading worksheet of Moodle, in several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.exports.base import Options
from grader.exports.moodle import export
from tests.grader.exports.conftest import criterion, exercise, results_of, simple, student

ENGLISH = "\n".join([
    'Identifier,"Full name","ID number","Email address",Status,Grade,"Maximum grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"',
    'Participant 501,"Jané Doe",m-1,jane@x.org,"Submitted for grading",,50.00,Yes,"Tuesday, 1 June 2026, 9:00 AM",-,',
    'Participant 502,"O\'Neil, Bob",m-2,bob@x.org,Submitted,10.00,50.00,Yes,-,-,"Well, ""almost"""',
    'Participant 503,"Lee Kim",m-3,kim@x.org,Submitted,20.00,50.00,No,-,-,',
    'Participant 504,"Ann Other",m-4,ann@x.org,"No submission",,50.00,Yes,-,-,',
    "",
])  # fmt: skip
CLASS = [simple("501", 85.0, name="Jané Doe"), simple("bob@x.org", 0.0), simple("m-3", 100.0)]
TITLES = {
    "de": ("ID", "Teilnehmer/in", "Bewertung", "Bestwertung", "Bewertung kann geändert werden", "Ja", "Nein"),
    "fr": ("Identifiant", "Participant ", "Note", "Note maximale", "La note peut être modifiée", "Oui", "Non"),
    "es": ("Identificador", "Participante ", "Calificación", "Calificación máxima", "Se puede cambiar", "Sí", "No"),
    "it": ("Identificativo", "Partecipante", "Valutazione", "Valutazione massima", "Modificabile", "Sì", "No"),
    "nl": ("ID", "Deelnemer ", "Cijfer", "Maximumcijfer", "Cijfer kan gewijzigd worden", "Ja", "Nee"),
    "pt": ("Identificador", "Participante ", "Nota", "Nota máxima", "Nota pode ser alterada", "Sim", "Não"),
    "xx": ("Aa", "Bb", "Cc", "Dd", "Ee", "Ja", "Nein"),  # a language that we do not know
}


@pytest.fixture
def fill(grader, written, tmp_path):
    def run(content, students, *options):
        (tmp_path / "sheet.csv").write_bytes(content)
        out = tmp_path / "out.csv"
        into = ("--into", tmp_path / "sheet.csv", "--out", out)
        result = grader("export", written(*students), "--format", "moodle", *into, *options)
        return result, out.read_bytes() if out.exists() else None

    return run


def test_grades_are_filled_by_number_mail_and_id_and_every_other_byte_stays(fill):
    result, filled = fill(ENGLISH.encode(), CLASS)
    assert result.exit_code == 0, result.output
    expected = ENGLISH.replace('grading",,50.00', 'grading",42.5,50.00').replace("10.00,50.00", "0,50.00")
    assert filled == expected.encode()
    assert "Lee Kim: Grade stays as it is: Moodle says that this grade cannot be changed." in result.output
    assert "In the file, not in the results: Ann Other." in result.output
    assert "skip a grade of 0" in result.output
    assert "afterwards: O'Neil, Bob." in result.output
    assert "Moodle skips a row" in result.output


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("language", TITLES)
def test_other_languages_separators_and_encodings(fill, language, encoding):
    first, participant, grade, maximum, changeable, yes, no = TITLES[language]
    rows = [
        [first, "N", "E", "S", grade, maximum, changeable, "T"],
        [f"{participant}501", '"Doe; Jane"', "j@x.org", "ok", "", "10,00", yes, '"1, 2"'],
        [f"{participant}502", "Ann Ö", "a@x.org", "ok", "7,50", "10,00", no, "-"],
        [f"{participant}503", "Kim", "k@x.org", "ok", "7,50", "10,00", yes, "-"],
    ]
    students = [simple("501", 85.0), simple("502", 10.0), simple("Kim", 33.0)]
    result, filled = fill("\r\n".join(map(";".join, rows)).encode(encoding), students)
    assert result.exit_code == 0, result.output
    rows[1][4], rows[3][4] = "8,5", "3,3"
    assert filled == "\r\n".join(map(";".join, rows)).encode(encoding)
    assert "Ann Ö" in result.output


def test_one_exercise_and_another_column(fill):
    made = student("501", 10.0, exercise("addition", 50.0, criterion("small")))
    result, filled = fill(
        ENGLISH.replace("Grade,", "Points,").encode(), [made], "--exercise", "addition", "--column", "Points"
    )
    assert result.exit_code == 0, result.output
    assert b'grading",25,50.00' in filled


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("a,b,c\nx,y,z\n", [], "not a grading worksheet"),
        ("", [], "not a grading worksheet"),
        (ENGLISH, ["--column", "Grad"], "did you mean 'Grade'?"),
        (ENGLISH, ["--column", "Feedback comments"], "no column of grades"),
        (ENGLISH, ["--column", "Maximum grade"], "no column of grades"),
        (ENGLISH.replace("50.00", "Good"), [], "no column has the maximum grade"),
        (ENGLISH, ["--exercise", "a", "--exercise", "b"], "Name one of each"),
        (ENGLISH, ["--exercise", "additoin"], "did you mean 'addition'?"),
        ("Aa,Bb,Cc\nX 1,b,c\n", [], "Say --column"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(fill, content, options, words):
    result, filled = fill(content.encode(), CLASS, *options)
    assert (result.exit_code, filled) == (2, None)
    assert words in result.output


def test_students_who_are_not_in_the_file_are_named(fill):
    result, _ = fill(ENGLISH.encode(), [simple("999", 50.0, name="No Body")])
    assert result.exit_code == 1
    assert "without a place: 999 (No Body)." in result.output


def test_the_number_of_a_team_is_not_taken_for_a_participant(fill):
    result, filled = fill(ENGLISH.encode(), [simple("501", 50.0, name="Team A")])
    assert (result.exit_code, filled) == (1, ENGLISH.encode())
    assert "501 (Team A): the row with this id is that of Jané Doe." in result.output


def test_blind_marking_has_no_names(fill):
    text = "Identifier,Status,Grade,Maximum grade,Grade can be changed\nParticipant 7,ok,,100.00,Yes\n"
    result, filled = fill(text.encode(), [simple("7", 12.34, name="Jane")])
    assert result.exit_code == 0
    assert filled == text.replace("ok,,", "ok,12.34,").encode()


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters='\0\r\n",;\t\ufeff'), max_size=6)


@given(
    st.lists(st.tuples(names, st.sampled_from(["", "7,00", '"3,00"']), st.booleans()), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)  # fmt: skip
def test_all_bytes_outside_the_filled_cells_stay(tmp_path_factory, rows, end, encoding):
    path = tmp_path_factory.mktemp("moodle") / "g.csv"

    def text(cells):
        lines = [["Identifier", "Full name", "Grade", "Maximum grade", "Grade can be changed"]]
        for n, ((name, _, free), cell) in enumerate(zip(rows, cells, strict=True)):
            lines.append([f"Participant {n}", f'"{name}"', cell, "50,00", "Yes" if free else "No"])
        return end.join([*map(";".join, lines), ""]).encode(encoding)

    path.write_bytes(text([cell for _, cell, _ in rows]))
    report = export(results_of(*(simple(str(n), 51.0) for n in range(len(rows)))), Options(into=str(path)))
    new = [cell if not free else '"25,5"' if cell[:1] == '"' else "25,5" for _, cell, free in rows]
    assert report.files[""] == text(new)
