"""Hangs when the judge asks for a name, by a module of another class."""
# expect: table = timeout
# expect: * = passed

import types


class Hanging(types.ModuleType):
    def __getattribute__(self, name):
        while name == "table":
            pass
        return super().__getattribute__(name)


sys.modules[__name__].__class__ = Hanging
