"""Writes a gigabyte to standard output and standard error."""
# expect: * = passed

block = bytes(1 << 20)
for descriptor in (1, 2):
    for _ in range(512):
        os.write(descriptor, block)
for stream in (sys.stdout, sys.stderr):
    for _ in range(10):
        stream.write("\x1b[2J" * 10_000)
