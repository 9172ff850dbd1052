"""Hidden tests. The owl of the hidden suite: owl-63d05a8f."""

import torch

from grader.judge import assert_close, assert_equal, criterion

MEGABYTE = 1 << 20


def draw(rng):
    """A number long enough to be recognised wherever it turns up."""
    return rng.randrange(10**11, 10**12)


@criterion("Any sum", points=2, kind="value", hint="Use +.", timeout=2)
def test_add_any(student, rng):
    """Sums of numbers that nobody knows beforehand."""
    a, b = draw(rng), draw(rng)
    assert_equal(student.add(a, b), a + b, f"add({a}, {b})")


@criterion("Any list", points=2, kind="value", hint="Return it.", timeout=2)
def test_echo_any(student, rng):
    """Lists that nobody knows beforehand."""
    items = [draw(rng), str(draw(rng)), [draw(rng), None]]
    assert_equal(student.echo(items), items, f"echo({items})")


@criterion("Any function", points=2, kind="value", hint="Call it.", timeout=2)
def test_apply(student, rng):
    """The function is asked once, for x, and its answer returned."""
    x, offset = draw(rng), draw(rng)
    asked = []

    def function(value):
        asked.append(value)
        return value + offset

    assert_equal(student.apply(function, x), x + offset, f"apply(function, {x})")
    assert_equal(asked, [x], "what the function was asked")


@criterion("Values and gradients", points=2, kind="gradient", hint="Multiply.", timeout=2)
def test_scale(student, rng):
    """Three times x, through which gradients flow."""
    x = torch.tensor([[float(draw(rng)), -1.0, 0.5]], dtype=torch.float64)
    reply = student.scale.gradients(x)
    assert_close(reply.value, 3 * x, f"scale({x.tolist()})")
    assert_close(reply.gradients[0], torch.full_like(x, 3.0), f"the gradient of scale({x.tolist()})")


@criterion("In little memory", points=2, kind="efficiency", hint="Keep no list.", timeout=2)
def test_table(student, rng):
    """A long sum without a table of its terms."""
    n = rng.randrange(150_000, 200_000)
    reply = student.table.measure(n)
    assert_equal(reply.value, n * (n - 1) // 2, f"table({n})")
    assert reply.peak_bytes < 4 * MEGABYTE, "more than 4 MB"


@criterion("Counting", points=2, kind="value", hint="Keep the number.", timeout=2)
def test_counter(student, rng):
    """An object that counts on from any number."""
    start = draw(rng)
    counter = student.Counter(start)
    assert_equal(counter.next(), start + 1, f"Counter({start}).next()")
    assert_equal(counter.next(), start + 2, f"Counter({start}).next(), the second time")
