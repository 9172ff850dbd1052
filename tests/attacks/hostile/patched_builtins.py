"""Replaces the builtins that comparisons are made with."""
# expect: * = failed | error | crashed | tampered

import builtins

wrong = lambda *args: 0
add = echo = apply = scale = table = Counter = wrong
builtins.abs = builtins.sum = builtins.max = wrong
builtins.AssertionError = type("AssertionError", (Exception,), {})
builtins.all = builtins.any = lambda *args: True
