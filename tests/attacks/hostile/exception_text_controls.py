"""Raises with texts and class names full of control characters, markup, and line breaks."""
# expect: * = error

NASTY = "\x1b[31m\x1b]0;owned\x07\r\n<script>alert(1)</script>&[bold]\u202e\x00\u2028" + "x" * 1000


def fail(*args):
    raise type(NASTY.replace("\x00", ""), (Exception,), {})(NASTY)


add = echo = apply = scale = table = Counter = fail
