"""Fingerprints of a text by winnowing (Schleimer, Wilkerson and Aiken, 2003).

Every run of ``RUN`` tokens has a hash. Of the hashes in each window the smallest is kept as a fingerprint, of equal
ones the last. So two texts that have ``RUN + WINDOW - 1`` tokens in a row in common share at least one fingerprint, and
most hashes need not be kept. The hashes are the same in every run of the program, unlike Python's own.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Sequence

RUN = 16  # tokens, about two lines: what is shorter is no sign of anything
WINDOW = 8
GUARANTEED = RUN + WINDOW - 1  # tokens in a row that are always found

_BASE = 1_000_003
_MODULUS = (1 << 61) - 1


def run_hashes(words: Sequence[str], run: int = RUN) -> list[int]:
    """The hash of every run of tokens, by where it begins."""
    if len(words) < run:
        return []
    numbers = [zlib.crc32(word.encode(errors="surrogatepass")) + 1 for word in words]
    highest = pow(_BASE, run - 1, _MODULUS)
    value = 0
    hashes = []
    for place, number in enumerate(numbers):
        if place >= run:
            value -= numbers[place - run] * highest
        value = (value * _BASE + number) % _MODULUS
        if place >= run - 1:
            hashes.append(_mixed(value))
    return hashes


def winnow(hashes: Sequence[int], window: int = WINDOW) -> set[int]:
    """The places of the fingerprints; of a text that is shorter than a window, the place of the smallest hash."""
    if len(hashes) <= window:
        return {max(range(len(hashes)), key=lambda place: (-hashes[place], place))} if hashes else set()
    chosen = set()
    rising: deque[int] = deque()  # places whose hashes rise; the first has the smallest of the window
    for place, value in enumerate(hashes):
        while rising and hashes[rising[-1]] >= value:
            rising.pop()
        rising.append(place)
        if rising[0] <= place - window:
            rising.popleft()
        if place >= window - 1:
            chosen.add(rising[0])
    return chosen


def _mixed(value: int) -> int:
    """Spread over all bits: which hash is the smallest must not depend on the last token alone."""
    value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return value ^ (value >> 29)
