"""Looks for the modules and handles of other students in the process it was forked from."""
# expect: * = passed

import types

for thing in gc.get_objects():
    if isinstance(thing, types.ModuleType) and getattr(thing, "ESCAPES", ESCAPES) is not ESCAPES:
        ESCAPES.append(f"another submission: {thing!r}")
    if type(thing).__name__ in ("Executor", "Load") and getattr(thing, "name", "echo") != "echo":
        ESCAPES.append(f"another load: {thing!r}")
executors = [thing for thing in gc.get_objects() if type(thing).__name__ == "Executor"]
if len(executors) > 1:
    ESCAPES.append(f"{len(executors)} executors")
