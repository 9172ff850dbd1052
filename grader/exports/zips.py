"""Zip files whose bytes depend on nothing but what is in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first day that a zip knows
REGULAR = 0o100000


def make_zip(members: Mapping[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """The members in the order of their names; the same members give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, wherever this runs: then the permissions count
            info.external_attr = (REGULAR | (0o755 if name in executable else 0o644)) << 16
            archive.writestr(info, members[name])
    return content.getvalue()
