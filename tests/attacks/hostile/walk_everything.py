"""Walks the whole file system and looks for anything of the course, of a submission, or of a secret kind."""
# expect: * = passed

NAMES = {"test_echo.py", "course.toml", "echo.py", "journal.sqlite", "results.json", "shadow", "id_rsa", "authorized_keys"}
OWL = "-".join(["owl", "63d05a8f"])
seen = 0
for folder, folders, files in os.walk("/"):
    if folder.count("/") > 4 or folder.startswith(("/usr", "/sys")):
        folders.clear()
    seen += len(files)
    for name in files:
        path = f"{folder}/{name}"
        if name in NAMES and os.access(path, os.R_OK):
            must_fail(f"read {path}", lambda: open(path, "rb").read(1))
    if seen > 20000:
        break
