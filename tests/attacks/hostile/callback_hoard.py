"""Asks with the largest arguments that there can be; the test keeps what it was asked."""
# expect: apply = tampered | timeout | failed
# expect: * = passed


def apply(function, x):
    large = torch.zeros(7 << 20, dtype=torch.float64)
    while True:
        function(large)
