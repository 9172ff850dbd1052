"""Opens descriptors until there are no more, and keeps them."""
# expect: * = passed

hoard = []
try:
    while len(hoard) < 100_000:
        hoard.append(os.dup(0))
except OSError:
    pass
try:
    while True:
        hoard.append(os.pipe())
except OSError:
    pass
if len(hoard) > 200:
    ESCAPES.append(f"{len(hoard)} descriptors")
