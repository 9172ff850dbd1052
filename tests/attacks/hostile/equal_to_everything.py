"""Returns objects that claim to be equal to whatever they are compared with."""
# expect: * = failed


class Anything:
    def __eq__(self, other):
        return True

    __ne__ = __lt__ = __gt__ = lambda self, other: False
    __le__ = __ge__ = __contains__ = __eq__

    def __hash__(self):
        return 0

    def __bool__(self):
        return True

    def __len__(self):
        return 4

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __getitem__(self, key):
        return self

    def __int__(self):
        return 3

    def __float__(self):
        return 3.0


add = echo = apply = scale = table = Counter = lambda *args: Anything()
