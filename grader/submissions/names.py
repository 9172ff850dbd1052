"""What a file's name says: which exercise it is for, which copy it is, or that it is nobody's work."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Sequence

SUFFIXES = (".py", ".ipynb")
# What systems and programs leave behind: no student wrote it.
CLUTTER_FOLDERS = frozenset(
    {
        "__macosx", "__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
        ".vscode", ".idea", ".venv", "venv", "env", ".tox", ".nox", "node_modules", "site-packages", ".git", ".github",
        ".devcontainer", ".cache", ".local", ".config", ".trash", "$recycle.bin", ".grader",
    }
)  # fmt: skip
CLUTTER_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".gitignore", ".gitattributes", ".gitkeep"})
# "ctc-1" of Canvas, "ctc (2)" of browsers, "ctc - Copy" of Windows, "ctc copy 2" of macOS, "Copy_of_ctc" of Colab.
COPY_BEFORE = re.compile(r"^(?:copy|kopie)[ _]of[ _]+")
COPY_AFTER = re.compile(r"(?:[ _-]*\((\d{1,4})\)|-(\d{1,4})|[ _]+-[ _]+(?:copy|kopie)|[ _]+copy(?:[ _]+(\d{1,4}))?)$")
ROOT = ""  # the first step of an absolute path
DRIVE = re.compile(r"^[A-Za-z]:$")
MANY = 5  # such endings at most
NEAR = 0.8  # how alike two names are that a person may have mistaken
# A function or class at the top of a module, by its text alone: a stranger's code is not parsed here.
DEFINITION = re.compile(rb"^(?:async[ \t]+def|def|class)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
TESTS = re.compile(r"^(?:test_.*|conftest|.*_tests?)$")


def leads_out(step: str) -> bool:
    """Whether a path that begins so leads out of where it is: nobody's folder is called so."""
    return step in (ROOT, "..") or bool(DRIVE.match(step))


def is_clutter_folder(name: str) -> bool:
    return name.casefold() in CLUTTER_FOLDERS


def is_clutter(parts: Sequence[str]) -> bool:
    """Whether a system or a program left this file behind."""
    name = parts[-1].casefold()
    return (
        name in CLUTTER_FILES
        or name.startswith(("._", "~$", ".~"))
        or name.endswith((".pyc", ".pyo", ".swp", "~", "-checkpoint.ipynb", "-checkpoint.py"))
        or any(is_clutter_folder(step) for step in parts[:-1])
    )


def split_suffix(name: str) -> tuple[str, str]:
    """("ctc", ".py"), in lower case; nothing as the suffix of what is neither a module nor a notebook."""
    for suffix in SUFFIXES:
        if name.casefold().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)], suffix
    return name, ""


def clean(stem: str) -> tuple[str, int]:
    """A name without what an LMS, a browser or a system put around it, and the number of the copy (0: the first)."""
    text = unicodedata.normalize("NFKC", stem).casefold().strip()
    number = 0
    for _ in range(MANY):
        if found := COPY_AFTER.search(text):
            number = max(number, *(int(digits) for digits in found.groups() if digits), 1)
            text = text[: found.start()]
        elif found := COPY_BEFORE.search(text):
            number = max(number, 1)
            text = text[found.end() :]
        else:
            break
    return re.sub(r"[\s-]+", "_", text.strip()).strip("_"), number


def exercise_of(name: str, exercises: Collection[str]) -> tuple[str, int]:
    """The exercise that a file is called after, and the number of the copy; nothing if it is called otherwise."""
    stem, suffix = split_suffix(name)
    found, number = clean(stem)
    return (found, number) if suffix and found in exercises else ("", 0)


def defined_names(text: bytes) -> frozenset[str]:
    """The functions and classes at the top of a module."""
    return frozenset(name.decode(errors="replace") for name in DEFINITION.findall(text))


def is_test(stem: str) -> bool:
    """Whether it is named as pytest names tests."""
    return bool(TESTS.match(stem.casefold()))


def near_exercise(name: str, exercises: Collection[str]) -> str:
    """The exercise whose name a file nearly has: ``edit_distnace.py``, ``ctc_final.py``, ``ctc.py.txt``."""
    stem, suffix = split_suffix(name)
    if not suffix:  # "ctc.py.txt", as some systems save what they do not know
        inner, _, ending = name.rpartition(".")
        stem, suffix = split_suffix(inner)
        if not suffix or ending.casefold() not in ("txt", "json", "text", "html"):
            return ""
    found, _ = clean(stem)
    if is_test(found) and found not in exercises:
        return ""
    if found in exercises:
        return found
    words = f"_{re.sub(r'[^a-z0-9]+', '_', found)}_"
    inside = [exercise for exercise in exercises if re.search(rf"_{re.escape(exercise)}(?:_|\d)", words)]
    if inside:
        return max(inside, key=len)
    near = difflib.get_close_matches(found, list(exercises), n=1, cutoff=NEAR)
    return near[0] if near else ""
