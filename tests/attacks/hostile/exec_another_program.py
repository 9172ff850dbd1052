"""Becomes another program, by path, by descriptor, and by an interpreter line."""
# expect: * = passed

for path in ("/bin/sh", "/usr/bin/env", sys.executable, "/bin/true"):
    must_fail(f"execv {path}", os.execv, path, [path])
    must_fail(f"execve {path}", os.execve, path, [path], {})
must_fail("fexecve", lambda: os.execve(os.open("/usr/bin/env", os.O_RDONLY), ["env"], {}))
must_be_refused("execveat", 322, 0, 0, 0, 0, 0x1000)
must_be_refused("execve", 59, 0, 0, 0)
