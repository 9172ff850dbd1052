"""Memory that is gathered in huge pages holds what it held."""

import os

from grader.worker import linux


def test_collapsed_memory_keeps_its_content():
    block = bytearray(os.urandom(1 << 16) * 128)  # 8 MB
    before = hash(bytes(block))
    linux.collapse_memory()
    assert hash(bytes(block)) == before
    child = os.fork()
    if child == 0:
        os._exit(hash(bytes(block)) != before)
    assert os.waitpid(child, 0)[1] == 0
