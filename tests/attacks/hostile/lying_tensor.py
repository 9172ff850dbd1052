"""Returns a tensor of a class that intercepts every function of torch."""
# expect: scale = failed | error | crashed
# expect: * = passed


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function.__name__ in ("isclose", "allclose", "equal", "eq"):
            return torch.ones(1, 3, dtype=torch.bool)
        return super().__torch_function__(function, types, args, kwargs or {})


def scale(x):
    return (x * 0).as_subclass(Liar)
