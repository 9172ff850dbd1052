"""What a teacher reads about texts that have much in common."""

from rich.console import Console

from grader.overlap.pairs import Text, class_pairs
from grader.reports.similar import MAX_TEXT, SHOWN_TEXTS, percent, pieces, print_similar, similar_page
from tests.grader.made_results import EVIL, STRANGE
from tests.grader.overlap.test_pairs import written
from tests.grader.reports.html import Page


def compared(*students, content=None, names=None):
    texts = {"ctc": [Text(student=student, text=content or written(1)) for student in students]}
    return class_pairs("Tiny", texts, (), names or {}), texts


def printed(found):
    console = Console(width=80, record=True, file=open("/dev/null", "w"), highlight=False)
    print_similar(console, found)
    return console.export_text()


def test_the_table_fits_eighty_columns_whatever_students_are_called():
    for name in (*STRANGE, EVIL):
        found, _ = compared(name, "s02" * 40)
        assert len(found.pairs) == 1
        assert all(len(line) <= 80 for line in printed(found).splitlines())


def test_it_is_worded_as_a_reason_to_look():
    found, texts = compared("s01", "s02")
    for words in (printed(found), Page(similar_page(found, texts)).text):
        assert "reason to look" in " ".join(words.split())
        assert not [word for word in ("plagiar", "cheat", "copied", "guilty", "fraud") if word in words.lower()]


def test_the_page_shows_both_texts_with_the_common_parts_marked():
    shared, own = written(1), "    only_here = 5\n"
    texts = {"ctc": [Text(student="s01", text=own + shared), Text(student="s02", text=shared)]}
    found = class_pairs("Tiny", texts, (), {"s01": "Ada Lovelace"})
    page = Page(similar_page(found, texts))
    assert "Ada Lovelace" in page.text
    marked = [part for part in page.texts["b"] if "\n" in part]
    assert len(marked) == 2 and all(part.strip() in shared for part in marked)
    assert "only_here" in "".join(page.texts["code"])


def test_the_page_escapes_what_students_wrote_and_loads_nothing():
    for evil in (*STRANGE, EVIL, "</code></pre></div>"):
        found, texts = compared("s01" + evil, "s02" + evil, content=f"# {evil}\n{written(1)}'{evil}'\n")
        assert found.pairs
        page = Page(similar_page(found, texts))
        assert page.open == []
        assert page.all("script") == [] and page.all("img") == [] and page.all("link") == []


def test_nobody_alike_is_said():
    found, texts = compared("s01")
    assert "0 pairs have" in printed(found)
    assert "No two texts have so much in common" in Page(similar_page(found, texts)).text


def test_a_large_page_lists_all_pairs_and_shows_the_first():
    found, texts = compared(*(f"s{n:03}" for n in range(60)))
    assert len(found.pairs) > SHOWN_TEXTS
    page = Page(similar_page(found, texts))
    assert len(page.all("pre")) == 2 * SHOWN_TEXTS
    assert len(page.all("tr")) == 1 + len(found.pairs)


def test_the_pieces_of_a_text_are_the_text():
    found, _ = compared("s01", "s02")
    side = found.pairs[0].first
    assert "".join(piece.text for piece in pieces(written(1), side)) == written(1)


def test_many_lines_that_are_not_common_are_counted_and_left_out():
    shared = written(1)
    texts = {
        "ctc": [Text(student="s01", text="pass\n" * 50 + shared + "pass\n" * 60), Text(student="s02", text=shared)]
    }
    side = class_pairs("Tiny", texts, (), {}).pairs[0].first
    before, common, after = (piece.text for piece in pieces(texts["ctc"][0].text, side))
    assert before.startswith("… 46 lines …\npass\n") and after.endswith("pass\n… 56 lines …")
    assert common.strip() in shared


def test_the_end_of_a_very_long_text_is_left_out_and_that_is_said():
    found, _ = compared("s01", "s02")
    long = pieces(written(1) + "x" * 2 * MAX_TEXT, found.pairs[0].first)
    assert sum(len(piece.text) for piece in long[:-1]) == MAX_TEXT
    assert "characters more" in long[-1].text


def test_a_share_is_rounded_down():
    assert (percent(0.999), percent(1.0), percent(0.6)) == ("99 %", "100 %", "60 %")
