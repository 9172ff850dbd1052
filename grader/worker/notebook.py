"""What of a notebook is run when it is imported: what an exercise needs, and not the work around it.

People try things out in a notebook: they plot, train, print, and leave cells behind that no longer work. None of that
belongs to the module that is graded. Kept are imports, definitions, and assignments; of assignments that call
something only those that the exercise needs, because such a call may be an experiment of minutes. Blocks of ``if`` and
``try`` are kept with what is kept of their bodies. Everything else is left out and listed.

Nothing is run here. Lines keep their numbers in the whole text, so tracebacks fit.
"""

from __future__ import annotations
import __future__

import ast
import dis
import importlib.util
import re
import types
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from grader.wire.notebook import LeftOut, find_cells
from grader.wire.notebook import LeftOutKind as Kind

DEFINITION = re.compile(r"^(?:async[ \t]+def|def|class)\b", re.MULTILINE)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
BLOCKS = (ast.If, ast.Try)
READS = {"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
STORES = {"STORE_NAME", "STORE_GLOBAL"}
# Code that asks for these can reach every name there is.
REACH_EVERYTHING = {"globals", "vars", "dir", "eval", "exec", "locals"}
KINDS: tuple[tuple[tuple[type[ast.stmt], ...], Kind], ...] = (
    (ASSIGNMENTS, Kind.ASSIGNMENT),
    ((ast.Expr,), Kind.EXPRESSION),
    ((ast.For, ast.AsyncFor, ast.While), Kind.LOOP),
    ((ast.With, ast.AsyncWith), Kind.WITH),
    ((ast.Assert,), Kind.ASSERTION),
    ((ast.If, ast.Try, ast.Match), Kind.BLOCK),
)


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One statement that is kept, ready to be run."""

    node: ast.stmt
    code: types.CodeType
    needed: bool  # what is asked for uses it, or is it
    optional: bool  # if it raises, the module goes on without it


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What is run of a notebook, and what is not."""

    statements: tuple[Statement, ...]
    left_out: tuple[LeftOut, ...]
    flags: int  # for the compiler: what the notebook imports from __future__


class _Found(msgspec.Struct, kw_only=True):
    """A statement on its way."""

    node: ast.stmt
    code: types.CodeType
    binds: frozenset[str]
    reads: frozenset[str]
    needed: bool = False


def read_notebook(source: bytes, filename: str, roots: Collection[str] | None) -> Reading:
    """What to run of this text; ``roots`` are the names that are asked for, None: all definitions.

    Raises SyntaxError, and nothing else, if a cell that defines something is not valid Python.
    """
    left_out: list[LeftOut] = []
    nodes = list(_parse_cells(_decode(source, filename), filename, left_out))
    flags = future_flags(nodes)
    found = list(_examine_all(nodes, filename, flags, left_out))
    needed = _mark_needed(found, roots)
    statements = []
    for one in found:
        lasting = _holds(one.node, (*DEFINITIONS, *IMPORTS))
        if not one.needed and not lasting and _calls(one.node):
            left_out.append(_left_out(one.node))
            continue
        changed = isinstance(one.node, BLOCKS) and _prune(one.node, needed, left_out)
        code = compile_statements([one.node], filename, flags) if changed else one.code
        # What nothing needs is scratch work, and so is an assignment that fails in here.
        optional = not (one.needed and lasting)
        statements.append(Statement(node=one.node, code=code, needed=one.needed, optional=optional))
    statements.sort(key=lambda statement: not is_future(statement.node))
    return Reading(statements=tuple(statements), left_out=_merged(left_out), flags=flags)


def compile_statements(nodes: list[ast.stmt], filename: str, flags: int) -> types.CodeType:
    """Code for these statements alone."""
    tree = ast.Module(body=nodes, type_ignores=[])
    code: types.CodeType = compile(tree, filename, "exec", flags=flags, dont_inherit=True)
    return code


def future_flags(nodes: Iterable[ast.stmt]) -> int:
    """What these statements import from ``__future__``, for the compiler: it holds for the whole module."""
    flags = 0
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and is_future(node):
            for alias in node.names:
                flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags


def is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.level == 0


def _decode(source: bytes, filename: str) -> str:
    try:
        return importlib.util.decode_source(source)
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise _located(error, filename, 1) from None


def _parse_cells(text: str, filename: str, left_out: list[LeftOut]) -> Iterator[ast.stmt]:
    lines = text.split("\n")
    for cell in find_cells([line.encode(errors="replace") for line in lines]):
        code = "\n".join(lines[cell.first - 1 : cell.last])
        try:
            tree = ast.parse(code, filename)
        except Exception as error:  # nothing is run, so it is the text that is to blame
            if DEFINITION.search(code):
                raise _located(error, filename, cell.first, offset=cell.first - 1) from None
            left_out.append(LeftOut(cell.first, cell.last, Kind.NOT_PYTHON))
        else:
            yield from ast.increment_lineno(tree, cell.first - 1).body


def _located(error: Exception, filename: str, line: int, *, offset: int = 0) -> SyntaxError:
    """The error of a parser as one at its line in the whole text."""
    if isinstance(error, SyntaxError):
        return SyntaxError(error.msg, (filename, (error.lineno or line - offset) + offset, error.offset, error.text))
    return SyntaxError(f"cannot be read as Python ({type(error).__name__})", (filename, line, None, None))


def _examine_all(nodes: Iterable[ast.stmt], filename: str, flags: int, left_out: list[LeftOut]) -> Iterator[_Found]:
    for node in nodes:
        inner: list[LeftOut] = []
        try:
            kept = _keep(node, inner)
            found = _examine(node, filename, flags) if kept else None
        except Exception as error:  # parsers and compilers give up in many ways
            if _holds(node, DEFINITIONS):
                raise _located(error, filename, node.lineno) from None
            left_out.append(LeftOut(node.lineno, node.end_lineno or node.lineno, Kind.NOT_PYTHON))
            continue
        left_out += inner
        if found is not None:
            yield found


def _keep(node: ast.stmt, left_out: list[LeftOut]) -> bool:
    """Whether the statement is of a kind that is kept; a block loses what is not."""
    if isinstance(node, (*IMPORTS, *DEFINITIONS, *ASSIGNMENTS)) or type(node).__name__ == "TypeAlias":
        return True
    if isinstance(node, BLOCKS):
        inner: list[LeftOut] = []
        kept = [[child for child in body if _keep(child, inner)] for body in _bodies(node)]
        if any(kept):
            left_out += inner
            for body, children in zip(_bodies(node), kept, strict=True):
                _replace(body, children, node)
            return True
    without_effect = isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    if not without_effect:
        left_out.append(_left_out(node))
    return False


def _bodies(block: ast.If | ast.Try) -> list[list[ast.stmt]]:
    if isinstance(block, ast.If):
        return [block.body, block.orelse]
    return [block.body, block.orelse, block.finalbody, *(handler.body for handler in block.handlers)]


def _replace(body: list[ast.stmt], children: list[ast.stmt], block: ast.stmt) -> None:
    """These statements are all that stays of a body, which must not become empty."""
    nothing = [ast.copy_location(ast.Pass(), block)] if body else []
    body[:] = children or nothing


def _prune(block: ast.If | ast.Try, needed: Collection[str], left_out: list[LeftOut]) -> bool:
    """Take out of a block assignments that call something and that nothing needs; whether there were any."""
    changed = False
    for body in _bodies(block):
        children = []
        for child in body:
            if isinstance(child, ASSIGNMENTS) and _calls(child) and not _targets(child) & set(needed):
                left_out.append(_left_out(child))
                changed = True
                continue
            if isinstance(child, BLOCKS):
                changed |= _prune(child, needed, left_out)
            children.append(child)
        _replace(body, children, block)
    return changed


def _examine(node: ast.stmt, filename: str, flags: int) -> _Found:
    code = compile_statements([node], filename, flags)
    binds = {i.argval for i in dis.get_instructions(code) if i.opname in STORES}
    for child in _inside(node):
        binds |= _targets(child)
    return _Found(node=node, code=code, binds=frozenset(binds), reads=frozenset(_reads(code)))


def _reads(code: types.CodeType) -> Iterator[str]:
    """The global names that this code asks for, or that functions in it will ask for: no local variables."""
    waiting = [code]
    while waiting:
        one = waiting.pop()
        yield from (i.argval for i in dis.get_instructions(one) if i.opname in READS)
        waiting += (constant for constant in one.co_consts if isinstance(constant, types.CodeType))


def _targets(node: ast.stmt) -> set[str]:
    """The names to which an assignment gives something: for ``table[0] = 1`` it is ``table``."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return set()
    return {child.id for target in targets for child in ast.walk(target) if isinstance(child, ast.Name)}


def _mark_needed(found: Sequence[_Found], roots: Collection[str] | None) -> set[str]:
    """Mark what the roots need, at any remove; all names that are needed."""
    by_name: dict[str, list[_Found]] = {}
    definitions: set[str] = set()
    waiting = [] if roots is None else list(roots)
    for one in found:
        for name in one.binds:
            by_name.setdefault(name, []).append(one)
        if _holds(one.node, DEFINITIONS):
            definitions |= one.binds
        if isinstance(one.node, ast.ImportFrom) and one.node.names[0].name == "*":  # nobody knows what it binds
            one.needed = True
    if roots is None:
        waiting += definitions
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in REACH_EVERYTHING and name not in by_name:
            waiting += definitions
        for one in by_name.get(name, ()):
            if not one.needed:
                one.needed = True
                waiting += one.reads
    return needed


def _inside(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statement, and those in it if it is a block."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, BLOCKS):
            waiting += (child for body in _bodies(one) for child in body)


def _holds(node: ast.stmt, kinds: tuple[type[ast.stmt], ...]) -> bool:
    return any(isinstance(one, kinds) for one in _inside(node))


def _calls(node: ast.AST) -> bool:
    """Whether something is called when this is run, and not only when a function in it is called later."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Call):
            return True
        if not isinstance(one, (ast.Lambda, *DEFINITIONS)):
            waiting += ast.iter_child_nodes(one)
    return False


def _left_out(node: ast.stmt) -> LeftOut:
    kind = next((kind for kinds, kind in KINDS if isinstance(node, kinds)), Kind.STATEMENT)
    return LeftOut(node.lineno, node.end_lineno or node.lineno, kind)


def _merged(left_out: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """In the order of lines; what follows on something of the same kind is one with it."""
    merged: list[LeftOut] = []
    for one in sorted(left_out, key=lambda one: (one.first, -one.last)):
        if merged and one.last <= merged[-1].last:  # it is inside of what is left out as a whole
            continue
        if merged and merged[-1].kind is one.kind and one.first <= merged[-1].last + 1:
            merged[-1] = LeftOut(merged[-1].first, one.last, one.kind)
        else:
            merged.append(one)
    return tuple(merged)
