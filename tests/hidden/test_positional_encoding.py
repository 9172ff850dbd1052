"""Hidden tests of `positional_encoding`. The oracle is the formula itself, number by number, in double precision."""

import math

import torch

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, student_raises

CLOSE = {"rtol": 0.0, "atol": 1e-3}  # float32 arithmetic stays well below, up to position 5000
ANYTHING = {"rtol": 0.0, "atol": math.inf}  # any finite value of the right kind, shape and dtype


# Oracles


def speed(column, d_model, base):
    """The angle by which a column turns at each step; columns 2i and 2i+1 share it."""
    return base ** -((column - column % 2) / d_model)


def rows_at(positions, d_model, base=10000.0):
    """The encoding of these positions: float32 (len(positions), d_model)."""
    angles = [[p * speed(c, d_model, base) for c in range(d_model)] for p in positions]
    values = [[math.cos(a) if c % 2 else math.sin(a) for c, a in enumerate(row)] for row in angles]
    return torch.tensor(values, dtype=torch.float64).float()


def rotations(offset, d_model, base=10000.0):
    """The shift by offset: float32 (d_model, d_model)."""
    matrix = torch.zeros(d_model, d_model, dtype=torch.float64)
    for c in range(0, d_model, 2):
        angle = offset * speed(c, d_model, base)
        matrix[c, c] = matrix[c + 1, c + 1] = math.cos(angle)
        matrix[c, c + 1], matrix[c + 1, c] = math.sin(angle), -math.sin(angle)
    return matrix.float()


def check_rows(rows, what):
    """These may be sines and cosines of positions, rightly arranged or not; what garbage adds is neither.

    Numbers from -1 to 1, about half of the squares in each row, and no two neighbours alike.
    """
    rows = rows[:6]
    sizes, half = (rows**2).sum(dim=1), rows.shape[1] / 2
    assert (rows.abs() < 1.001).all(), f"{what}: no sine or cosine is larger than 1"
    assert ((sizes > half * 0.5) & (sizes < half * 1.5)).all(), f"{what}: the rows are no sines and cosines"
    assert ((rows[1:] - rows[:-1]).abs().amax(dim=1) > 1e-3).all(), f"{what}: neighbouring positions are alike"


def in_both_modes(module):
    """The module in eval() and in train(): without dropout, these make no difference."""
    for mode in (module.eval, module.train):
        mode()
        yield module


def table_of(student, length, d_model, **base):
    """The student's table as float32, where neither its dtype nor an axis too many is the question."""
    found, what = student.sinusoidal_encoding(length, d_model, **base), f"sinusoidal_encoding({length}, {d_model})"
    assert isinstance(found, torch.Tensor) and found.is_floating_point(), f"{what} must be a tensor of floats"
    assert found.shape[-1] == d_model and found.numel() == length * d_model, f"{what} must be ({length}, {d_model})"
    found = found.reshape(length, d_model).float()
    assert_close(found, torch.zeros(length, d_model), what, **ANYTHING)
    return found


def undropped(student, x, max_len):
    """What the student's PositionalEncoding makes of x without dropout: right or not, but an encoding of some kind.

    What it adds, and along which axis, is asked by tests of their own. Tests of something else compare with this, so
    that a wrong sum is lost once only. Their batches have as many sequences as positions, for the same reason.
    """
    d_model, what = x.shape[2], f"PositionalEncoding({x.shape[2]}, 0.0, {max_len})"
    module = student.PositionalEncoding(d_model, 0.0, max_len)
    module.eval()
    zeros = torch.zeros(6, 6, d_model)
    added = module(zeros)
    assert_close(added, zeros, f"{what} of zeros (6, 6, {d_model})", **ANYTHING)
    alike = torch.equal(added[0], added[0, :1].expand(6, d_model))
    check_rows(added[:, 0] if alike else added[0], what)
    found = module(x)
    assert_close(found, x, f"{what} of x {tuple(x.shape)}", **ANYTHING)
    return found


def learned_encoding(student, d_model, max_len):
    """The student's LearnedPositionalEncoding, and the rows that it was given."""
    weight = torch.randn(max_len, d_model)
    module = student.LearnedPositionalEncoding(d_model, max_len)
    module.load_state_dict({"table.weight": weight})
    return module, weight


def check_added(added, weight, what):
    """What is added at each position is some row of the learned table; which one is asked by tests of their own."""
    assert isinstance(added, torch.Tensor) and added.shape[-1] == weight.shape[-1], f"{what} must have the shape of x"
    distances = torch.cdist(added.reshape(-1, weight.shape[1]).double(), weight.double())
    assert (distances.min(dim=1).values < 1e-3).all(), f"{what} adds something else than rows of its table"


def matrix_of(student, offset, d_model, **base):
    """The student's shift matrix as float32: the contract leaves its precision open."""
    found = student.shift_matrix(offset, d_model, **base)
    assert isinstance(found, torch.Tensor), "shift_matrix must be a tensor"
    assert found.dtype in (torch.float32, torch.float64), "shift_matrix must be float32 or float64"
    return found.float()


# sinusoidal_encoding


@criterion(
    "Any width, any base",
    points=3,
    kind="value",
    hint="Write out the exponents 2i/d for d = 6 by hand and print yours. Does the base come from the argument?",
)
def test_any_width_any_base(student, rng):
    """Every value is the sine or the cosine of pos / base^(2i/d), for any even width and any base."""
    for length, d_model in [(11, 6), (5, 12), (9, 2)]:
        for base in (10000.0, rng.uniform(20.0, 500.0)):
            found = student.sinusoidal_encoding(length, d_model, base=base)
            expected = rows_at(range(length), d_model, base)
            assert_close(found, expected, f"sinusoidal_encoding({length}, {d_model}, base={base})", **CLOSE)


@criterion(
    "An odd width ends on a sine",
    points=2,
    kind="shape",
    hint="With d = 5 there are three sines and two cosines. How many angles does each of them need?",
)
def test_odd_width(student, rng):
    """With an odd d_model the last column is a sine without its cosine; the exponents are still 2i/d."""
    # Pair i of any width d has the exponent 2i/d, as pair 2i of the width 2d has: so the even width tells the odd one.
    check_rows(table_of(student, 6, 10), "sinusoidal_encoding(6, 10)")
    for d_model in (1, 5, rng.choice([7, 9, 11])):
        found, twice = table_of(student, 6, d_model), table_of(student, 6, 2 * d_model)
        expected = twice[:, [column // 2 * 4 + column % 2 for column in range(d_model)]]
        assert_close(found, expected, f"sinusoidal_encoding(6, {d_model})", **CLOSE)
    x = torch.randn(4, 4, 5)
    learned, weight = learned_encoding(student, 5, 6)
    check_added(learned(x) - x, weight, "LearnedPositionalEncoding(5, 6)")
    undropped(student, x, 9)


@criterion(
    "Far from the beginning",
    points=2,
    kind="robustness",
    hint="At position 5000 an error in a frequency counts 5000 times. In which precision do you compute them?",
)
def test_far_positions(student, rng):
    """Positions up to 5000 are right to three digits, in the table and in the module."""
    places = [*sorted(rng.sample(range(1000, 4999), 9)), 4999]
    expected = rows_at(places, 8)
    found = table_of(student, 5000, 8)
    found_late = found[places]
    assert_close(found_late, expected, "the late rows of sinusoidal_encoding(5000, 8)", **CLOSE)
    near = [place for place in places if place < 2000] + [1999]
    wide = table_of(student, 2000, 128)
    assert_close(wide[near], rows_at(near, 128), "late rows of sinusoidal_encoding(2000, 128)", **CLOSE)
    module, zeros = student.PositionalEncoding(8), torch.zeros(2, 5000, 8)
    module.eval()
    found = module(zeros)
    assert_close(found, zeros, "PositionalEncoding(8) of zeros (2, 5000, 8)", **ANYTHING)
    assert_close(found[0, places], found_late, "the late positions of PositionalEncoding(8)", **CLOSE)


@criterion(
    "Longer tables continue shorter ones",
    points=2,
    kind="invariance",
    hint="A row depends on its position, the width and the base, and not on how many rows there are.",
)
def test_longer_tables(student, rng):
    """A longer table begins with the shorter one, down to a table of no rows; all rows differ."""
    d_model = rng.choice([6, 8, 10])
    long = table_of(student, 19, d_model)
    check_rows(long, f"sinusoidal_encoding(19, {d_model})")
    distances = torch.cdist(long, long) + torch.eye(19)
    assert distances.min() > 1e-2, "two positions have the same encoding"
    for length in (0, 1, rng.randint(2, 9), 14):
        found = table_of(student, length, d_model)
        assert_close(found, long[:length], f"sinusoidal_encoding({length}, {d_model})", **CLOSE)


@criterion(
    "Products know the distance only",
    points=1,
    kind="invariance",
    hint="sin a · sin b + cos a · cos b = cos(a - b), if both columns of a pair turn equally fast.",
)
def test_products(student, rng):
    """The dot product of two rows depends on how far apart they are, not on where: it sums cosines of the distance."""
    d_model, base = rng.choice([(8, 10000.0), (6, 10000.0), (10, 200.0)])
    found = table_of(student, 13, d_model, base=base)
    check_rows(found, f"sinusoidal_encoding(13, {d_model})")
    products = found @ found.T  # (13, 13)
    distances = (torch.arange(13)[:, None] - torch.arange(13)).abs()
    what = f"products of the rows for d_model={d_model}"
    assert_close(products, products[0, distances], f"the {what}", **CLOSE)
    assert_close(products[0, 0], torch.tensor(d_model / 2), f"the first of the {what}", **CLOSE)


# shift_matrix


@criterion(
    "Forwards and backwards",
    points=3,
    kind="value",
    hint="Do your blocks have the base and the exponents of the encoding, and the sign of the offset in their sines?",
)
def test_forwards_and_backwards(student, rng):
    """The matrix takes each row to the one `offset` further on, or back, for any width and base."""
    own = rng.uniform(20.0, 500.0)
    for d_model, base in [(6, 10000.0), (2, 10000.0), (8, 10000.0), (8, own), (6, own)]:
        far = rng.randint(100, 2000)
        for offset in (rng.randint(2, 9), -rng.randint(2, 9), far, -far):
            what = f"shift_matrix({offset}, {d_model}, base={base})"
            matrix = matrix_of(student, offset, d_model, base=base)
            assert_close(matrix, rotations(offset, d_model, base), what, **CLOSE)
            here, there = rows_at([3, 2100], d_model, base), rows_at([3 + offset, 2100 + offset], d_model, base)
            assert_close(here @ matrix.T, there, f"{what} times the rows 3 and 2100", rtol=0.0, atol=2e-3)
    with student_raises("ValueError", naming="d_model"):
        student.shift_matrix(-rng.randint(1, 9), rng.choice([1, 3, 7, 9]))


@criterion(
    "Shifts add up",
    points=2,
    kind="invariance",
    hint="No step is the identity, k steps and then j are k + j steps, and k steps back undo k steps: rotations.",
)
def test_shifts_add_up(student, rng):
    """One shift after the other is the shift by the sum; shifting back is the transposed matrix."""
    d_model = rng.choice([6, 8, 10])
    eye = torch.eye(d_model)
    assert_close(matrix_of(student, 0, d_model), eye, f"shift_matrix(0, {d_model})", **CLOSE)
    usual = matrix_of(student, 3, d_model, base=10000.0)
    assert_close(matrix_of(student, 3, d_model), usual, f"shift_matrix(3, {d_model}) without a base", **CLOSE)
    far, step = 2049 + 2 * rng.randrange(1000), matrix_of(student, 1, d_model).double()
    found = matrix_of(student, far, d_model)
    assert_close(found, step.matrix_power(far).float(), f"shift_matrix({far}, {d_model}), {far} steps,", **CLOSE)
    k, j = rng.randint(2, 6), rng.randint(7, 12)
    one, other, back = (matrix_of(student, offset, d_model) for offset in (k, j, -k))
    assert_close(one @ other, matrix_of(student, k + j, d_model), f"M_{k} M_{j} for d_model={d_model}", **CLOSE)
    assert_close(other @ back, matrix_of(student, j - k, d_model), f"M_{j} M_{-k} for d_model={d_model}", **CLOSE)
    assert_close(one @ one.T, eye, f"M_{k} times its transpose for d_model={d_model}", **CLOSE)
    assert_close(back, one.T, f"M_{-k}, which is the transpose of M_{k},", **CLOSE)
    assert (one - eye).abs().max() > 0.1, "a shift must change something"


# PositionalEncoding


@criterion(
    "Each sequence for itself",
    points=2,
    kind="invariance",
    hint="What is added depends on the second axis only: not on the batch, and not on what x contains.",
)
def test_each_sequence(student, rng):
    """A sequence gets the same encoding alone, in any batch, at its beginning only, and whatever it contains."""
    module = student.PositionalEncoding(6, 0.0, 12)
    module.eval()
    x = torch.randn(4, 7, 6) * 3
    zeros = torch.zeros(1, 7, 6)
    rows = module(zeros)
    assert_close(rows, zeros, "PositionalEncoding(6, 0.0, 12) of zeros (1, 7, 6)", **ANYTHING)
    check_rows(rows[0], "PositionalEncoding(6, 0.0, 12)")
    whole = module(x)
    assert_close(whole, x + rows, "PositionalEncoding(6, 0.0, 12) of x (4, 7, 6)", **CLOSE)
    n, length = rng.randrange(4), rng.randint(2, 6)
    assert_close(module(x[n : n + 1]), whole[n : n + 1], "the encoding of a batch of one")
    assert_close(module(x[:, :length]), whole[:, :length], "the encoding of the first positions alone")
    assert_close(module(x[:, :1]), whole[:, :1], "the encoding of a single position")
    square = torch.randn(7, 7, 6)
    assert_close(module(square), square + rows, "PositionalEncoding(6, 0.0, 12) of x (7, 7, 6)", **CLOSE)


@criterion(
    "Dropout falls on the sum",
    points=2,
    kind="value",
    hint="self.dropout(x + rows): one nn.Dropout with the caller's rate, on the sum and not on one of its parts.",
)
def test_dropout_on_the_sum(student, rng):
    """In training each value of x + PE is dropped with the given rate, and the others are scaled up."""
    rate = rng.choice([0.2, 0.3, 0.4])
    module = student.PositionalEncoding(6, dropout=rate, max_len=60)
    module.train()
    x = torch.randn(30, 30, 6)
    kept = undropped(student, x, 60) / (1 - rate)
    found = module(x)
    assert isinstance(found, torch.Tensor) and found.shape == x.shape, "the result must have the shape of x"
    dropped = found == 0
    what = f"PositionalEncoding(6, dropout={rate}) in training, where nothing was dropped,"
    assert_close(found, kept.masked_fill(dropped, 0.0), what, **CLOSE)
    share = dropped.float().mean().item()
    assert abs(share - rate) < 0.1, f"{share:.0%} of the values are dropped at a rate of {rate}"
    for axis, of in enumerate(("sequences", "positions", "features")):
        assert (dropped != dropped.roll(1, axis)).any(), f"dropout is the same for all {of}"
    assert ((module(x) == 0) != dropped).any(), "dropout is the same in two calls"
    without = student.PositionalEncoding(6, max_len=60)
    without.train()
    assert_close(
        without(x), kept * (1 - rate), "PositionalEncoding(6) in training, with the default rate of 0", **CLOSE
    )


@criterion(
    "No dropout in eval",
    points=2,
    kind="robustness",
    hint="nn.Dropout knows by itself when it is off; F.dropout must be told: training=self.training.",
)
def test_no_dropout_in_eval(student):
    """After eval() nothing is dropped, whatever the rate; train() brings dropout back."""
    module = student.PositionalEncoding(8, dropout=0.8, max_len=20)
    x = torch.randn(11, 11, 8)
    expected = undropped(student, x, 20)
    module.eval()
    assert_close(module(x), expected, "PositionalEncoding(8, dropout=0.8) after eval()", **CLOSE)
    module.train()
    found = module(x)
    assert (found == 0).any(), "nothing is dropped after train()"
    module.eval()
    assert_close(module(x), expected, "PositionalEncoding(8, dropout=0.8) after train() and eval()", **CLOSE)


@criterion(
    "A table that nobody trains",
    points=2,
    kind="gradient",
    hint="register_buffer: the table belongs to the module, but not to its parameters. And x is not detached.",
)
def test_nobody_trains(student):
    """The module has no parameters, and the gradient goes through to x unchanged."""
    x = torch.randn(6, 6, 6)
    undropped(student, x, 9)
    module = student.PositionalEncoding(6, max_len=9)
    module.requires_grad_(True)
    reply = module.gradients(x)
    assert not reply.parameters, "PositionalEncoding has parameters"
    assert reply.gradients[0].any(), "x gets no gradient"
    module.eval()
    gradient = module.gradients(x).gradients[0]
    assert gradient.all(), "x gets no gradient after eval()"
    assert_close(gradient, gradient[0, 0, 0].expand_as(x), "the gradient in x of the summed output, after eval(),")


# LearnedPositionalEncoding


@criterion(
    "Learned, position by position",
    points=2,
    kind="value",
    hint="torch.arange(L), the second size of x: from 0, rising, the same for every sequence of the batch.",
)
def test_learned_positions(student, rng):
    """Row p is added at position p, for short and long inputs and batches of any size."""
    max_len = rng.choice([8, 9])
    weight = torch.randn(max_len, 6)
    module = student.LearnedPositionalEncoding(6, max_len)
    for same in in_both_modes(module):
        module.load_state_dict({"table.weight": weight})
        for batch, length in [(4, 7), (5, 5), (1, 3), (2, 1), (7, 2), (7, 2)]:
            x = torch.randn(batch, length, 6)
            what = f"LearnedPositionalEncoding(6, {max_len}) of x {tuple(x.shape)}"
            assert_close(same(x), x + weight[:length], what)
        weight = torch.randn(max_len, 6)
        module.load_state_dict({"table.weight": weight})
        assert_close(same(x), x + weight[:2], f"LearnedPositionalEncoding(6, {max_len}) after its table has changed")


@criterion(
    "The learned table learns",
    points=2,
    kind="gradient",
    hint="Use self.table itself: .data, .detach() and no_grad cut the way back to its weight.",
)
def test_learned_gradient(student, rng):
    """Each row that was used gets the gradient of every sequence in the batch, the others get none."""
    max_len, length = 9, rng.randint(3, 6)
    module = student.LearnedPositionalEncoding(4, max_len)
    first = module.state_dict()["table.weight"]
    assert (first != first.roll(1, 0)).any(dim=1).all(), "a new table has rows that are alike: it starts as noise"
    reply = module.gradients(torch.randn(5, length, 4))
    expected = torch.zeros(max_len, 4)
    expected[:length] = 5.0
    assert_close(reply.parameters, {"table.weight": expected}, "the gradient of the summed output in the parameters")
    assert_close(reply.gradients[0], torch.ones(5, length, 4), "the gradient of the summed output in x")


# Both modules


@criterion(
    "Exactly up to max_len",
    points=2,
    kind="robustness",
    hint="L == max_len is allowed, L == max_len + 1 is not; and one row is added to any number of positions without "
    "complaint, so compare the lengths yourself.",
)
def test_exactly_up_to_max_len(student, rng):
    """As many positions as max_len are right, one more is an error, also where that is 1; the default is 5000."""
    max_len = rng.randint(6, 8)
    undropped(student, torch.randn(6, 6, 4), 9)
    for size, batch in ((max_len, max_len), (1, 3)):
        learned, _ = learned_encoding(student, 4, size)
        for module in (student.PositionalEncoding(4, max_len=size), learned):
            for same in in_both_modes(module):
                x = torch.randn(batch, size, 4)
                assert_close(same(x), x, f"an input of length {size} with max_len={size}", **ANYTHING)
                for longer in (5, 1):  # all that is too long, then what is hardly so
                    with student_raises("ValueError", naming="max_len"):
                        same(torch.randn(batch, size + longer, 4))
    usual, zeros = student.PositionalEncoding(2), torch.zeros(2, 5000, 2)
    assert_close(usual(zeros), zeros, "PositionalEncoding(2) of zeros (2, 5000, 2)", **ANYTHING)
    with student_raises("ValueError", naming="max_len"):
        usual(torch.zeros(2, 5001, 2))
    longer, zeros = student.PositionalEncoding(2, max_len=5100), torch.zeros(2, 5100, 2)
    assert_close(longer(zeros), zeros, "PositionalEncoding(2, max_len=5100) of zeros (2, 5100, 2)", **ANYTHING)
    with student_raises("ValueError", naming="length"):
        student.sinusoidal_encoding(-rng.randint(2, 9), 4)


@criterion(
    "Results have the dtype of x",
    points=2,
    kind="shape",
    hint="x decides: float32 plus a float64 table is float64, and x.float() loses half of the digits of x.",
)
def test_dtype_of_x(student):
    """float32 and float64 stay what they are, with all digits of x; after .double(), float64 does."""
    x = torch.randn(6, 6, 6, dtype=torch.float64)
    undropped(student, x.float(), 9)
    module, (learned, weight) = student.PositionalEncoding(6, max_len=9), learned_encoding(student, 6, 9)
    check_added(learned(x.float()) - x.float(), weight, "LearnedPositionalEncoding(6, 9)")
    for name, encode in (("PositionalEncoding", module), ("LearnedPositionalEncoding", learned)):
        encode.eval()
        for time in range(2):
            one, other = encode(x), encode(x + 1e-9)
            assert_close(one, x, f"{name} of float64", **ANYTHING)
            assert_close(other, one, f"{name} of nearly the same float64", **CLOSE)
            assert (other != one).float().mean() > 0.9, f"{name} of float64 has not all digits of x"
            if time == 0:  # what a converted module does with float32 is left to the student
                assert_close(encode(x.float()), one.float(), f"{name} of float32, after float64,", **CLOSE)
            encode.double()


@criterion(
    "Nothing is changed, nothing is remembered",
    points=2,
    kind="robustness",
    hint="x + rows makes a new tensor, x += rows writes into the caller's. Every call starts at position 0 again.",
)
def test_nothing_changed(student):
    """Neither x nor the module is changed by a call: the same input gives the same output, whatever came before."""
    student.sinusoidal_encoding.keep(5, 6).zero_()  # the caller may do what it likes with its table
    assert table_of(student, 5, 6).any(), "a table that the caller has changed comes back"
    undropped(student, torch.randn(6, 6, 6), 11)
    module, (learned, weight) = student.PositionalEncoding(6, max_len=11), learned_encoding(student, 6, 11)
    x = torch.randn(6, 6, 6)
    check_added(learned(x) - x, weight, "LearnedPositionalEncoding(6, 11)")

    def another(encode):
        """A module that was never called."""
        fresh = learned_encoding(student, 6, 11)[0] if encode is learned else student.PositionalEncoding(6, max_len=11)
        if encode is learned:
            fresh.load_state_dict({"table.weight": weight})
        fresh.eval()
        return fresh

    for encode in (module, learned):
        encode.eval()
        before = encode.state_dict()
        for length in (4, 9, 2, 4):
            x = torch.randn(length, length, 6)
            expected = another(encode)(x.clone())
            assert_close(expected, x, f"the encoding of {length} positions", **ANYTHING)
            reply = encode.observe(x)
            assert_close(reply.value, expected, f"the encoding of {length} positions, among others", **CLOSE)
            assert_close(reply.args[0], x, "the argument x after the call", rtol=0.0, atol=0.0)
        assert_equal(encode.state_dict(), before, "the state_dict after some calls")
        encode(torch.randn(4, 4, 6, dtype=torch.float64))
        assert_equal(encode.state_dict(), before, "the state_dict after a call with float64")


@criterion(
    "At home on an accelerator",
    points=2,
    kind="device",
    hint="Register the table as a buffer, and it moves with the module; make positions with device=x.device.",
)
def test_on_an_accelerator(student, device):
    """After .to(device) both modules work on that device, and give what they give on the CPU."""
    x = torch.randn(6, 6, 6)
    undropped(student, x, 9)
    module = student.PositionalEncoding(6, max_len=9)
    module.eval()
    assert_same_on_device(module, device, "PositionalEncoding(6, max_len=9)", x)
    learned, weight = learned_encoding(student, 6, 9)
    check_added(learned(x) - x, weight, "LearnedPositionalEncoding(6, 9)")
    assert_same_on_device(learned, device, "LearnedPositionalEncoding(6, 9)", x)
