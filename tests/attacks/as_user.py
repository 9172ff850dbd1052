"""Run a command as another user, with some folders within its reach: as_user.py UID FOLDER… -- COMMAND…

A folder may lie below one that the user cannot enter (Python in root's home, say). In a mount namespace of its own,
such an obstacle is covered by an empty file system that shows nothing but these folders.
"""

import ctypes
import os
import stat
import sys
import tempfile
from pathlib import Path

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


def obstacle(folder: Path) -> Path | None:
    """The uppermost folder above this one that others cannot enter."""
    closed = [parent for parent in folder.parents if not parent.stat().st_mode & stat.S_IXOTH]
    return closed[-1] if closed else None


def main(arguments: list[str]) -> None:
    split = arguments.index("--")
    uid, folders, command = int(arguments[0]), arguments[1:split], arguments[split + 1 :]
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
        if libc.mount(source.encode(), target.encode(), kind.encode(), flags, data.encode()):
            raise OSError(ctypes.get_errno(), f"mount {target}")

    if libc.unshare(CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    covered: dict[Path, list[Path]] = {}
    for folder in map(Path, folders):
        if place := obstacle(folder.resolve()):
            covered.setdefault(place, []).append(folder.resolve())
    for place, hidden in covered.items():
        with tempfile.TemporaryDirectory() as stage:
            for index, folder in enumerate(hidden):
                Path(stage, str(index)).mkdir()
                mount(str(folder), f"{stage}/{index}", "", MS_BIND | MS_REC)
            mount("none", str(place), "tmpfs", 0, "mode=755")
            for index, folder in enumerate(hidden):
                folder.mkdir(parents=True, exist_ok=True)
                mount(f"{stage}/{index}", str(folder), "", MS_BIND | MS_REC)
                libc.umount2(f"{stage}/{index}".encode(), 2)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.chdir("/")
    os.execv(command[0], command)  # the test's own command


if __name__ == "__main__":
    main(sys.argv[1:])
