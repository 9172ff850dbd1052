"""Puts another object into the place of its own module, whose functions are wrong."""
# expect: * = failed
# expect: counter = missing


class Other:
    add = echo = apply = scale = table = staticmethod(lambda *args: None)
    __spec__ = __path__ = __loader__ = None


sys.modules[__name__] = Other()
