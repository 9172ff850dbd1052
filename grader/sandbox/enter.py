"""The way from root into bubblewrap: a step that only root needs.

Inside ``bwrap`` root would still be the kernel's uid 0. So the user is changed first, and because that user may not
be able to reach Python (in root's home, say), the folders that it needs are bound into a place that it can reach, in a
mount namespace that ends with the process.

Usage: enter.py UID STAGE FOLDER… -- COMMAND…, where ``{0}``, ``{1}``… in COMMAND stand for the bound FOLDERs.
"""

import ctypes
import os
import sys

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


def main(arguments: list[str]) -> None:
    split = arguments.index("--")
    uid, stage, *folders = arguments[:split]
    command = arguments[split + 1 :]
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int, what: str) -> None:
        if result:
            sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")

    check(libc.unshare(CLONE_NEWNS), "unshare")
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount /")
    for number, folder in enumerate(folders):
        place = os.path.join(stage, str(number))  # noqa: PTH118  # one small step before exec
        if os.path.isdir(folder):  # noqa: PTH112
            os.mkdir(place)  # noqa: PTH102
        else:
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY))
        check(libc.mount(folder.encode(), place.encode(), None, MS_BIND | MS_REC, None), f"mount {folder}")
        command = [place if word == f"{{{number}}}" else word for word in command]
    os.setgroups([])
    os.setresgid(int(uid), int(uid), int(uid))
    os.setresuid(int(uid), int(uid), int(uid))
    os.execvp(command[0], command)  # noqa: S606  # bwrap, with arguments that we made


if __name__ == "__main__":
    main(sys.argv[1:])
