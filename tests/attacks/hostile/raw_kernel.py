"""Asks for parts of the kernel that have had holes: keys, bpf, perf, io_uring, userfaultfd, memfd, queues."""
# expect: * = passed

place = ctypes.create_string_buffer(4096)
where = ctypes.addressof(place)
for name, call, *args in (
    ("add_key", 248, where, where, where, 1, -3), ("request_key", 249, where, where, 0, -3), ("keyctl", 250, 0, -3, 0),
    ("bpf", 321, 0, where, 72), ("perf_event_open", 298, where, 0, -1, -1, 0), ("io_uring_setup", 425, 8, where),
    ("io_uring_enter", 426, 3, 1, 1, 0, 0), ("io_uring_register", 427, 3, 0, 0, 0), ("userfaultfd", 323, 0),
    ("memfd_create", 319, where, 0), ("memfd_secret", 447, 0), ("mq_open", 240, where, 0x42, 0o600, 0), ("shmget", 29, 1234, 4096, 0o1666),
    ("shmat", 30, 0, 0, 0), ("semget", 64, 1234, 1, 0o1666), ("msgget", 68, 1234, 0o1666), ("inotify_init", 253),
    ("fanotify_init", 300, 0, 0), ("epoll_create1", 291, 0), ("eventfd2", 290, 0, 0), ("signalfd4", 289, -1, where, 8, 0),
    ("timerfd_create", 283, 1, 0), ("timer_create", 222, 1, 0, where), ("setitimer", 38, 0, where, 0), ("alarm", 37, 1),
    ("splice", 275, 0, 0, 0, 0, 1, 0), ("vmsplice", 278, 0, where, 1, 0), ("tee", 276, 0, 1, 1, 0), ("sendfile", 40, 1, 0, 0, 1),
    ("copy_file_range", 326, 0, 0, 1, 0, 1, 0), ("seccomp", 317, 1, 0, where), ("socket", 41, 1, 1, 0), ("socketpair", 53, 1, 1, 0, where),
    ("sendmsg", 46, 3, where, 0), ("recvmsg", 47, 3, where, 0), ("ioperm", 173, 0, 1, 1), ("kexec_load", 246, 0, 0, where, 0),
    ("syslog", 103, 3, where, 100), ("quotactl", 179, 0, where, 0, where), ("swapon", 167, where, 0), ("mlockall", 151, 3),
    ("remap_file_pages", 216, where, 4096, 0, 0, 0), ("mbind", 237, where, 4096, 0, 0, 0, 0), ("pkey_alloc", 330, 0, 0),
    ("arch_prctl", 158, 0x1002, where), ("set_thread_area", 205, where), ("lookup_dcookie", 212, 0, where, 1), ("fallocate", 285, 1, 0, 0, 1),
    ("ftruncate", 77, 1, 0), ("fchmod", 91, 1, 0o777), ("umask", 95, 0), ("getxattr", 191, where, where, where, 1), ("utimensat", 280, -100, where, 0, 0),
):  # fmt: skip
    must_be_refused(name, call, *args)
