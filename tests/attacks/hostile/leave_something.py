"""Leaves marks for whoever comes next: in files, in shared memory, in torch, in every module."""
# expect: * = passed

import builtins
import random

import numpy

MARK = "grader_attack_mark"
for module in (torch, numpy, random, builtins, os, sys, gc, ctypes):
    setattr(module, MARK, True)
torch.set_default_dtype(torch.float16)
torch.set_num_threads(2)
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
torch.nn.functional.softmax = None
os.environ[MARK] = "1"
sys.setrecursionlimit(50_000)
sys.setswitchinterval(100)
for place in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/run/grader", "."):
    must_fail(f"leave {place}", lambda: open(f"{place}/grader-attack-mark", "w"))
torch.set_default_dtype(torch.float32)
