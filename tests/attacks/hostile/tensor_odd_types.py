"""Returns quantised, complex, conjugated and nested tensors, and one that is far larger than its memory."""
# expect: add, add_any, echo, echo_any, apply = failed | error | crashed | memory
# expect: scale = failed | error
# expect: table = error | memory | crashed

import warnings

warnings.simplefilter("ignore")


def add(a, b):
    return torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)


def echo(x):
    return [torch.ones(2, dtype=torch.complex64).conj(), torch.ones(2, dtype=torch.float8_e4m3fn)]


def apply(function, x):
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def scale(x):
    return (3 * x).to(torch.complex128)


def table(n):
    return torch.zeros(1).expand(1 << 40)
