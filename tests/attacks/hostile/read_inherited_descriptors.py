"""Looks for descriptors that were left open: a control socket, a log, a folder."""
# expect: * = passed

import stat

allowed = {channel()}
for descriptor in range(4096):
    try:
        status = os.fstat(descriptor)
    except OSError:
        continue
    null = stat.S_ISCHR(status.st_mode) and status.st_rdev == os.makedev(1, 3)
    if descriptor not in allowed and not (null and descriptor < 3):
        ESCAPES.append(f"descriptor {descriptor}: {status}")
if not stat.S_ISSOCK(os.fstat(channel()).st_mode):
    ESCAPES.append("the channel is no socket")
