"""Submissions that compute nothing right but behave well: they must get next to no points.

Each is the solution with a last line that spoils what leaves its public functions and methods. So types and shapes
are right, wrong arguments are refused, nothing of the caller's is changed, and no value is right. A criterion that
such a module passes asks too little: it needs a value that only right code gives.
"""

from __future__ import annotations

# How a result is spoiled: an expression of `found`, the right result, `args`, and `memory`, a dict of this function.
KINDS = {
    "zeros": "_put(found, 0)",
    "ones": "_put(found, 1)",
    "minus_infinity": "_put(found, float('-inf'))",
    "noise": "_put(found, None)",
    "first_answer": "memory.setdefault('first', found)",
    "echo": "args[0] if args else found",
}

# Gradients still flow, as zeros: a student who wants points for nothing would see to that.
SPOILER = """

def _spoil_all():
    import functools, inspect, random, sys
    torch = sys.modules.get("torch")
    depth = [0]  # only what leaves the module is spoiled, not what its functions tell each other

    def _put(value, number):
        if torch is not None and isinstance(value, torch.Tensor):
            return _put_in_tensor(value, number)
        if isinstance(value, dict):
            return {key: _put(one, number) for key, one in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(_put(one, number) for one in value))
        if isinstance(value, (list, tuple)):
            return type(value)(_put(one, number) for one in value)
        if isinstance(value, bool):
            return bool(random.getrandbits(1) if number is None else number > 0)
        if isinstance(value, float):
            return random.gauss(0, 1) if number is None else float(number)
        if isinstance(value, int):
            return random.randrange(10) if number is None else int(max(number, -1))
        if isinstance(value, str):
            return random.choice("abc012") if number is None else str(number)
        return value

    def _put_in_tensor(value, number):
        if value.is_floating_point():
            new = torch.randn_like(value) if number is None else torch.full_like(value, number)
            return torch.nan_to_num(value, 0.0, 0.0, 0.0) * 0 + new
        if value.dtype is torch.bool:
            return torch.rand(value.shape) < 0.5 if number is None else torch.full_like(value, number > 0)
        return torch.randint_like(value, 10) if number is None else torch.full_like(value, max(number, -1))

    def spoil(function):
        memory = {}

        @functools.wraps(function)
        def spoiled(*all_args, **named):
            depth[0] += 1
            try:
                found = function(*all_args, **named)
            finally:
                depth[0] -= 1
            args = [*(all_args[1:] if "." in function.__qualname__ else all_args), *named.values()]
            return found if depth[0] else HOW

        return spoiled

    for name, thing in list(globals().items()):
        if name.startswith("_") or getattr(thing, "__module__", None) != __name__:
            continue
        if inspect.isfunction(thing):
            globals()[name] = spoil(thing)
        elif inspect.isclass(thing):
            for method, code in list(vars(thing).items()):
                if inspect.isfunction(code) and not method.startswith("_"):
                    setattr(thing, method, spoil(code))


_spoil_all()
"""


# Where students write tests, nothing is returned that could be spoiled: these are tests that do not look.
KINDS_OF_TESTS = {
    "accepts_all": "pass",
    "rejects_all": "raise AssertionError('wrong')",
    "tosses_a_coin": "assert __import__('random').random() < 0.5",
}
REPLACER = """

for _name, _thing in list(globals().items()):
    if not _name.startswith("_") and getattr(_thing, "__module__", None) == __name__ and callable(_thing):
        def _blind(*args, **named):
            HOW
        globals()[_name] = _blind
"""


def make_garbage(solution: str, *, of_tests: bool) -> dict[str, str]:
    """The sources by the kind of garbage; ``of_tests``: the solution consists of tests."""
    kinds, last = (KINDS_OF_TESTS, REPLACER) if of_tests else (KINDS, SPOILER)
    return {kind: solution + last.replace("HOW", how) for kind, how in kinds.items()}
