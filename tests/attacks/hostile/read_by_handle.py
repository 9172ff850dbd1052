"""Opens files by their handles instead of their names, which once got out of containers."""
# expect: * = passed

for inode in (1, 2, 11, 128):
    handle = ctypes.create_string_buffer(bytes([8, 0, 0, 0, 1, 0, 0, 0, inode, 0, 0, 0, 0, 0, 0, 0]), 64)
    must_be_refused("open_by_handle_at", 304, -100, ctypes.addressof(handle), 0)
path = ctypes.create_string_buffer(COURSE.encode())
place = ctypes.create_string_buffer(256)
must_be_refused("name_to_handle_at", 303, -100, ctypes.addressof(path), ctypes.addressof(place), 0, 0)
must_be_refused("openat2", 437, -100, ctypes.addressof(path), ctypes.addressof(place), 24)
must_be_refused("open_tree", 428, -100, ctypes.addressof(path), 0)
must_be_refused("fsopen", 430, ctypes.addressof(path), 0)
