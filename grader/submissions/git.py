"""A git repository read as data: no git runs, so neither its hooks nor its settings do anything.

Objects are found in the repository's own files and nowhere else: other places that it names (``alternates``) are not
looked at. Sizes, depths and counts are limited. That is why this is not left to a library.
"""

from __future__ import annotations

import hashlib
import heapq
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from grader.submissions import limits
from grader.submissions.tree import Member, MemberError, Parts, shown, too_large, unreadable

MAX_COMMITS = 20_000
MAX_ENTRIES = 20_000  # files and folders in one commit
MAX_DELTAS = 60  # git itself makes chains of 50
MAX_TEXT = 1 << 20  # bytes of a ref, a commit or a folder
MAX_WORK = 512 << 20  # bytes that are unpacked of one repository, again and again where it asks for that
DELTA_WORK = 8  # a byte of a difference costs as much as so many others
WINDOW = 1 << 16
SHA = re.compile(r"^[0-9a-f]{40}$")
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
OFFSET_DELTA, REFERENCE_DELTA = 6, 7
FOLDER_MODE, LINK_MODE, MODULE_MODE = "40000", "120000", "160000"


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit; its time is what its author's machine said."""

    id: str
    tree: str
    parents: tuple[str, ...]
    time: int


class Repository:
    """The files of one ``.git``, by their path below it. Every method raises MemberError on what it cannot read."""

    def __init__(self, files: Mapping[str, Member]) -> None:
        self.files = files
        self.work = MAX_WORK  # that is left

    def head(self) -> str:
        """The commit that is checked out."""
        text = self._text("HEAD")
        for _ in range(5):  # a ref may name another
            if SHA.match(text):
                return text
            if not text.startswith("ref: "):
                break
            ref = text.removeprefix("ref: ").strip()
            if ref not in self.files:
                text = self._packed_refs.get(ref, "")
                break
            text = self._text(ref)
        if not SHA.match(text):
            raise MemberError("has no commit that can be found")
        return text

    def last_commit(self, due: float | None) -> Commit | None:
        """The checked-out commit, or the newest before ``due`` among it and those before it."""
        first = self.commit(self.head())
        if due is None:
            return first
        waiting = [(-first.time, first.id)]
        commits = {first.id: first}
        while waiting:
            _, name = heapq.heappop(waiting)
            commit = commits[name]
            if commit.time <= due:
                return commit
            for parent in commit.parents:
                if parent not in commits and len(commits) < MAX_COMMITS:
                    try:
                        commits[parent] = self.commit(parent)
                    except MemberError:  # a clone may be shallow
                        continue
                    heapq.heappush(waiting, (-commits[parent].time, parent))
        return None

    def commit(self, name: str) -> Commit:
        text = self._object(name, "commit", MAX_TEXT).decode(errors="replace")
        head = text.partition("\n\n")[0]
        trees = re.findall(r"^tree ([0-9a-f]{40})$", head, re.MULTILINE)
        times = re.findall(r"^committer .*> (\d{1,12}) [+-]\d{4}$", head, re.MULTILINE)
        if not trees or not times:
            raise MemberError(f"has a damaged commit ({name[:7]})")
        parents = tuple(re.findall(r"^parent ([0-9a-f]{40})$", head, re.MULTILINE))
        return Commit(id=name, tree=trees[0], parents=parents, time=int(times[0]))

    def members(self, commit: Commit) -> Iterator[tuple[Member, str]]:
        """The files of a commit, each with the name of its content."""
        waiting: list[tuple[Parts, str]] = [((), commit.tree)]
        count = 0
        while waiting:
            steps, tree = waiting.pop()
            for mode, name, content in self._entries(tree):
                count += 1
                if count > MAX_ENTRIES:
                    raise MemberError(f"has more than {MAX_ENTRIES} files")
                parts = (*steps, name)
                if mode == FOLDER_MODE:
                    if len(parts) < limits.MAX_STEPS:
                        waiting.append((parts, content))
                    else:
                        yield unreadable(parts, f"lies more than {limits.MAX_STEPS} folders deep"), content
                elif mode != MODULE_MODE:
                    problem = "is a link, and links are not followed" if mode == LINK_MODE else ""
                    yield self._member(parts, content, commit, problem), content

    def _member(self, parts: Parts, content: str, commit: Commit, problem: str) -> Member:
        def read(limit: int) -> bytes:
            return self._object(content, "blob", limit)

        return Member(parts=parts, read_bytes=read, modified=float(commit.time), problem=problem)

    def _entries(self, tree: str) -> Iterator[tuple[str, str, str]]:
        data = self._object(tree, "tree", MAX_TEXT * 4)
        at = 0
        while at < len(data):
            end = data.find(b"\0", at)
            mode, space, name = data[at:end].partition(b" ")
            if end < 0 or not space or end + 21 > len(data):
                raise MemberError("has a damaged folder")
            text = name.decode(errors="surrogateescape")
            yield mode.decode(errors="replace"), shown(text.replace("/", "_")), data[end + 1 : end + 21].hex()
            at = end + 21

    # Objects

    def _object(self, name: str, kind: str, limit: int) -> bytes:
        found, content = self._find(name, limit, MAX_DELTAS)
        if found != kind or object_name(kind, content) != name:
            raise MemberError(f"is damaged ({name[:7]} is no {kind}, or another one)")
        return content

    def _inflate(self, data: bytes | memoryview, limit: int, cost: int = 1) -> bytes:
        content = _inflate(data, min(limit, self.work))
        self.work -= cost * len(content) + WINDOW // 64
        if self.work < 0:
            raise MemberError(f"needs more than {MAX_WORK} bytes to be read")
        return content

    def _find(self, name: str, limit: int, deltas: int) -> tuple[str, bytes]:
        loose = self.files.get(f"objects/{name[:2]}/{name[2:]}")
        if loose is not None:
            head, _, content = self._inflate(loose.read(limits.MAX_NOTEBOOK), limit + 64).partition(b"\0")
            return head.partition(b" ")[0].decode(errors="replace"), content
        for pack in self._packs:
            offset = pack.offset(name)
            if offset is not None:
                return self._packed(pack, offset, limit, deltas)
        raise MemberError(f"has no object {name[:7]}")

    def _packed(self, pack: _Pack, offset: int, limit: int, deltas: int) -> tuple[str, bytes]:
        if deltas == 0:
            raise MemberError("is damaged (differences without end)")
        kind, size, at = pack.header(offset)
        if kind in KINDS:
            if size > limit:
                raise MemberError(too_large(size, limit))
            return KINDS[kind], self._inflate(pack.data[at:], limit)
        if kind == OFFSET_DELTA:
            distance, at = pack.distance(at)
            base_kind, base = self._packed(pack, offset - distance, limits.MAX_NOTEBOOK, deltas - 1)
        elif kind == REFERENCE_DELTA:
            name = bytes(pack.data[at : at + 20]).hex()
            base_kind, base = self._find(name, limits.MAX_NOTEBOOK, deltas - 1)
            at += 20
        else:
            raise MemberError("is damaged (an object of an unknown kind)")
        delta = self._inflate(pack.data[at:], limits.MAX_NOTEBOOK, DELTA_WORK)
        return base_kind, _apply_delta(base, delta, limit)

    @cached_property
    def _packs(self) -> list[_Pack]:
        found = []
        for path in self.files:
            if path.startswith("objects/pack/") and path.endswith(".idx"):
                pack = self.files.get(path.removesuffix(".idx") + ".pack")
                if pack is not None:
                    index = self.files[path].read(limits.MAX_NESTED)
                    found.append(_Pack(index, memoryview(pack.read(limits.MAX_NESTED))))
        return found

    @cached_property
    def _packed_refs(self) -> dict[str, str]:
        if "packed-refs" not in self.files:
            return {}
        lines = (line.split(" ") for line in self._text("packed-refs").splitlines())
        return {line[1]: line[0] for line in lines if len(line) == 2 and SHA.match(line[0])}

    def _text(self, path: str) -> str:
        if path not in self.files:
            raise MemberError(f"has no {path}")
        return self.files[path].read(MAX_TEXT).decode(errors="replace").strip()


class _Pack:
    """A pack with its index (version 2)."""

    def __init__(self, index: bytes, data: memoryview) -> None:
        if index[:8] != b"\xfftOc\0\0\0\x02" or len(index) < 8 + 1024:
            raise MemberError("has an index of an unknown kind")
        self.index = index
        self.data = data
        self.fan = struct.unpack(">256L", index[8 : 8 + 1024])
        self.count = self.fan[255]
        if len(index) < 8 + 1024 + 28 * self.count:
            raise MemberError("has a damaged index")

    def offset(self, name: str) -> int | None:
        wanted = bytes.fromhex(name)
        low, high = (self.fan[wanted[0] - 1] if wanted[0] else 0), self.fan[wanted[0]]
        low, high = min(low, self.count), min(high, self.count)
        while low < high:
            middle = (low + high) // 2
            start = 1032 + 20 * middle
            found = self.index[start : start + 20]
            if found == wanted:
                return self._offset_at(middle)
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    def _offset_at(self, number: int) -> int:
        start = 1032 + 24 * self.count + 4 * number
        (offset,) = struct.unpack(">L", self.index[start : start + 4])
        if offset & 0x80000000:
            raise MemberError("is too large")
        return int(offset)

    def header(self, at: int) -> tuple[int, int, int]:
        """The kind and size of an object, and where its data begin."""
        byte = self._byte(at)
        kind, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 0x80:
            at += 1
            byte = self._byte(at)
            size |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise MemberError("is damaged (a size without end)")
        return kind, size, at + 1

    def distance(self, at: int) -> tuple[int, int]:
        byte = self._byte(at)
        distance = byte & 0x7F
        for _ in range(9):
            if not byte & 0x80:
                return distance, at + 1
            at += 1
            byte = self._byte(at)
            distance = (distance + 1) << 7 | byte & 0x7F
        raise MemberError("is damaged (a distance without end)")

    def _byte(self, at: int) -> int:
        if not 0 <= at < len(self.data):
            raise MemberError("is damaged (a place outside of it)")
        return self.data[at]


def _inflate(data: bytes | memoryview, limit: int) -> bytes:
    """What begins there, to its end; by and by, as what follows in a pack may be long."""
    stream = zlib.decompressobj()
    content = bytearray()
    try:
        for start in range(0, len(data), WINDOW):
            content += stream.decompress(data[start : start + WINDOW], limit + 1 - len(content))
            if stream.eof or len(content) > limit:
                break
    except zlib.error as error:
        raise MemberError(f"is damaged ({error})") from error
    if len(content) > limit:
        raise MemberError(f"grows to more than the {limit} bytes that are read")
    if not stream.eof:
        raise MemberError("is damaged (it ends too early)")
    return bytes(content)


def _apply_delta(base: bytes, delta: bytes, limit: int) -> bytes:
    """Copies of the base and new bytes, in turn."""
    reader = iter(delta)
    try:
        if _varint(reader) != len(base):
            raise MemberError("is damaged (a difference to something else)")
        size = _varint(reader)
        if size > limit:
            raise MemberError(too_large(size, limit))
        result = bytearray()
        for code in reader:
            if code & 0x80:
                start = sum(next(reader) << 8 * n for n in range(4) if code >> n & 1)
                count = sum(next(reader) << 8 * n for n in range(3) if code >> (4 + n) & 1) or 0x10000
                result += base[start : start + count]
            elif code:
                result += bytes(next(reader) for _ in range(code))
            else:
                raise MemberError("is damaged (an empty difference)")
            if len(result) > size:
                raise MemberError("is damaged (a difference that grows)")
    except (StopIteration, RuntimeError) as error:
        raise MemberError("is damaged (a difference that ends too early)") from error
    if len(result) != size:
        raise MemberError("is damaged (a difference of another size)")
    return bytes(result)


def _varint(reader: Iterator[int]) -> int:
    value = shift = 0
    while shift <= 63:
        byte = next(reader)
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value
    raise MemberError("is damaged (a size without end)")


def blob_name(content: bytes) -> str:
    """The name that git gives to a file's content."""
    return object_name("blob", content)


def object_name(kind: str, content: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(content)) + content, usedforsecurity=False).hexdigest()
