"""Backtracks for ever inside C, where Python takes no signals."""
# expect: table = timeout
# expect: * = passed

import re


def table(n):
    return re.match(r"(a*)*b", "a" * 60)
