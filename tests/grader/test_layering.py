"""Dependencies point one way only: down this list. And the command line imports no torch."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import grader
import grader.judge
from grader.course import find_course
from grader.sandbox.layers import INSIDE, library_folders

ROOT = Path(grader.__file__).parent
LAYERS = [
    ["__main__"],
    ["cli"],
    ["pytest_plugin"],
    ["authoring"],
    ["student"],
    ["nbgrader"],
    ["exports"],
    ["reports"],
    ["validation"],
    ["training"],
    ["grading"],
    ["overlap"],
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


@pytest.mark.parametrize("package", ["wire", "worker"])
def test_what_runs_beside_student_code_imports_nothing_else_of_ours(package):
    allowed = ("grader.wire",) if package == "wire" else ("grader.wire", "grader.worker")
    for path in (ROOT / package).glob("*.py"):
        assert all(module.startswith(allowed) for module in imports(path)), path


def test_exactly_these_packages_are_bound_into_the_sandbox():
    """What a worker needs is there, and of the grader nothing else."""
    bound = {Path(folder) for folder in library_folders() if Path(folder).is_relative_to(ROOT)}
    assert bound == {ROOT / "__init__.py", ROOT / "wire", ROOT / "worker"}


def test_what_is_bound_is_enough_to_start_a_worker_and_no_more(tmp_path):
    """In a package of just these files the zygote's modules can be imported; judge and course are not there."""
    (tmp_path / "grader").mkdir()
    for name in INSIDE:
        part = ROOT / name
        (shutil.copytree if part.is_dir() else shutil.copy)(part, tmp_path / "grader" / name)
    code = "import grader.worker.zygote, importlib.util as u; print(u.find_spec('grader.judge'))"
    site = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {[str(tmp_path), site]!r}; {code}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("None", "")


def test_suites_need_one_import_and_it_has_these_names():
    assert grader.judge.__all__ == sorted(grader.judge.__all__)
    for suite in (p for folder in ("exercises", "tests/hidden") for p in (ROOT.parent / folder).rglob("test_*.py")):
        assert imports(suite) <= {"grader.judge"}, suite
    assert set(grader.judge.__all__) == {
        "Implementation", "Mismatch", "Trials", "assert_close", "assert_equal", "assert_not_used",
        "assert_same_on_device", "criterion", "find_course", "from_file", "module_of", "right_implementations", "show",
        "student_raises", "wrong_implementations",
    }  # fmt: skip


def test_the_engine_knows_no_exercise():
    """What is particular to an exercise lies beside its suite or its data. Docstrings may give examples."""
    names = {e.name for e in find_course(ROOT).exercises} - {"attention"}  # an ordinary word, too
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        docstrings = {ast.get_docstring(n, clean=False) for n in ast.walk(tree) if isinstance(n, kinds)}
        for node in ast.walk(tree):
            words = {getattr(node, field, "") for field in ("id", "attr", "name")}
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in docstrings:
                words |= set(re.findall(r"\w+", node.value))
            assert not words & (names | {"Seq2Seq", "Transformer"}), (path, words & names)


def test_help_imports_neither_torch_nor_pytest():
    code = "import sys, grader.cli; print([m for m in ('torch', 'numpy', 'pytest', 'rich') if m in sys.modules])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


def test_suites_can_be_written_without_torch():
    code = "import sys, grader.judge, grader.judge.plugin; print('torch' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "False"
