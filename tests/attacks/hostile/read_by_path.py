"""Reads the hidden suite, the solution, the manifest, the submissions and the journal by their paths, in many ways."""
# expect: * = passed

import importlib.machinery
import linecache
import mmap
import shutil
import sqlite3

import numpy

TARGETS = [
    f"{COURSE}/tests/hidden/test_echo.py",
    f"{COURSE}/solutions/echo.py",
    f"{COURSE}/course.toml",
    f"{COURSE}/exercises/echo/test_echo.py",
    f"{SUBMISSIONS}/000_honest/echo.py",
    f"{OUT}/journal.sqlite",
]


def map_it(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:10]


def by_line(path):
    linecache.checkcache(path)
    return linecache.getlines(path) or open("/nowhere")


def reopen(path):
    """Opening for nothing but the name may be allowed; from there to the content must not be."""
    holder = os.open(path, os.O_PATH)
    return os.read(os.open(f"/proc/self/fd/{holder}", os.O_RDONLY), 10)


def query(path):
    return sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True).execute("SELECT * FROM graded").fetchone()


for target in TARGETS:
    must_fail(f"open {target}", lambda: open(target).read(10))
    must_fail(f"open as root's {target}", lambda: open("/proc/1/root" + target).read(10))
    must_fail(f"climb to {target}", lambda: open("../" * 20 + target[1:]).read(10))
    must_fail(f"os.open {target}", os.open, target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    must_fail(f"reopen {target}", reopen, target)
    must_fail(f"mmap {target}", map_it, target)
    must_fail(f"copy {target}", shutil.copyfile, target, "/tmp/copy")
    must_fail(f"numpy {target}", numpy.fromfile, target, "uint8")
    must_fail(f"torch {target}", torch.load, target)
    must_fail(f"torch maps {target}", lambda: torch.from_file(target, size=10, dtype=torch.uint8))
    must_fail(f"import {target}", importlib.machinery.SourceFileLoader("stolen", target).load_module)
    must_fail(f"link {target}", ctypes.CDLL, target)
    must_fail(f"linecache {target}", by_line, target)
    must_fail(f"list {target}", os.listdir, os.path.dirname(target))
    must_fail(f"scan {target}", lambda: list(os.scandir(os.path.dirname(target))))
must_fail("journal", query, f"{OUT}/journal.sqlite")
if LEVEL == "bubblewrap":
    for target in TARGETS:
        must_fail(f"stat {target}", os.stat, target)
