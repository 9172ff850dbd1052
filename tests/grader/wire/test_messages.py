"""What is told of a message, and what the other side makes of it."""

import msgspec
import torch

from grader.wire.messages import Call, Handle, Reply, without_defaults


def test_only_what_differs_from_the_defaults_is_told():
    assert without_defaults(Call(target="f")) == {"target": "f"}
    assert without_defaults(Reply(value=None)) == {"value": None}
    call = Call(target="f", handle=Handle(0, "Model"), args=(0,), seed=0, keep=True)
    assert without_defaults(call) == {
        "target": "f",
        "handle": Handle(0, "Model"),
        "args": (0,),
        "seed": 0,
        "keep": True,
    }


def test_nothing_is_lost():
    for message in (
        Call(target="", seed=0, kwargs={"x": False}, device="cpu"),
        Reply(value=0, args=((),), peak_bytes=7, devices=("cpu",)),
    ):
        assert msgspec.convert(without_defaults(message), type(message)) == message
    assert without_defaults(Reply(value=1, gradients=(torch.zeros(2), None)))["gradients"][0].tolist() == [0, 0]
