import io
import json
from html.parser import HTMLParser

from rich.console import Console

from grader.reports.matrix import MARKS, legend_lines, matrix_lines, matrix_page, print_proof, print_summary
from grader.results.records import Criterion, Kind
from grader.results.schema import as_json
from grader.validation.records import Cell, ExerciseProof, Mutation, Proof, Row, Survivor, proofs_document

COUNT = 28


def criterion(number):
    return Criterion(
        id=f"criterion_{number}", title=f"A title <{number}>", kind=Kind.VALUE, points=2, hint="h", sentence="s",
        timeout=1, hidden=number > 8,
    )  # fmt: skip


def row(name, *failing, expected=()):
    cells = [Cell.FAILS if n in failing else Cell.PASSES for n in range(COUNT)]
    for number in expected:
        cells[number] = Cell.EXPECTED
    return Row(id=name, explanation='It says "<b>"', score=62.5, cells=tuple(cells))


EXERCISE = ExerciseProof(
    name="ctc",
    title="From unaligned to aligned",
    criteria=tuple(criterion(number) for number in range(COUNT)),
    rows=(row("short", 1, expected=[27]), row("a-mistake-with-a-very-long-name-that-does-not-fit", expected=[12])),
    proofs=(
        Proof(claim="The solution has full marks", finding="28 criteria"),
        Proof(claim="Mutants are killed", finding="90 %", problems=tuple("abcdefghijk"), remedy="Add a check."),
    ),
    mutation=Mutation(
        made=12,
        equivalent=2,
        killed=9,
        survivors=(Survivor(place="solutions/ctc.py:3", function="f", diff="-[red]x < 1\n+x <= 1"),),
    ),
)


def printed(function, *args):
    stream = io.StringIO()
    function(Console(file=stream, width=80, highlight=False), *args)
    return stream.getvalue()


def test_the_matrix_has_a_character_for_each_criterion_and_80_columns():
    lines = matrix_lines(EXERCISE)
    assert all(len(line) <= 80 for line in lines + legend_lines(EXERCISE))
    tens, ones, short, long, legend, scores = lines
    for line in (short, long):
        assert sum(line.count(mark) for mark in MARKS.values()) == COUNT
    assert (tens[short.index("●")], ones[short.index("●")]) == ("2", "8")
    assert ones[short.index("○")] == "2"
    assert (tens[long.index("●")], ones[long.index("●")]) == ("1", "3")
    assert "…" in long and short.endswith("   62   62")
    assert "fails, expected" in legend and "where a mistake costs once" in scores


def test_the_legend_counts_what_a_criterion_catches_and_catches_alone():
    lines = legend_lines(EXERCISE)[1:]
    assert lines[12].split() == ["13", "criterion_12", "hidden", "1", "1", "2"]
    assert lines[1].split() == ["2", "criterion_1", "public", "1", "0", "2"]


def test_each_proof_has_its_line_and_the_remedy():
    text = printed(print_proof, EXERCISE)
    assert "✓ The solution has full marks: 28 criteria" in text
    assert "✗ Mutants are killed: 90 %" in text and "and 3 more" in text and "→ Add a check." in text
    assert "solutions/ctc.py:3" in text and "-[red]x < 1" in text
    assert "to mend in ctc" in printed(print_summary, (EXERCISE,))


class Reader(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self.links = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]


def test_the_page_needs_nothing_else_and_can_be_read_without_eyes():
    page = matrix_page("A <course>", [EXERCISE])
    reader = Reader(page)
    assert reader.links and all(link.startswith("#") and link[1:] in reader.ids for link in reader.links)
    names = [tag for tag, _ in reader.tags]
    assert not {"script", "link", "img"} & set(names) and "url(" not in page
    assert ("html", {"lang": "en"}) in reader.tags
    assert names.count("caption") == names.count("table") == 2
    assert all("scope" in attrs for tag, attrs in reader.tags if tag == "th")
    assert page.count('<span class="unseen">fails, expected</span>') == 2
    assert "<b>" not in page and "A &lt;course&gt;" in page and "&lt;27&gt;" in page


def test_the_document_has_the_matrix_by_name():
    document = json.loads(as_json(proofs_document([EXERCISE])))
    assert document["holds"] is False
    (exercise,) = document["exercises"]
    assert exercise["misconceptions"][0]["criteria"]["criterion_27"] == "fails, expected"
    assert exercise["mutation"]["rate"] == 0.9
    assert [proof["holds"] for proof in exercise["proofs"]] == [True, False]
