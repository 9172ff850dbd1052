"""Plain data to bytes and back, with a limit on everything: the reader trusts no byte of what it gets.

A frame is two lengths, a msgpack header, and a payload of raw bytes. In the header None, bools, numbers that
fit 64 bits, and strings stand for themselves; everything else is an array that begins with a tag. Tensors and bytes
lie in the payload one after the other, in the order in which the header names them, so they cannot overlap.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from grader.wire.messages import Callback, Handle

MAX_HEADER = 256 * 1024
MAX_PAYLOAD = 64 * 1024 * 1024
MAX_DEPTH = 40
MAX_ITEMS = 100_000
MAX_DIMS = 16
MAX_DIGITS = 4000
AT_ONCE = 1 << 16  # bytes that either side reads at once, if they are there
# Bytes that values take in memory beyond those on the wire, at most: a small frame can hold much.
AROUND_A_TENSOR, AROUND_A_DICT, AROUND_A_VALUE = 1024, 256, 64
MAX_TUPLE_KEYS = 1000  # Python's hash of tuples is no secret: keys can be made to collide

LIST, TUPLE, DICT, TENSOR, HANDLE, CALLBACK, BIG_INT, BYTES = range(8)
LENGTHS = struct.Struct(">II")
Message = TypeVar("Message", bound=msgspec.Struct)

# Names of dtypes that may cross, with the size of an item.
DTYPES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "complex64": 8, "complex128": 16,
    "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
}  # fmt: skip


class CodecError(Exception):
    """Bytes that no honest writer sends, or data that cannot be written."""


class Writer:
    """Collects the payload while values are turned into header trees."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.items = 0

    def tree(self, value: Any, depth: int = 0) -> Any:
        """The header tree of a plain value."""
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise CodecError("nested too deep" if depth > MAX_DEPTH else f"more than {MAX_ITEMS} values")
        kind = type(value)
        if value is None or kind in (bool, float, str):
            return value
        if kind is int:
            return value if -(2**63) <= value < 2**63 else [BIG_INT, _digits(value)]
        if kind in (list, tuple):
            return [LIST if kind is list else TUPLE, *[self.tree(item, depth + 1) for item in value]]
        if kind is dict:
            return [DICT, *[self.tree(item, depth + 1) for pair in value.items() for item in pair]]
        if kind is bytes:
            self.parts.append(value)
            return [BYTES, len(value)]
        if kind is Handle:
            return [HANDLE, value.id, value.kind]
        if kind is Callback:
            return [CALLBACK, value.id]
        if is_tensor(value):
            return self._tensor(value)
        raise CodecError(f"{kind.__name__} is not plain data")

    def _tensor(self, value: Any) -> Any:
        dtype = str(value.dtype).removeprefix("torch.")
        if dtype not in DTYPES:
            raise CodecError(f"tensors of {dtype} do not cross")
        try:
            if dtype == "bfloat16":  # which numpy does not know
                value = value.detach().contiguous().view(sys.modules["torch"].int16)
            self.parts.append(value.numpy(force=True).tobytes())
        except (RuntimeError, TypeError, NotImplementedError):  # sparse, without data, of a class of its own …
            raise CodecError(f"a tensor with the layout {value.layout} on {value.device} does not cross") from None
        return [TENSOR, dtype, list(value.shape)]

    def frame(self, header: Any) -> bytes:
        """The bytes of a message whose values have been turned into trees by this writer."""
        try:
            head = msgspec.msgpack.encode(header)
        except UnicodeEncodeError:
            raise CodecError("text with half of a character in it") from None
        payload = b"".join(self.parts)
        if len(head) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
            raise CodecError(f"too large: {len(head)} + {len(payload)} bytes")
        return LENGTHS.pack(len(head), len(payload)) + head + payload


class Reader:
    """Turns header trees back into values; anything out of order is a CodecError."""

    def __init__(self, payload: bytes | bytearray) -> None:
        self.payload = memoryview(payload)
        self.offset = 0
        self.items = 0
        self.size = len(payload)  # bytes that the values take in memory, roughly

    def value(self, tree: Any, depth: int = 0) -> Any:
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise CodecError("nested too deep" if depth > MAX_DEPTH else f"more than {MAX_ITEMS} values")
        self.size += AROUND_A_VALUE
        if tree is None or type(tree) in (bool, int, float, str):
            self.size += 4 * len(tree) if type(tree) is str else 0
            return tree
        if type(tree) is not list or not tree or type(tree[0]) is not int:
            raise CodecError("a value without a tag")
        tag, rest = tree[0], tree[1:]
        if tag == LIST:
            return [self.value(item, depth + 1) for item in rest]
        if tag == TUPLE:
            return tuple([self.value(item, depth + 1) for item in rest])
        if tag == DICT:
            return self._dict(rest, depth)
        if tag == TENSOR:
            return self._tensor(rest)
        if tag == BYTES and len(rest) == 1 and type(rest[0]) is int and 0 <= rest[0] <= MAX_PAYLOAD:
            return bytes(self._take(rest[0]))
        if tag == HANDLE and len(rest) == 2 and type(rest[0]) is int and type(rest[1]) is str:
            return Handle(rest[0], rest[1][:80])
        if tag == CALLBACK and len(rest) == 1 and type(rest[0]) is int:
            return Callback(rest[0])
        if tag == BIG_INT and len(rest) == 1 and type(rest[0]) is str and len(rest[0]) <= MAX_DIGITS:
            return _from_digits(rest[0])
        raise CodecError(f"a value with the tag {tag} that is none")

    def done(self) -> None:
        if self.offset != len(self.payload):
            raise CodecError("bytes left over")

    def _dict(self, rest: list[Any], depth: int) -> dict[Any, Any]:
        self.size += AROUND_A_DICT
        items = [self.value(item, depth + 1) for item in rest]
        keys = items[::2]
        if len(items) % 2 or not all(_is_key(key) for key in keys):
            raise CodecError("a dict whose keys and values do not pair up, or with keys that cannot be keys")
        if sum(isinstance(key, tuple) for key in keys) > MAX_TUPLE_KEYS:
            raise CodecError(f"a dict with more than {MAX_TUPLE_KEYS} tuples for keys")
        return dict(zip(keys, items[1::2], strict=True))

    def _tensor(self, rest: list[Any]) -> Any:
        if (
            len(rest) != 2
            or type(rest[0]) is not str
            or rest[0] not in DTYPES
            or type(rest[1]) is not list
            or len(rest[1]) > MAX_DIMS
        ):
            raise CodecError("a tensor that is none")
        self.size += AROUND_A_TENSOR
        dtype, shape = rest
        size = extent = DTYPES[dtype]
        for dim in shape:
            if type(dim) is not int or not 0 <= dim <= MAX_PAYLOAD:
                raise CodecError("a tensor with an impossible shape")
            size *= dim
            extent *= max(dim, 1)  # torch multiplies the other axes even where one of them is 0
        if extent > MAX_PAYLOAD:
            raise CodecError("a tensor with an impossible shape")
        return make_tensor(dtype, shape, self._take(size))

    def _take(self, size: int) -> memoryview:
        start, self.offset = self.offset, self.offset + size
        if self.offset > len(self.payload):
            raise CodecError("data beyond the end of the payload")
        return self.payload[start : self.offset]


def make_tensor(dtype: str, shape: list[int], data: memoryview) -> Any:
    """A tensor with memory of its own."""
    import torch

    if not len(data):
        return torch.empty(shape, dtype=getattr(torch, dtype))
    # A bool is 0 or 1, whatever its byte says; other bytes would be undefined behaviour in torch.
    kind = torch.uint8 if dtype == "bool" else getattr(torch, dtype)
    flat = torch.frombuffer(bytearray(data), dtype=kind)
    return (flat != 0 if dtype == "bool" else flat).view(shape)


def copy(value: Any) -> Any:
    """The value as it arrives on the other side."""
    writer = Writer()
    header = msgspec.msgpack.encode(writer.tree(value))
    return Reader(b"".join(writer.parts)).value(msgspec.msgpack.decode(header))


def as_sent(message: Message) -> Message:
    """The message as the other side would get it, for those who have no other side but must see the same."""
    return msgspec.convert(copy(msgspec.structs.asdict(message)), type(message))


def read_frame(read: Callable[[int], bytes | bytearray]) -> tuple[Any, bytes | bytearray]:
    """One frame through ``read(n)``, which returns exactly n bytes: (header tree, payload)."""
    head, payload = LENGTHS.unpack(read(LENGTHS.size))
    if head > MAX_HEADER or payload > MAX_PAYLOAD:
        raise CodecError(f"a frame that claims {head} + {payload} bytes")
    raw = read(head)
    try:
        header = msgspec.msgpack.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError, TypeError, OverflowError) as error:
        raise CodecError(f"a header that is not msgpack: {type(error).__name__}") from None
    return header, read(payload) if payload else b""


def is_tensor(value: object) -> bool:
    # Nothing can be a tensor before torch is imported, and the first exercise does without that second.
    return "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor)


def count_tensors(value: Any) -> int:
    """How many there are in a plain value."""
    if isinstance(value, list | tuple):
        return sum(map(count_tensors, value))
    if isinstance(value, dict):
        return sum(map(count_tensors, value.values()))
    return int(is_tensor(value))


def _is_key(key: object) -> bool:
    if isinstance(key, tuple):
        return all(_is_key(item) for item in key)
    return key is None or isinstance(key, bool | int | float | str)


def _digits(value: int) -> str:
    if value.bit_length() > 3 * MAX_DIGITS:
        raise CodecError("an integer of thousands of digits")
    return str(value)


def _from_digits(text: str) -> int:
    if not text.lstrip("-").isascii() or not text.lstrip("-").isdigit():
        raise CodecError("an integer that is none")
    try:
        return int(text)
    except ValueError:
        raise CodecError("an integer that is none") from None
