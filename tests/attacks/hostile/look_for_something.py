"""Looks for the marks that another submission tried to leave."""
# expect: * = passed

import builtins
import random

import numpy

MARK = "grader_attack_mark"
for module in (torch, numpy, random, builtins, os, sys, gc, ctypes):
    if hasattr(module, MARK):
        ESCAPES.append(f"a mark in {module.__name__}")
if torch.get_default_dtype() != torch.float32 or torch.nn.functional.softmax is None or MARK in os.environ:
    ESCAPES.append("a changed torch")
if sys.getrecursionlimit() != 1000 or torch.get_num_threads() != 1 or torch.are_deterministic_algorithms_enabled():
    ESCAPES.append("a changed interpreter")
for place in ("/tmp", "/dev/shm", "/var/tmp", "/run", "."):
    if os.path.lexists(f"{place}/grader-attack-mark"):
        ESCAPES.append(f"a mark in {place}")
