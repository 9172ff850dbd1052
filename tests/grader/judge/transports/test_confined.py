"""The confined transport: everything that suites need, and what becomes of a worker that misbehaves."""

import os
import signal
import textwrap
import time

import pytest
import torch
from msgspec.structs import replace

from grader.course import Exercise
from grader.judge.suite.student import Session, Student, module_of
from grader.judge.transports.confined import ConfinedTransport
from grader.judge.transports.outcomes import StudentFailure
from grader.results.records import Verdict
from grader.sandbox.launcher import Worker, Zygote, ZygoteDied
from grader.sandbox.layers import find_layers

EXERCISE = Exercise(name="mod", title="", files=("mod.py",), hidden_criteria=0, forbidden=("torch.nn.Bilinear",))

# The channel is the only descriptor besides the standard streams, whatever its number.
WRITE_EVERYWHERE = """
import contextlib, os
def f():
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(number, b"x" * 100)
"""


@pytest.fixture(scope="module")
def zygote():
    zygote = Zygote(find_layers())
    yield zygote
    zygote.close()


@pytest.fixture
def student_of(zygote):
    made = []

    def make(code, seconds=20.0, exercise=EXERCISE):
        sources = {"mod": ("mod.py", textwrap.dedent(code).encode())}
        transport = ConfinedTransport(exercise, sources, zygote, deadline=lambda: time.monotonic() + seconds)
        made.append(transport)
        return Student(Session(transport), seed=1)

    yield make
    for transport in made:
        transport.close()


def verdict_of(run):
    with pytest.raises(StudentFailure) as caught:
        run()
    return caught.value.verdict


def test_functions_data_and_exceptions(student_of):
    student = student_of("""
        def echo(*args, **kwargs): return [*args, kwargs]
        def bad(x): raise KeyError(x)
        """)
    assert student.echo(1, "a", (2.5, None), k={"x": [True]}) == [1, "a", (2.5, None), {"k": {"x": [True]}}]
    with pytest.raises(StudentFailure) as caught:
        student.bad("\x1b[31mred")
    assert caught.value.verdict is Verdict.ERROR
    assert caught.value.line == "mod.py:3 in bad"
    assert caught.value.types[0] == "KeyError"
    assert "\x1b" not in caught.value.message
    assert "red" not in caught.value.summary


def test_modules_stay_inside_and_do_everything_a_suite_asks(student_of):
    student = student_of("""
        import torch
        class Net(torch.nn.Module):
            def __init__(self, n):
                super().__init__()
                self.linear = torch.nn.Linear(n, 2)
                self.unused = torch.nn.Linear(1, 1)
                self.drop = torch.nn.Dropout(0.5)
            def forward(self, x): return self.drop(self.linear(x))
            def twice(self, x): return 2 * self(x)
        def size(net): return sum(p.numel() for p in net.linear.parameters())
        """)
    net = student.Net(3)
    weights = {k: torch.randn(v.shape) for k, v in net.state_dict().items()}
    assert net.load_state_dict(weights) == ([], [])
    net.eval()
    x = torch.randn(4, 3)
    expected = torch.nn.functional.linear(x, weights["linear.weight"], weights["linear.bias"])
    assert torch.allclose(net(x), expected)
    assert torch.allclose(net.twice(x), 2 * expected)
    assert torch.equal(net.linear.gradients(x).value, net(x))
    reply = net.gradients(x)
    assert torch.allclose(reply.gradients[0], weights["linear.weight"].sum(0).expand(4, 3))
    assert torch.allclose(reply.parameters["linear.bias"], torch.full((2,), 4.0))
    assert reply.parameters["unused.weight"].tolist() == [[0.0]]
    net.train()
    assert not torch.allclose(net(x), expected)
    assert net.training.read() is True
    assert student.size(net) == 8
    assert net.double()(x.double()).dtype == torch.float64


def test_callbacks_come_back_to_us_and_their_errors_end_the_test(student_of):
    student = student_of("""
        def run(step, n):
            try:
                return [step([[i]]) for i in range(n)]
            except BaseException as error:
                return "swallowed"
        """)
    seen = []
    assert student.run(lambda prefixes: seen.append(prefixes) or len(seen), 3) == [1, 2, 3]
    assert seen == [[[0]], [[1]], [[2]]]

    def fail(_):
        raise AssertionError("asked the wrong thing")

    with pytest.raises(AssertionError, match="wrong thing"):
        student.run(fail, 3)
    assert student.run(lambda _: 1, 1) == [1], "the next call has a new worker"


def test_what_is_forbidden_raises_while_the_student_runs_and_not_in_callbacks(student_of):
    student = student_of("""
        import torch
        from torch.nn import Bilinear as Innocent
        def make(): return Innocent(1, 1, 1)
        def ask(f): return f()
        """)
    with pytest.raises(StudentFailure, match=r"torch\.nn\.Bilinear is not allowed"):
        student.make()
    assert student.ask(lambda: torch.nn.Bilinear(1, 1, 1).weight.numel()) == 1


FORBIDDEN = replace(
    EXERCISE,
    forbidden=(
        "torch.nn.functional.multi_head_attention_forward",
        "torch.nn.MultiheadAttention",
        "torch.nn.functional.ctc_loss",
        "torch.ops.aten._ctc_loss",
    ),
)
SHORT_CUTS = {
    "the source of torch, run": """
        import inspect, torch
        text = inspect.getsource(torch.nn.functional.multi_head_attention_forward)
        def run():
            exec(text, vars(torch.nn.functional))
        """,
    "the source of torch, read from its file": """
        import importlib.util, torch
        torch._C._add_docstr = lambda function, *_: function
        spec = importlib.util.spec_from_file_location("copy", torch.nn.functional.__file__)
        copy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(copy)
        def run(): pass
        """,
    "the same, when it is called": """
        import importlib.util, torch
        torch._C._add_docstr = lambda function, *_: function
        def run():
            spec = importlib.util.spec_from_file_location("copy", torch.nn.functional.__file__)
            global copy
            copy = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(copy)
        """,
    "compiled by another": """
        def run(): return list(map(eval, ["1 + 1"]))
        """,
    "a code object": """
        import types
        def run(): return types.FunctionType((lambda: 1).__code__, {})()
        """,
    "another name": "from torch import ctc_loss as run",
    "another way": """
        import torch
        def run(*args): return torch.ops.aten._ctc_loss(*args)
        """,
    "a name that is made": """
        import torch
        def run(*args): return getattr(torch._VF, "ctc" + "_loss")(*args)
        """,
}


@pytest.mark.parametrize("short_cut", SHORT_CUTS)
def test_a_short_cut_to_what_is_forbidden_is_refused(student_of, short_cut):
    student = student_of(SHORT_CUTS[short_cut], exercise=FORBIDDEN)
    arguments = (torch.zeros(5, 1, 3), torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2]))
    with pytest.raises(StudentFailure) as caught:
        student.run(*(arguments if "ctc" in SHORT_CUTS[short_cut] else ()))
    words = student._session.imported.in_full or caught.value.message
    assert "not allowed in this exercise" in words


def test_what_makes_classes_from_text_is_allowed(student_of):
    student = student_of(
        """
        from collections import namedtuple
        from dataclasses import dataclass
        from typing import NamedTuple
        class A(NamedTuple): x: int
        @dataclass
        class B: x: int
        def run():
            import torch.nn.utils.parametrizations
            return A(1).x + B(2).x + namedtuple("C", "x")(3).x
        """,
        exercise=FORBIDDEN,
    )
    assert student.run() == 6


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (b"x = 1\nexec('')", [("exec", 2)]),
        (b"# coding: utf-16-le\n" + "exec('')".encode("utf-16-le"), [("", 0)]),
        (b"# coding: rot13\nrkrp('')", [("", 0)]),
        (b"# coding: utf-7\n+AGUAeABlAGM-('')", [("exec", 2)]),
        ("# coding: latin-1\n# \xe9\nexec('')".encode("latin-1"), [("exec", 3)]),
        (b"\xff\xfe", [("", 0)]),
        (b"def f(:", [("", 0)]),
        (b"if __name__ == '__main__':\n    exec('')", []),
        (b"model.exec()\nfrom torch import exec\nexec(model)", []),
        (b"def exec(x): pass\nexec(1)", []),
        (b"from builtins import exec", []),  # which suites look for by its module
    ],
)
def test_the_source_is_looked_at_in_its_own_encoding(student_of, source, found):
    transport = student_of("x = 1")._session.transport
    transport.sources["mod"] = ("mod.py", source)
    assert transport.look(("exec",)) == found


def test_what_is_asked_counts_as_what_is_returned(student_of):
    """A few bytes on the wire can be many in memory, and a test may keep whatever it is asked with."""
    student = student_of("""
        import torch
        def ask(f, count):
            tensors = [torch.empty(0)] * 10_000
            for _ in range(count):
                f(tensors)
            return count
        """)
    kept = []
    assert student.ask(kept.append, 3) == 3
    assert len(kept) == 3
    assert verdict_of(lambda: student.ask(kept.append, 1000)) is Verdict.TAMPERED
    assert len(kept) < 50


def test_a_worker_that_dies_slowly_is_left_to_die(student_of, zygote, monkeypatch):
    monkeypatch.setattr(Worker, "kill", lambda self: None)  # as if the kernel could not end it yet
    monkeypatch.setattr("grader.sandbox.launcher.DIE", 0.1)
    student = student_of("import time\ndef f(x):\n    time.sleep(60 if x else 0)\n    return x\n", seconds=4)
    before = zygote.undying
    assert verdict_of(lambda: student.f(1)) is Verdict.TIMEOUT
    assert zygote.undying == before + 1
    again = Student(Session(student._session.transport), seed=1)
    assert again.f(0) == 0, "the zygote still makes workers"


def test_seeds_are_set_inside(student_of):
    code = "import torch, random\ndef draw(): return [random.random(), torch.rand(2)]\n"
    one, other = student_of(code).draw(), student_of(code).draw()
    assert one[0] == other[0]
    assert torch.equal(one[1], other[1])


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("def f(): import os; os._exit(0)", Verdict.CRASHED),
        ("def f(): import os; os.abort()", Verdict.CRASHED),
        ("def f(): return [0] * 10**10", Verdict.MEMORY),
        ("import torch\ndef f(): return torch.zeros(10**11)", Verdict.MEMORY),
        ("def f(): return 'x' * 10**6", Verdict.ERROR),
        ("def f():\n    while True: pass", Verdict.TIMEOUT),
        (WRITE_EVERYWHERE, Verdict.TAMPERED),
        ("def f(): open('/etc/passwd')", Verdict.ERROR),
        ("def g(): pass", Verdict.MISSING),
        ("raise SystemExit", Verdict.ERROR),
    ],
)
def test_every_way_to_fail_has_its_verdict(student_of, code, verdict):
    seconds = 1.0 if verdict is Verdict.TIMEOUT else 20.0
    assert verdict_of(student_of(code, seconds).f) is verdict


def test_after_a_crash_the_next_call_gets_a_new_worker_with_the_module_loaded(student_of):
    student = student_of(
        "import os\nstate = []\ndef die(): os._exit(1)\ndef ok(): state.append(1); return len(state)\n"
    )
    assert student.ok() == 1
    assert verdict_of(student.die) is Verdict.CRASHED
    assert student.ok() == 1


def test_memory_that_is_hidden_inside_is_seen_from_outside(student_of):
    student = student_of("""
        import time, tracemalloc
        def honest(): return 1
        def liar():
            tracemalloc.stop()
            table = [list(range(1000, 2000)) for _ in range(300)]
            time.sleep(0.2)
            return 1
        """)
    assert student.honest.measure().peak_bytes < 1 << 18
    assert student.liar.measure().peak_bytes > 6 << 20


def test_a_zygote_that_dies_is_noticed():
    doomed = Zygote(find_layers())
    doomed.fork()
    os.killpg(doomed.process.pid, signal.SIGKILL)
    with pytest.raises(ZygoteDied):
        while True:  # it may answer once more before the signal reaches it
            doomed.end(doomed.fork())
    doomed.close()


LEARNING = """
from typing import NamedTuple
import torch
from torch import nn

class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor

class Words:
    @classmethod
    def of(cls, items): return cls(sorted(items))
    def __init__(self, items): self.items = items
    def __len__(self): return len(self.items)

def make(scale): return Pair(torch.ones(3, 2) * scale, torch.zeros(3, 1))
def size(words): return len(words)
def fit(model, pairs, optimizer):
    losses = []
    for pair in pairs:
        loss = (model(pair.x) - pair.y).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        losses.append(loss.item())
    return losses
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 1)
    def forward(self, x): return self.body(x)
"""


def test_objects_that_stay_with_the_student(student_of):
    student = student_of(LEARNING)
    pairs = [student.make.keep(scale) for scale in (1.0, 2.0)]
    model = student.Net()
    optimizer = module_of(student, "torch").optim.SGD(model.parameters(), lr=0.01)
    first = student.fit(model, pairs, optimizer)
    assert student.fit(model, pairs, optimizer)[0] < first[0]
    assert model.body.weight.read().shape == (1, 2)
    assert student.size(student.Words.of(["b", "a"])) == 2
    assert student.Words.of(["b", "a"]).items.read() == ["a", "b"]
    assert verdict_of(lambda: student.Words.nothing()) is Verdict.MISSING
    assert verdict_of(lambda: module_of(student, "nowhere").f()) is Verdict.ERROR


def test_the_first_call_of_a_test_is_seeded(student_of):
    code = "import random, torch\ndef f(): return random.random(), torch.rand(1).item()\n"
    student, other = student_of(code), student_of(code)
    found = student.f()
    assert found == other.f()
    assert found != student.f()


def test_workers_with_the_accelerator_come_from_a_zygote_that_has_it(zygote, student_of):
    transport = student_of(
        "import torch\ndef f(): return torch.ones(2, device='simgpu').sum().item()\n"
    )._session.transport
    transport.load(simulate=True)
    assert Student(Session(transport), seed=1, simulate=True).f() == 2.0
    first = zygote.accelerated
    transport.close()
    transport.load(simulate=True)
    assert zygote.accelerated is first is not None
