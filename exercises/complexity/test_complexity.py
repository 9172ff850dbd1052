"""Public tests of complexity, to work by: numbers that you can count by hand. The hidden ones ask more."""

from grader.judge import assert_equal, criterion, show

FIELDS = ("multiplications", "sequential", "path")


def products(cost):
    """The multiplications of a cost."""
    assert isinstance(cost, tuple) and len(cost) == 3, f"a Cost has three numbers, found {show(cost)}"
    assert isinstance(cost[0], int | float) and cost[0] > 0, f"a layer multiplies something, found {show(cost)}"
    return cost[0]


@criterion(
    "Everybody asks everybody",
    points=2,
    kind="value",
    question="How many dot products are in a table of scores for 7 tokens, and how long is each of them?",
    hint="Count twice: the scores, and then the mixture of the values, which is a matrix product of the same size.",
    step="Each of n positions has n scores of d products; the mixture takes as many. Nobody waits, and nobody is far.",
)
def test_attention_by_hand(student):
    """What self-attention costs for seven tokens of four numbers, and for three of five."""
    assert_equal(student.self_attention_cost(7, 4), (392, 1, 1), "self_attention_cost(7, 4)")
    assert_equal(student.self_attention_cost(3, 5), (90, 1, 1), "self_attention_cost(3, 5)")


@criterion(
    "One after the other",
    points=2,
    kind="value",
    question="Which two matrices does a step multiply with, and what has to be there before it can begin?",
    hint="A step takes the token through W and the state through U; both are d × d, and no step can go ahead.",
    step="Twice d * d products a step, and n steps: each waits for the one before, and each is on the way.",
)
def test_recurrent_by_hand(student):
    """What a recurrent layer costs for a few tokens, whose steps wait for one another."""
    assert_equal(student.recurrent_cost(7, 4), (224, 7, 7), "recurrent_cost(7, 4)")
    assert_equal(student.recurrent_cost(3, 5), (150, 3, 3), "recurrent_cost(3, 5)")


@criterion(
    "Neighbours, and neighbours of neighbours",
    points=2,
    kind="value",
    question="How many tokens does a position of the second layer hear of, if the second layer has gaps?",
    hint="With a kernel of 3 one layer hears of 3 tokens, two of 9, three of 27: which is the first that is enough?",
    step="Begin with one layer that reaches `kernel` tokens; while that is less than n, add a layer and multiply. "
    "Restricted attention needs a layer for each block of `size` tokens, and for the rest one more.",
)
def test_neighbours_by_hand(student):
    """What layers cost that look at a few neighbours only, and how many of them a signal has to pass."""
    for n, d, kernel, expected in ((7, 4, 3, (336, 1, 2)), (3, 5, 2, (150, 1, 2))):
        found = student.convolution_cost(n, d, kernel)
        assert_equal(found, expected, f"convolution_cost({n}, {d}, kernel={kernel})")
    for n, path in ((8, 3), (9, 4)):
        found = student.convolution_cost(n, 4, 2)
        assert_equal(found, (2 * n * 16, 1, path), f"convolution_cost({n}, 4, kernel=2)")
    found = student.restricted_attention_cost(7, 4, 3)
    assert_equal(found, (168, 1, 3), "restricted_attention_cost(7, 4, size=3)")


@criterion(
    "Where the two curves meet",
    points=1,
    kind="value",
    question="For which n are the multiplications of self-attention and of the recurrent layer equal?",
    hint="Write both counts as an inequality in n and d, and cancel what stands on both sides.",
    step="Two layers that cost the same count as well: no more is not the same as less.",
)
def test_crossing_by_hand(student):
    """Up to this length, and no further, self-attention takes no more multiplications than a recurrent layer."""
    found = {d: student.cheaper_than_recurrent(d) for d in (4, 9)}
    asking, waiting = (
        products(cost(8, 4)) / products(cost(4, 4)) for cost in (student.self_attention_cost, student.recurrent_cost)
    )
    assert asking > waiting, "the multiplications of self-attention must grow faster with n, or nothing can meet"
    for d, longest in found.items():
        assert_equal(longest, d, f"cheaper_than_recurrent({d})")


@criterion(
    "All weights of a small Transformer",
    points=2,
    kind="value",
    question="Which parts of the model have weights at all? List them, with the shape of each.",
    hint="Count one part at a time, as the handout's table does: which line of it differs from yours?",
    step="An encoder layer has one attention and two norms, a decoder layer two and three; every Linear has a bias.",
)
def test_parameters_by_hand(student):
    """The number of weights of the Transformer that the handout counts, and with a second layer in both stacks."""
    sizes = {"source_vocab": 5, "target_vocab": 7, "d_model": 4, "d_ff": 6}
    found = [student.transformer_parameters(5, 7, 4, num_layers, 6) for num_layers in (1, 2)]
    assert_equal(found, [479, 875], f"transformer_parameters({sizes}) with num_layers of 1 and 2")


@criterion(
    "Names",
    points=1,
    kind="shape",
    question="What does somebody write who wants only the path of a layer?",
    hint="Return a Cost, not a plain tuple: Cost(multiplications=…, sequential=…, path=…).",
    step="Put the three numbers into Cost(...), keep the names of the arguments, and let four bytes be the default.",
)
def test_named(student):
    """Every cost is a Cost, whose numbers have names; arguments have names too, and a number has four bytes."""
    for function, sizes in (
        (student.self_attention_cost, {"d": 4, "n": 7}),
        (student.recurrent_cost, {"d": 4, "n": 7}),
        (student.convolution_cost, {"kernel": 3, "d": 4, "n": 7}),
        (student.restricted_attention_cost, {"size": 3, "d": 4, "n": 7}),
        (student.convolution_cost, {"kernel": 9, "d": 4, "n": 7}),  # and where a sentence is short
        (student.restricted_attention_cost, {"size": 9, "d": 4, "n": 7}),
        (student.restricted_attention_cost, {"size": 7, "d": 4, "n": 7}),
    ):
        found = function(**sizes)
        assert isinstance(found, tuple) and len(found) == 3, f"a Cost has three numbers, found {show(found)}"
        cost = function.keep(**sizes)
        for field, value in zip(FIELDS, found, strict=True):
            assert_equal(getattr(cost, field).read(), value, f"the field {field} of a Cost, for {sizes}")
    found = [student.attention_memory(n=n, heads=3, batch=2) for n in (5, 7)]
    assert_equal(found, [600, 1176], "attention_memory(batch=2, heads=3) with n of 5 and 7")
    for function, sizes in (
        (student.cheaper_than_recurrent, {"d": 4}),
        (
            student.transformer_parameters,
            {"source_vocab": 5, "target_vocab": 7, "d_model": 4, "num_layers": 1, "d_ff": 6},
        ),
    ):
        by_name = function(**dict(reversed(sizes.items())))
        assert_equal(by_name, function(*sizes.values()), f"the result for {sizes}, with the names and without")
