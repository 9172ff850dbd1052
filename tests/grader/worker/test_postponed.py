"""Packages that are imported at the top of a file and that the course does not need."""

import sys

import pytest

from grader.wire.messages import Call, Load
from grader.worker.executor import Executor, StudentError
from grader.worker.postponed import Binding, Postponed, may_be_postponed


@pytest.fixture
def load(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))

    def make(code, filename="/x/mod.py", **others):
        sources = {"mod": (filename, code.encode())} | {n: (f"/x/{n}.py", text.encode()) for n, text in others.items()}
        executor = Executor(Load(name="mod", sources=sources), lambda number, args: None)
        executor.load()
        return executor

    yield make
    for name in ("mod", "other"):
        sys.modules.pop(name, None)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that is installed; ``broken_one`` cannot be imported, ``slow_one`` says when it is."""
    (tmp_path / "slow_one/part").mkdir(parents=True)
    (tmp_path / "slow_one/__init__.py").write_text(
        "import builtins\nbuiltins.slow_imports += 1\nclass Base:\n    x = 7\n"
    )
    (tmp_path / "slow_one/part/__init__.py").write_text("def double(x): return 2 * x\nTABLE = {'a': 5}\n")
    (tmp_path / "slow_one/other.py").write_text("y = 3\n")
    (tmp_path / "broken_one.py").write_text("raise OSError('no folder for my cache')\n")
    monkeypatch.setattr("builtins.slow_imports", 0, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.startswith(("slow_one", "broken_one"))]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "line",
    [
        "import surely_absent",
        "import surely_absent.deep as x, math",
        "import math; import surely_absent as x",
        "from surely_absent import x, y as z",
        "from surely_absent.deep import *",
        "import \\\n  surely_absent",
        "import surely_absent as plt\nplt.style.use('x')\nplt.rcParams['a'] = 3\nplt.x.y = 3",
        "import surely_absent as plt\ndef g(a: plt.Axes, b: plt.Axes | None, c: None | plt.A, d: plt.Float[int]): pass",
        "import surely_absent.x\nimport surely_absent.y\nsurely_absent.seed(3)",
    ],
)
def test_an_import_that_nothing_needs_is_tolerated(load, line):
    executor = load(f'"""Doc."""\n{line}\ndef f(x): return x\n')
    assert executor.absent
    assert executor.call(Call(target="f", args=(3,))).value == 3
    assert executor.module.__doc__ == "Doc."


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import surely_absent\nexcept ValueError:\n    pass",
        "if True:\n    import surely_absent",
        "def f():\n    import surely_absent\nf()",
        "from math import surely_absent",
        "import os.surely_absent",
        "from . import surely_absent",
        "import surely_absent\nx = surely_absent.x()",
        "from surely_absent import Base\nclass A(Base): pass",
        "from surely_absent import wrap\n@wrap\ndef f(): pass",
        "import broken_one\nx = broken_one.y()",
        "import torch.surely_absent",
    ],
)
def test_any_other_import_and_every_use_at_once_is_an_error(load, package, code):
    with pytest.raises(StudentError) as caught:
        load(code)
    assert "ImportError" in caught.value.failure.types


@pytest.mark.parametrize(
    ("head", "use", "value"),
    [
        ("import slow_one", "slow_one.Base.x + 0", 7),
        ("import slow_one.part, slow_one.other", "slow_one.part.double(slow_one.other.y)", 6),
        ("import slow_one.part\nimport slow_one.other", "slow_one.part.double(slow_one.other.y + 0)", 6),
        ("import slow_one.part as p", "p.TABLE['a']", 5),
        ("from slow_one import part", "part.double(4)", 8),
        ("from slow_one.part import double as d", "d(4)", 8),
        ("from slow_one import Base", "type('A', (), {})() .__class__.__name__ + type(Base()).__name__", "ABase"),
        ("from slow_one import Base", "isinstance(3, Base)", False),
        ("from slow_one.part import TABLE", "sorted(TABLE) + [len(TABLE), 'a' in TABLE]", ["a", 1, True]),
        ("from slow_one.other import y", "[y + 1, 1 + y, -y, y < 4, y ** 2, int(y)]", [4, 4, -3, True, 9, 3]),
    ],
)
def test_what_is_installed_is_imported_by_its_first_use(load, package, head, use, value):
    import builtins

    executor = load(f"{head}\ndef f(): return {use}\ndef g(): return 1\n")
    assert not executor.absent
    assert executor.call(Call(target="g")).value == 1
    assert builtins.slow_imports == 0
    assert executor.call(Call(target="f")).value == value
    assert builtins.slow_imports == 1


def test_classes_can_be_built_on_it(load, package):
    executor = load("from slow_one import Base\nclass A(Base): pass\ndef f(): return A().x\n")
    assert executor.call(Call(target="f")).value == 7


def test_a_package_that_does_not_work_here_costs_nothing_until_it_is_used(load, package):
    executor = load("import broken_one as b\nb.style.use('x')\ndef f(): return 1\ndef g(): return b.plot(3)\n")
    assert executor.call(Call(target="f")).value == 1
    with pytest.raises(StudentError) as caught:
        executor.call(Call(target="g"))
    assert caught.value.failure.message == "broken_one cannot be imported where your code is graded (OSError)"


def test_a_part_of_torch_that_needs_another_package_costs_nothing_until_it_is_used(load, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("tensorboard", "torch.utils.tensorboard"))]:
        monkeypatch.delitem(sys.modules, name)
    code = "from torch.utils.tensorboard import SummaryWriter\ndef f(): return 1\ndef g(): return SummaryWriter()\n"
    executor = load(code)
    assert executor.call(Call(target="f")).value == 1
    try:
        import tensorboard  # noqa: F401
    except ImportError:
        with pytest.raises(StudentError, match="tensorboard is not installed") as caught:
            executor.call(Call(target="g"))
        assert "ModuleNotFoundError" in caught.value.failure.types


USES = [
    lambda a: a(), lambda a: a.x(), lambda a: a[0](), lambda a: list(a), bool, len, lambda a: type("A", (a,), {}),
    lambda a: a + 1, lambda a: 1 * a, lambda a: isinstance(1, a), lambda a: 1 in a, lambda a: a < 1, int,
    lambda a: setattr(a, "x", 1), lambda a: a.__version__, lambda a: next(a), lambda a: a.__enter__(),
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_every_use_says_what_is_missing(use):
    with pytest.raises((ModuleNotFoundError, TypeError)) as caught:
        namespace = Postponed(Binding(("seaborn",), "seaborn"))
        if use is USES[6]:
            exec("class A(base): pass", {"base": namespace})
        use(namespace)
    assert isinstance(caught.value, ModuleNotFoundError)
    assert str(caught.value) == "seaborn is not installed where your code is graded"


def test_it_can_be_shown_compared_and_passed_on():
    module = Postponed(Binding(("seaborn",), "seaborn"))
    assert "seaborn" in repr(module)
    assert module == module
    assert module is not None
    assert {module: 1}


def test_the_quick_look_errs_on_one_side_only():
    import torch.nn  # noqa: F401

    assert not may_be_postponed(b"import math, os.path as p # and more\nfrom torch.nn import Linear\n", ())
    assert not may_be_postponed(b"import other", {"other"})
    assert may_be_postponed(b"import math, seaborn", ())
    assert may_be_postponed(b"from torch.utils.surely_not_loaded import x", ())
