"""Zips and tars as members, read as data: nothing is extracted, and every size is limited before memory is taken.

Tars are read by hand. Python's own module can be made to run for ever by a few bytes on the versions that people have,
and all that is needed here is names, sizes and kinds.
"""

from __future__ import annotations

import bz2
import contextlib
import datetime
import gzip
import io
import lzma
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

from grader.errors import SubmissionError
from grader.submissions import limits
from grader.submissions.names import ROOT, leads_out
from grader.submissions.tree import Member, MemberError, Parts, shown, too_large

Open = Callable[[], IO[bytes]]  # opens an archive's file anew; raises MemberError
Get = Callable[[], Any]  # the archive, open
ZIP_ENDINGS = (".zip",)
TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
FOREIGN_ENDINGS = (".rar", ".7z", ".gz", ".zst", ".iso", ".dmg")  # archives that we cannot look into
CHUNK = 1 << 20
BLOCK = 512
MAX_XZ = 256 << 20  # bytes of memory for unpacking
MAX_HEADER = 1 << 20  # bytes of a long name or of a tar's extra header
OUTSIDE = "has a path that leads out of the archive"
OCTAL = re.compile(rb"^[0-7]*$")
LINK = 0o120000
FORMATS = 0o170000


def archive_kind(name: str) -> str:
    """ "zip", "tar", or nothing, by its name."""
    lower = name.lower()
    return "zip" if lower.endswith(ZIP_ENDINGS) else "tar" if lower.endswith(TAR_ENDINGS) else ""


def stem(name: str) -> str:
    """The name of an archive without its ending."""
    lower = name.lower()
    ending = max((e for e in (*ZIP_ENDINGS, *TAR_ENDINGS) if lower.endswith(e)), key=len, default="")
    return name[: len(name) - len(ending)] if ending else name


class Opened:
    """Keeps the archives open that were read last: to open one anew for every member would take too long."""

    def __init__(self, most: int = 4) -> None:
        self.most = most
        self.archives: dict[Parts, zipfile.ZipFile | IO[bytes]] = {}
        self.unpacked: dict[Parts, int] = {}  # bytes of each tar, when it is plain

    def get(self, parts: Parts, kind: str, open_file: Open, limit: int, directory: int) -> zipfile.ZipFile | IO[bytes]:
        """The archive at this place, ready to be read; raises MemberError."""
        found = self.archives.pop(parts, None)
        if found is None:
            found = _open(kind, open_file, limit, directory)
            if not isinstance(found, zipfile.ZipFile):
                self.unpacked[parts] = found.seek(0, io.SEEK_END)
        self.archives[parts] = found  # at the end: it was used last
        while len(self.archives) > self.most:
            self.archives.pop(next(iter(self.archives))).close()
        return found

    def close(self) -> None:
        for archive in self.archives.values():
            archive.close()
        self.archives.clear()


def read_archive(kind: str, open_file: Open, parts: Parts, opened: Opened, *, nested: bool) -> Iterator[Member]:
    """The files in an archive, as members below ``parts``; raises MemberError if it is none, or too much."""
    limit = limits.MAX_NESTED if nested else limits.MAX_UNPACKED
    most = limits.MAX_MEMBERS_NESTED if nested else limits.MAX_MEMBERS
    directory = limits.MAX_DIRECTORY_NESTED if nested else limits.MAX_DIRECTORY
    get = partial(opened.get, parts, kind, open_file, limit, directory)
    reader = _zip_members if kind == "zip" else _tar_members
    with _explained():
        for count, member in enumerate(reader(get, parts)):
            if count >= most:
                raise MemberError(f"holds more than {most} files")
            yield member


def _open(kind: str, open_file: Open, limit: int, directory: int) -> zipfile.ZipFile | IO[bytes]:
    file = open_file()
    try:
        with _explained():
            if kind != "zip":
                return _plain_tar(file, limit)
            _check_directory(file, directory)
            return zipfile.ZipFile(file)
    except MemberError:
        file.close()
        raise


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Whatever a library says of a damaged archive, in our words."""
    try:
        yield
    except (MemberError, SubmissionError):
        raise
    except MemoryError:
        raise MemberError("wants more memory than there is") from None
    except Exception as error:  # damaged archives raise whatever they like
        words = (str(error) or type(error).__name__).partition("\n")[0][:120]
        raise MemberError(f"is damaged ({words})") from error


def steps_of(name: str) -> tuple[Parts, str]:
    """The path of a member as steps, and what is wrong with it: nothing is written, but a false path is no accident.

    A false path is kept as it is, so that a person can read it: "/etc/x" begins with the step "".
    """
    name = name.replace("\\", "/")
    steps = tuple(shown(step) for step in name.split("/") if step not in ("", "."))
    if name.startswith("/"):
        steps = (ROOT, *steps)
    if steps and (leads_out(steps[0]) or ".." in steps):
        return steps[: limits.MAX_STEPS], OUTSIDE
    if len(steps) > limits.MAX_STEPS:
        return steps[: limits.MAX_STEPS], f"lies more than {limits.MAX_STEPS} folders deep"
    return steps, ""


# Zips


def _zip_members(get: Get, parts: Parts) -> Iterator[Member]:
    for number, entry in enumerate(get().infolist()):
        yield _zip_member(get, number, entry, parts)


def _zip_member(get: Get, number: int, entry: zipfile.ZipInfo, parts: Parts) -> Member:
    name = entry.filename
    if not entry.flag_bits & 0x800:  # most programs write UTF-8 without saying so
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            name = entry.filename
    steps, problem = steps_of(name)
    path = (*parts, *steps) if steps else (*parts, "?")
    mode = entry.external_attr >> 16
    if name.endswith("/") or entry.is_dir():
        return Member(parts=path, read_bytes=_no_file, problem=FOLDER, in_archive=True)
    if mode & FORMATS == LINK:
        problem = "is a link, and links are not followed"
    elif mode & FORMATS not in (0, 0o100000):
        problem = "is not an ordinary file"
    elif entry.flag_bits & 1:
        problem = "is encrypted"
    elif entry.file_size > limits.SMALL and entry.file_size > limits.MAX_RATIO * max(entry.compress_size, 1):
        problem = f"grows to {entry.file_size} bytes when it is unpacked, which is a bomb"
    return Member(
        parts=path,
        read_bytes=partial(_read_zip, get, number),
        size=entry.file_size,
        modified=_zip_time(entry.date_time),
        problem=problem,
        in_archive=True,
    )


FOLDER = "is a folder"  # not shown: archives list folders as if they were files


def _no_file(limit: int) -> bytes:
    raise MemberError(FOLDER)


def _zip_time(date_time: tuple[int, int, int, int, int, int]) -> float | None:
    """By the clock of this machine: a zip tells no time zone."""
    try:
        return datetime.datetime(*date_time).timestamp() if date_time[0] > 1980 else None
    except (OverflowError, ValueError):
        return None


def _read_zip(get: Get, number: int, limit: int) -> bytes:
    """One entry, by its number: names may come twice."""
    with _explained():
        archive = get()
        with archive.open(archive.infolist()[number]) as member:
            content: bytes = member.read(limit + 1)
    if len(content) > limit:
        raise MemberError(f"grows to more than the {limit} bytes that are read")
    return content


def _check_directory(file: IO[bytes], limit: int) -> None:
    """Refuse a list of contents so long that merely to read it would take all memory."""
    file.seek(0, io.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - (1 << 16) - 22))
    end = file.read()
    at = end.rfind(b"PK\x05\x06")
    if at < 0 or len(end) < at + 22:
        raise MemberError("is not a zip, or was cut off")
    length = struct.unpack("<L", end[at + 12 : at + 16])[0]
    wide = end.rfind(b"PK\x06\x06", 0, at)
    if length == 0xFFFFFFFF and wide >= 0 and len(end) >= wide + 48:
        length = struct.unpack("<Q", end[wide + 40 : wide + 48])[0]
    if length > min(limit, size):
        raise MemberError("has a list of contents that is too long, or a false one")
    file.seek(0)


# Tars


def _tar_members(get: Get, parts: Parts) -> Iterator[Member]:
    for offset, size, name, kind, modified in list(_tar_headers(get())):  # at once: others may be opened meanwhile
        steps, problem = steps_of(name)
        path = (*parts, *steps) if steps else (*parts, "?")
        if kind == b"5":
            yield Member(parts=path, read_bytes=_no_file, problem=FOLDER, in_archive=True)
            continue
        if kind in (b"1", b"2"):
            problem = "is a link, and links are not followed"
        elif kind not in (b"0", b"\0", b"7"):
            problem = "is not an ordinary file"
        yield Member(
            parts=path,
            read_bytes=partial(_read_tar, get, offset, size),
            size=size,
            modified=modified,
            problem=problem,
            in_archive=True,
        )


def _tar_headers(file: IO[bytes]) -> Iterator[tuple[int, int, str, bytes, float | None]]:
    """Where the content of each member begins, its size, name, kind and time; every step goes forward."""
    file.seek(0, io.SEEK_END)
    end = file.tell()
    at, long_name, seen, count = 0, "", False, 0
    extra: dict[str, str] = {}
    while at + BLOCK <= end:
        count += 1
        if count > limits.MAX_MEMBERS:
            raise MemberError(f"holds more than {limits.MAX_MEMBERS} files")
        file.seek(at)
        header = file.read(BLOCK)
        if header.count(0) == BLOCK:  # the end
            return
        if not _sum_is_right(header):
            raise MemberError("is not a tar" if not seen else "is damaged, or was cut off")
        seen = True
        size = int(extra["size"]) if extra.get("size", "").isdecimal() else _number(header[124:136])
        start = at + BLOCK
        at = start + -(-size // BLOCK) * BLOCK
        kind = header[156:157]
        if kind in (b"L", b"x", b"g", b"K"):
            if size > MAX_HEADER:
                raise MemberError("has a name that is too long")
            content = file.read(size)
            if kind == b"L":
                long_name = content.rstrip(b"\0").decode(errors="surrogateescape")
            elif kind == b"x":
                extra = _pax(content)
            continue
        if start + size > end:
            raise MemberError("was cut off")
        name = extra.get("path") or long_name or _tar_name(header)
        modified = extra.get("mtime", "")
        try:
            when: float | None = float(modified) if modified else float(_number(header[136:148]))
        except (ValueError, OverflowError):
            when = None
        yield start, size, name, b"5" if name.endswith("/") else kind, when
        long_name, extra = "", {}
    if not seen:
        raise MemberError("is not a tar")


def _tar_name(header: bytes) -> str:
    prefix = header[345:500].split(b"\0")[0] if header[257:262] == b"ustar" and header[262:263] == b"\0" else b""
    name = header[:100].split(b"\0")[0]
    return (prefix + b"/" + name if prefix else name).decode(errors="surrogateescape")


def _sum_is_right(header: bytes) -> bool:
    try:
        expected = _number(header[148:156])
    except MemberError:
        return False
    return sum(header) - sum(header[148:156]) + 8 * 32 == expected


def _number(field: bytes) -> int:
    if field[0] & 0x80:  # large numbers are binary
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
    digits = field.split(b"\0")[0].strip(b" ")
    if not OCTAL.match(digits):  # a minus would lead backwards, and for ever
        raise MemberError("is damaged (a number that is none)")
    return int(digits or b"0", 8)


def _pax(content: bytes) -> dict[str, str]:
    """``30 path=…`` lines: the number is the length of the line, itself included."""
    found: dict[str, str] = {}
    at = 0
    while at < len(content):
        length, space, _ = content[at : at + 20].partition(b" ")
        if not space or not length.isdigit() or not 0 < int(length) <= len(content) - at:
            return found
        line = content[at + len(length) + 1 : at + int(length)]
        key, _, value = line.rstrip(b"\n").partition(b"=")
        found[key.decode(errors="replace")] = value.decode(errors="surrogateescape")
        at += int(length)
    return found


def _read_tar(get: Get, offset: int, size: int, limit: int) -> bytes:
    if size > limit:
        raise MemberError(too_large(size, limit))
    with _explained():
        file = get()
        file.seek(offset)
        content: bytes = file.read(size)
    return content


def _plain_tar(file: IO[bytes], limit: int) -> IO[bytes]:
    """The plain tar that a compressed one holds, in a file without a name; a plain one as it is."""
    head = file.read(6)
    packed = file.seek(0, io.SEEK_END)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        stream: Any = gzip.GzipFile(fileobj=file)
    elif head.startswith(b"BZh"):
        stream = bz2.BZ2File(file)
    elif head.startswith(b"\xfd7zXZ"):
        stream = io.BufferedReader(_Xz(file))
    else:
        return file
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115  # it stays open as long as somebody may read
    total = 0
    with file, stream:
        while chunk := stream.read(CHUNK):
            total += len(chunk)
            if total > limit or (total > 100 * limits.SMALL and total > limits.MAX_RATIO * packed):
                unpacked.close()
                raise MemberError(f"grows to more than {total} bytes when it is unpacked, which is a bomb")
            unpacked.write(chunk)
    unpacked.seek(0)
    return unpacked


class _Xz(io.RawIOBase):
    """Unpacks with a limit on memory, which Python's own file has not: a few bytes can ask for gigabytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MAX_XZ)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        while not self.decompressor.eof:
            data = self.file.read(CHUNK // 8) if self.decompressor.needs_input else b""
            if self.decompressor.needs_input and not data:
                raise MemberError("was cut off")
            found = self.decompressor.decompress(data, max_length=len(view))
            if found:
                view[: len(found)] = found
                return len(found)
        return 0
