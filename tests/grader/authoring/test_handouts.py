"""Handouts as sections and as pages."""

import re

import pytest

from grader.authoring.handouts import sections
from tests.grader.conftest import write

WIDEST = 88  # characters of a line of code: more than that scrolls, on GitHub too


def test_sections_begin_at_headings_that_are_no_code():
    handout = "# Title\n\nText.\n\n## One\n\n```\n## no heading\n```\n\n### Deeper\n\n## Two\n"
    assert sections(handout) == ["# Title\n\nText.", "## One\n\n```\n## no heading\n```\n\n### Deeper", "## Two"]


def test_every_page_stands_alone_and_shows_its_picture(course, grader, tmp_path):
    result = grader("handouts", "--out", tmp_path / "pages", "--course", course.root)
    assert result.exit_code == 0
    for exercise in course.exercises:
        page = (tmp_path / f"pages/{exercise.name}.html").read_text(encoding="utf-8")
        pictures = re.findall(r'<img src="([^"]{0,40})', page)
        handout = (course.folder(exercise) / "handout.md").read_text(encoding="utf-8")
        assert len(pictures) == handout.count("![")
        assert all(source.startswith("data:image/svg+xml;base64,") for source in pictures)
        assert "<h1>" in page
        assert ("<table>" in page) == ("|---" in handout)
        assert not re.search(r"<script|<link|src=\"http|@import", page)
        links = re.findall(r'href="([^"]+)"', page)
        assert all((tmp_path / "pages" / link).is_file() for link in links if not link.startswith("https:"))


def test_each_handout_has_its_number_fits_the_page_and_ends_with_the_command(course):
    number = electives = 0
    for exercise in course.exercises:
        handout = (course.folder(exercise) / "handout.md").read_text(encoding="utf-8")
        is_elective = exercise.optional and not exercise.implementations_of
        number += not exercise.optional
        electives += is_elective
        place = f"E{electives}" if is_elective else f"{number}{'b' * exercise.optional}"
        assert handout.startswith(f"# {place} `{exercise.name}`: ")
        assert sections(handout)[-1].startswith(f"## The command to run\n\n```\ngrader check {exercise.name}\n```")
        code = "".join(re.findall(r"^ *```.*?^ *```", handout, re.DOTALL | re.MULTILINE))
        assert max(map(len, code.splitlines())) <= WIDEST


@pytest.mark.parametrize(
    ("handout", "words"),
    [(None, "write the handout there"), ("![a](gone.svg)", "no such picture"), ("![a](../x.svg)", "no such picture")],
)
def test_what_is_missing_is_said(tiny, grader, tmp_path, handout, words):
    if handout is not None:
        write(tiny / "exercises/addition/handout.md", handout)
    result = grader("handouts", "addition", "--out", tmp_path / "pages", "--course", tiny)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


def test_html_in_a_handout_is_text(tiny, grader, tmp_path):
    write(tiny / "exercises/addition/handout.md", "# `<eos>` and <script>x</script>\n")
    grader("handouts", "addition", "--out", tmp_path, "--course", tiny)
    page = (tmp_path / "addition.html").read_text(encoding="utf-8")
    assert "<code>&lt;eos&gt;</code> and &lt;script&gt;x" in page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("so $a_t < b$ holds", '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">'),
        ("$$\n\\sum_{i=1}^{n} x_i\n= 3\n- 1\n$$", 'display="block"'),
        ("- in a list\n\n  $$x = 1$$\n", 'display="block"'),
        ("$`a_b * c_d`$", 'display="inline"'),
        ("a word $\\text{<eos>}$", "&lt;eos&gt;</mtext>"),
        ("$2 \\ln p$", '<mn>2</mn><mo lspace="0.17em" rspace="0.17em">ln</mo>'),
        ("$= \\tanh(-\\infty)$", '<mo lspace="0" rspace="0">tanh</mo>'),
    ],
)
def test_formulas_are_drawn_by_the_browser_alone(tiny, grader, tmp_path, text, found):
    write(tiny / "exercises/addition/handout.md", f"# Formulas\n\n{text}\n")
    result = grader("handouts", "addition", "--out", tmp_path, "--course", tiny)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "addition.html").read_text(encoding="utf-8")
    body = page[page.index("<body>") :]
    assert found in body
    assert "$" not in body and "<eos>" not in body and "<ul>\n<li>1" not in body


@pytest.mark.parametrize("text", ["it costs 5$ or 6$ here", "`$x$` is code", "\\$x\\$", "```\n$$x$$\n```"])
def test_what_is_no_formula_stays_as_it_is(tiny, grader, tmp_path, text):
    write(tiny / "exercises/addition/handout.md", f"# Formulas\n\n{text}\n")
    grader("handouts", "addition", "--out", tmp_path, "--course", tiny)
    page = (tmp_path / "addition.html").read_text(encoding="utf-8")
    assert "<math" not in page and "$" in page
