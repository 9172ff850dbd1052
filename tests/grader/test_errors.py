"""errors.py shows the whole tree of exceptions, as it is."""

import ast
from pathlib import Path

import grader
from grader import errors

ROOT = Path(grader.__file__).parent
BUILTIN = {"Exception", "BaseException", "AssertionError", "RuntimeError"}


def exceptions():
    """Name -> (the class it derives from, the module) of every exception in the package."""
    classes = {}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.bases and isinstance(node.bases[0], ast.Name):
                classes[node.name] = node.bases[0].id, path.relative_to(ROOT).with_suffix("").as_posix()
    found = {}
    waiting = dict(classes)
    known = set(BUILTIN)
    while more := {name: place for name, place in waiting.items() if place[0] in known}:
        found |= more
        known |= set(more)
        waiting = {name: place for name, place in waiting.items() if name not in more}
    return found


def shown():
    """Name -> (the class above it, what stands behind it) in the tree."""
    found, above = {}, []
    for line in errors.__doc__.splitlines():
        bare = line.lstrip("│├└─ ")
        depth = len(line) - len(bare)
        if bare and (depth or bare in BUILTIN):
            name, _, words = bare.partition(" ")
            above = [one for one in above if one[0] < depth]
            found[name] = (above[-1][1] if above else "", words.strip())
            above.append((depth, name))
    return found


def test_the_tree_is_whole_and_true():
    tree = shown()
    expected = exceptions()
    assert set(tree) - BUILTIN == set(expected)
    for name, (base, module) in expected.items():
        assert tree[name][0] == base, name
        assert module == "errors" or tree[name][1].startswith(f"{module}: "), name
