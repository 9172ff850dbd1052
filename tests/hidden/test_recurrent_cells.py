"""Hidden tests of `recurrent_cells`. Oracles: torch's own cells and layers with the same weights, and its autograd."""

import math
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn

from grader.judge import assert_close, assert_equal, criterion, module_of

PARTS = {"GRUCell": 3, "LSTMCell": 4, "RNNCell": 1}
NAMES = {"ih": "input", "hh": "hidden"}  # torch's names for the layers, and ours
CELLS = {"RNNCell": nn.RNNCell, "LSTMCell": nn.LSTMCell, "GRUCell": nn.GRUCell}
LAYERS = {"RNNCell": nn.RNN, "LSTMCell": nn.LSTM, "GRUCell": nn.GRU}
DOUBLE = torch.float64


# Oracles


def draw(*shape, dtype=DOUBLE):
    return torch.randn(shape, dtype=dtype)


def draw_weights(kind, input_dim, hidden_dim, dtype=DOUBLE):
    """What the cell's state_dict has; none of the biases is 0."""
    height, found = PARTS[kind] * hidden_dim, {}
    for layer, width in (("input", input_dim), ("hidden", hidden_dim)):
        found[f"{layer}.weight"] = 0.7 * draw(height, width, dtype=dtype)
        found[f"{layer}.bias"] = 0.7 * draw(height, dtype=dtype)
    return found


def sizes(weights):
    """input_dim and hidden_dim."""
    return [weights[f"{layer}.weight"].shape[1] for layer in ("input", "hidden")]


def draw_state(kind, batch, hidden_dim, dtype=DOUBLE):
    """The tensors of a state: h, or h and c."""
    return tuple(draw(batch, hidden_dim, dtype=dtype) for _ in range(2 if kind == "LSTMCell" else 1))


def torch_module(modules, kind, weights, suffix="", **options):
    """A module of torch's with these weights."""
    module = modules[kind](*sizes(weights), **options)
    named = {
        f"{part}_{theirs}{suffix}": weights[f"{ours}.{part}"]
        for theirs, ours in NAMES.items()
        for part in ("weight", "bias")
    }
    module.to(weights["input.bias"].dtype).load_state_dict(named)
    return module.requires_grad_(False)


def torch_step(kind, weights):
    """One step by torch's cell, from the tensors of a state to the tensors of the next."""
    module = torch_module(CELLS, kind, weights)
    return lambda x, state: tensors(module(x, packed(state)))


def torch_run(kind, weights, inputs, state, lengths):
    """Outputs and state by torch's layer, each sequence alone and without its padding; differentiable."""
    layer = torch_module(LAYERS, kind, weights, "_l0", batch_first=True)
    outputs, ends = [], []
    for row, length in enumerate(lengths):
        h0 = tuple(part[row : row + 1] for part in state)  # (1, H)
        rest = inputs.new_zeros(inputs.shape[1] - length, state[0].shape[1])
        if length:
            found, end = layer(inputs[row, :length], packed(h0))
            outputs.append(torch.cat([found, rest]))
            ends.append(tensors(end))
        else:
            outputs.append(rest)
            ends.append(h0)
    return torch.stack(outputs), tuple(map(torch.cat, zip(*ends, strict=True)))


def shares(updates):
    """The weights of the candidates: (1 - u_i) times the product of what comes after i, one number at a time."""
    steps, width = updates.shape
    found = torch.zeros(steps, steps, width, dtype=DOUBLE)
    for unit, u in enumerate(updates.double().T.tolist()):
        for i in range(steps):
            share = 1 - u[i]
            for t in range(i, steps):
                share *= u[t] if t > i else 1.0
                found[t, i, unit] = share
    return found.to(updates.dtype)


def norms_by_autograd(step, inputs, state):
    """The gradients' norms, twice. For an LSTM there are two readings, and both are right.

    The first takes the state after a step as what the rest of the sequence begins with: h and c are two numbers. The
    second asks the graph, where that h was computed from that c, so that c has a say through h once more.
    """
    states = [tuple(part.clone().requires_grad_() for part in state)]
    for x in inputs.unbind(dim=1):
        states.append(step(x, states[-1]))
    in_graph = [slope(states[-1], at) for at in states[1:]]
    alone = []
    for t in range(1, len(states)):
        begin = now = tuple(part.detach().requires_grad_() for part in states[t])
        for x in inputs[:, t:].unbind(dim=1):
            now = step(x, now)
        alone.append(slope(now, begin))
    return torch.stack(alone), torch.stack(in_graph)


def slope(end, begin):
    found = torch.autograd.grad(end[0].sum(), begin, retain_graph=True, allow_unused=True, materialize_grads=True)
    return torch.cat(found, dim=1).norm()


def norms_by_trying(step, inputs, state):
    """The same without autograd, for any cell: after each step each number of the state is moved a little."""
    little, width, steps = 1e-5, sum(part.shape[1] for part in state), inputs.shape[1]
    moves = torch.eye(steps * width, dtype=DOUBLE).view(-1, steps, width) * little
    moves = torch.cat([moves, -moves])  # (rows, T, width)
    now = tuple(part.expand(len(moves), -1) for part in state)
    for t in range(steps):
        now = step(inputs[:, t].expand(len(moves), -1), now)
        by = moves[:, t].split([part.shape[1] for part in now], dim=1)
        now = tuple(part + move for part, move in zip(now, by, strict=True))
    up, down = now[0].sum(dim=1).chunk(2)
    found = ((up - down) / (2 * little)).view(steps, width).norm(dim=1)
    assert steps == 1 or (found - found[-1]).abs().max() > 1e-3, (
        "a gradient changes on its way"
    )  # that of garbage need not
    return found


# The student's cells


def packed(state):
    """The tensors of a state as cells want them."""
    return state if len(state) == 2 else state[0]


def tensors(state):
    """The tensors of a state, whatever its form; a cell's mistakes are told where cells are asked."""
    parts = tuple(state) if isinstance(state, tuple | list) else (state,)
    assert all(isinstance(part, torch.Tensor) for part in parts), "a state is a tensor, or two of an LSTM"
    return parts


def loaded(student, kind, weights):
    """The student's cell with these weights, in their dtype."""
    made = getattr(student, kind)(*sizes(weights))
    if weights["input.bias"].dtype == DOUBLE:
        made.double()
    made.load_state_dict(weights)
    return made


def step_of(cell):
    """One step of the student's cell, from the tensors of a state to the tensors of the next."""
    return lambda x, state: tensors(cell(x, packed(state)))


def step_by_step(cell, inputs, state, lengths):
    """What `run` must give with the student's cell, right or wrong."""
    outputs, real = [], torch.tensor(lengths)
    for t in range(inputs.shape[1]):
        after = step_of(cell)(inputs[:, t], state)
        on = (t < real)[:, None]
        state = tuple(torch.where(on, new, old) for new, old in zip(after, state, strict=True))
        outputs.append(torch.where(on, state[0], torch.zeros_like(state[0])))
    outputs = torch.stack(outputs, dim=1)
    assert (outputs[:, 0] != outputs[:, -1]).any(), "a cell's state moves"  # that of garbage need not
    return outputs, state


def ran(found, what):
    """The outputs, and the tensors of the state."""
    assert isinstance(found, tuple | list) and len(found) == 2, f"{what} must return the outputs and the state"
    return found[0], tensors(found[1])


def check(found, expected, own, what, **tolerance):
    """It is what we expect, or else what the student's own cell gives: its mistakes are told elsewhere."""
    try:
        assert_close(found, expected, what, **tolerance)
    except AssertionError as wrong:
        try:
            assert_close(found, own(), what, **tolerance)
        except Exception:  # whatever a wrong cell returned
            raise wrong from None


# Cells


@criterion(
    "Any batch, any width",
    points=3,
    kind="value",
    hint="A batch of one, a state of one number, inputs of a thousand: no squeeze(), and torch's own sigmoid and tanh.",
)
def test_any_batch_any_width(student, rng):
    """All cells give what torch's give, also for one row, for a state of one number, and where gates are saturated."""
    for kind in PARTS:
        for batch, input_dim, hidden_dim, size in ((1, 3, 5, 1), (4, 1, 1, 1), (3, rng.randint(2, 5), 7, 1000)):
            weights = draw_weights(kind, input_dim, hidden_dim, torch.float32)
            cell, step = loaded(student, kind, weights), torch_step(kind, weights)
            x = draw(batch, input_dim, dtype=torch.float32) * size
            state = draw_state(kind, batch, hidden_dim, torch.float32)
            what = f"a {kind} with input_dim {input_dim}, hidden_dim {hidden_dim} and {batch} rows"
            assert_close(tensors(cell(x, packed(state))), step(x, state), what, rtol=1e-4, atol=1e-4)


@criterion(
    "Cells can learn",
    points=2,
    kind="gradient",
    hint="Use self.input and self.hidden as they are, and the state as it comes: no .data, no .detach(), no numpy.",
)
def test_cells_can_learn(student):
    """Gradients reach the input, the state and every parameter, and are the slopes of what the cell computes."""
    for kind in PARTS:
        weights, x, state = draw_weights(kind, 3, 4), draw(2, 3), draw_state(kind, 2, 4)
        cell = loaded(student, kind, weights)
        reply = cell.gradients(x, packed(state))
        found = {"the input": reply.gradients[0], **reply.parameters}
        values = {"the input": x, **weights}
        if kind != "LSTMCell":
            found["the state"], values["the state"] = reply.gradients[1], state[0]
        assert found.keys() == values.keys(), f"{kind} must have the parameters of its constructor, and no others"
        for name, gradient in found.items():
            assert isinstance(gradient, torch.Tensor) and gradient.any(), f"{kind}: no gradient reaches {name}"
        moves = {name: draw(*value.shape) for name, value in values.items()}
        total, ends = sum((found[name] * move).sum() for name, move in moves.items()), []
        for little in (1e-5, -1e-5):
            moved = {name: value + little * moves[name] for name, value in values.items()}
            cell.load_state_dict({name: moved[name] for name in weights})
            begin = (moved["the state"],) if "the state" in moved else state
            ends.append(step_of(cell)(moved["the input"], begin)[0].sum())
        assert_close(
            total, (ends[0] - ends[1]) / 2e-5, f"the slope of {kind}, all moved together,", rtol=1e-4, atol=1e-6
        )


# run


@criterion(
    "Each row as if alone",
    points=3,
    kind="invariance",
    hint="Freeze all of a row's state where t >= its length: c of the LSTM, too. A row of length 0 keeps what it had.",
)
def test_each_row_alone(student, rng):
    """A row gives what it gives alone and without padding, whatever stands in its padding and beside it."""
    for kind in PARTS:
        weights, state = draw_weights(kind, 3, 5, torch.float32), draw_state(kind, 4, 5, torch.float32)
        cell = loaded(student, kind, weights)
        given = rng.sample([0, rng.randint(1, 3), rng.randint(4, 6), 7], 4)
        for lengths in (given, [7] * 4 if kind == "LSTMCell" else [rng.randint(2, 5)] * 4):
            inputs = torch.randn(4, 7, 3)
            for row, length in zip(inputs, lengths, strict=True):
                row[length:] *= 1e4
            what = f"run of {kind} with T = 7, lengths {lengths}"
            wanted = () if min(lengths) == 7 else (torch.tensor(lengths),)
            found = ran(student.run(cell, inputs, packed(state), *wanted), what)
            expected = torch_run(kind, weights, inputs, state, lengths)
            check(found, expected, partial(step_by_step, cell, inputs, state, lengths), what)


@criterion(
    "Back to the first step",
    points=2,
    kind="gradient",
    hint="No .detach() between the steps, and no .data: the last output depends on the first input, too.",
)
def test_back_to_the_first_step(student):
    """Outputs and the last state have gradients in all inputs before them, and none at all in the padding."""
    theirs, lengths = module_of(student, "torch"), [5, 2, 4]
    for kind in ("GRUCell", "LSTMCell"):
        weights, inputs, state = draw_weights(kind, 2, 3), draw(3, 5, 2), draw_state(kind, 3, 3)
        cell = loaded(student, kind, weights)
        for index, of_what in enumerate(("the outputs", "the last state")):
            leaf = theirs.clone.keep(inputs)
            leaf.requires_grad_(True)
            kept = student.run.keep(cell, leaf, packed(state), torch.tensor(lengths))
            part = module_of(student, "operator").getitem.keep(kept, index)
            part = module_of(student, "operator").getitem.keep(part, 0) if index and kind == "LSTMCell" else part
            found = theirs.autograd.grad(theirs.square.keep(part).sum.keep(), leaf)[0]
            what = f"the gradient of {of_what} of run ({kind}) in the inputs"
            assert isinstance(found, torch.Tensor) and found.any(), f"{what}: there is none"
            real = torch.arange(5) < torch.tensor(lengths)[:, None]
            assert_equal(found[~real], torch.zeros_like(found[~real]), f"{what}, where they are padding,")
            moved = inputs.clone().requires_grad_()
            outputs, last = torch_run(kind, weights, moved, state, lengths)
            expected = torch.autograd.grad((outputs, last[0])[index].square().sum(), moved)[0]
            own = partial(tried, cell, inputs, state, lengths, index)
            check(found, expected, own, what, rtol=1e-4, atol=1e-6)


def tried(cell, inputs, state, lengths, index):
    """The same gradient by trying, with the student's own cell: every number of the inputs is moved a little."""
    moves = 1e-5 * torch.eye(inputs[0].numel(), dtype=DOUBLE).view(-1, *inputs.shape[1:])
    moves = torch.cat([moves, -moves])
    found = []
    for row, length in enumerate(lengths):
        begin = tuple(part[row].expand(len(moves), -1) for part in state)
        outputs, end = step_by_step(cell, inputs[row] + moves, begin, [length] * len(moves))
        sums = (outputs, end[0])[index].square().flatten(1).sum(dim=1)
        up, down = sums.chunk(2)
        found.append(((up - down) / 2e-5).view(inputs.shape[1:]))
    return torch.stack(found)


# candidate_weights


@criterion(
    "Unrolled, unit by unit",
    points=2,
    kind="value",
    hint="Every unit has gates of its own, and T is updates.shape[0]. Each row and the share of h_0 add up to 1.",
)
def test_unrolled(student, rng):
    """For any T and any width, h_0 and the candidates with these weights are the states of the GRU's update."""
    for steps, width in ((5, 3), (3, 7), (1, 2), (rng.randint(6, 9), 1)):
        updates, what = torch.rand(steps, width, dtype=DOUBLE), f"candidate_weights of updates ({steps}, {width})"
        found = student.candidate_weights(updates)
        assert_close(found, shares(updates), what)
        candidates, first = draw(steps, width), draw(width)
        states = updates.cumprod(0) * first + (found * candidates).sum(dim=1)
        for t, (u, candidate) in enumerate(zip(updates, candidates, strict=True)):
            first = u * first + (1 - u) * candidate
            assert_close(states[t], first, f"h_{t + 1}, unrolled by {what},")


@criterion(
    "Gates that are shut",
    points=2,
    kind="robustness",
    hint="0/0 is NaN, and so is log 0 - log 0. Multiply along the sequence instead of dividing products of all of it.",
)
def test_gates_that_are_shut(student, rng):
    """Updates of exactly 0 and 1, and products too small for a float, give weights that are right, and never NaN."""
    some = torch.rand(9, 1)
    zeros, ones = rng.sample(range(9), 4), rng.sample(range(9), 2)
    some[zeros], some[ones] = 0.0, 1.0
    small = torch.rand(40, 1) * 0.01
    for updates, what in ((some, "updates some of which are 0 or 1"), (small, "40 updates below 0.01")):
        found = student.candidate_weights(updates)
        assert_close(found, shares(updates), f"candidate_weights of {what}")


# gradient_norms


@criterion(
    "Every memory of every cell",
    points=3,
    kind="value",
    hint="Of the LSTM the state is h and c: one vector of 2h numbers, and one norm of it. Is the last entry for t = T?",
)
def test_every_memory(student, rng):
    """For each cell the norms are those that autograd finds, for sequences of any length, down to a single step."""
    for kind in PARTS:
        for steps in (rng.randint(4, 6), 1):
            weights, inputs, state = draw_weights(kind, 2, 3), draw(1, steps, 2), draw_state(kind, 1, 3)
            cell, what = loaded(student, kind, weights), f"gradient_norms of a {kind} with T = {steps}"
            found = student.gradient_norms(cell, inputs, packed(state))
            alone, in_graph = norms_by_autograd(torch_step(kind, weights), inputs, state)
            assert_close(found, torch.zeros(steps, dtype=DOUBLE), what, rtol=0.0, atol=math.inf)
            if not torch.allclose(found, in_graph, rtol=1e-5, atol=1e-7):
                own = partial(norms_by_trying, step_of(cell), inputs, state)
                check(found, alone, own, what, rtol=1e-5, atol=1e-7)


# All of them


class Question(NamedTuple):
    """Something to ask of the student's code, and the same with other inputs, and with another state."""

    what: str
    function: Any  # the student's function, or a cell
    cell: Any  # the cell that is asked, or is among the arguments; None: there is none
    weights: dict  # its weights
    arguments: tuple
    others: list[tuple]

    def ask(self, arguments=None):
        return flat(self.function(*(arguments or self.arguments)), self.what)


def questions(student, dtype, apart=None):
    """Each function and each cell; with `apart` the other numbers differ by no more than that."""

    def other(value):
        if isinstance(value, tuple):
            return tuple(map(other, value))
        return torch.rand_like(value) if apart is None else value + apart * (1 + torch.rand_like(value))

    found, lengths = [], torch.tensor([3, 1, 2])
    for kind in PARTS:
        weights = draw_weights(kind, 2, 5, dtype)
        cell = loaded(student, kind, weights)
        x, batch, single = (draw(*shape, 2, dtype=dtype) for shape in ((3,), (3, 3), (1, 3)))
        state, begin = packed(draw_state(kind, 3, 5, dtype)), packed(draw_state(kind, 1, 5, dtype))
        asked = [
            (kind, cell, (), x, state, ()),
            (f"run of {kind}", student.run, (cell,), batch, state, (lengths,)),
            (f"gradient_norms of {kind}", student.gradient_norms, (cell,), single, begin, ()),
        ]
        # A plain cell that has lost its tanh has the same norms whatever it reads.
        for what, function, first, inputs, old, last in asked[: 1 if kind == "RNNCell" else 3]:
            others = [(*first, other(inputs), old, *last), (*first, inputs, other(old), *last)]
            found.append(Question(what, function, cell, weights, (*first, inputs, old, *last), others))
    updates = torch.rand(4, 3, dtype=dtype) * 0.8 + 0.1
    return [*found, Question("candidate_weights", student.candidate_weights, None, {}, (updates,), [(other(updates),)])]


def flat(value, what):
    """All tensors of an answer, in order."""
    if isinstance(value, torch.Tensor):
        assert value.isfinite().all(), f"{what} must hold finite numbers"
        return [value]
    assert isinstance(value, tuple | list) and value, f"{what} must give tensors"
    return [part for item in value for part in flat(item, what)]


def alive(question):
    """The answer: the same if asked again, and another for other numbers, in each of its tensors."""
    first = question.ask()
    for others in question.others:
        second = question.ask(others)
        assert len(first) == len(second), f"{question.what} must give as many tensors each time"
        for one, two in zip(first, second, strict=True):
            assert one.shape == two.shape and not torch.equal(one, two), (
                f"{question.what} is the same for other numbers"
            )
    assert_close(question.ask(), first, f"{question.what}, asked once more,")
    return first


@criterion(
    "Both precisions",
    points=2,
    kind="robustness",
    hint="torch.zeros(…) and torch.ones(…) are float32: give dtype=, or use zeros_like and new_zeros. No .float().",
)
def test_both_precisions(student):
    """float32 gives float32, and float64 gives float64, as precise as that is."""
    # float32 does not notice a change of 1e-10.
    precise = [(question, DOUBLE, alive(question)) for question in questions(student, DOUBLE, apart=1e-10)]
    short = [(question, torch.float32, question.ask()) for question in questions(student, torch.float32)]
    for question, dtype, answer in precise + short:
        for part in answer:
            assert part.dtype == dtype, f"{question.what} must be {dtype} for {dtype}, it is {part.dtype}"


@criterion(
    "Where the inputs are",
    points=2,
    kind="device",
    hint="What you make yourself is on the CPU: give device=inputs.device, or begin with zeros_like and new_zeros.",
)
def test_cells_on_an_accelerator(student, device):
    """On an accelerator everything gives what it gives on the CPU, and leaves it there."""
    asked = [(question, alive(question)) for question in questions(student, torch.float32)]
    for question, expected in asked:
        if question.cell is not None:
            question.cell.to(device)
        reply = question.function.on(device).observe(*question.arguments)
        assert all(at == device for at in reply.devices), f"{question.what} must be where the inputs are"
        assert_close(flat(reply.value, question.what), expected, f"{question.what} on the accelerator")


@criterion(
    "Nothing is changed",
    points=2,
    kind="robustness",
    hint="No h[:] = …, no *=, no copy_ on what you were given; and nothing kept in self or in a default argument.",
)
def test_nothing_is_changed(student):
    """Arguments and weights are the same after a call; no call notices an earlier one, nor train() and eval()."""
    for question in questions(student, torch.float32):
        expected = alive(question)
        if question.cell is not None:
            question.cell.eval()
        reply = question.function.observe(*question.arguments)
        assert_close(flat(reply.value, question.what), expected, f"{question.what} after eval()")
        for given, now in zip(question.arguments, reply.args, strict=True):
            if given is not question.cell:
                assert_equal(now, given, f"an argument after {question.what}")
        if question.cell is not None:
            assert_equal(dict(question.cell.state_dict()), question.weights, f"the weights after {question.what}")
