import textwrap

import pytest
import torch

from grader.wire.messages import Call, Callback, Handle, Load, NameMissing
from grader.worker.executor import Executor, StudentError


@pytest.fixture
def load(monkeypatch):
    import sys

    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    functions = []

    def make(code, **others):
        sources = {"mod": ("/x/mod.py", textwrap.dedent(code).encode())}
        sources |= {name: (f"/x/{name}.py", textwrap.dedent(text).encode()) for name, text in others.items()}
        executor = Executor(Load(name="mod", sources=sources), lambda number, args: functions[number](*args))
        executor.load()
        executor.functions = functions
        return executor

    yield make
    for name in ("mod", "other"):
        sys.modules.pop(name, None)


def call(executor, target, *args, handle=None, **options):
    return executor.call(Call(target=target, handle=handle, args=args, **options))


def test_results_become_plain_data_of_plain_types(load):
    executor = load("""
        import collections, numpy as np
        class Text(str): pass
        class Count(int): pass
        Pair = collections.namedtuple("Pair", "a b")
        def f():
            return [Text("x"), Count(3), np.float32(0.5), np.int64(7), Pair(1, [2]), {"k": (None, True)}]
        """)
    value = call(executor, "f").value
    assert value == ["x", 3, 0.5, 7, (1, [2]), {"k": (None, True)}]
    assert [type(item) for item in value] == [str, int, float, int, tuple, dict]


def test_arguments_are_copies_and_can_be_observed_after_the_call(load):
    executor = load("def f(items, x):\n    items.append(1)\n    x += 1\n    return len(items)\n")
    items, x = [0], torch.zeros(2)
    reply = call(executor, "f", items, x, arguments=True)
    assert (items, x.tolist()) == ([0], [0.0, 0.0])
    assert reply.value == 2
    assert (reply.args[0], reply.args[1].tolist()) == ([0, 1], [1.0, 1.0])


def test_gradients_of_the_sum_for_each_tensor(load):
    executor = load("def f(x, n, y):\n    return x * x * n\ndef cut(x):\n    return (x * 2).detach()\n")
    x, y = torch.tensor([1.0, 3.0]), torch.ones(2)
    reply = call(executor, "f", x, 2, y, gradients=True)
    assert reply.gradients[0].tolist() == [4.0, 12.0]
    assert reply.gradients[1] is None
    assert reply.gradients[2].tolist() == [0.0, 0.0]
    assert not reply.value.requires_grad
    assert call(executor, "cut", x, gradients=True).gradients == (None,)


def test_memory_is_the_peak_of_the_call(load):
    executor = load("def small():\n    return 1\ndef large():\n    x = [None] * 1_000_000\n    return 1\n")
    assert call(executor, "small", memory=True).peak_bytes < 100_000
    assert 8_000_000 < call(executor, "large", memory=True).peak_bytes < 9_000_000


def test_other_objects_stay_behind_handles(load):
    executor = load("""
        class Counter:
            def __init__(self, start): self.n = start
            def add(self, k): self.n += k; return self.n
        def read(counter): return counter.n
        """)
    handle = call(executor, "Counter", 5).value
    assert handle == Handle(0, "Counter")
    assert call(executor, "add", 2, handle=handle).value == 7
    assert call(executor, "read", handle).value == 7


def test_functions_of_ours_can_be_called_by_the_student(load):
    executor = load("def f(step):\n    return step([[1], [2]]) + 1\n")
    seen = []

    def step(prefixes):
        seen.append(prefixes)
        return 41

    executor.functions.append(step)
    assert call(executor, "f", Callback(0)).value == 42
    assert seen == [[[1], [2]]]


def test_files_of_one_exercise_import_each_other(load):
    executor = load("from other import g\ndef f():\n    return g() + 1\n", other="def g():\n    return 1\n")
    assert call(executor, "f").value == 2


def test_a_failure_names_types_text_and_the_students_own_lines(load):
    executor = load("""
        def f(x):
            return g(x)
        def g(x):
            raise KeyError("k" * 9999)
        """)
    with pytest.raises(StudentError) as caught:
        call(executor, "f", 1)
    failure = caught.value.failure
    assert failure.types[:3] == ("KeyError", "LookupError", "Exception")
    assert len(failure.message) == 500
    assert failure.frames == ("mod.py:3 in f", "mod.py:5 in g")


def test_an_exception_whose_text_cannot_be_made_is_still_a_failure(load):
    executor = load("class E(Exception):\n    def __str__(self): raise ValueError\ndef f():\n    raise E\n")
    with pytest.raises(StudentError) as caught:
        call(executor, "f")
    assert caught.value.failure.types[0] == "E"


def test_a_missing_name_gets_a_near_one(load):
    executor = load("def edit_distance(): pass\n")
    with pytest.raises(StudentError) as caught:
        call(executor, "edit_distanc")
    assert caught.value.failure == NameMissing(name="edit_distanc", near="edit_distance")


def test_a_result_that_contains_itself_is_refused(load):
    executor = load("def f():\n    x = []\n    x.append(x)\n    return x\n")
    with pytest.raises(StudentError) as caught:
        call(executor, "f")
    assert caught.value.failure.types == ("RecursionError",)


def test_dict_subclasses_arrive_as_dicts(load):
    executor = load("from collections import Counter\ndef f():\n    return Counter('aab')\n")
    assert type(call(executor, "f").value) is dict


def test_code_can_read_its_own_source(load):
    executor = load("""
        import inspect
        import torch

        @torch.jit.script
        def scripted(x: torch.Tensor) -> torch.Tensor:
            return x + 1

        def f(x):
            return scripted(x), inspect.getsource(f)
        """)
    value, source = call(executor, "f", torch.ones(2)).value
    assert value.tolist() == [2, 2]
    assert source.startswith("def f(x):")


def test_only_a_stub_of_the_students_is_not_implemented(load):
    executor = load("""
        import torch

        def f():
            raise NotImplementedError("mine")

        def g():
            return torch.nn.Module()(1)

        def h():
            return torch.empty(2, device="meta").tolist()
        """)
    kinds = {}
    for name in ("f", "g", "h"):
        with pytest.raises(StudentError) as caught:
            call(executor, name)
        kinds[name] = caught.value.failure.types[0]
    assert kinds == {"f": "NotImplementedError", "g": "RuntimeError", "h": "RuntimeError"}
