"""Everything allowed survives the journey; everything else ends in CodecError, and cheaply."""

import math
import struct
import tracemalloc

import msgspec
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from grader.wire import codec
from grader.wire.codec import CodecError, Reader, Writer, read_frame
from grader.wire.messages import Callback, Handle

keys = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
dtypes = st.sampled_from(sorted(codec.DTYPES))


@st.composite
def tensors(draw):
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    values = torch.randint(0, 2, shape, generator=torch.Generator().manual_seed(draw(st.integers(0, 99))))
    return values.to(getattr(torch, draw(dtypes)))


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**600), 10**600)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(max_size=20)
    | tensors()
    | st.builds(Handle, st.integers(0, 99), st.text(max_size=9))
    | st.builds(Callback, st.integers(0, 99)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys | st.tuples(keys, keys), inner, max_size=4)
    ),
    max_leaves=20,
)


def travel(value):
    writer = Writer()
    frame = writer.frame(writer.tree(value))
    return decode(frame)


def decode(frame):
    rest = memoryview(frame)

    def read(count):
        nonlocal rest
        if count > len(rest):
            raise EOFError
        part, rest = bytes(rest[:count]), rest[count:]
        return part

    header, payload = read_frame(read)
    reader = Reader(payload)
    value = reader.value(header)
    reader.done()
    return value


def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return one == other


@given(plain)
def test_everything_allowed_survives_the_journey(value):
    assert same(travel(value), value)
    assert same(codec.copy(value), value)


def test_special_numbers_and_odd_tensors_survive():
    assert math.isnan(travel(math.nan))
    assert travel([math.inf, -math.inf, -0.0]) == [math.inf, -math.inf, 0.0]
    strided = torch.arange(12.0).reshape(3, 4).T[::2]
    assert torch.equal(travel(strided), strided)
    conjugate = torch.tensor([1 + 2j]).conj()
    assert travel(conjugate).tolist() == [1 - 2j]
    arrived = travel(torch.tensor([math.nan, 1.0], requires_grad=True))
    assert not arrived.requires_grad
    assert arrived.isnan().tolist() == [True, False]


class Text(str):
    pass


@pytest.mark.parametrize("value", [{1, 2}, object(), Text("x"), print, 1j, [Text("x")], torch.int8])
def test_what_is_no_plain_data_is_not_written(value):
    with pytest.raises(CodecError):
        travel(value)


@given(st.binary(max_size=300))
@example(b"\xff" * 40)
def test_any_bytes_are_refused_or_read_and_raise_nothing_else(data):
    try:
        decode(data)
    except (CodecError, EOFError):
        pass


header_trees = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**63) | st.floats() | st.text(max_size=4) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(header_trees, st.binary(max_size=64))
@example([3, "float32", [2**40, 0]], b"")
@example([3, [], []], b"")
@example([3, "float32", [-1]], b"")
@example([2, [0], 1], b"")
@example([2, [1, [0]], 1], b"")
@example([6, "9" * 5000], b"")
@example([6, "1_0"], b"")
@example([6, "²"], b"")
@example([7, 99], b"x")
@example([4, "x", "y"], b"")
def test_any_header_is_refused_or_read_and_raises_nothing_else(tree, payload):
    head = msgspec.msgpack.encode(tree)
    try:
        decode(struct.pack(">II", len(head), len(payload)) + head + payload)
    except CodecError:
        pass


@given(plain, st.data())
def test_a_flipped_byte_raises_nothing_else(value, data):
    writer = Writer()
    frame = bytearray(writer.frame(writer.tree(value)))
    place = data.draw(st.integers(0, len(frame) - 1))
    frame[place] ^= data.draw(st.integers(1, 255))
    try:
        decode(bytes(frame))
    except (CodecError, EOFError):
        pass


@pytest.mark.parametrize(
    "tree",
    [
        [0, [0, [0]]],
        [3, "bool", [2]],
    ],
)
def test_nothing_may_be_left_over_or_missing(tree):
    head = msgspec.msgpack.encode(tree)
    with pytest.raises(CodecError):
        decode(struct.pack(">II", len(head), 1) + head + b"x")


def test_a_bool_is_a_bool_whatever_its_byte():
    head = msgspec.msgpack.encode([3, "bool", [2]])
    assert decode(struct.pack(">II", len(head), 2) + head + b"\x07\x00").tolist() == [True, False]


def test_too_deep_too_many_and_too_large_are_refused():
    deep = []
    for _ in range(60):
        deep = [deep]
    for value in (deep, [0] * 200_000, "x" * 300_000, 10**5000):
        with pytest.raises(CodecError):
            travel(value)
    bomb = b"\x91" * 200_000
    with pytest.raises(CodecError):
        decode(struct.pack(">II", len(bomb), 0) + bomb)
    for lengths in ((2**31, 0), (1, 2**31)):
        with pytest.raises(CodecError):
            decode(struct.pack(">II", *lengths) + b"x" * 100)


def test_the_most_expensive_header_costs_little():
    """Many tiny things in one header: the decoder's memory stays in proportion."""
    for head in (b"\xdd\x00\x03\xff\xff" + b"\x90" * 0x3FF00, b"\xdd\x00\x03\xff\xff" + b"\xc0" * 0x3FF00):
        tracemalloc.start()
        with pytest.raises(CodecError):
            decode(struct.pack(">II", len(head), 0) + head)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200 * len(head)
