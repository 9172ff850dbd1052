"""What the documents say about the repository is true."""

import re
from pathlib import Path

import pytest

import grader
from grader.cli import COMMANDS

ROOT = Path(grader.__file__).parent
DOCUMENTS = [
    *ROOT.parent.glob("*.md"),
    *(ROOT.parent / "docs").glob("*.md"),
    *ROOT.parent.glob("exercises/*/handout.md"),
]


def test_the_tree_in_the_architecture_lists_every_module_once():
    text = (ROOT.parent / "docs/architecture.md").read_text(encoding="utf-8")
    block = text.partition("## The tree")[2].partition("```")[2].partition("```")[0]
    lines = [line for line in block.splitlines() if ".py" in line]
    listed = [re.split(r"\s{2,}", line.strip())[0] for line in lines]
    files = [p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*.py") if p.name != "__init__.py"]
    assert sorted(listed) == sorted(files)
    assert all(len(re.split(r"\s{2,}", line.strip())) == 2 for line in lines), "each has its one line"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT.parent)))
def test_links_between_documents_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


def test_the_readme_names_every_command_somewhere():
    prose = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    assert not [command.name for command in COMMANDS if f"grader {command.name}" not in prose]


def test_every_dependency_has_its_reason():
    reasons = (ROOT.parent / "docs/dependencies.md").read_text(encoding="utf-8")
    manifest = (ROOT.parent / "pyproject.toml").read_text(encoding="utf-8").partition("[project.scripts]")[0]
    names = set(re.findall(r'"([a-z][a-z0-9-]*)(?:\[[a-z,]+\])?>=', manifest)) - {"setuptools"}
    assert len(names) > 12
    assert not [name for name in names if name not in reasons]
