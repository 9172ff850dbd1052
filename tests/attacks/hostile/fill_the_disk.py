"""Writes as much as it can to whatever it can write to."""
# expect: * = passed

import tempfile

written = 0
for opener in (tempfile.TemporaryFile, lambda: tempfile.SpooledTemporaryFile(max_size=1), lambda: open("/tmp/full", "wb")):
    try:
        with opener() as file:
            for _ in range(100):
                written += file.write(bytes(1 << 20))
    except Exception:
        continue
if written > 100 << 20:
    ESCAPES.append(f"{written} bytes written")
