"""Reads other processes and their folders through /proc."""
# expect: * = passed

PARTS = ["environ", "cmdline", "maps", "mem", "status", "stat", "auxv", "syscall", "stack", "limits", "mountinfo"]
for pid in ["self", "thread-self", "1", "2", str(os.getppid()), str(os.getpid()), *map(str, range(3, 60))]:
    for part in PARTS:
        must_fail(f"/proc/{pid}/{part}", lambda: open(f"/proc/{pid}/{part}", "rb").read(10))
    for part in ("cwd", "root", "fd", "task", "map_files", "ns"):
        must_fail(f"list /proc/{pid}/{part}", os.listdir, f"/proc/{pid}/{part}")
    for part in ("cwd", "root"):
        must_fail(f"/proc/{pid}/{part}", lambda: open(f"/proc/{pid}/{part}{COURSE}/course.toml").read(10))
    if pid.isdigit() and int(pid) != os.getpid():
        for part in ("cwd", "exe", "fd/0", "fd/3", "fd/4", "fd/5"):
            must_fail(f"readlink /proc/{pid}/{part}", os.readlink, f"/proc/{pid}/{part}")
            must_fail(f"open /proc/{pid}/{part}", lambda: open(f"/proc/{pid}/{part}", "rb"))
for name in ("kallsyms", "cmdline", "modules", "sched_debug", "timer_list", "kmsg", "self/mounts", "sys/kernel/random/boot_id"):
    must_fail(f"/proc/{name}", lambda: open(f"/proc/{name}", "rb").read(10))
