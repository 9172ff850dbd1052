"""Archives are read as data: whatever is in them is a line for the teacher, and nothing else happens."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course import load_course
from grader.errors import SubmissionError
from grader.submissions import archives, limits
from grader.submissions.archives import FOLDER, Opened, read_archive, steps_of
from grader.submissions.intake import read_class
from grader.submissions.pile import read_tree
from grader.submissions.tree import MemberError, shown
from tests.grader.submissions.classes import (
    Entry,
    addition,
    doubling,
    encrypted,
    linked,
    nested,
    tarred,
    twice,
    with_device,
    zipped,
)

RIGHT = addition("x")
FILES = {"hw/addition.py": addition("x"), "hw/doubling.py": doubling("x"), "hw/notes.txt": b"n" * 700}
MANY = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def course(tiny):
    return load_course(tiny / "course.toml")


@pytest.fixture
def read(course, tmp_path):
    """What is told of a student who handed in this archive; another student is there, and must not suffer."""

    def run(name, content):
        pile = tmp_path / "pile"
        for student in ("bad", "good"):
            (pile / student).mkdir(parents=True, exist_ok=True)
        (pile / "good/addition.py").write_bytes(RIGHT)
        (pile / "bad" / name).write_bytes(content)
        found = read_class(pile, course)
        bad, good = found.submissions
        assert (bad.student, good.student) == ("bad", "good")
        assert good.sources["addition"].content == RIGHT and not good.origin.questions
        return bad, {one.file: one.reason for one in found.unused}

    return run


def walk(kind, content, *, nested=True):
    """Everything that can be read in an archive; raises MemberError if it is none."""
    opened = Opened()
    found = {}
    try:
        for member in read_archive(kind, lambda: io.BytesIO(content), ("a",), opened, nested=nested):
            try:
                found["/".join(member.parts[1:])] = member.read(limits.MAX_SOURCE)
            except MemberError as error:
                found["/".join(member.parts[1:])] = str(error)
    finally:
        opened.close()
    return found


# One by one

LINK = "is a link, and links are not followed"
DEEP = "level3.zip/level2.zip/level1.zip/level0.zip"
OUT = "has a path that leads out of the archive"


@pytest.mark.parametrize(
    "name",
    ["../addition.py", "a/../../addition.py", "/addition.py", "C:/addition.py", "C:\\addition.py", "..\\addition.py"],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_path_that_leads_out_is_named_and_not_read(read, name, kind):
    content = zipped({name: RIGHT}) if kind == "zip" else tarred({name: Entry(RIGHT)}, "")
    bad, unused = read(f"hw.{kind}", content)
    path = f"bad/hw.{kind}/" + name.replace("\\", "/")
    assert unused == {path: OUT}
    assert not bad.sources and OUT in bad.origin.questions["addition"]


def test_such_a_path_in_the_archive_of_the_class_makes_no_student(course, tmp_path):
    files = {f"s{n}/addition.py": RIGHT for n in range(3)}
    content = zipped({**files, "../../etc/passwd": b"", "/root/addition.py": RIGHT, "s1/../x.py": b"", "C:/y": b""})
    (tmp_path / "class.zip").write_bytes(content)
    found = read_class(tmp_path / "class.zip", course)
    assert [s.student for s in found.submissions] == ["s0", "s1", "s2"]
    assert {(one.student, one.file) for one in found.unused} == {
        ("", "../../etc/passwd"), ("", "/root/addition.py"), ("", "C:/y"), ("s1", "s1/../x.py"),
    }  # fmt: skip
    assert all(one.reason == OUT for one in found.unused)


@pytest.mark.parametrize(
    ("name", "content", "file", "reason"),
    [
        ("hw.zip", zipped({"addition.py": b"/etc/passwd"}, linked), "addition.py", LINK),
        ("hw.tar", tarred({"addition.py": Entry(link="/etc/passwd")}, ""), "addition.py", LINK),
        ("hw.tar", with_device("addition.py"), "addition.py", "is not an ordinary file"),
        ("hw.tgz", tarred({"addition.py": Entry(pipe=True)}), "addition.py", "is not an ordinary file"),
        ("hw.zip", encrypted({"addition.py": RIGHT}), "addition.py", "is encrypted"),
        ("hw.zip", zipped({"addition.py": bytes(1 << 22)}), "addition.py", "which is a bomb"),
        ("hw.zip", zipped({"addition.py": RIGHT})[:-9], "", "is not a zip, or was cut off"),
        ("hw.zip", zipped({}), "", "is an archive with nothing in it"),
        ("hw.zip", b"", "", "is not a zip, or was cut off"),
        ("hw.tar", b"", "", "is not a tar"),
        ("hw.tar", b"x" * 1024, "", "is not a tar"),
        ("hw.tar", tarred({"addition.py": Entry(RIGHT * 40)}, "")[:1024], "", "was cut off"),
        ("hw.tar.gz", tarred({"addition.py": Entry(RIGHT)})[:-12], "", "is damaged"),
        ("hw.tar.bz2", tarred({"addition.py": Entry(RIGHT)}, "bz2")[:-12], "", "is damaged"),
        ("hw.tar.xz", tarred({"addition.py": Entry(RIGHT)}, "xz")[:-12], "", "was cut off"),
        ("hw.tgz", gzip.compress(bytes(1 << 20)) * 65, "", "which is a bomb"),
        ("hw.tbz", bz2.compress(bytes(1 << 20)) * 65, "", "which is a bomb"),
        ("hw.txz", lzma.compress(bytes(65 << 20), preset=0), "", "which is a bomb"),
        ("hw.rar", b"Rar!", "", "is an archive that we cannot open: ask for a zip"),
        ("hw.zip", nested({"addition.py": RIGHT}, 4), DEEP, "in more than 3 archives"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_line_with_student_and_member(read, name, content, file, reason):
    bad, unused = read(name, content)
    ((path, why),) = unused.items()
    assert path == f"bad/{name}" + (f"/{file}" if file else "") and reason in why
    assert not bad.sources
    assert bad.origin.question or bad.origin.questions["addition"]


def test_the_other_members_of_a_damaged_archive_are_read(read):
    content = zipped({"addition.py": RIGHT, "doubling.py": doubling("x")})
    at = content.index(b"doubling.py") + len("doubling.py") + 4
    bad, unused = read("hw.zip", content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
    assert bad.sources["addition"].content == RIGHT and "doubling" in bad.origin.questions
    assert unused.keys() == {"bad/hw.zip/doubling.py"} and "is damaged" in unused["bad/hw.zip/doubling.py"]


def test_two_entries_of_one_name_stay_two_and_the_later_counts(read):
    bad, unused = read("hw.zip", twice("addition.py", RIGHT + b"old = 1\n", RIGHT))
    assert bad.sources["addition"].content == RIGHT
    assert bad.origin.files["addition"] == "bad/hw.zip/addition (2).py"
    assert unused == {"bad/hw.zip/addition.py": "is another addition, and bad/hw.zip/addition (2).py counts"}


def test_many_archives_in_one_are_not_all_opened(read, monkeypatch):
    monkeypatch.setattr(limits, "MAX_ARCHIVES", 3)
    inner = zipped({"notes.txt": b""})
    bad, unused = read("hw.zip", zipped({**{f"a{n}.zip": inner for n in range(5)}, "addition.py": RIGHT}))
    assert bad.sources["addition"].content == RIGHT
    left = [name for name, why in unused.items() if "more than 3 archives" in why]
    assert left == ["bad/hw.zip/a3.zip", "bad/hw.zip/a4.zip"]


def test_archives_in_archives_share_one_limit_of_files_and_bytes(read, monkeypatch):
    monkeypatch.setattr(limits, "MAX_MEMBERS_NESTED", 10)
    inner = zipped({f"{n}.txt": b"" for n in range(6)})
    _, unused = read("hw.zip", zipped({"a.zip": inner, "b.zip": inner}))
    assert "holds more than 10 files" in unused["bad/hw.zip/b.zip"]
    monkeypatch.setattr(limits, "MAX_INSIDE", len(inner) + 5)
    _, unused = read("hw.zip", zipped({"a.zip": inner, "b.zip": inner}))
    assert "is too much" in unused["bad/hw.zip/b.zip"]


def test_tars_in_an_archive_count_as_what_they_unpack_to(read, monkeypatch):
    """A few bytes may unpack to many, and many such tars take as long as one large."""
    monkeypatch.setattr(limits, "MAX_INSIDE", 300_000)
    inner = tarred({"notes.txt": Entry(bytes(100_000))})
    _, unused = read("hw.zip", zipped({f"{n}.tgz": inner for n in range(5)}))
    assert [name for name, why in unused.items() if "is too much" in why] == ["bad/hw.zip/3.tgz", "bad/hw.zip/4.tgz"]


def test_no_more_of_one_student_is_read_than_the_limit(read, monkeypatch):
    monkeypatch.setattr(limits, "MAX_READ", 300)
    bad, unused = read("hw.zip", zipped({"addition.py": RIGHT, "b.py": b"#" * 250, "c.py": b"#"}))
    assert bad.sources["addition"].content == RIGHT
    assert "was not read" in unused["bad/hw.zip/b.py"]
    assert "doubling" in bad.origin.questions


def test_no_more_files_of_one_student_are_looked_at_than_the_limit(read, monkeypatch):
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    bad, _ = read("hw.zip", zipped({f"{n}.txt": b"" for n in range(5)} | {"addition.py": RIGHT}))
    assert "more than 3 files: the others were not looked at" in bad.origin.notes
    assert bad.origin.question or "addition" in bad.origin.questions


def test_a_list_of_contents_that_is_too_long_is_not_even_read(read, monkeypatch):
    monkeypatch.setattr(limits, "MAX_DIRECTORY_NESTED", 100)
    _, unused = read("hw.zip", zipped(FILES))
    assert "list of contents" in unused["bad/hw.zip"]


def test_long_names_stay_two_and_keep_their_ending():
    one, two = shown("n" * 300 + "a.py"), shown("n" * 300 + "b.py")
    assert one != two and len(one) <= 255 and one.endswith("a.py")


@pytest.mark.parametrize("name", ["\udcff", "\ud800", "a\udcffb\ud800", "\x00\x1b", "\u202e"])
def test_names_are_text_whatever_they_were(name):
    assert shown(name).encode()
    assert all(step.encode() is not None for step in steps_of(name)[0])


def test_a_number_with_a_minus_does_not_lead_backwards():
    """A size of minus 1024 would lead to the same header again, and so for ever."""
    header = bytearray(tarred({"a.py": Entry(b"")}, "")[:512])
    header[124:136] = b"-0000002000\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(MemberError, match="is damaged"):
        walk("tar", bytes(header) * 3)


def test_a_header_of_many_short_lines_is_read_once():
    """Work grows with the length, not with its square: a MiB of lines is read in no time."""
    lines = b"5 a=\n" * (1 << 17)
    assert archives._pax(lines) == {"a": ""}
    assert archives._pax(b"12 path=abc\n") == {"path": "abc"}
    for broken in (b"99 a=b\n", b"x", b"0 a=b\n", b"-5 a=\n"):
        assert archives._pax(broken) == {}


def test_names_in_a_tar_may_be_long_or_no_text():
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        made = io.BytesIO()
        name = "/".join(["folder" * 5] * 5) + "/addition.py"
        with tarfile.open(fileobj=made, mode="w", format=form) as archive:
            info = tarfile.TarInfo(name)
            info.size = len(RIGHT)
            archive.addfile(info, io.BytesIO(RIGHT))
        assert walk("tar", made.getvalue()) == {name: RIGHT}


def test_what_is_no_archive_is_refused_with_what_to_do(course, tmp_path):
    for name, content, words in (
        ("class.zip", b"PK", "Download it again"), ("class.tar.gz", b"\x1f\x8b", "Download it again"),
        ("class.pdf", b"%PDF", "neither a folder nor a zip or tar"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SubmissionError, match=words):
            read_class(tmp_path / name, course)


def test_an_archive_is_known_by_its_content_too(course, tmp_path):
    files = {"s1/addition.py": Entry(RIGHT)}
    for content in (zipped({"s1/addition.py": RIGHT}), tarred(files, ""), tarred(files), tarred(files, "xz")):
        (tmp_path / "download").write_bytes(content)
        (only,) = read_class(tmp_path / "download", course).submissions
        assert only.sources["addition"].content == RIGHT


# Whatever bytes come


@cache
def samples():
    files = {name: Entry(content) for name, content in FILES.items()}
    return {
        "zip": zipped({**FILES, "inner.zip": zipped(FILES)}),
        "tar": tarred(files, ""),
        "gz": tarred(files, "gz"),
        "bz2": tarred(files, "bz2"),
        "xz": tarred(files, "xz"),
    }


@st.composite
def damaged(draw, content):
    """The content with some bytes flipped, cut out or put in."""
    found = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(found) - 1)))
        how = draw(st.sampled_from(["flip", "cut", "insert", "end"]))
        if how == "flip" and found:
            found[at] ^= draw(st.integers(1, 255))
        elif how == "cut":
            del found[at : at + draw(st.integers(1, 64))]
        elif how == "insert":
            found[at:at] = draw(st.binary(min_size=1, max_size=16))
        else:
            del found[at:]
    return bytes(found)


def check(kind, content):
    """Only our own error escapes, and no more is unpacked than is allowed."""
    try:
        found = walk("zip" if kind == "zip" else "tar", content)
    except MemberError as error:
        assert str(error)
        return
    assert len(found) <= limits.MAX_MEMBERS_NESTED
    assert sum(len(one) for one in found.values()) <= limits.MAX_RATIO * (len(content) + limits.SMALL)


@pytest.mark.parametrize("kind", ["zip", "tar", "gz", "bz2", "xz"])
@MANY
@given(data=st.data())
def test_a_mutated_archive_raises_nothing_but_our_error(kind, data):
    check(kind, data.draw(damaged(samples()[kind])))


HEADS = {"zip": b"PK\x03\x04", "tar": b"", "gz": b"\x1f\x8b\x08", "bz2": b"BZh9", "xz": b"\xfd7zXZ\0"}


@pytest.mark.parametrize("kind", HEADS)
@MANY
@given(tail=st.binary(max_size=2000))
def test_random_bytes_raise_nothing_but_our_error(kind, tail):
    check(kind, HEADS[kind] + tail)


@MANY
@given(field=st.binary(min_size=12, max_size=12), kind=st.sampled_from(b"0125LKxgS7\0"), pax=st.binary(max_size=200))
def test_any_field_of_a_tar_is_read_or_refused(field, kind, pax):
    """With a right sum, so that what follows is looked at."""
    header = bytearray(512)
    header[:4] = b"a.py"
    header[124:136] = field
    header[156] = kind
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    check("tar", bytes(header) + pax.ljust(512, b"\0") + tarred({"b.py": Entry(b"x")}, ""))


@MANY
@given(
    mode=st.integers(0, 0xFFFF), flags=st.integers(0, 0xFFFF), method=st.sampled_from([0, 8, 12, 14, 99]),
    size=st.integers(0, 0xFFFFFFFF), name=st.binary(min_size=9, max_size=9),
)  # fmt: skip
def test_any_entry_of_a_zip_is_read_or_refused(mode, flags, method, size, name):
    content = bytearray(zipped({"namename1": b"x" * 100}))
    at = content.index(b"PK\x01\x02")
    struct.pack_into("<HH", content, at + 8, flags, method)
    struct.pack_into("<L", content, at + 24, size)
    struct.pack_into("<H", content, at + 40, mode)
    content[at + 46 : at + 55] = name
    check("zip", bytes(content))


@MANY
@given(data=st.data())
def test_a_class_in_a_damaged_archive_is_read_or_refused(tmp_path, data):
    kind = data.draw(st.sampled_from(["zip", "tar", "tar.gz"]))
    files = {f"s{n}/{path}": content for n in range(3) for path, content in FILES.items()}
    content = zipped(files) if kind == "zip" else tarred({p: Entry(c) for p, c in files.items()}, kind[4:])
    path = tmp_path / f"class.{kind}"
    path.write_bytes(data.draw(damaged(content)))
    try:
        tree = read_tree(path)
    except SubmissionError:
        return
    for member in tree.members:
        assert member.path.encode() and member.problem != FOLDER


def test_the_standard_reader_agrees_about_good_archives():
    with zipfile.ZipFile(io.BytesIO(samples()["zip"])) as archive:
        assert walk("zip", samples()["zip"]) == {name: archive.read(name) for name in archive.namelist()}
    for kind in ("tar", "gz", "bz2", "xz"):
        assert walk("tar", samples()[kind]) == FILES
