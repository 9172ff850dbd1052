"""Opens what lies in /dev, and more than that."""
# expect: * = passed

for name in (
    "mem", "kmem", "port", "kmsg", "tty", "ptmx", "console", "random", "full", "fuse", "kvm", "loop0", "sda", "vda", "vda1", "shm",
    "mqueue", "pts", "pts/0", "net/tun", "vhost-net", "input/event0", "core", "userfaultfd", "vsock", "rtc0",
):  # fmt: skip
    must_fail(f"read {name}", lambda: os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK))
    must_fail(f"write {name}", lambda: os.open(f"/dev/{name}", os.O_WRONLY | os.O_NONBLOCK))
