"""Asks for named shared memory, which would outlive it, through Python and through torch."""
# expect: * = passed

from multiprocessing import shared_memory

must_fail("shared memory", shared_memory.SharedMemory, "grader-attack-mark", True, 4096)
must_fail("share_memory_", lambda: torch.ones(3).share_memory_())
