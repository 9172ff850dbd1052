"""Which packages are not installed here."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection


def find_absent(name: str, modules: Collection[str]) -> str:
    """The package that is missing for the import of this dotted name; nothing if it is here, or may be.

    ``modules`` are the student's own and those of the course. Only a package that is missing as a whole counts: of an
    installed one, a part that does not exist is a mistake.
    """
    first, _, rest = name.partition(".")
    if not first or first in modules or first in sys.stdlib_module_names:
        return ""
    if first in sys.modules:
        return _absent_part(first, rest) if getattr(sys.modules[first], "__file__", None) is None else ""
    try:
        spec = importlib.util.find_spec(first)
    except (ImportError, ValueError, AttributeError):
        return ""
    if spec is None:
        return first
    return _absent_part(first, rest) if spec.origin is None else ""


def _absent_part(first: str, rest: str) -> str:
    """Of a folder that several packages share, such as ``google``: the part that is missing."""
    if not rest:
        return ""
    part = f"{first}.{rest.partition('.')[0]}"
    try:
        return part if importlib.util.find_spec(part) is None else ""
    except (ImportError, ValueError, AttributeError):
        return ""
