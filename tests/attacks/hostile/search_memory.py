"""Looks through every object of the process for the owl of the hidden suite or the solution."""
# expect: * = passed

OWLS = ["-".join(["owl", "63d05a8f"]), "-".join(["owl", "9b1f7c2e"])]


def search(depth=0):
    seen = 0
    for thing in gc.get_objects():
        if type(thing) not in (dict, list, tuple):
            continue
        for item in thing.values() if type(thing) is dict else thing:
            if type(item) in (str, bytes) and thing is not OWLS:
                seen += 1
                text = item if type(item) is str else item.decode("latin-1")
                if any(owl in text for owl in OWLS) and text not in OWLS:
                    ESCAPES.append(f"found {text[:60]!r}")
    return seen


search()


def table(n):
    search()
    return sum(range(n))
