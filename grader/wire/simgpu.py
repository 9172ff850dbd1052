from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

NAME = "simgpu"
CPU = torch.device("cpu")
aten = torch.ops.aten
_libraries: list[torch.library.Library] = []


class SimulationError(RuntimeError):
    """x"""


def _label(storage: Any) -> Any:
    labelled = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), torch.device(NAME, 0), storage.nbytes())
    labelled.host = storage
    return labelled


def _point(tensor, storage, like):
    set_ = aten.set_.source_Storage_storage_offset
    set_._op_dk(torch._C.DispatchKey.CPU, tensor, storage, like.storage_offset(), like.shape, like.stride())
    return tensor


def to_device(host):
    if host.is_complex() or host.is_neg():
        host = host.resolve_conj().resolve_neg()
    return _point(torch._C._acc.create_empty_tensor([], host.dtype), _label(host.untyped_storage()), host)


def to_host(tensor):
    store = tensor.untyped_storage().host
    twin = torch.empty(0, dtype=tensor.dtype, device=CPU).set_(store, tensor.storage_offset(), tensor.shape, tensor.stride())
    if tensor.is_conj():
        twin = twin.conj()
    if tensor.is_neg():
        twin = torch._neg_view(twin)
    return twin


ANY = {"aten::index": {"indices"}, "aten::_index_put_impl_": {"indices"}, "aten::fill_": {"self", "value"}}
SCALAR = {"aten::_index_put_impl_": {"values"}, "aten::masked_fill_": {"value"}, "aten::index_fill_": {"value"}}
EXACT={"aten::equal"}

class Plan(NamedTuple):
    view: bool
    names: list[str]
    written: frozenset[str]
    out: frozenset[str]
    anywhere: set[str]
    scalars: set[str]


@functools.cache
def plan(op):
    s = op._schema
    writes = frozenset(a.name for a in s.arguments if a.alias_info and a.alias_info.is_write)
    reads = [a for a in s.arguments if a.alias_info and not a.alias_info.is_write]
    names = [a.name for a in s.arguments]
    pw = set(names) - writes if torch.Tag.pointwise in op.tags and s.name not in EXACT else set()
    return Plan(bool(reads) or s.name=="aten::set_", names, writes, frozenset(a.name for a in s.arguments if a.name in writes and a.kwarg_only), ANY.get(s.name, set()), SCALAR.get(s.name, pw))


def fallback(op, *args, **kwargs):
    p = plan(op)
    if p.view:
        return op._op_dk(torch._C.DispatchKey.CPU, *args, **kwargs)
    named = dict(zip(p.names, args), **kwargs)
    twins = []
    def host(value, name):
        if isinstance(value, torch.Tensor):
            if value.device.type == NAME:
                twin = to_host(value) if name not in p.out or value.numel() else torch.empty(0, dtype=value.dtype, device=CPU)
            else:
                twin = value
                if name not in p.anywhere and not (value.dim() == 0 and name in p.scalars):
                    raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, {NAME}:0 and {value.device}! (argument {name} of {op._schema.name})")
            if name in p.written:
                twins.append((value, twin))
            return twin
        if isinstance(value, (list, tuple)):
            return [host(v, name) for v in value]
        if isinstance(value, torch.device):
            return CPU
        return value
    hosted = {n: host(v, n) for n, v in named.items()}
    result = op(*[hosted[n] for n in p.names[:len(args)]], **{n: hosted[n] for n in kwargs})
    for v, t in twins:
        if v is not t:
            old = v.untyped_storage()
            if old.data_ptr() != t.untyped_storage().data_ptr():
                _point(v, _label(t.untyped_storage()), t)
            elif (v.shape, v.stride(), v.storage_offset()) != (t.shape, t.stride(), t.storage_offset()):
                _point(v, old, t)
    def back(value):
        if isinstance(value, torch.Tensor):
            for v, t in twins:
                if t is value:
                    return v
            return to_device(value)
        if isinstance(value, (list, tuple)):
            return type(value)(map(back, value))
        return value
    return back(result)


def _copy_from(self, dst, non_blocking=False):
    (to_host(dst) if dst.device.type == NAME else dst).copy_(to_host(self) if self.device.type == NAME else self)
    return dst


def activate():
    x = torch.ones((), requires_grad=True)
    (x * 1).backward()
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend
    _setup_privateuseone_for_python_backend(NAME)
    torch.autograd.grad_mode.set_multithreading_enabled(False) if hasattr(torch.autograd.grad_mode,'set_multithreading_enabled') else torch.autograd.set_multithreading_enabled(False)
    torch.__future__.set_swap_module_params_on_conversion(True)
    torch.backends.mha.set_fastpath_enabled(False)
    lib = torch.library.Library("_", "IMPL")
    lib.fallback(fallback, "PrivateUse1")
    a = torch.library.Library("aten", "IMPL")
    a.impl("_copy_from", _copy_from, "PrivateUse1")
    for k in ("Conjugate", "Negative"):
        a.impl("_copy_from", torch.library.fallthrough_kernel, k)
    _libraries.extend([lib, a])
