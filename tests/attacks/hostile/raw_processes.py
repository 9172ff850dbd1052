"""Reads, traces and steers other processes by raw system calls."""
# expect: * = passed

parent = os.getppid()
place = ctypes.create_string_buffer(4096)
vector = (ctypes.c_ulong * 2)(ctypes.addressof(place), 4096)
for pid in (parent, 1, os.getpid()):
    must_be_refused("ptrace attach", 101, 16, pid, 0, 0)
    must_be_refused("ptrace seize", 101, 0x4206, pid, 0, 0)
    must_be_refused("process_vm_readv", 310, pid, ctypes.addressof(vector), 1, ctypes.addressof(vector), 1, 0)
    must_be_refused("process_vm_writev", 311, pid, ctypes.addressof(vector), 1, ctypes.addressof(vector), 1, 0)
    must_be_refused("pidfd_open", 434, pid, 0)
    must_be_refused("process_madvise", 440, pid, 0, 0, 0, 0)
    must_be_refused("kcmp", 312, pid, pid, 0, 0, 0)
    must_be_refused("setpriority", 141, 0, pid, 19)
    must_be_refused("sched_setaffinity", 203, pid, 8, ctypes.addressof(place))
    must_be_refused("sched_setscheduler", 144, pid, 0, ctypes.addressof(place))
    must_be_refused("migrate_pages", 256, pid, 0, 0, 0)
for descriptor in range(8):
    must_be_refused("pidfd_getfd", 438, descriptor, 0, 0)
    must_be_refused("pidfd_send_signal", 424, descriptor, 9, 0, 0)
must_be_refused("ptrace me", 101, 0, 0, 0, 0)
must_be_refused("wait4", 61, -1, 0, 0, 0)
