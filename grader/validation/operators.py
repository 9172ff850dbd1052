"""What a mutant may change: each operator looks at one node of the solution and proposes other texts for parts of it.

A proposal is (from, to, text) in bytes of the source. Whatever is not valid Python, or changes nothing, is dropped
by the caller, so an operator need not be careful about brackets.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

Edit = tuple[int, int, str]
Operator = Callable[[ast.AST, "Text"], Iterator[Edit]]

COMPARISONS: dict[type[ast.cmpop], tuple[str, list[str]]] = {
    ast.Lt: ("<", ["<=", ">="]),
    ast.LtE: ("<=", ["<", ">"]),
    ast.Gt: (">", [">=", "<="]),
    ast.GtE: (">=", [">", "<"]),
    ast.Eq: ("==", ["!="]),
    ast.NotEq: ("!=", ["=="]),
    ast.Is: ("is", ["is not"]),
    ast.IsNot: ("is not", ["is"]),
    ast.In: ("in", ["not in"]),
    ast.NotIn: ("not in", ["in"]),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.MatMult: ("@", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
PAIRS = [
    ("min", "max"), ("amin", "amax"), ("argmin", "argmax"), ("sum", "mean"), ("any", "all"), ("zeros", "ones"),
    ("zeros_like", "ones_like"), ("tril", "triu"), ("sin", "cos"), ("floor", "ceil"), ("tanh", "sigmoid"),
    ("softmax", "log_softmax"),
]  # fmt: skip
FUNCTIONS = {
    **dict(PAIRS),
    **{second: first for first, second in PAIRS},
    "sorted": "list", "log1p": "log", "logsumexp": "sum", "relu": "abs", "append": "remove",
}  # fmt: skip
BUILT_IN = {**FUNCTIONS, "sum": "max"}  # where the name stands alone: there is no built-in mean


class Text:
    """The source as the operators see it: spans of nodes in bytes, as the syntax tree counts them."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.data = source.encode()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        self.modules = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
        self.bound: dict[ast.stmt, frozenset[str]] = {}  # statement -> names that its function knows before it

    def begin(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.expr) -> str:
        return self.data[self.begin(node) : self.end(node)].decode()

    def instead(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        return self.begin(node), self.end(node), text

    def token(self, left: ast.expr, right: ast.expr, token: str, other: str) -> Iterator[Edit]:
        """Another token between two operands."""
        start = self.end(left)
        words = re.escape(token).replace(r"\ ", r"\s+")
        found = re.search(words.encode(), self.data[start : self.begin(right)])
        if found:
            yield start + found.start(), start + found.end(), other


def comparison(node: ast.AST, text: Text) -> Iterator[Edit]:
    """``<`` becomes ``<=`` and ``>=``, ``==`` becomes ``!=``, and so on."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, op, right in zip(operands, node.ops, node.comparators, strict=False):
            token, others = COMPARISONS[type(op)]
            for other in others:
                yield from text.token(left, right, token, other)


def arithmetic(node: ast.AST, text: Text) -> Iterator[Edit]:
    """``+`` becomes ``-``, ``@`` becomes ``*``; also in ``+=``."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield from text.token(node.left, node.right, *ARITHMETIC[type(node.op)])
    elif isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield from text.token(node.target, node.value, *ARITHMETIC[type(node.op)])


def boolean(node: ast.AST, text: Text) -> Iterator[Edit]:
    """``and`` becomes ``or`` and the other way round, and each operand goes once."""
    if not isinstance(node, ast.BoolOp):
        return
    token, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from text.token(left, right, token, other)
        yield text.begin(left), text.begin(right), ""
    yield text.end(node.values[-2]), text.end(node.values[-1]), ""


def sign(node: ast.AST, text: Text) -> Iterator[Edit]:
    """``not x``, ``~x`` and ``-x`` become ``x``."""
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd) and not _number(node):
        yield text.instead(node, text.of(node.operand))


def condition(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A bare condition is negated; of ``a if c else b`` one side stays; a comprehension loses its filter."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        plain = not isinstance(node.test, ast.Compare | ast.BoolOp)
        if plain and not (isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)):
            yield text.instead(node.test, f"not ({text.of(node.test)})")
    if isinstance(node, ast.IfExp):
        yield text.instead(node, text.of(node.body))
        yield text.instead(node, text.of(node.orelse))
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield text.instead(test, "True")


def constant(node: ast.AST, text: Text) -> Iterator[Edit]:
    """Numbers move by one in both directions (dimensions, indices and slices too), the rest becomes another."""
    number = _number(node)
    if number is not None:
        assert isinstance(node, ast.expr)
        value = number[0]
        yield text.instead(node, repr(value + 1))
        if isinstance(value, int):
            yield text.instead(node, repr(value - 1))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield text.instead(node, repr(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield text.instead(node, repr(node.value + "_"))


def function(node: ast.AST, text: Text) -> Iterator[Edit]:
    """``min`` becomes ``max``, ``sum`` becomes ``mean``; a method that returns something is not called."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in BUILT_IN:
        yield text.instead(node, BUILT_IN[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in FUNCTIONS:
        yield text.end(node) - len(node.attr.encode()), text.end(node), FUNCTIONS[node.attr]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value
        of_module = any(isinstance(part, ast.Name) and part.id in text.modules for part in _chain(owner))
        if not of_module and not (isinstance(owner, ast.Name) and owner.id == "self"):
            yield text.instead(node, text.of(owner))


def argument(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A named argument is left out; a range ends one earlier."""
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg is not None:
            end = text.end(keyword)
            comma = re.match(rb"\s*,\s*", text.data[end:])
            yield text.begin(keyword), end + (len(comma[0]) if comma else 0), ""
    if isinstance(node.func, ast.Name) and node.func.id == "range":
        stop = node.args[min(1, len(node.args) - 1)]
        yield text.instead(stop, f"{text.of(stop)} - 1")


def subscript(node: ast.AST, text: Text) -> Iterator[Edit]:
    """An index that is a name moves by one, as does the bound of a slice; and each part of a slice goes once."""
    if isinstance(node, ast.Subscript):
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for index in indices:
            if isinstance(index, ast.Name | ast.Attribute):
                yield text.instead(index, f"{text.of(index)} - 1")
    elif isinstance(node, ast.Slice):
        for part in filter(None, (node.lower, node.upper, node.step)):
            if part is not node.lower or _number(part) != (0,):  # from 0 is from the beginning
                yield text.instead(part, "")
        for bound in filter(None, (node.lower, node.upper)):
            if _number(bound) is None:
                yield text.instead(bound, f"{text.of(bound)} - 1")


def statement(node: ast.AST, text: Text) -> Iterator[Edit]:
    """A statement is left out, unless its names would be missing, or the function would return nothing."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stored = {
            n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        if stored <= text.bound.get(node, frozenset()):
            yield text.instead(node, "pass")
    elif isinstance(node, ast.If):
        if not isinstance(node.body[0], ast.Raise):  # which is left out by itself
            yield text.instead(node, "pass")
        if node.orelse:
            yield text.instead(node.test, "True")
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Break | ast.Continue | ast.For | ast.While):
        yield text.instead(node, "pass")


OPERATORS: dict[str, Operator] = {
    "comparison": comparison,
    "arithmetic": arithmetic,
    "boolean": boolean,
    "sign": sign,
    "condition": condition,
    "constant": constant,
    "function": function,
    "argument": argument,
    "subscript": subscript,
    "statement": statement,
}


def _number(node: ast.AST) -> tuple[int | float] | None:
    """The value of a number, also of a negative one, which is no constant to the syntax tree."""
    factor = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, factor = node.operand, -1
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return (factor * node.value,)
    return None


def is_negative(node: ast.AST) -> bool:
    """A negative number: its minus and its digits are one."""
    return isinstance(node, ast.UnaryOp) and _number(node) is not None


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """``torch``, as in ``torch.nn.functional``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    yield node
