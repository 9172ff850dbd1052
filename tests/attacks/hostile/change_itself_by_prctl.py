"""Undoes by prctl what was done to it: the filter, the parent-death signal, being undumpable."""
# expect: * = passed

for name, option, *args in (
    ("pdeathsig", 1, 0), ("dumpable", 4, 1), ("keepcaps", 8, 1), ("seccomp", 22, 0), ("capbset", 23, 0), ("securebits", 28, 0),
    ("timer slack", 29, 1), ("mm", 35, 1, 0), ("subreaper", 36, 1), ("tracer", 0x59616D61, -1), ("no new privileges", 38, 0),
    ("ambient", 47, 2, 0), ("speculation", 53, 0, 2), ("syscall dispatch", 59, 1), ("vma name", 0x53564D41, 0),
):  # fmt: skip
    must_be_refused(name, 157, option, *args, 0, 0)
