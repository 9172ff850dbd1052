"""Repositories are read as data: no git runs, what is damaged is said, and the files that lie there count then."""

import datetime
import shutil
import struct
import tempfile
import zlib
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course import load_course
from grader.submissions import git, limits
from grader.submissions.git import Repository
from grader.submissions.intake import read_class
from grader.submissions.pile import read_tree
from grader.submissions.tree import Member, MemberError
from tests.grader.submissions import classes
from tests.grader.submissions.classes import AFTER, BASE, DUE, Entry, addition, doubling, write_git, write_object
from tests.grader.submissions.test_archives import damaged

RIGHT, WRONG = addition("x"), addition("x", "wrong")
HOUR = datetime.timedelta(hours=1)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
SOME = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def course(tiny):
    return load_course(tiny / "course.toml")


def repository(folder: Path) -> Repository:
    (files,) = read_tree(folder).repositories.values()
    return Repository({"/".join(member.parts[1:]): member for member in files})


def content(repo: Repository, due: float | None = None) -> dict[str, bytes]:
    commit = repo.last_commit(due)
    return {"/".join(m.parts): m.read(limits.MAX_SOURCE) for m, _ in repo.members(commit)} if commit else {}


def lay(folder: Path, *texts: bytes) -> Path:
    """A repository in which each text was committed an hour after the one before."""
    write_git(folder / ".git", [{"addition.py": Entry(text)} for text in texts])
    (folder / "addition.py").write_bytes(texts[-1])
    return folder


# What git itself wrote


@needs_git
@pytest.mark.parametrize("packed", ["loose", "gc", "aggressive", "refs only"])
def test_what_git_wrote_is_read_as_git_reads_it(tmp_path, packed):
    folder = tmp_path / "s1"
    folder.mkdir()
    classes.git(folder, "init", "-q", "-b", "main")
    long = b"".join(b"line %d of a notebook\n" % n for n in range(3000))
    for number in range(12):
        files = {
            "exercises/addition/addition.py": Entry(addition(str(number))),
            "long.txt": Entry(long + b"%d\n" % number),
            f"more/{number}.py": Entry(b"x = 1\n"),
        }
        classes._commit(folder, files, BASE + number * HOUR)
    if packed == "refs only":
        classes.git(folder, "pack-refs", "--all")
    elif packed != "loose":
        classes.git(folder, "gc", "-q", *(["--aggressive"] if packed == "aggressive" else []))
    repo = repository(folder)
    for due, number in ((None, 11), (BASE + 4.5 * HOUR, 4), (BASE + 4 * HOUR, 4)):
        found = content(repo, due and due.timestamp())
        assert found == {
            "exercises/addition/addition.py": addition(str(number)),
            "long.txt": long + b"%d\n" % number,
            f"more/{number}.py": b"x = 1\n",
        }
    assert repo.last_commit((BASE - HOUR).timestamp()) is None
    assert repo.head() == classes.git(folder, "rev-parse", "HEAD")


@needs_git
def test_a_merge_and_a_detached_head_are_followed(tmp_path):
    folder = tmp_path / "s1"
    folder.mkdir()
    classes.git(folder, "init", "-q", "-b", "main")
    classes._commit(folder, {"addition.py": Entry(WRONG)}, BASE)
    classes.git(folder, "checkout", "-q", "-b", "side")
    classes._commit(folder, {"addition.py": Entry(WRONG), "side.py": Entry(b"s = 1\n")}, BASE + HOUR)
    classes.git(folder, "checkout", "-q", "main")
    classes._commit(folder, {"addition.py": Entry(RIGHT)}, BASE + 2 * HOUR)
    classes.git(folder, "merge", "-q", "side", when=BASE + 3 * HOUR)
    assert content(repository(folder)) == {"addition.py": RIGHT, "side.py": b"s = 1\n"}
    assert content(repository(folder), (BASE + 2 * HOUR).timestamp()) == {"addition.py": RIGHT}
    assert content(repository(folder), (BASE + HOUR).timestamp()) == {"addition.py": WRONG, "side.py": b"s = 1\n"}
    classes.git(folder, "checkout", "-q", "--detach", "side")
    assert content(repository(folder)) == {"addition.py": WRONG, "side.py": b"s = 1\n"}


@needs_git
def test_neither_hooks_nor_settings_run(course, tmp_path):
    trace = tmp_path / "trace"
    person = classes.Person(1, "s1", "Ada")
    work = classes.Work((person,), {"addition.py": Entry(RIGHT)}, {}, earlier={"addition.py": Entry(WRONG)})
    classes.make_repository(tmp_path / "pile/s1", work, trace, packed=True)
    classes.git(tmp_path / "pile/s1", "status")
    assert trace.exists(), "the trap works"
    trace.unlink()
    (found,) = read_class(tmp_path / "pile", course, due=DUE.timestamp()).submissions
    assert found.sources["addition"].content == RIGHT
    assert not trace.exists()


@needs_git
def test_a_shallow_clone_is_read_as_far_as_it_goes(tmp_path):
    folder = lay(tmp_path / "s1", WRONG, RIGHT)
    classes.git(tmp_path, "clone", "-q", "--depth", "1", f"file://{folder}", "clone")
    repo = repository(tmp_path / "clone")
    assert content(repo) == {"addition.py": RIGHT}
    assert repo.last_commit(BASE.timestamp()) is None


# What a class of repositories tells


def test_commit_and_work_tree_are_compared(course, tmp_path):
    lay(tmp_path / "pile/changed", WRONG)
    (tmp_path / "pile/changed/addition.py").write_bytes(RIGHT)
    lay(tmp_path / "pile/forgotten", WRONG)
    (tmp_path / "pile/forgotten/doubling.py").write_bytes(doubling("x"))
    lay(tmp_path / "pile/late", RIGHT)
    found = {s.student: s for s in read_class(tmp_path / "pile", course).submissions}
    assert found["changed"].sources["addition"].content == WRONG
    assert any("has changed since commit" in note for note in found["changed"].origin.notes)
    assert "forgotten/doubling.py is in no commit" in found["forgotten"].origin.questions["doubling"]
    found = {s.student: s for s in read_class(tmp_path / "pile", course, due=(BASE - HOUR).timestamp()).submissions}
    assert "no commit is older than" in str(found["late"].origin.questions | {"": found["late"].origin.question})
    assert not found["late"].sources


def test_archives_in_a_commit_are_opened(course, tmp_path):
    files = {"hw.zip": Entry(classes.zipped({"addition.py": RIGHT}))}
    write_git(tmp_path / "pile/s1/.git", [files])
    (only,) = read_class(tmp_path / "pile", course).submissions
    assert only.sources["addition"].content == RIGHT
    assert only.origin.files == {"addition": "s1/hw.zip/addition.py"}


@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("HEAD", lambda b: b""),
        ("HEAD", lambda b: b"ref: ../../../etc/passwd\n"),
        ("HEAD", lambda b: b"ref: HEAD\n"),
        ("refs/heads/main", lambda b: b"f" * 40),
        ("refs/heads/main", lambda b: b"\0\xff"),
        ("commit", lambda b: b[:-5]),
        ("commit", lambda b: zlib.compress(b"blob 1\0x")),
        ("tree", lambda b: b""),
        ("tree", lambda b: zlib.compress(b"tree 3\x00100")),
    ],
)
def test_where_a_repository_is_damaged_the_files_that_lie_there_count(course, tmp_path, place, change):
    """The student, the damage and what was done about it are named; others are read as ever."""
    lay(tmp_path / "pile/good", RIGHT)
    folder = lay(tmp_path / "pile/bad", WRONG)
    repo = repository(folder)
    commit = repo.last_commit(None)
    name = {"commit": commit.id, "tree": commit.tree}.get(place)
    path = folder / ".git" / (f"objects/{name[:2]}/{name[2:]}" if name else place)
    path.write_bytes(change(path.read_bytes()))
    bad, good = read_class(tmp_path / "pile", course, layout="repositories").submissions
    assert bad.sources["addition"].content == WRONG and good.sources["addition"].content == RIGHT
    assert any(note.startswith(".git ") and "the files that lie there count" in note for note in bad.origin.notes)


def test_a_file_that_is_cut_or_another_in_the_repository_is_a_question(course, tmp_path):
    for number, change in enumerate((lambda b: b[:-6], lambda b: zlib.compress(b"blob 6\0x = 1\n"))):
        folder = lay(tmp_path / f"pile{number}/s1", RIGHT)
        name = git.blob_name(RIGHT)
        path = folder / f".git/objects/{name[:2]}/{name[2:]}"
        path.write_bytes(change(path.read_bytes()))
        (only,) = read_class(tmp_path / f"pile{number}", course).submissions
        assert "addition" in only.origin.questions and not only.sources
        assert "is damaged" in only.origin.questions["addition"]


def test_a_time_that_no_calendar_has_is_read(course, tmp_path):
    place = tmp_path / "pile/s1/.git"
    tree = classes._write_tree(place, {("addition.py",): Entry(RIGHT)})
    who = "A <a@example.org> 999999999999 +0000"
    commit = write_object(place, "commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n".encode())
    (place / "HEAD").write_text(commit)
    (only,) = read_class(tmp_path / "pile", course).submissions
    assert only.sources["addition"].content == RIGHT
    assert only.origin.submitted_at == "999999999999 seconds after 1970"


def test_links_in_a_commit_are_not_followed_and_odd_modes_are_no_folders(tmp_path):
    write_git(tmp_path / "s1/.git", [{"addition.py": Entry(link="/etc/passwd"), "a/b.py": Entry(b"x")}])
    repo = repository(tmp_path / "s1")
    members = {m.name: m for m, _ in repo.members(repo.last_commit(None))}
    assert members["addition.py"].problem == "is a link, and links are not followed"
    assert members["b.py"].read(10) == b"x"


def test_folders_that_are_too_deep_are_named(tmp_path):
    write_git(tmp_path / "s1/.git", [{"/".join(["d"] * 60) + "/addition.py": Entry(RIGHT)}])
    repo = repository(tmp_path / "s1")
    ((member, _),) = repo.members(repo.last_commit(None))
    assert "folders deep" in member.problem


def test_a_git_that_is_a_file_or_a_link_leads_nowhere(course, tmp_path):
    for name, make in (
        ("a", lambda path: path.write_text("gitdir: /etc\n")), ("b", lambda path: path.symlink_to("/etc")),
    ):  # fmt: skip
        folder = tmp_path / "pile" / name
        folder.mkdir(parents=True)
        (folder / "addition.py").write_bytes(RIGHT)
        make(folder / ".git")
    for found in read_class(tmp_path / "pile", course, layout="repositories").submissions:
        assert found.sources["addition"].content == RIGHT
        assert any(".git has no HEAD" in note for note in found.origin.notes)


# Bombs


def test_an_object_that_grows_is_refused(tmp_path):
    write_git(tmp_path / "s1/.git", [{"addition.py": Entry(bytes(4 << 20))}])
    with pytest.raises(MemberError, match="grows to more than"):
        content(repository(tmp_path / "s1"))


def test_all_that_is_unpacked_of_a_repository_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(git, "MAX_WORK", 200_000)
    write_git(tmp_path / "s1/.git", [{f"{n}.py": Entry(b"%d" % n + bytes(9_000)) for n in range(40)}])
    with pytest.raises(MemberError, match=r"needs more than|grows to more"):
        content(repository(tmp_path / "s1"))


def test_a_commit_of_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(git, "MAX_ENTRIES", 10)
    write_git(tmp_path / "s1/.git", [{f"{n}.py": Entry(b"") for n in range(12)}])
    with pytest.raises(MemberError, match="more than 10 files"):
        content(repository(tmp_path / "s1"))


def test_a_long_history_is_followed_no_further_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(git, "MAX_COMMITS", 5)
    write_git(tmp_path / "s1/.git", [{"a.py": Entry(b"%d" % n)} for n in range(9)])
    assert repository(tmp_path / "s1").last_commit(BASE.timestamp()) is None


def packed(*objects: tuple[int, bytes, bytes]) -> Repository:
    """A pack of (kind, what stands between head and data, data), found under the names 00…, 01…, …"""
    data, offsets = bytearray(b"PACK" + struct.pack(">LL", 2, len(objects))), []
    for kind, between, content in objects:
        offsets.append(len(data))
        size = len(content)
        head = bytearray([kind << 4 | size & 15])
        size >>= 4
        while size:
            head[-1] |= 0x80
            head.append(size & 0x7F)
            size >>= 7
        data += head + between + zlib.compress(content)
    count = len(objects)
    names = b"".join(bytes([n]) * 20 for n in range(count))
    fan = struct.pack(">256L", *(min(n + 1, count) for n in range(256)))
    index = b"\xfftOc\0\0\0\x02" + fan + names + bytes(4 * count) + struct.pack(f">{count}L", *offsets) + bytes(40)
    files = {"objects/pack/p.idx": index, "objects/pack/p.pack": bytes(data)}
    return Repository({path: member(path, text) for path, text in files.items()})


def member(path: str, text: bytes) -> Member:
    return Member(parts=tuple(path.split("/")), read_bytes=lambda limit: text[:limit], size=len(text))


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([(7, bytes(20), b"\x01\x01\x01a")], "differences without end"),  # to itself
        ([(6, b"\x00", b"\x01\x01\x01a")], "differences without end"),
        ([(6, b"\x7f", b"")], "a place outside"),
        ([(6, b"\xff" * 12, b"")], "a distance without end"),
        ([(5, b"", b"")], "unknown kind"),
        ([(0, b"", b"")], "unknown kind"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04\x08\x00")], "an empty difference"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x05\x08")], "a difference to something else"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04\x08\x90")], "ends too early"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04\x02\x90\x04")], "a difference that grows"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04\x08\x90\x04")], "a difference of another size"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04\xff\xff\xff\xff\x7f")], "more than"),
        ([(3, b"", b"base"), (7, bytes(20), b"\x04" + b"\xff" * 12)], "a size without end"),
    ],
)
def test_hostile_packs_are_refused_in_words(objects, words):
    with pytest.raises(MemberError, match=words):
        packed(*objects)._object(f"{len(objects) - 1:02x}" * 20, "blob", 1000)


@pytest.mark.parametrize("index", [b"", b"\xfftOc\0\0\0\x02" + b"\xff" * 1024, b"\0" * 2000])
def test_an_index_that_is_none_is_refused(index):
    files = {"objects/pack/p.idx": member("p.idx", index), "objects/pack/p.pack": member("p.pack", b"PACK")}
    with pytest.raises(MemberError, match="index"):
        Repository(files)._object("0" * 40, "blob", 1000)


# Whatever bytes come


@cache
def parts(kind: str) -> dict[str, bytes]:
    """The files of a repository, loose or packed by hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "s1"
        folder.mkdir()
        if kind == "packed" and shutil.which("git"):
            classes.git(folder, "init", "-q", "-b", "main")
            for number in range(4):
                text = b"".join(b"%d\n" % n for n in range(400)) + b"# %d\n" % number
                classes._commit(folder, {"a/addition.py": Entry(text)}, BASE + number * HOUR)
            classes.git(folder, "gc", "-q")
        else:
            write_git(folder / ".git", [{"a/addition.py": Entry(addition(str(n)))} for n in range(4)])
        place = folder / ".git"
        found = {path.relative_to(place): path for path in sorted(place.rglob("*")) if path.is_file()}
        wanted = ("HEAD", "packed-refs", "refs", "objects")
        return {path.as_posix(): file.read_bytes() for path, file in found.items() if path.parts[0] in wanted}


@pytest.mark.parametrize("kind", ["loose", "packed"])
@SOME
@given(data=st.data())
def test_a_mutated_repository_raises_nothing_but_our_error(kind, data):
    files = dict(parts(kind))
    victim = data.draw(st.sampled_from(sorted(files)))
    files[victim] = data.draw(st.one_of(damaged(files[victim]), st.binary(max_size=100)))
    repo = Repository({path: member(path, text) for path, text in files.items()})
    try:
        found = content(repo, data.draw(st.sampled_from([None, AFTER.timestamp(), BASE.timestamp()])))
    except MemberError as error:
        assert str(error)
        return
    assert all(text.startswith((b"def add", b"0\n1\n")) for text in found.values()), "damage is seen"
    assert 0 <= repo.work <= git.MAX_WORK


@SOME
@given(text=st.binary(max_size=300), kind=st.sampled_from(["commit", "tree", "blob"]))
def test_any_object_is_read_or_refused(text, kind):
    name = git.object_name(kind, text)
    whole = zlib.compress(f"{kind} {len(text)}\0".encode() + text)
    path = f"objects/{name[:2]}/{name[2:]}"
    repo = Repository({"HEAD": member("HEAD", name.encode()), path: member(path, whole)})
    try:
        commit = repo.commit(name)
        list(repo.members(commit))
    except MemberError:
        pass
    try:
        list(repo._entries(name))
    except MemberError:
        pass


@SOME
@given(delta=st.binary(max_size=200), base=st.binary(max_size=100))
def test_any_difference_is_applied_or_refused_and_never_grows(delta, base):
    try:
        assert len(git._apply_delta(base, bytes([len(base)]) + delta, 1000)) <= 1000
    except MemberError:
        pass


def test_who_worked_in_a_clone_and_committed_nothing_is_a_question(course, tmp_path):
    """The course itself is what is committed, and the work lies beside."""
    for student in ("s1", "s2"):
        lay(tmp_path / "pile" / student, classes.STUBS["addition"])
        (tmp_path / "pile" / student / "addition.py").write_bytes(RIGHT)
    for found in read_class(tmp_path / "pile", course).submissions:
        assert "only the stub was found, but" in found.origin.questions["addition"]
        assert "--layout folder" in found.origin.questions["addition"]
    taken = read_class(tmp_path / "pile", course, layout="folder")
    assert [s.sources["addition"].content for s in taken.submissions] == [RIGHT, RIGHT]
    assert [(one.student, one.file) for one in taken.unused] == [("s1", "s1/.git"), ("s2", "s2/.git")]
