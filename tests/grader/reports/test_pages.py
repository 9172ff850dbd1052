"""What every page is: whole, closed to the network, readable, and deaf to what students write."""

import base64
import hashlib
import re
import subprocess
import sys
from importlib.resources import files

import pytest

from grader.reports import class_page, student_page
from grader.reports.pages import render_page
from tests.grader.made_results import EVIL, STRANGE, criterion, exercise, large_class, results, student
from tests.grader.reports.html import Page

CSS = files("grader.reports").joinpath("templates/style.css").read_text(encoding="utf-8")


def evil(text):
    """Results in which everything that a student or a foreign file can choose is this text."""
    broken = criterion(
        text, "failed", title=text, message=text, line=text, hint=text, diagnosis=text, misconceptions=(text,),
        sentence=text,
    )  # fmt: skip
    one = exercise(text, broken, title=text, origin=text, problem=text, notes=(text,), stand_ins=(text,), seconds=9.0)
    ours = exercise("fault", fault=text)
    who = {"name": text, "group": (text,), "notes": (text,), "submitted_at": text, "needs_review": True}
    return results(student(text, one, ours, **who), student(f"{text}2", one, ours, **who))


def pages(found):
    return [class_page.render(found, folder=found.students[0].id), student_page.render(found, found.students[0])]


@pytest.mark.parametrize("text", [EVIL, '"><img src=x onerror=alert(1)>', "</style></textarea></script>", *STRANGE])
def test_what_students_write_stays_text(text):
    like = "plain" if text.splitlines() == [text.strip()] else "plain "  # an id that cannot stand in a list is told
    plain, hostile = pages(evil(like)), pages(evil(text))
    for one, other in zip(plain, hostile, strict=True):
        expected, found = Page(one), Page(other)
        assert not found.open
        harmless = {"wbr"}  # a name may be broken after each underscore
        assert [tag for tag, _ in found.elements if tag not in harmless] == [
            tag for tag, _ in expected.elements if tag not in harmless
        ]
        assert [set(attributes) for _, attributes in found.elements] == [
            set(attributes) for _, attributes in expected.elements
        ]
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", other)


@pytest.mark.parametrize("page", pages(large_class(12)), ids=["class", "student"])
def test_a_page_names_nothing_outside_and_runs_only_its_own_script(page):
    found = Page(page)
    assert "://" not in page
    assert not {"link", "img", "iframe", "object", "base", "form action"} & {tag for tag, _ in found.elements}
    (policy,) = [m["content"] for m in found.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    for tag in ("style", "script"):
        for text in ["".join(found.texts[tag])] if tag in found.texts else []:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
    for _, attributes in found.elements:
        assert "style" not in attributes and not [name for name in attributes if name.startswith("on")]
        target = attributes.get("href", "#")
        assert target.startswith("#") or re.fullmatch(r"students/[a-z0-9_-]+\.html", target)


@pytest.mark.parametrize("page", pages(large_class(12)), ids=["class", "student"])
def test_links_inside_a_page_lead_somewhere_and_ids_are_given_once(page):
    found = Page(page)
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = [a["href"][1:] for t, a in found.elements if t in ("a", "use") and a["href"].startswith("#")]
    wanted += [a["aria-labelledby"] for _, a in found.elements if "aria-labelledby" in a]
    assert set(wanted) <= set(ids)


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_have_the_contrast_that_eyes_need(scheme):
    block = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[scheme]
    colours = {
        n: c if len(c) == 7 else "#" + "".join(2 * d for d in c[1:]) for n, c in re.findall(r"--(\S+): (#\w+)", block)
    }
    grounds = [n for n in colours if n in ("paper", "card", "low", "lowish", "high", "top") or n.endswith("-tint")]
    assert len(grounds) == 11
    for ground in grounds:
        assert contrast(colours["ink"], colours[ground]) >= 7, ground
        if not ground.startswith(("low", "high", "top")):
            for text in ("soft", "accent"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for tone in ("good", "bad", "warn", "quiet"):
        for ground in ("card", "paper", "first-tint", f"{tone}-tint"):
            assert contrast(colours[tone], colours[ground]) >= 4.5, (tone, ground)
    for shape in ("fill", "full"):
        assert contrast(colours[shape], colours["card"]) >= 3, shape


def test_pages_are_rendered_without_torch():
    code = "import sys, grader.reports.write; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_template_with_an_unknown_word_is_a_mistake_of_ours():
    with pytest.raises(Exception, match="undefined"):
        render_page("student_page.html.jinja")
