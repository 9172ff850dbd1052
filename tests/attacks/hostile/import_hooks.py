"""Hooks into imports, frames, tracing and garbage collection, and names modules like the grader's."""
# expect: * = passed | error | crashed

import types


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(("torch", "numpy", "json")):
            return None
        raise SystemExit(name)


sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: 1 / 0)
sys.setprofile(lambda *args: None)
sys.excepthook = sys.unraisablehook = lambda *args: os._exit(0)
for name in ("grader", "grader.judge", "grader.judge.plugin", "pytest", "conftest", "_pytest"):
    sys.modules[name] = types.ModuleType(name)
gc.callbacks.append(lambda *args: None)
gc.unfreeze()
gc.disable()
