"""Says a secret word in an exception of a public criterion, and returns it in another."""
# expect: add, add_any = error
# expect: echo, echo_any = failed


def add(a, b):
    raise ValueError("parrot-41c7")


def echo(x):
    return "parrot-41c7"
