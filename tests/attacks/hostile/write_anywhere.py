"""Writes, makes, links, renames and removes files wherever there may be some."""
# expect: * = passed

import tempfile

PLACES = [
    COURSE, f"{COURSE}/tests/hidden", f"{COURSE}/solutions", SUBMISSIONS, f"{SUBMISSIONS}/000_honest", OUT, "/tmp", "/var/tmp", "/dev/shm",
    "/dev", "/dev/mqueue", "/run", "/run/grader", "/run/lock", "/root", "/home", "/", ".", os.path.dirname(os.__file__),
    os.path.dirname(torch.__file__), "/proc/self", "/sys/fs/cgroup", os.environ.get("HOME", "/"),
]
for place in PLACES:
    new = f"{place}/grader-attack-mark"
    must_fail(f"write {new}", lambda: open(new, "w"))
    must_fail(f"append {new}", lambda: open(new, "a"))
    must_fail(f"exclusive {new}", lambda: open(new, "x"))
    must_fail(f"unnamed in {place}", os.open, place, os.O_TMPFILE | os.O_RDWR)
    must_fail(f"mkdir {new}", os.mkdir, new)
    must_fail(f"symlink {new}", os.symlink, "/etc/passwd", new)
    must_fail(f"fifo {new}", os.mkfifo, new)
    must_fail(f"node {new}", os.mknod, new)
    must_fail(f"link {new}", os.link, os.__file__, new)
    must_fail(f"temporary in {place}", lambda: tempfile.NamedTemporaryFile(dir=place))
    must_fail(f"chmod {place}", os.chmod, place, 0o777)
    must_fail(f"utime {place}", os.utime, place)
    must_fail(f"chown {place}", os.chown, place, os.getuid(), os.getgid())
    must_fail(f"xattr {place}", os.setxattr, place, "user.mark", b"1")
for old in (f"{COURSE}/tests/hidden/test_echo.py", f"{OUT}/journal.sqlite", f"{SUBMISSIONS}/000_honest/echo.py", torch.__file__):
    must_fail(f"overwrite {old}", lambda: open(old, "r+"))
    must_fail(f"truncate {old}", os.truncate, old, 0)
    must_fail(f"remove {old}", os.unlink, old)
    must_fail(f"rename {old}", os.rename, old, f"{old}.bak")
must_fail("proc", lambda: open("/proc/self/oom_score_adj", "w").write("-1000"))
must_fail("clear_refs", lambda: open("/proc/self/clear_refs", "w").write("5"))
