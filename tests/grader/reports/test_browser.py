"""The pages in a real browser: sorting, filters, keys, dark, small, and nothing from outside."""

import pytest

from grader.reports.write import write_pages
from tests.grader.made_results import EVIL, STRANGE, criterion, exercise, large_class, results, student

LUMINANCE = """
const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
"""
SHOWN = (
    "return [...document.querySelectorAll('#table tbody tr')].filter(r => !r.hidden).map(r => r.cells[{}].textContent)"
)


def names(browser):
    return [name.split()[0] for name in browser.js(SHOWN.format(0))]


def heading(browser, words, table="#table"):
    """The button in this heading of a column."""
    return browser.js(
        "const all = document.querySelectorAll(arguments[0] + ' thead button');"
        "return [...all].find(b => b.textContent === arguments[1])", table, words,
    )  # fmt: skip


def sorted_by(browser):
    return browser.js(
        "return [...document.querySelectorAll('#table thead th')]"
        ".filter(h => /ending/.test(h.getAttribute('aria-sort')))"
        ".map(h => [h.textContent, h.getAttribute('aria-sort')])"
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Ada has everything, Bo half of ctc, Cy nothing, Di is slow, and Ed cannot be judged."""
    wrong = criterion("b", "failed", diagnosis="You swapped them.", misconceptions=("swapped",))
    right, absent, raised = (exercise("beam_search", criterion("a", v)) for v in ("passed", "missing", "error"))
    found = results(
        student("s10", exercise("ctc", criterion("a"), criterion("b")), right, name="Ada"),
        student("s9", exercise("ctc", criterion("a"), wrong), right, name="bo"),
        student("s8", exercise("ctc", criterion("a", "missing"), wrong), absent, name="Cy"),
        student("s7", exercise("ctc", criterion("a", "timeout"), criterion("b")), raised, name="Di"),
        student("s6", exercise("ctc", criterion("a", "grader_fault")), exercise("beam_search", fault="x"), name="Ed"),
    )  # fmt: skip
    return write_pages(found, tmp_path_factory.mktemp("class"))


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A class whose students have names and texts that nobody should have."""
    made = []
    texts = (EVIL, '"><img src=x onerror=alert(1)>', "</textarea><script>alert(2)</script>", *STRANGE)
    for number, text in enumerate(texts):
        lost = criterion("a", "failed", message=text, diagnosis=text, hint=text, line=text, title=text, sentence=text)
        ids = f"{text}{number}"
        made.append(student(ids, exercise("ctc", lost, problem=text, notes=(text,)), name=text, notes=(text,)))
        made.append(student(f"{ids}twin", exercise("ctc", lost), name=text, needs_review=True))
    return write_pages(results(*made), tmp_path_factory.mktemp("strange"))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write_pages(large_class(1000), tmp_path_factory.mktemp("large"))


def test_nothing_is_asked_for_and_nobody_complains(browser, page, strange):
    for one in (page, strange, *sorted((page.parent / "students").iterdir())[:2]):
        browser.open(one)
        assert browser.requests() == [one.as_uri()]
        assert browser.complaints() == []


def test_the_policy_stops_what_would_ask(browser, page):
    browser.open(page)
    browser.js("const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i);")
    browser.js("const s = document.createElement('script'); s.text = 'window.ran = 1'; document.body.append(s);")
    assert browser.js("return window.ran") is None
    assert len([text for text in browser.complaints() if "Content Security Policy" in text]) == 2


def test_columns_are_sorted_by_number_or_by_name_and_say_so(browser, page):
    browser.open(page)
    assert sorted_by(browser) == []
    heading(browser, "total").click()
    assert browser.js(SHOWN.format(1)) == ["0.0", "25.0", "75.0", "100", "–"]
    assert sorted_by(browser) == [["total", "ascending"]]
    heading(browser, "total").click()
    assert browser.js(SHOWN.format(1)) == ["100", "75.0", "25.0", "0.0", "–"], "without a score: always last"
    assert sorted_by(browser) == [["total", "descending"]]
    heading(browser, "student").click()
    assert names(browser) == ["Ada", "bo", "Cy", "Di", "Ed"]
    assert sorted_by(browser) == [["student", "ascending"]]
    heading(browser, "passed", "section[aria-labelledby=criteria] table").click()
    assert browser.complaints() == []


def test_filters_by_text_score_exercise_and_verdict(browser, page):
    browser.open(page)

    def choose(**values):
        for field, value in values.items():
            browser.js(
                "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
                "f.dispatchEvent(new Event('input', {bubbles: true}))", field, value,
            )  # fmt: skip
        return names(browser)

    def count():
        return browser.js("return document.getElementById('count').textContent")

    assert count() == "5 students"
    assert choose(words="BO") == ["bo"] and count() == "1 of 5 students"
    assert choose(words="s8") == ["Cy"], "ids count too"
    assert choose(words="nobody") == [] and count() == "0 of 5 students"
    assert browser.js("return !document.getElementById('nobody').hidden")
    assert choose(words="", score="below") == ["bo", "Cy", "Di"]
    assert choose(score="full") == ["Ada"]
    assert choose(exercise="3") == ["Ada", "bo"], "all points of beam_search"
    assert choose(score="none") == ["Ed"]
    assert choose(score="", exercise="", verdict="t") == ["Di"]
    assert choose(exercise="3") == [], "nobody was out of time in beam_search"
    assert choose(verdict="e") == ["Di"]
    browser.js("document.querySelector('#filters [type=reset]').click()")
    browser.driver.implicitly_wait(0)
    assert browser.driver.execute_async_script("const done = arguments[0]; setTimeout(() => done(true), 50)")
    assert len(names(browser)) == 5 and count() == "5 students"


def test_everything_can_be_done_by_keyboard(browser, page):
    from selenium.webdriver.common.keys import Keys

    def focused(code="document.activeElement.textContent"):
        return browser.js(f"return {code}")

    browser.open(page)
    browser.press(Keys.TAB)
    assert focused() == "Skip to the content"
    assert browser.js("return document.activeElement.getBoundingClientRect().left >= 0"), "it can be seen now"
    browser.press(Keys.ENTER)
    assert focused("document.activeElement.id") == "content"
    seen = []
    for _ in range(60):
        browser.press(Keys.TAB)
        seen.append(focused("document.activeElement.id || document.activeElement.textContent"))
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert focused(outline) != "none", f"the focus cannot be seen on {seen[-1]}"
        if seen[-1] == "total":
            break
    assert [one for one in seen if one in ("words", "exercise", "score", "verdict", "student", "total")] == [
        "words", "exercise", "score", "verdict", "student", "total",
    ]  # fmt: skip
    browser.press(Keys.ENTER)
    assert sorted_by(browser) == [["total", "ascending"]]
    browser.press(Keys.SPACE)
    assert sorted_by(browser) == [["total", "descending"]]
    assert focused() == "total", "the focus stays"


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "no clipboard"])
def test_ids_of_a_group_can_be_copied(browser, page, clipboard):
    browser.open(page)
    state = "granted" if clipboard else "denied"
    for name in ("clipboard-read", "clipboard-write"):
        browser.run_command("Browser.setPermission", permission={"name": name}, setting=state)
    if not clipboard:
        browser.js("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    button = browser.js("return document.querySelector('button[data-copy=ids-1]')")
    button.click()
    browser.driver.execute_async_script("const done = arguments[0]; setTimeout(done, 200)")
    said = browser.js("return document.getElementById('said').textContent")
    assert said.startswith(("Copied", "Selected"))
    if clipboard:
        copied = browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.clipboard.readText().then(done, e => done(String(e)))"
        )
        assert copied.split() == ["s9", "s8"]
    else:
        selected = "const f = document.activeElement; return f.value.slice(f.selectionStart, f.selectionEnd)"
        assert browser.js(selected).split() == ["s9", "s8"]


@pytest.mark.parametrize("kind", ["class", "student"])
def test_dark_where_the_reader_wants_it_and_light_on_paper(browser, page, kind):
    one = page if kind == "class" else page.parent / "students/s9.html"
    shades = []
    for scheme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        browser.open(one, scheme=scheme, media=media)
        shades.append(browser.js(LUMINANCE))
    assert shades[0] > 0.9 and shades[1] < 0.2 and shades[2] > 0.9


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_scrolls_down_only(browser, page, strange, width):
    students = sorted((strange.parent / "students").iterdir())
    for one in (page, page.parent / "students/s9.html", strange, *students[:6]):
        browser.open(one, width=width)
        assert browser.js("return document.documentElement.scrollWidth") <= width, one


def test_names_that_are_code_are_shown_as_names(browser, strange):
    browser.open(strange)
    assert EVIL in browser.js("return document.getElementById('table').textContent")
    assert browser.js("return document.scripts.length") == 1
    assert browser.js("return document.images.length") == 0
    link = browser.js(
        "return [...document.querySelectorAll('#table a')].find(a => a.textContent === arguments[0])", EVIL
    )
    link.click()
    assert browser.js("return document.querySelector('h1').textContent") == EVIL
    assert browser.js("return document.scripts.length") == 0
    assert browser.complaints() == []


def test_every_link_to_a_student_leads_to_a_page(browser, strange):
    browser.open(strange)
    found = browser.js("return [...document.querySelectorAll('#table a')].map(a => a.getAttribute('href'))")
    assert len(set(found)) == 2 * (3 + len(STRANGE))
    assert all((strange.parent / target).is_file() for target in found)


def test_a_thousand_students_are_sorted_and_filtered(browser, large):
    browser.open(large)
    assert len(names(browser)) == 1000
    heading(browser, "student").click()
    heading(browser, "student").click()
    assert browser.js(SHOWN.format(0))[0].startswith("Student 999")
    browser.js("document.getElementById('words').focus()")
    browser.press("student 99")
    assert browser.js("return document.getElementById('count').textContent") == "19 of 1,000 students"
    assert browser.complaints() == []


def test_what_is_folded_is_printed(browser, page):
    browser.open(page)
    closed = "return document.querySelectorAll('details:not([open])').length"
    before = browser.js(closed)
    assert before > 0
    browser.js("dispatchEvent(new Event('beforeprint'))")
    assert browser.js(closed) == 0
    browser.js("dispatchEvent(new Event('afterprint'))")
    assert browser.js(closed) == before
