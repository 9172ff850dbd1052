"""Formulas of handouts, ``$x$`` and ``$$x$$``, as MathML: browsers show it by themselves, without network or script."""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from grader.errors import GraderError

# As GitHub reads it: no space inside of the dollars, and no digit after them, so "5$ and 6$" is money.
INLINE = re.compile(r"\$(?=[^\s$])((?:\\.|[^\\$\n]|\n(?!\n))*?)(?<=[^\s\\])\$(?![0-9A-Za-z])")
CODE_LIKE = re.compile(r"\$`([^`]+)`\$")  # GitHub's other way, for formulas that look like Markdown
FUNCTION = re.compile(r"(</m\w+>)?<mi>([a-z]{2,})</mi>(<mo)?")
TEXT = re.compile(r"<mtext>(.*?)</mtext>", re.DOTALL)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)


def with_formulas(markdown: MarkdownIt) -> MarkdownIt:
    """The same parser, which knows formulas too."""
    markdown.inline.ruler.before("escape", "formula", _inline)
    markdown.block.ruler.before("fence", "formula", _block, {"alt": ["paragraph", "blockquote", "list"]})
    markdown.add_render_rule("formula", _render)
    return markdown


def as_mathml(formula: str, *, display: bool) -> str:
    """A formula in LaTeX as MathML."""
    try:
        from latex2mathml.converter import convert
    except ModuleNotFoundError:
        raise GraderError(
            "Handouts with formulas need latex2mathml. Run: python -m pip install -c constraints.txt -e '.[authoring]'"
        ) from None
    to_mathml: Callable[..., str] = convert
    try:
        found = to_mathml(formula.strip(), display="block" if display else "inline")
    except Exception as error:  # it has a tree of exceptions of its own, and others for what it never met
        raise GraderError(f"The formula {formula.strip()!r} is not LaTeX that we can read ({error!r}).") from error
    # It does not escape the words in a formula: \\text{<eos>} would be a tag.
    found = TEXT.sub(lambda text: f"<mtext>{text[1].replace('<', '&lt;').replace('>', '&gt;')}</mtext>", found)
    # And it sets infinity as an operator, with space around it, and functions such as ln without any.
    return FUNCTION.sub(_spaced, found.replace("<mo>&#x0221E;</mo>", "<mi>&#x0221E;</mi>"))


def _spaced(function: re.Match[str]) -> str:
    """The thin space of TeX between a function and what stands beside it, but not beside an operator or a bracket."""
    before, name, after = function[1] or "", function[2], function[3] or ""
    left = "0.17em" if before and before != "</mo>" else "0"
    return f'{before}<mo lspace="{left}" rspace="{"0" if after else "0.17em"}">{name}</mo>{after}'


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    for pattern, display in ((DISPLAY, True), (CODE_LIKE, False), (INLINE, False)):
        if found := pattern.match(state.src, state.pos):
            if not silent:
                token = state.push("formula", "math", 0)
                token.content, token.block = found[1], display
            state.pos = found.end()
            return True
    return False


def _block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Lines from one that begins with two dollars to one that ends with them: nothing in them is Markdown."""
    lines: list[str] = []
    for number in range(first, end):
        text = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()
        if number == first and not text.startswith("$$"):
            return False
        lines.append(text)
        if text.endswith("$$") and (number > first or len(text) > 3):
            break
    else:
        return False
    formula = "\n".join(lines)[2:-2]
    if "$$" in formula:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.block, token.map = formula, True, [first, number + 1]
        state.line = number + 1
    return True


def _render(
    renderer: RendererProtocol, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:  # fmt: skip
    token = tokens[index]
    return as_mathml(token.content, display=token.block) + ("\n" if token.block else "")
