"""The handout of an exercise: its sections, and a page of it that needs nothing else."""

from __future__ import annotations

import base64
import mimetypes
import re
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

from grader.authoring.formulas import with_formulas
from grader.course import Course, Exercise
from grader.errors import GraderError
from grader.reports.pages import render_page

OTHER_HANDOUT = re.compile(r"\.\./(\w+)/handout\.md")
FENCE = re.compile(r"^\s*(```|~~~)")


def read_handout(course: Course, exercise: Exercise) -> str:
    path = course.handout(exercise)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise GraderError(f"{path}: cannot be read ({error.strerror}); write the handout there.") from error


def sections(handout: str) -> list[str]:
    """The text before the first ``## `` and then each section with its heading."""
    found: list[list[str]] = [[]]
    fenced = False
    for line in handout.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        if line.startswith("## ") and not fenced:
            found.append([])
        found[-1].append(line)
    return [text for lines in found if (text := "\n".join(lines).strip())]


def handout_page(course: Course, exercise: Exercise, page_of: str = r"../\1/handout.html") -> str:
    """The handout as HTML, with its pictures inside; ``page_of`` says where the page of another exercise is."""
    markdown = with_formulas(MarkdownIt("commonmark", {"html": False}).enable("table"))
    tokens = markdown.parse(read_handout(course, exercise))
    for token in tokens:
        for part in token.children or ():
            if part.type == "image":
                part.attrs["src"] = _inside(course.folder(exercise) / str(part.attrs["src"]))
            elif part.type == "link_open":
                part.attrs["href"] = OTHER_HANDOUT.sub(page_of, str(part.attrs["href"]))
    body = Markup(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S704 the author's text, HTML escaped
    return render_page("handout.html.jinja", title=exercise.title, course=course.title, body=body)


def _inside(picture: Path) -> str:
    """A picture as a ``data:`` address."""
    kind, _ = mimetypes.guess_type(picture.name)
    if not picture.is_file() or kind is None:
        raise GraderError(f"{picture}: no such picture; the handout shows it.")
    return f"data:{kind};base64,{base64.b64encode(picture.read_bytes()).decode()}"
