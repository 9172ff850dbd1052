"""Reads library files that nobody has read, so that the next worker finds other access times."""

import os


def times_change():
    """On the level landlock they do, once a day: docs/security.md says so."""
    folder = os.path.dirname(torch.__file__)
    files = [os.path.join(folder, name) for name in os.listdir(folder)]
    for file in [file for file in files if os.path.isfile(file)][:100]:
        before = os.stat(file).st_atime_ns
        with open(file, "rb") as opened:
            opened.read(1)
        if os.stat(file).st_atime_ns != before:
            return file
    raise OSError("all as before")


if LEVEL == "bubblewrap":
    must_fail("access times", times_change)
