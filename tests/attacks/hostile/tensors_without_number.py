"""Returns fifteen thousand small tensors where a list is expected, for the judge to describe."""
# expect: echo, echo_any = failed
# expect: * = passed

import msgspec

COUNT, SIZE = 15_000, 150
TREES = (COUNT + 1).to_bytes(2, "big") + b"\x00" + msgspec.msgpack.encode([3, "float32", [SIZE]]) * COUNT
VALUES = torch.rand(SIZE).numpy().tobytes() * COUNT


def echo(x):
    head = msgspec.msgpack.encode([1, "reply", number(), [2, "devices", [1, *["cpu"] * COUNT], "value", None]])
    instead(raw_frame(head[:-1] + b"\xdc" + TREES, VALUES))
