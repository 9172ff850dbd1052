"""How an operator runs on the simulated device: where its arguments may live, and on whose memory it works.

The rules are CUDA's. Most operators want everything on one device; the exceptions below were read off torch's operator
declarations (which CUDA kernels check devices, which leave that to the element-wise iterator). Operators that torch
composes of others need no entry: their parts are judged.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

NAME = "simgpu"
CPU = torch.device("cpu")
DEVICE = f"{NAME}:0"

_C: Any = torch._C
_aten: Any = torch.ops.aten
settings = {"float64": True}
generators: weakref.WeakValueDictionary[int, torch.Generator] = weakref.WeakValueDictionary()  # of the device

# Arguments that may live on either device, whatever their shape.
ANYWHERE = {"index": {"indices"}, "_index_put_impl_": {"indices"}, "fill_": {"self", "value"}}
# Arguments that may be on the CPU if they have no dimension.
SCALARS = {
    "_index_put_impl_": {"values"},
    "masked_fill": {"value"},
    "masked_fill_": {"value"},
    "index_fill_": {"value"},
}
# Element-wise, but not tagged so.
ELEMENTWISE = {
    "copysign_", "eq_", "floor_divide", "floor_divide_", "ge_", "gt_", "heaviside_", "huber_loss", "le_", "lt_",
    "mse_loss", "ne_", "rsub", "smooth_l1_loss", "where",
}  # fmt: skip
# Element-wise, but CUDA takes no scalar of the CPU. Nor do the gradients of element-wise operators.
STRICT = {
    "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "equal", "gcd", "gcd_", "igamma",
    "igamma_", "igammac", "igammac_", "lcm", "lcm_", "logaddexp", "logaddexp2", "nextafter", "nextafter_",
}  # fmt: skip


class Rules(NamedTuple):
    """What there is to know of an operator before it runs."""

    title: str
    kernel: Callable[..., Any]  # of the CPU
    names: tuple[str, ...]  # of the arguments, in order
    view: bool  # it only shows its argument's memory in another shape
    written: frozenset[str]
    outputs: frozenset[str]  # written, and given by keyword: may be resized
    anywhere: frozenset[str]
    scalars: frozenset[str]
    numbers: frozenset[str]  # tensors that torch hands over as plain numbers, and takes back only as tensors

    def check(self, name: str, value: torch.Tensor) -> None:
        """Raise unless this tensor, which is not on the device, may be the argument of that name."""
        if name not in self.anywhere and (value.dim() > 0 or name not in self.scalars):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{DEVICE} and {value.device}! ({self.title}: argument {name!r} is on {value.device})"
            )


@functools.cache
def rules_of(op: Any) -> Rules:
    """The rules of an operator overload."""
    title = op._schema.name.rpartition("::")[2]
    arguments = op._schema.arguments
    names = [a.name for a in arguments]
    written = {a.name for a in arguments if a.alias_info and a.alias_info.is_write}
    tagged = torch.Tag.pointwise in op.tags and title not in STRICT and not title.endswith("_backward")
    scalars = set(names) - written if tagged or title in ELEMENTWISE else set()
    wrapped = {a.name for a in arguments if str(a.type) == "Tensor"} - written
    return Rules(
        title=title,
        kernel=STAND_INS.get(op, op),
        names=tuple(names),
        view=title == "set_" or any(a.alias_info and not a.alias_info.is_write for a in arguments),
        written=frozenset(written),
        outputs=frozenset(a.name for a in arguments if a.name in written and a.kwarg_only),
        anywhere=frozenset(ANYWHERE.get(title, ())),
        scalars=frozenset(SCALARS.get(title, scalars)),
        numbers=frozenset() if _C._should_allow_numbers_as_tensors(title) else frozenset(wrapped),
    )


def label(storage: Any) -> Any:
    """A storage of the device that shows the memory of this one, and keeps it alive."""
    labelled = _C._construct_storage_from_data_pointer(storage.data_ptr(), torch.device(DEVICE), storage.nbytes())
    labelled.host = storage
    return labelled


def on_device(tensor: torch.Tensor) -> bool:
    return bool(tensor.device.type == NAME)


def to_device(host: torch.Tensor) -> torch.Tensor:
    """The same memory as a tensor of the device."""
    if not settings["float64"] and host.dtype in (torch.float64, torch.complex128):
        raise TypeError(f"Cannot convert a tensor to {host.dtype} on {NAME}: the device has no double precision")
    if host.is_complex() or host.is_neg():
        host = host.resolve_conj().resolve_neg()
    return _point(_C._acc.create_empty_tensor([], host.dtype), label(host.untyped_storage()), host)


def to_host(tensor: torch.Tensor, *, resizable: bool = True) -> torch.Tensor:
    """The same memory as a tensor of the CPU."""
    labelled: Any = tensor.untyped_storage()
    storage = getattr(labelled, "host", None) if resizable else None
    if storage is None:  # memory that must not move, as others may point at it, or that C++ lent to a tensor
        storage = _C._construct_storage_from_data_pointer(labelled.data_ptr(), CPU, labelled.nbytes())
    twin = torch.empty(0, dtype=tensor.dtype, device=CPU)
    twin.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())
    if tensor.is_conj():
        twin = twin.conj()
    return torch._neg_view(twin) if tensor.is_neg() else twin


def _point(tensor: torch.Tensor, storage: Any, like: torch.Tensor) -> torch.Tensor:
    """Let the tensor show this storage in the way the other tensor shows its own."""
    kernel = _aten.set_.source_Storage_storage_offset
    kernel._op_dk(_C.DispatchKey.CPU, tensor, storage, like.storage_offset(), like.shape, like.stride())
    return tensor


Written = list[tuple[torch.Tensor, torch.Tensor]]  # tensors that an operator writes to, with their twins


def run(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Any operator: check where the arguments are, run it on the CPU, label what comes out."""
    rules = rules_of(op)
    if rules.view:  # sizes and strides are all that the CPU's kernel touches
        return op._op_dk(_C.DispatchKey.CPU, *args, **kwargs)
    written: Written = []
    plain = [_lower(value, name, rules, written) for name, value in zip(rules.names, args, strict=False)]
    named = {name: _lower(value, name, rules, written) for name, value in kwargs.items()}
    result = rules.kernel(*plain, **named)
    for tensor, twin in written:
        if tensor is not twin:
            _follow(tensor, twin)
    return _lift(result, written)


def _lower(value: Any, name: str, rules: Rules, written: Written) -> Any:
    """An argument as the CPU's kernel wants it."""
    if value is None:
        return value
    if isinstance(value, torch.Tensor):
        twin = value
        if not on_device(value):
            rules.check(name, value)
        elif name not in rules.outputs:
            twin = to_host(value)
        elif value.numel() > 1:
            twin = to_host(value, resizable=False)
        else:  # some kernels use it as a larger workspace first
            twin = torch.empty(0, dtype=value.dtype, device=CPU)
        if name in rules.written:
            written.append((value, twin))
        return twin
    if isinstance(value, list | tuple):
        return [_lower(item, name, rules, written) for item in value]
    if isinstance(value, torch.device):
        return _cpu_for(value)
    if isinstance(value, _C.Generator) and value._cdata not in generators:
        raise RuntimeError(f"Expected a '{NAME}' device type for generator but found '{value.device}'")
    if name in rules.numbers and isinstance(value, int | float | complex):
        return torch.tensor(value, device=CPU)
    return value


def _lift(value: Any, written: Written) -> Any:
    """A result of the CPU's kernel as the caller wants it."""
    if isinstance(value, torch.Tensor):
        for tensor, twin in written:
            if twin is value:
                return tensor
        return to_device(value)
    return type(value)(_lift(item, written) for item in value) if isinstance(value, list | tuple) else value


def _cpu_for(device: torch.device) -> torch.device:
    if device.index:
        raise RuntimeError(f"{NAME} error: invalid device ordinal {device.index}: there is one device")
    return CPU


def _follow(tensor: torch.Tensor, twin: torch.Tensor) -> None:
    """Give the tensor what its twin got by being written to, as far as they do not share it."""
    own = tensor.untyped_storage().data_ptr() != twin.untyped_storage().data_ptr()
    if tensor.shape == twin.shape:
        if own or twin.is_conj():
            to_host(tensor).copy_(twin)
    else:
        _point(tensor, label(twin.untyped_storage()) if own else tensor.untyped_storage(), twin)


def copy_from(source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    """From any device to any."""
    host = to_host(target) if on_device(target) else target
    host.copy_(to_host(source) if on_device(source) else source)
    return target


def empty(size: Any, *, dtype: Any = None, device: Any, memory_format: Any = None, **ignored: Any) -> torch.Tensor:
    """As ``run`` would do it, but quicker: there is one such call behind almost every operator."""
    layout = memory_format or torch.contiguous_format
    return to_device(torch.empty(size, dtype=dtype, device=_cpu_for(device), memory_format=layout))


def resize(tensor: torch.Tensor, size: list[int], *, memory_format: Any = None) -> torch.Tensor:
    """In new memory, because other tensors may share the old; what fits of the content is kept."""
    new = torch.empty(size, dtype=tensor.dtype, device=CPU, memory_format=memory_format or torch.contiguous_format)
    if tensor.shape != new.shape:
        old = to_host(tensor)
        size_in_memory = (old.untyped_storage().nbytes() // old.itemsize - old.storage_offset(),)
        kept = old.as_strided(size_in_memory, (1,))[: new.numel()]
        new.as_strided(kept.shape, (1,)).copy_(kept)
        _point(tensor, label(new.untyped_storage()), new)
    return tensor


def _convolution_backward(grad: Any, x: Any, weight: Any, *rest: Any) -> Any:
    *geometry, wanted = rest
    return _aten.convolution_backward(grad, x, weight, [grad.shape[1]] if wanted[2] else None, *geometry, wanted)


def _slope(gate: Any) -> Any:
    return gate * (1 - gate)  # of the sigmoid, by its value


def _lstm_cell(x: Any, h: Any, c: Any, x_bias: Any = None, h_bias: Any = None) -> tuple[Any, Any, Any]:
    i, f, g, o = (x + h if x_bias is None else x + x_bias + h + h_bias).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new_c = f * c + i * g
    return o * new_c.tanh(), new_c, torch.cat((i, f, g, o), 1)


def _lstm_cell_backward(dh: Any, dc: Any, c: Any, new_c: Any, gates: Any, has_bias: bool) -> tuple[Any, Any, Any]:
    i, f, g, o = gates.chunk(4, 1)
    dh, dc = (torch.zeros_like(c) if d is None else d for d in (dh, dc))
    dc = dc + dh * o * (1 - new_c.tanh() ** 2)
    do = dh * new_c.tanh() * _slope(o)
    d_gates = torch.cat((dc * g * _slope(i), dc * c * _slope(f), dc * i * (1 - g**2), do), 1)
    return d_gates, dc * f, d_gates.sum(0) if has_bias else None


def _gru_cell(x: Any, h: Any, state: Any, x_bias: Any = None, h_bias: Any = None) -> tuple[Any, Any]:
    x, h = (x, h) if x_bias is None else (x + x_bias, h + h_bias)
    (x_r, x_z, x_n), (h_r, h_z, h_n) = x.chunk(3, 1), h.chunk(3, 1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    n = (x_n + r * h_n).tanh()
    return n + z * (state - n), torch.cat((r, z, n, state, h_n), 1)


def _gru_cell_backward(d: Any, workspace: Any, has_bias: bool) -> tuple[Any, ...]:
    r, z, n, state, h_n = workspace.chunk(5, 1)
    dn = d * (1 - z) * (1 - n**2)
    dr, dz = dn * h_n * _slope(r), d * (state - n) * _slope(z)
    dx, dh = torch.cat((dr, dz, dn), 1), torch.cat((dr, dz, dn * r), 1)
    return dx, dh, d * z, *((dx.sum(0), dh.sum(0)) if has_bias else (None, None))


# Operators that torch keeps for other devices, and what serves on the CPU.
STAND_INS: dict[Any, Callable[..., Any]] = {
    _aten._efficientzerotensor.default: _aten.zeros.default,
    _aten.convolution_overrideable.default: _aten.convolution.default,
    _aten.convolution_backward_overrideable.default: _convolution_backward,
    _aten._thnn_fused_lstm_cell.default: _lstm_cell,
    _aten._thnn_fused_lstm_cell_backward_impl.default: _lstm_cell_backward,
    _aten._thnn_fused_gru_cell.default: _gru_cell,
    _aten._thnn_fused_gru_cell_backward.default: _gru_cell_backward,
}
