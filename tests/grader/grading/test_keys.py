"""The key of a result changes with everything that decides about it, and with nothing else."""

from grader.grading.keys import hash_files, hash_sources


def test_hashes_tell_names_contents_and_absence_apart(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"xy")
    hashes = {hash_files([a]), hash_files([a, b]), hash_files([a], extra="1")}
    b.write_bytes(b"")
    hashes |= {hash_files([a, b]), hash_files([b])}
    assert len(hashes) == 5
    assert hash_files([b, a]) == hash_files([a, b])
    sources = [
        {},
        {"m": ("m.py", b"")},
        {"m": ("m.py", b"x")},
        {"n": ("n.py", b"x")},
        {"m": ("m.py", b"x"), "n": ("n.py", b"")},
    ]
    assert len({hash_sources(s) for s in sources}) == 5
