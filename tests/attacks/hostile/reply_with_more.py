"""Answers rightly, with parts that nobody asked for: the judge would keep them."""
# expect: * = tampered

MORE = torch.zeros(1 << 20)


def add(a, b):
    instead(frame("reply", number(), {"value": a + b, "args": (MORE, MORE)}))


def echo(x):
    instead(frame("reply", number(), {"value": x, "kwargs": {"x": MORE}}))


def apply(function, x):
    instead(frame("reply", number(), {"value": function(x), "parameters": {"x": MORE}}))


def scale(x):
    instead(frame("reply", number(), {"value": 3 * x, "gradients": (MORE, MORE), "devices": ("cpu",)}))


def table(n):
    instead(frame("reply", number(), {"value": sum(range(n)), "gradients": (MORE,)}))


def Counter(start):
    instead(frame("reply", number(), {"value": 1, "devices": ("cpu",) * 9}))
