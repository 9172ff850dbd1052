"""Calls the kernel by the door for 32-bit programs, with machine code of its own."""
# expect: table = crashed
# expect: * = passed

import mmap


def table(n):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3]))  # mov eax, getpid; int 0x80; ret
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    code()
    ESCAPES.append("a 32-bit call returned")
    return sum(range(n))
