"""Which layers of confinement this machine offers, each with the reason where it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from grader.sandbox import landlock, seccomp

INSTALL = (
    "install it with `apt install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), "
    "`pacman -S bubblewrap` (Arch), or `zypper install bubblewrap` (openSUSE)"
)
NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts")


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """For each layer an empty string if it works here, else why not."""

    bubblewrap: str
    landlock: str
    seccomp: str

    @property
    def level(self) -> str:
        """``bubblewrap`` or ``landlock``, whichever hides files; ``none`` is not enough to grade."""
        if self.seccomp:
            return "none"
        if not self.bubblewrap:
            return "bubblewrap"
        return "none" if self.landlock else "landlock"


def find_layers() -> Layers:
    if sys.platform != "linux":
        reason = f"needs Linux, this is {sys.platform}"
        return Layers(bubblewrap=reason, landlock=reason, seccomp=reason)
    return Layers(
        bubblewrap=_bubblewrap(),
        landlock="" if landlock.version() else "the kernel has no landlock, or it is not switched on",
        seccomp=seccomp.available(),
    )


def _bubblewrap() -> str:
    """Try it, as the user that it will run as: distributions restrict user namespaces in many ways."""
    program = shutil.which("bwrap")
    if not program:
        return f"not installed; {INSTALL}"
    command = [program, *NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    user = 65534 if os.getuid() == 0 else None
    try:
        done = subprocess.run(  # noqa: S603  # bwrap, with arguments that we made
            command, user=user, group=user, extra_groups=None if user is None else [],
            cwd="/", capture_output=True, text=True, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return f"cannot be started: {error}"
    return "" if done.returncode == 0 else f"refused here: {done.stderr.strip() or done.returncode}"


def library_folders() -> list[str]:
    """What a worker must be able to read: the system's libraries, Python, its packages, and our own inside part."""
    own = Path(__file__).resolve().parents[1]
    folders = [
        "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo",
        sys.base_prefix, *site_packages(),
        str(own / "__init__.py"), str(own / "wire"), str(own / "sandbox"),
    ]  # fmt: skip
    found = []
    for folder in folders:
        # /usr alone would be too much: what is in /usr/lib is enough to run Python.
        path = f"{folder}/lib" if folder == "/usr" else folder
        if os.path.exists(path) and path not in found:  # noqa: PTH110
            found.append(path)
    return found


def site_packages() -> list[str]:
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
