"""Seeds: every test draws its inputs from (secret, draw, test), so that hard-coding an answer does not last."""

from __future__ import annotations

import hashlib


def seed_for(secret: str, draw: int, test: str) -> int:
    """A number of 63 bits that is the same on every machine, and tells nothing about the secret."""
    digest = hashlib.sha256(f"{secret}/{draw}/{test}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
