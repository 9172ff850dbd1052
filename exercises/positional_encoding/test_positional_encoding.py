"""Public tests of `positional_encoding`. Run them with `pytest exercises/positional_encoding` or
`grader check positional_encoding`; the hidden ones ask for more."""

import math

import torch

from grader.judge import assert_close, assert_same_on_device, criterion, show, student_raises

CLOSE = {"rtol": 0.0, "atol": 1e-3}  # float32 arithmetic is good enough everywhere

# The table of the handout: four positions, d_model = 4, base = 100, so the two pairs turn by 1 and by 0.1 a step.
HANDOUT = torch.tensor(
    [
        [0.0, 1.0, 0.0, 1.0],
        [0.8415, 0.5403, 0.0998, 0.9950],
        [0.9093, -0.4161, 0.1987, 0.9801],
        [0.1411, -0.9900, 0.2955, 0.9553],
    ]
)


def width_four(length):
    """The rows of d_model = 4 with the usual base of 10000: the second pair is a hundred times slower."""
    rows = [[math.sin(p), math.cos(p), math.sin(p / 100), math.cos(p / 100)] for p in range(length)]
    return torch.tensor(rows)  # (length, 4)


def own_rows(student, length, d_model, **base):
    """The student's own table: (length, d_model). Right or wrong, it may be sines and cosines of positions.

    Whether its values are right is asked once. What is built on the table is compared with the table that there is.
    """
    found, what = student.sinusoidal_encoding(length, d_model, **base), f"sinusoidal_encoding({length}, {d_model})"
    assert isinstance(found, torch.Tensor) and found.is_floating_point(), f"{what} must be a tensor of floats"
    assert found.numel() == length * d_model, f"{what} must have {length} rows of {d_model} numbers"
    rows = found.reshape(length, d_model).float()
    assert_close(rows, torch.zeros(length, d_model), what, rtol=0.0, atol=1.0 + 1e-3)
    sizes = (rows**2).sum(dim=1)  # about half of the squares, as sines and cosines have
    assert (sizes > d_model / 4).all() and (sizes < d_model * 3 / 4).all(), "the rows are no sines and cosines"
    assert (rows[1:] != rows[:-1]).any(dim=1).all(), "two neighbouring positions have the same row"
    return rows


@criterion(
    "The table of the handout",
    points=2,
    kind="value",
    question="How many different angles does a row of width 4 have?",
    hint="Columns 0 and 1 share one angle, columns 2 and 3 the next: sine, cosine, sine, cosine.",
    step="The angle of pair i at position p is p divided by base ** (2 * i / d_model); fill columns 0::2 and 1::2.",
)
def test_handout_table(student):
    """The encoding has the values that the handout computes by hand, and the usual base is 10000."""
    found = student.sinusoidal_encoding(4, 4, base=100.0)
    assert_close(found, HANDOUT, "sinusoidal_encoding(4, 4, base=100.0)", **CLOSE)
    assert_close(student.sinusoidal_encoding(6, 4), width_four(6), "sinusoidal_encoding(6, 4)", **CLOSE)


@criterion(
    "Position zero",
    points=1,
    kind="value",
    question="What are the sine and the cosine of 0?",
    hint="Positions are counted from 0. There every angle is 0: what are its sine and its cosine?",
    step="Begin the positions with torch.arange(length), which starts at 0, and put sines into the even columns.",
)
def test_position_zero(student):
    """The first row is 0, 1, 0, 1, …, whatever the width and the base are."""
    for d_model, base in [(8, 10000.0), (6, 50.0)]:
        found = own_rows(student, 3, d_model, base=base)
        expected = torch.tensor([0.0, 1.0]).repeat(d_model // 2)
        assert_close(found[0], expected, f"row 0 of sinusoidal_encoding(3, {d_model}, base={base})", **CLOSE)


@criterion(
    "Every pair lies on a circle",
    points=1,
    kind="invariance",
    question="Which two columns have the same angle?",
    hint="Is the cosine in column 2i+1 of the very angle whose sine stands in column 2i?",
    step="Compute the angles once, with one column for each pair, and use them for both the sine and the cosine.",
)
def test_pairs_on_a_circle(student):
    """The sine in column 2i and the cosine in column 2i+1 belong to one angle: their squares add up to 1."""
    for length, d_model in ((23, 10), (7, 4)):
        found = own_rows(student, length, d_model)
        squares = found[:, 0::2] ** 2 + found[:, 1::2] ** 2  # (length, d_model / 2)
        assert_close(squares, torch.ones_like(squares), "the sum of squares in each pair of columns", **CLOSE)


@criterion(
    "A step is a rotation",
    points=2,
    kind="value",
    question="What does a rotation do to one pair of sine and cosine?",
    hint="Write sin(a + b) and cos(a + b) by the addition theorems; a is the position's angle, b the offset's.",
    step="For each pair put a block of 2 by 2 on the diagonal: cosines on it, and the sine with both signs beside it.",
)
def test_step_is_a_rotation(student):
    """The matrix of the handout, which takes every row of the handout's table to the next one."""
    found = student.shift_matrix(1, 4, base=100.0)
    assert isinstance(found, torch.Tensor), f"shift_matrix must be a tensor, found {show(found)}"
    expected = torch.tensor(
        [
            [0.5403, 0.8415, 0.0, 0.0],
            [-0.8415, 0.5403, 0.0, 0.0],
            [0.0, 0.0, 0.9950, 0.0998],
            [0.0, 0.0, -0.0998, 0.9950],
        ]
    )
    assert_close(found.float(), expected, "shift_matrix(1, 4, base=100.0)", **CLOSE)
    for offset in (1, 2):
        matrix = student.shift_matrix(offset, 4, base=100.0).float()
        moved = HANDOUT[:-offset] @ matrix.T  # (4 - offset, 4): the matrix times each row
        assert_close(moved, HANDOUT[offset:], f"shift_matrix({offset}, 4, base=100.0) times the table's rows", **CLOSE)


@criterion(
    "Added along the sequence",
    points=2,
    kind="value",
    question="Which axis of x tells the position?",
    hint="x is (N, L, D): the position is its second axis. Row p of the table is added to x[:, p].",
    step="Take the first x.shape[1] rows of the table, and add them to x; the batch needs no loop.",
)
def test_added_along_the_sequence(student):
    """Every sequence of the batch gets row 0 added at its first place, row 1 at the second, and so on."""
    rows = own_rows(student, 9, 4)
    module = student.PositionalEncoding(4, max_len=9)
    module.eval()  # dropout is another question
    for batch, length in [(3, 5), (5, 5), (5, 2)]:
        x = torch.randn(batch, length, 4)
        what = f"PositionalEncoding(4, max_len=9) of x {tuple(x.shape)}"
        assert_close(module(x), x + rows[:length], what, **CLOSE)


@criterion(
    "A learned table",
    points=2,
    kind="value",
    question="How do you ask an embedding for the rows 0 to L-1?",
    hint="Look up the positions 0, 1, …, L-1 in self.table, and add the rows to every sequence of the batch.",
    step="Call the table with torch.arange(L) on the device of x, and add what comes back.",
)
def test_learned_table(student):
    """The learned encoding adds row p of its table to the input at position p."""
    module = student.LearnedPositionalEncoding(4, max_len=7)
    weight = torch.randn(7, 4)
    module.load_state_dict({"table.weight": weight})
    for _ in range(2):
        x = torch.randn(3, 5, 4)
        assert_close(module(x), x + weight[:5], "LearnedPositionalEncoding(4, max_len=7) of x (3, 5, 4)")


@criterion(
    "Wrong arguments are refused",
    points=2,
    kind="robustness",
    question="Which values of this argument make no sense?",
    hint='raise ValueError(f"length must …, not {length}"): the message names the argument.',
    step="Compare before computing, and raise with the argument's name and its value.",
)
def test_wrong_arguments(student):
    """A negative length, an odd d_model in a shift, more positions than max_len: a ValueError that names it."""
    with student_raises("ValueError", naming="length"):
        student.sinusoidal_encoding(-1, 4)
    with student_raises("ValueError", naming="d_model"):
        student.shift_matrix(1, 5)
    for module in (student.PositionalEncoding(4, max_len=6), student.LearnedPositionalEncoding(4, max_len=6)):
        with student_raises("ValueError", naming="max_len"):
            module(torch.zeros(2, 7, 4))
    found, what = student.sinusoidal_encoding(0, 4), "sinusoidal_encoding(0, 4)"
    assert isinstance(found, torch.Tensor) and found.numel() == 0, f"{what} is an empty tensor, and no mistake"
    for d_model in (4, 6):  # and right arguments are not refused
        own_rows(student, 5, d_model)


@criterion(
    "The table moves along",
    points=1,
    kind="device",
    question="What does module.to(device) move, and how would it know of your table?",
    hint="self.register_buffer(name, table): a buffer moves with .to(), a plain attribute stays where it was made.",
    step="In __init__ register the table as a buffer instead of setting an attribute; then forward finds it "
    "where x is.",
)
def test_the_table_moves(student, device):
    """After .to(device), PositionalEncoding works on that device, and gives what it gives on the CPU."""
    own_rows(student, 6, 4)
    module = student.PositionalEncoding(4, max_len=6)
    module.eval()
    zeros = torch.zeros(5, 5, 4)
    assert_same_on_device(module, device, "PositionalEncoding(4, max_len=6)", torch.randn(5, 5, 4))
    assert module.on(device)(zeros).any(), "PositionalEncoding(4, max_len=6) adds nothing to zeros"
