"""A class of the small course, the same in every layout in which classes arrive, with every damage that we know.

Everything follows from the seed. A ``Damage`` says how it is made and what is expected of it; a ``Writer`` says what
its layout cannot express (a link in Moodle, say), so that what is left out somewhere is left out by name.
"""

from __future__ import annotations

import csv
import datetime
import gzip
import hashlib
import io
import json
import os
import random
import re
import shutil
import stat
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

BASE = datetime.datetime(2026, 11, 2, 12, 0, tzinfo=datetime.UTC)
DUE = BASE + datetime.timedelta(days=7)
AFTER = DUE + datetime.timedelta(days=1)
EXERCISES = ("addition", "doubling")
STUBS = {
    "addition": b"""def add(a, b):
    \"\"\"The sum of two numbers.\"\"\"
    raise NotImplementedError("add is yours to write")
""",
    "doubling": b"""def double(a):
    \"\"\"Twice a number.\"\"\"
    raise NotImplementedError("double is yours to write")
""",
}
GRADED, QUESTION = "graded", "question"
LINKS, PIPES, RAW_NAMES, EMPTY, TIMES = "links", "pipes", "names that are no text", "nothing at all", "times of files"


# What is handed in


class Entry(NamedTuple):
    """One file, or what stands where a file should be."""

    content: bytes = b""
    link: str = ""  # where it leads, if it is a link
    pipe: bool = False
    minute: int = 0  # when it was written


Files = dict[str, Entry]


class Person(NamedTuple):
    number: int  # in the LMS
    login: str
    name: str

    @property
    def email(self) -> str:
        return f"{self.login}@example.org"


class Work(NamedTuple):
    """What one student, or one group, handed in."""

    members: tuple[Person, ...]
    files: Files
    expected: dict[str, bytes | None]  # exercise -> the text that counts (None: a notebook's); no text is no entry
    kind: str = "right"
    group: str = ""
    earlier: Files | None = None  # an attempt before
    late: bool = False
    damage: str = ""

    @property
    def folder(self) -> str:
        return self.group or self.members[0].login


class School(NamedTuple):
    """A class."""

    works: tuple[Work, ...]
    absent: tuple[Person, ...]

    @property
    def people(self) -> list[Person]:
        return sorted([*(person for work in self.works for person in work.members), *self.absent])

    def without(self, damages: Iterable[str]) -> School:
        left_out = set(damages)
        return self._replace(works=tuple(work for work in self.works if work.damage not in left_out))

    def roster(self, path: Path) -> Path:
        groups = {person: work.group for work in self.works for person in work.members}
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "username", "name", "email", "group"])
            for person in self.people:
                table.writerow([person.number, person.login, person.name, person.email, groups.get(person, "")])
        return path


# What students write


def addition(mark: str, how: str = "right") -> bytes:
    body = {"right": "a + b", "wrong": "a - b", "partial": "a + b if b else 0"}[how]
    return f"def add(a, b):\n    answer = {body}  # {mark}\n    return answer\n".encode()


def doubling(mark: str, how: str = "right") -> bytes:
    return f"def double(a):\n    answer = {'2 * a' if how != 'wrong' else 'a'}  # {mark}\n    return answer\n".encode()


def notebook(*cells: bytes) -> bytes:
    made = [{"cell_type": "code", "source": cell.decode(), "metadata": {}, "outputs": []} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


# Archives, good and bad


def zipped(files: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] | None = None) -> bytes:
    """A zip; ``change`` may do something to each of its entries."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, BASE.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            if change:
                change(info)
            archive.writestr(info, content)
    return made.getvalue()


def twice(name: str, first: bytes, second: bytes) -> bytes:
    """A zip with two entries of one name."""
    other = "!" * len(name)
    return zipped({other: first, name: second}).replace(other.encode(), name.encode())


def encrypted(files: dict[str, bytes]) -> bytes:
    """A zip whose entries say that they are encrypted."""
    content = bytearray(zipped(files))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for found in re.finditer(re.escape(mark), bytes(content)):
            content[found.start() + at] |= 1
    return bytes(content)


def linked(info: zipfile.ZipInfo) -> None:
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def tarred(files: Files, mode: str = "gz") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=f"w:{mode}", format=tarfile.PAX_FORMAT) as archive:
        for name, entry in files.items():
            _add_to_tar(archive, name, entry)
    return made.getvalue()


def with_device(name: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type = tarfile.CHRTYPE
        archive.addfile(info)
    return made.getvalue()


def nested(files: dict[str, bytes], depth: int) -> bytes:
    content = zipped(files)
    for number in range(depth):
        content = zipped({f"level{number}.zip": content})
    return content


# Damage


Make = Callable[[bytes, bytes], dict[str, bytes | Entry]]


class Damage(NamedTuple):
    """One kind of damage to right work."""

    name: str
    make: Make  # (addition, doubling) -> what is handed in
    expect: str = GRADED
    asks: tuple[str, ...] = ()  # exercises with a question; all, if nothing is said of a single one
    names: tuple[str, ...] = ()  # files that a teacher must read about
    needs: frozenset[str] = frozenset()  # what a layout must be able to express
    counts: dict[str, bytes | None] | None = None  # text that counts, if it is not what was right


def _damage(name: str, make: Make, *names: str, **about: object) -> Damage:
    asks = about.pop("asks", ())
    return Damage(name, make, QUESTION if asks else GRADED, asks, names, **about)  # type: ignore[arg-type]


BOTH = EXERCISES
LONG = "long" + "g" * 300 + ".txt"
FORMULA = "=HYPERLINK(1).txt"
COLOURED = "red\x1b[31m.txt"
TURNED = "\u202enotes.txt"
LATIN = "# Übung\n".encode("latin-1")
READ_LATIN = "# Übung\n".encode()

DAMAGES: tuple[Damage, ...] = (
    # Text
    _damage("byte order mark", lambda a, d: {"addition.py": b"\xef\xbb\xbf" + a, "doubling.py": d}),
    _damage("UTF-16", lambda a, d: {"addition.py": a.decode().encode("utf-16"), "doubling.py": d}, "addition.py"),
    _damage(
        "Latin-1", lambda a, d: {"addition.py": LATIN + a, "doubling.py": d}, "addition.py",
        counts={"addition": READ_LATIN},
    ),
    _damage("CRLF", lambda a, d: {"addition.py": a.replace(b"\n", b"\r\n"), "doubling.py": d}),
    _damage(
        "empty module", lambda a, d: {"addition.py": b"\n", "doubling.py": d}, "addition.py", counts={"addition": b"\n"}
    ),
    _damage(
        "too large module", lambda a, d: {"addition.py": a + b"#" * (1 << 21), "doubling.py": d}, "addition.py",
        asks=("addition",),
    ),
    _damage(
        "broken notebook", lambda a, d: {"addition.ipynb": notebook(a)[:-9], "doubling.py": d}, "addition.ipynb",
        asks=("addition",),
    ),
    # Names
    _damage("upper case", lambda a, d: {"ADDITION.PY": a, "Doubling.py": d}),
    _damage("copy of a browser", lambda a, d: {"addition (1).py": a, "doubling - Copy.py": d}),
    _damage(
        "copy of Colab", lambda a, d: {"Copy_of_addition.ipynb": notebook(a), "doubling.py": d},
        counts={"addition": None},
    ),
    _damage(
        "one notebook for all", lambda a, d: {"homework.ipynb": notebook(a, d)}, "homework.ipynb",
        counts={"addition": None, "doubling": None},
    ),
    _damage(
        "misspelt name", lambda a, d: {"additoin.py": a, "doubling.py": d}, "additoin.py", asks=("addition",)
    ),
    _damage(
        "name with more", lambda a, d: {"addition_final.py": a, "doubling.py": d}, "addition_final.py",
        asks=("addition",),
    ),
    _damage(
        "saved as text", lambda a, d: {"addition.py.txt": a, "doubling.py": d}, "addition.py.txt", asks=("addition",)
    ),
    _damage("name of one's own", lambda a, d: {"solution.py": a, "doubling.py": d}, "solution.py", asks=("addition",)),
    _damage("formula as a name", lambda a, d: {"addition.py": a, "doubling.py": d, FORMULA: b"1"}, FORMULA),
    _damage("control characters", lambda a, d: {"addition.py": a, "doubling.py": d, COLOURED: b"1"}, COLOURED),
    _damage("right-to-left mark", lambda a, d: {"addition.py": a, "doubling.py": d, TURNED: b"1"}, TURNED),
    _damage(
        "300 characters", lambda a, d: {"all.zip": zipped({"addition.py": a, "doubling.py": d, LONG: b""})}, "longgg"
    ),
    _damage(
        "name that is no text", lambda a, d: {"addition.py": a, "doubling.py": d, "b\udcff.txt": b"1"}, "b\\xff.txt",
        needs=frozenset({RAW_NAMES}),
    ),
    # Places
    _damage(
        "deep folders",
        lambda a, d: {"course-main/exercises/addition/addition.py": a, "course-main/exercises/doubling/doubling.py": d},
    ),
    _damage(
        "clutter",
        lambda a, d: {
            "addition.py": a, "doubling.py": d, "__MACOSX/._addition.py": b"\0\x05\x16\x07", ".DS_Store": b"\0",
            ".ipynb_checkpoints/addition-checkpoint.ipynb": notebook(d),
        },
        "__MACOSX", ".DS_Store", ".ipynb_checkpoints",
    ),
    _damage(
        "stub beside work", lambda a, d: {"addition.py": STUBS["addition"], "src/addition.py": a, "doubling.py": d},
        "addition.py",
    ),
    _damage(
        "the same twice", lambda a, d: {"addition.py": a, "old/addition.py": a, "doubling.py": d}, "old/addition.py"
    ),
    _damage(
        "two versions",
        lambda a, d: {
            "exercises/addition/addition.py": Entry(a + b"old = 1\n", minute=1), "new/addition.py": Entry(a, minute=60),
            "doubling.py": d,
        },
        "exercises/addition/addition.py", "new/addition.py", needs=frozenset({TIMES}),
    ),
    _damage(
        "modules of one's own",
        lambda a, d: {
            "addition.py": b"import sums\n" + a, "sums.py": b"x = 1\n", "doubling.py": d, "more.py": b"y = 1\n",
        },
        "more.py", counts={"addition": b"import sums\n"},
    ),
    _damage("nothing", lambda a, d: {}, asks=BOTH, needs=frozenset({EMPTY})),
    _damage("only a report", lambda a, d: {"report.pdf": b"%PDF-1.7"}, "report.pdf", asks=BOTH),
    _damage(
        "link to a file", lambda a, d: {"addition.py": Entry(link="/etc/hostname"), "doubling.py": d}, "addition.py",
        asks=("addition",), needs=frozenset({LINKS}),
    ),
    _damage(
        "link to a folder", lambda a, d: {"exercises": Entry(link="/etc")}, "exercises", asks=BOTH,
        needs=frozenset({LINKS}),
    ),
    _damage(
        "pipe", lambda a, d: {"addition.py": Entry(pipe=True), "doubling.py": d}, "addition.py", asks=("addition",),
        needs=frozenset({PIPES}),
    ),
    # Archives
    _damage("zip", lambda a, d: {"homework.zip": zipped({"hw/addition.py": a, "hw/doubling.py": d})}),
    _damage("tar", lambda a, d: {"homework.tar.gz": tarred({"hw/addition.py": Entry(a), "hw/doubling.py": Entry(d)})}),
    _damage("rar", lambda a, d: {"homework.rar": b"Rar!\x1a\x07"}, "homework.rar", asks=BOTH),
    _damage("zip with nothing in it", lambda a, d: {"homework.zip": zipped({})}, "homework.zip", asks=BOTH),
    _damage(
        "cut zip", lambda a, d: {"homework.zip": zipped({"addition.py": a, "doubling.py": d})[:-40]}, "homework.zip",
        asks=BOTH,
    ),
    _damage(
        "corrupt member", lambda a, d: {"homework.zip": _corrupt(zipped({"addition.py": a, "doubling.py": d}))},
        "addition.py", asks=("addition",),
    ),
    _damage(
        "encrypted zip", lambda a, d: {"homework.zip": encrypted({"addition.py": a, "doubling.py": d})}, "addition.py",
        "doubling.py", asks=BOTH,
    ),
    _damage(
        "path that leads out", lambda a, d: {"homework.zip": zipped({"../../addition.py": a, "doubling.py": d})},
        "../../addition.py", asks=("addition",),
    ),
    _damage(
        "absolute path", lambda a, d: {"homework.zip": zipped({"/etc/addition.py": a, "doubling.py": d})},
        "/etc/addition.py", asks=("addition",),
    ),
    _damage(
        "link in a zip",
        lambda a, d: {"doubling.py": d, "homework.zip": zipped({"addition.py": b"/etc/hostname"}, linked)},
        "addition.py", asks=("addition",),
    ),
    _damage(
        "device in a tar", lambda a, d: {"doubling.py": d, "homework.tar": with_device("addition.py")}, "addition.py",
        asks=("addition",),
    ),
    _damage(
        "member that grows", lambda a, d: {"doubling.py": d, "homework.zip": zipped({"addition.py": bytes(1 << 23)})},
        "addition.py", asks=("addition",),
    ),
    _damage(
        "tar that grows", lambda a, d: {"doubling.py": d, "homework.tgz": gzip.compress(bytes(1 << 20)) * 65},
        "homework.tgz", asks=("addition",),
    ),
    _damage(
        "too many files",
        lambda a, d: {
            "addition.py": a, "doubling.py": d, "many.zip": zipped({f"{n:04d}.txt": b"" for n in range(5_001)}),
        },
        "many.zip",
    ),
    _damage(
        "archives in archives", lambda a, d: {"doubling.py": d, "homework.zip": nested({"addition.py": a}, 6)},
        "level", asks=("addition",),
    ),
    _damage(
        "one name twice in a zip",
        lambda a, d: {"homework.zip": twice("addition.py", a + b"old = 1\n", a), "doubling.py": d},
        "addition.py", "addition (2).py",
    ),
)  # fmt: skip


def _corrupt(content: bytes) -> bytes:
    """One byte of the first member's data is another."""
    at = 30 + int.from_bytes(content[26:28], "little") + int.from_bytes(content[28:30], "little") + 5
    return content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :]


# Classes


def make_class(size: int, seed: int, *, damages: Iterable[Damage] = DAMAGES) -> School:
    """A class of about ``size`` students: one for each damage, some groups, some late, some absent, and the others."""
    draw = random.Random(seed)
    people = [Person(1000 + n, f"s{n:03d}", _name(n, draw)) for n in range(1, size + 1)]
    draw.shuffle(people)
    waiting = list(people)
    works: list[Work] = []
    for damage in damages:
        person = waiting.pop()
        a, d = addition(person.login), doubling(person.login)
        files = {path: made if isinstance(made, Entry) else Entry(made) for path, made in damage.make(a, d).items()}
        right: dict[str, bytes | None] = {"addition": a, "doubling": d}
        for name, text in (damage.counts or {}).items():
            right[name] = None if text is None else text if text == b"\n" else text + (right[name] or b"")
        expected = {name: text for name, text in right.items() if name not in damage.asks}
        works.append(Work((person,), files, expected, damage=damage.name))
    absent = [waiting.pop() for _ in range(min(3, len(waiting)))]
    while waiting:
        works.append(_plain(waiting, len(works), draw))
    return School(tuple(works), tuple(absent))


def _name(number: int, draw: random.Random) -> str:
    first = draw.choice(["Ada", "Bo", "Çelik", "Dörte", "Eun-ji", "Féi", "Gül", "Hana", "Ines", "Jürgen"])
    return f"{first} van Müller{''.join(chr(97 + int(digit)) for digit in f'{number:03d}')}"


def _plain(waiting: list[Person], number: int, draw: random.Random) -> Work:
    together = min(draw.choice([1] * 12 + [2, 3]), len(waiting))
    members = tuple(sorted(waiting.pop() for _ in range(together)))
    mark = members[0].login
    kind = draw.choice(["right", "right", "right", "wrong", "stub", "partial", "one only"])
    if kind == "stub":
        texts = dict(STUBS)
    else:
        how = "right" if kind == "one only" else kind
        texts = {"addition": addition(mark, how), "doubling": doubling(mark, how)}
        if kind == "one only":
            del texts["doubling"]
    place = draw.choice(["{0}.py", "{0}.py", "exercises/{0}/{0}.py", "homework1/{0}.py", "src/{0}.py"])
    files = {place.format(name): Entry(text) for name, text in texts.items()}
    earlier: Files | None = None
    if draw.random() < 0.1:
        earlier = {"addition.py": Entry(addition(mark, "wrong"))}
    return Work(
        members, files, dict(texts), kind, f"Team {number:03d}" if together > 1 else "", earlier, draw.random() < 0.1
    )


def messy_class() -> dict[str, dict[str, bytes | Entry]]:
    """Right work that was once given 0 or no row: student -> files. Links and near names are questions."""
    a, d = addition("x"), doubling("x")
    both = {"addition.py": a, "doubling.py": d}
    return {
        "deep": {f"course-main/exercises/{n}/{n}.py": c for n, c in (("addition", a), ("doubling", d))},
        "hw1": {f"homework1/{n}": c for n, c in both.items()},
        "src": {f"src/{n}": c for n, c in both.items()},
        "browser": {"addition (1).py": a, "doubling (1).py": d},
        "shouting": {"addition.PY": a, "doubling.PY": d},
        "capital": {"ADDITION.py": a, "Doubling.py": d},
        "colab": {"Copy_of_addition.ipynb": notebook(a), "Copy_of_doubling.ipynb": notebook(d)},
        "onebook": {"homework.ipynb": notebook(b"import math", a, d)},
        "zipped": {"homework.zip": zipped(both)},
        "zipinzip": {"homework.zip": zipped({"inner.zip": zipped(both)})},
        "tarred": {"homework.tar.gz": tarred({n: Entry(c) for n, c in both.items()})},
        "windows": {"homework.zip": zipped({f"hw\\{n}": c for n, c in both.items()})},
        "mac": {"homework.zip": zipped({**both, "__MACOSX/._addition.py": b"\0\x05\x16\x07"})},
        "wide": {n: c.decode().encode("utf-16") for n, c in both.items()},
        "marked": {n: b"\xef\xbb\xbf" + c for n, c in both.items()},
        "latin": {n: LATIN + c for n, c in both.items()},
        "crlf": {n: c.replace(b"\n", b"\r\n") for n, c in both.items()},
        "notebooks": {"addition.ipynb": notebook(a), "doubling.ipynb": notebook(d)},
        "stubbed": {**both, "exercises/addition/addition.py": STUBS["addition"]},
        "checkpoints": {**both, ".ipynb_checkpoints/addition-checkpoint.py": STUBS["addition"]},
        "linked": {"exercises": Entry(link="../elsewhere")},
        "nearly": {"additon.py": a, "doubling_final.py": d},
    }


# Layouts


class Writer(NamedTuple):
    """Writes a class as one layout."""

    name: str
    layout: str  # what it must be recognised as
    write: Callable[[School, Path], Path]
    cannot: frozenset[str] = frozenset()

    def left_out(self) -> list[str]:
        """The damages that this layout cannot express."""
        return [damage.name for damage in DAMAGES if damage.needs & self.cannot]


def _put(root: Path, files: Files) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, entry in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.link:
            path.symlink_to(entry.link)
        elif entry.pipe:
            os.mkfifo(path)
        else:
            path.write_bytes(entry.content)
            when = BASE.timestamp() + 60 * entry.minute
            os.utime(path, (when, when))


def _with_attempts(work: Work) -> Files:
    if not work.earlier:
        return work.files
    first = {f"attempt 1/{name}": entry for name, entry in work.earlier.items()}
    return {**first, **{f"attempt 2/{name}": entry for name, entry in work.files.items()}}


def write_folder(school: School, root: Path) -> Path:
    for work in school.works:
        _put(root / work.folder, _with_attempts(work))
    return root


def _put_zip(archive: zipfile.ZipFile, name: str, entry: Entry) -> None:
    when = datetime.datetime.fromtimestamp(BASE.timestamp() + 60 * entry.minute)
    info = zipfile.ZipInfo(name, when.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    if entry.link:
        linked(info)
    else:
        info.external_attr = (stat.S_IFREG | 0o644) << 16
    archive.writestr(info, entry.link or entry.content)


def write_zip(school: School, root: Path) -> Path:
    path = root.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for work in school.works:
            archive.writestr(f"class/{work.folder}/", b"")
            for name, entry in _with_attempts(work).items():
                _put_zip(archive, f"class/{work.folder}/{name}", entry)
    return path


def _add_to_tar(archive: tarfile.TarFile, name: str, entry: Entry) -> None:
    info = tarfile.TarInfo(name)
    info.mtime = int(BASE.timestamp()) + 60 * entry.minute
    if entry.link:
        info.type, info.linkname = tarfile.SYMTYPE, entry.link
    elif entry.pipe:
        info.type = tarfile.FIFOTYPE
    else:
        info.size = len(entry.content)
    archive.addfile(info, io.BytesIO(entry.content))


def write_tar(school: School, root: Path) -> Path:
    path = root.with_suffix(".tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT, compresslevel=1) as archive:
        for work in school.works:
            info = tarfile.TarInfo(f"./class/{work.folder}")
            info.type = tarfile.DIRTYPE
            archive.addfile(info)
            for name, entry in _with_attempts(work).items():
                _add_to_tar(archive, f"./class/{work.folder}/{name}", entry)
    return path


def _flat(files: Files) -> Files:
    """As where only single files can be handed in: who has folders hands in a zip of them."""
    if not any("/" in name for name in files):
        return files
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, entry in files.items():
            _put_zip(archive, name, entry)
    return {"upload.zip": Entry(made.getvalue())}


def write_canvas(school: School, root: Path) -> Path:
    path = root.with_suffix(".zip")
    attachment = 70_000
    with zipfile.ZipFile(path, "w") as archive:
        for work in school.works:
            name = re.sub(r"\W", "", (work.group or work.members[0].name).casefold())
            late = "_LATE" if work.late else ""
            for file, entry in _flat(work.files).items():
                attachment += 1
                stem, dot, ending = file.rpartition(".")
                again = f"{stem}-1{dot}{ending}" if work.earlier and dot and not work.damage else file
                _put_zip(archive, f"{name}{late}_{work.members[0].number}_{attachment}_{again}", entry)
    return path


def _moodle(work: Work) -> str:
    number = 500 + work.members[0].number if work.group else work.members[0].number
    return f"{work.group or work.members[0].name}_{number}_assignsubmission_file"


def write_moodle(school: School, root: Path) -> Path:
    path = root.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for work in school.works:
            archive.writestr(f"{_moodle(work)}/", b"")
            for name, entry in work.files.items():
                _put_zip(archive, f"{_moodle(work)}/{name}", entry)
    return path


def write_moodle_flat(school: School, root: Path) -> Path:
    path = root.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for work in school.works:
            for name, entry in _flat(work.files).items():
                _put_zip(archive, f"{_moodle(work)}_{name}", entry)
    return path


def write_gradescope(school: School, root: Path) -> Path:
    path = root.with_suffix(".zip")
    lines = ["---"]
    with zipfile.ZipFile(path, "w") as archive:
        top = "assignment_77_export"
        for number, work in enumerate(school.works, start=9000):
            archive.writestr(f"{top}/submission_{number}/", b"")
            for name, entry in work.files.items():
                _put_zip(archive, f"{top}/submission_{number}/{name}", entry)
            lines += [f"submission_{number}:", "  :submitters:"]
            for person in work.members:
                lines += [f"  - :name: {json.dumps(person.name)}", f"    :sid: {person.login}"]
                lines += [f"    :email: {person.email}"]
            when = AFTER if work.late else BASE
            lines += [f"  :created_at: {when:%Y-%m-%d %H:%M:%S}.000000000 +00:00", "  :score: 0.0", "  :history: []"]
            lines += ["  :results:", "    :tests: []"]
        archive.writestr(f"{top}/submission_metadata.yml", "\n".join(lines) + "\n")
    return path


def write_nbgrader(school: School, root: Path) -> Path:
    """Everybody of a group has handed in alone: nbgrader knows no groups."""
    for work in school.works:
        for person in work.members:
            folder = root / "submitted" / person.login / "ps1"
            _put(folder, work.files)
            when = AFTER if work.late else BASE
            (folder / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S}.000000 UTC\n")
    (root / "source/ps1").mkdir(parents=True)
    (root / "source/ps1/addition.ipynb").write_bytes(notebook(b"raise SystemExit"))
    (root / "gradebook.db").write_bytes(b"SQLite format 3\0")
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    return root


def write_submit(school: School, root: Path) -> Path:
    root.mkdir(parents=True)
    for work in school.works:
        for attempt, files in enumerate([work.earlier, work.files] if work.earlier else [work.files], start=1):
            about = {
                "format": 1, "student": work.members[0].login, "name": work.members[0].name,
                "group": [person.login for person in work.members] if work.group else [],
                "submitted_at": (AFTER if work.late else BASE).isoformat(), "attempt": attempt,
            }  # fmt: skip
            with zipfile.ZipFile(root / f"{work.members[0].login}-{attempt}.zip", "w") as archive:
                archive.writestr("hand_in.json", json.dumps(about))
                for name, entry in files.items():
                    _put_zip(archive, name, entry)
    return root


# Repositories

REAL = 6  # of this many damages and students the git command makes the repository


def write_repositories(school: School, root: Path) -> Path:
    """Real repositories for some, loose and packed, and for the others such as git would write them."""
    trace = root.parent / "git-has-run"
    for number, work in enumerate(school.works):
        folder = root / work.folder
        real = number % max(1, len(school.works) // REAL) == 0
        if real and shutil.which("git"):
            make_repository(folder, work, trace, packed=number % 2 == 0)
        else:
            _put(folder, work.files)
            write_git(folder / ".git", [work.earlier, work.files] if work.earlier else [work.files])
    return root


def make_repository(folder: Path, work: Work, trace: Path, *, packed: bool) -> None:
    """With commits before and after the due date, and with hooks and settings that leave a trace if git runs there."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    if work.earlier:
        _commit(folder, work.earlier, BASE)
    _commit(folder, work.files, AFTER if work.late else BASE + datetime.timedelta(hours=1))
    if packed:
        git(folder, "gc", "-q")
    set_traps(folder, trace)


def _commit(folder: Path, files: Files, when: datetime.datetime) -> None:
    for path in folder.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    _put(folder, files)
    (folder / ".git/index").unlink(missing_ok=True)  # git would take files of one size and time for unchanged
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "--allow-empty", "-m", "work", when=when)


def set_traps(folder: Path, trace: Path) -> None:
    """From here on no git may run in this folder."""
    command = f"touch {trace}"
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        path = folder / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)
    with (folder / ".git/config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{command}"\n\tpager = "{command}"\n\tsshCommand = "{command}"\n')
        config.write(f'[filter "x"]\n\tsmudge = "{command}"\n\tclean = "{command}"\n')


def git(folder: Path, *args: str, when: datetime.datetime = BASE) -> str:
    stamp = when.isoformat()
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": stamp,
        "GIT_COMMITTER_DATE": stamp, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip
    done = subprocess.run(["git", *args], cwd=folder, env=env, capture_output=True, check=True)
    return done.stdout.decode().strip()


def write_git(place: Path, commits: Iterable[Files], start: datetime.datetime = BASE) -> list[str]:
    """The objects of these commits, one after another by an hour, as git writes them; returns their names."""
    made: list[str] = []
    for number, files in enumerate(commits):
        tree = _write_tree(place, {tuple(name.split("/")): entry for name, entry in files.items()})
        parents = "".join(f"parent {parent}\n" for parent in made[-1:])
        who = f"A <a@example.org> {int(start.timestamp()) + 3600 * number} +0000"
        text = f"tree {tree}\n{parents}author {who}\ncommitter {who}\n\nwork\n"
        made.append(write_object(place, "commit", text.encode()))
    (place / "refs/heads").mkdir(parents=True, exist_ok=True)
    (place / "refs/heads/main").write_text(made[-1] + "\n")
    (place / "HEAD").write_text("ref: refs/heads/main\n")
    return made


def _write_tree(place: Path, files: dict[tuple[str, ...], Entry]) -> str:
    entries: dict[str, tuple[str, str]] = {}
    for steps, entry in files.items():
        if len(steps) == 1:
            mode, content = ("120000", entry.link.encode()) if entry.link else ("100644", entry.content)
            entries[steps[0]] = mode, write_object(place, "blob", content)
        elif steps[0] not in entries:
            inside = {other[1:]: one for other, one in files.items() if other[0] == steps[0]}
            entries[steps[0]] = "40000", _write_tree(place, inside)
    order = sorted(entries.items(), key=lambda item: os.fsencode(item[0]) + (b"/" if item[1][0] == "40000" else b""))
    data = b"".join(f"{mode} ".encode() + os.fsencode(name) + b"\0" + bytes.fromhex(sha) for name, (mode, sha) in order)
    return write_object(place, "tree", data)


def write_object(place: Path, kind: str, content: bytes) -> str:
    whole = f"{kind} {len(content)}\0".encode() + content
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = place / "objects" / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(whole, 1))
    return name


LMS = frozenset({LINKS, PIPES, RAW_NAMES})
WRITERS: tuple[Writer, ...] = (
    Writer("folder", "folder", write_folder),
    Writer("zip", "folder", write_zip, frozenset({PIPES, RAW_NAMES})),
    Writer("tar", "folder", write_tar),
    Writer("canvas", "canvas", write_canvas, LMS | {EMPTY}),
    Writer("moodle", "moodle", write_moodle, LMS),
    Writer("moodle-flat", "moodle", write_moodle_flat, LMS | {EMPTY}),
    Writer("gradescope", "gradescope", write_gradescope, LMS),
    Writer("nbgrader", "nbgrader", write_nbgrader),
    Writer("repositories", "repositories", write_repositories, frozenset({PIPES, TIMES})),
    Writer("submit", "submit", write_submit, LMS),
)
