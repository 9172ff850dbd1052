"""Returns texts that a careless report would obey or choke on."""
# expect: echo, echo_any = failed
# expect: add, add_any, apply = failed | error | crashed
# expect: * = passed


def echo(x):
    return ["\x1b[2J\x1b]0;owned\x07", "<script>alert(1)</script>", "\u202egnp.exe", "[red]rich[/red]"]


def add(a, b):
    return "\ud800"


def apply(function, x):
    return "\x00" * 1000
