"""Which layers of confinement this machine offers, each with the reason where it does not."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from grader.errors import ConfinementError
from grader.worker import landlock, seccomp

INSTALL = (
    "install it with `apt install bubblewrap` (Debian, Ubuntu), `dnf install bubblewrap` (Fedora), "
    "`pacman -S bubblewrap` (Arch), or `zypper install bubblewrap` (openSUSE)"
)
UNPRIVILEGED = 65432  # a user that owns nothing; root changes to it before anything else
ENTER = str(Path(__file__).with_name("enter.py"))
INSIDE = ("__init__.py", "wire", "worker")  # all that a worker needs of this package
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


def require_layers() -> Layers:
    """The layers of this machine, if they are enough to grade."""
    layers = find_layers()
    if layers.level == "none":
        reasons = "; ".join(f"{name}: {why}" for name, why in msgspec.structs.asdict(layers).items() if why)
        raise ConfinementError(
            f"Student code cannot be confined here ({reasons}). `grader doctor` says more. "
            "If you trust every submission, say --unconfined."
        )
    return layers


def _bubblewrap() -> str:
    """Try it, as the user that it will run as: distributions restrict user namespaces in many ways."""
    program = shutil.which("bwrap")
    if not program:
        return f"not installed; {INSTALL}"
    command = [program, *NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        with tempfile.TemporaryDirectory(prefix="grader-probe-", dir=public_folder()) as stage:
            if os.getuid() == 0:
                Path(stage).chmod(0o755)
                command = [sys.executable, "-I", "-S", ENTER, str(UNPRIVILEGED), stage, "/usr/lib", "--", *command]
            done = subprocess.run(  # noqa: S603  # bwrap, with arguments that we made
                command, cwd="/", capture_output=True, text=True, timeout=20, check=False
            )
    except (OSError, subprocess.SubprocessError) as error:
        return f"cannot be started: {error}"
    return "" if done.returncode == 0 else f"refused here: {done.stderr.strip() or done.returncode}"


def library_folders() -> list[str]:
    """What a worker must be able to read: the system's libraries, Python, its packages, and our own inside part."""
    own = Path(__file__).resolve().parents[1]
    folders = [
        "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo",
        sys.base_prefix, *site_packages(),
        *(str(own / name) for name in INSIDE),
    ]  # fmt: skip
    found = []
    for folder in folders:
        # /usr alone would be too much: what is in /usr/lib is enough to run Python.
        path = f"{folder}/lib" if folder == "/usr" else folder
        if os.path.exists(path) and path not in found:  # noqa: PTH110
            found.append(path)
    return found


def reachable_by_others(path: str) -> bool:
    """Whether a user who owns nothing can get to this path and read it."""
    folders = Path(path).resolve().parents
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders) and bool(
        Path(path).stat().st_mode & stat.S_IROTH
    )


def public_folder() -> str:
    """Where temporary folders can be reached by a worker of root's, who is somebody else: ``TMPDIR`` may be private."""
    usual = tempfile.gettempdir()
    folders = (usual, "/tmp", "/var/tmp", "/run")  # noqa: S108  # only to make folders in, with mkdtemp
    return next((f for f in folders if Path(f).is_dir() and reachable_by_others(f)), usual)


def site_packages() -> list[str]:
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
