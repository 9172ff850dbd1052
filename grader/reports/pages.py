"""Pages in HTML that need nothing else: no font, no picture, no network.

Whatever is filled into a template is escaped, and characters that nobody would see are written out. The policy of a
page names the hashes of its own style and script, so a browser runs nothing else, wherever it came from.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.text import visible


def render_page(template: str, *, style: str = "", script: str = "", **values: object) -> str:
    """The template of ``reports/templates``, filled in; ``style`` and ``script`` are files beside it."""
    css, javascript = (_file(name) if name else Markup("") for name in (style, script))
    policy = f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(javascript)}"
    page = _environment().get_template(template)
    return page.render(values, css=css, javascript=javascript, policy=f"{policy}; base-uri 'none'; form-action 'none'")


@cache  # to compile a template takes longer than to fill it in
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("grader.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_finalize,
    )  # fmt: skip


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _file(name: str) -> Markup:
    """Ours, and known when the package is built: so it is no text to escape."""
    return Markup(files("grader.reports").joinpath("templates", name).read_text(encoding="utf-8"))  # noqa: S704


@cache
def _hash(code: str) -> str:
    if not code:
        return "'none'"
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
