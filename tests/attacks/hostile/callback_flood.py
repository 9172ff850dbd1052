"""Asks the judge's function without end."""
# expect: apply = tampered | timeout
# expect: * = passed


def apply(function, x):
    while True:
        function(x)
