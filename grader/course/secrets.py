"""``solutions/grading.toml``: the secret from which hidden inputs are drawn. Students have none and need none."""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec

from grader.course.tables import read_table
from grader.errors import GraderError, ManifestError

FILE_NAME = "grading.toml"
FORMAT = 2
BYTES = 32  # of a new secret
LEAST_DIGITS = 32  # 128 bits: too many to try, even for someone who has read this file
KEYS = f"It has two keys: format = {FORMAT}, and secret, at least {LEAST_DIGITS} hexadecimal digits"
NEW_ONE = "Delete the file, and the next run makes a new one."
TEXT = """\
# Hidden inputs are drawn from this secret: whoever has it can draw them too. Keep it, and a regrade asks the same
# questions. Never give it to students, and never put it into a public repository.
format = {format}
secret = "{secret}"
"""


class _Grading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    secret: str


def read_secret(solutions: Path) -> str:
    """The secret; empty where there is no such file, as students have it."""
    path = solutions / FILE_NAME
    if not path.is_file():
        return ""
    secret = read_table(path, _Grading, FORMAT, remedy=f"{KEYS}. {NEW_ONE}").secret
    if len(secret) < LEAST_DIGITS or not set(secret) <= set("0123456789abcdefABCDEF"):
        raise ManifestError(path, "secret", f"is too short, or no hexadecimal number. {KEYS}. {NEW_ONE}")
    return secret


def ensure_secret(solutions: Path) -> str:
    """The secret, made now where there is none: without one, hidden inputs would be the same everywhere."""
    path = solutions / FILE_NAME
    if not path.exists():
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(TEXT.format(format=FORMAT, secret=secrets.token_hex(BYTES)))
        except OSError as error:
            if path.is_file():  # somebody else has just made it
                return read_secret(solutions)
            raise GraderError(
                f"{path}: a secret for the hidden inputs is needed, and cannot be written here ({error.strerror}). "
                "Make the folder writable for the first run, or say --seed WORDS."
            ) from error
    return read_secret(solutions)
