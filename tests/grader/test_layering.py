"""Dependencies point one way only: down this list. And the command line imports no torch."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import grader

ROOT = Path(grader.__file__).parent
LAYERS = [
    ["__main__"],
    ["cli"],
    ["pytest_plugin"],
    ["authoring"],
    ["student"],
    ["reports"],
    ["exports"],
    ["validation"],
    ["training"],
    ["grading"],
    ["submissions"],
    ["judge"],
    ["sandbox"],
    ["worker"],
    ["wire"],
    ["results"],
    ["course"],
    ["files"],
    ["errors"],
    ["text"],
    ["__init__"],
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FILES = sorted(ROOT.rglob("*.py"))


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "grader":
            found |= {node.module} if node.module != "grader" else {f"grader.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.partition(".")[0] == "grader"}
    return {module for module in found if not part_of(module).startswith("__v")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for module in imports(path):
        other = part_of(module)
        assert other == own or RANK[other] > RANK[own], f"{own} must not import {module}"


@pytest.mark.parametrize("path", sorted((ROOT / "wire").glob("*.py")), ids=lambda p: p.name)
def test_what_runs_beside_student_code_imports_nothing_else_of_ours(path):
    assert all(module.startswith("grader.wire") for module in imports(path))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_stay_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 320


def test_help_imports_neither_torch_nor_pytest():
    code = "import sys, grader.cli; print([m for m in ('torch', 'numpy', 'pytest', 'rich') if m in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_suites_can_be_written_without_torch():
    code = "import sys, grader.judge, grader.judge.plugin; print('torch' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "False"
