"""Hidden tests of complexity. Oracles: layers that are run number by number and counted, and torch's own layers."""

from itertools import pairwise

from torch import nn

from grader.judge import Mismatch, assert_equal, criterion

# Oracles: every multiplication that is made adds one


def run_attention(n, d, asked):
    """Attention in which each of n positions asks so many others."""
    count = 0
    for _position in range(n):
        for _key in range(asked):
            for _feature in range(d):
                count += 1  # of the dot product, query times key
        for _feature in range(d):
            for _key in range(asked):
                count += 1  # of the mixture, weight times value
    return count


def run_recurrent(n, d):
    count = 0
    for _step in range(n):
        for _output in range(d):
            for _input in range(d):
                count += 1  # of W x
            for _input in range(d):
                count += 1  # of U h
    return count


def run_convolution(n, d, kernel):
    count = 0
    for _position in range(n):
        for _output in range(d):
            for _tap in range(kernel):
                for _input in range(d):
                    count += 1
    return count


def layers_until_heard(n, kernel):
    """Layers of a dilated stack until the last of n positions hears of the first, followed tap by tap."""
    heard, layers = {0}, 0  # how far back the last position hears
    while layers == 0 or n - 1 not in heard:
        heard = {back + tap * kernel**layers for back in heard for tap in range(kernel)}
        layers += 1
    return layers


def weights(*modules):
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


# What is asked of the student


def part(cost, field, what):
    """One of the three numbers of a cost."""
    if not isinstance(cost, tuple | list) or len(cost) != 3:
        raise Mismatch(f"{what} must be a Cost of three numbers, found {cost!r}.", "A cost must have three numbers.")
    return cost[("multiplications", "sequential", "path").index(field)]


def check_kind(value, what):
    """A whole number of Python's, above 0."""
    if type(value) not in (int, bool):
        found = f"found {value!r}, a {type(value).__name__}"
        raise Mismatch(f"{what} must be a whole number, an int, {found}.", "A number is no int.")
    if value < 1:
        raise Mismatch(f"{what} must be above 0, found {value}.", "A number that must be above 0.")


def check_growth(student, d):
    """Self-attention grows faster with the length than a recurrent layer, right or wrong as the counts may be."""
    grown = []
    for name in ("self_attention_cost", "recurrent_cost"):
        asked = getattr(student, name)
        once, twice = (part(asked(n, d), "multiplications", f"{name}({n}, {d})") for n in (d, 2 * d))
        numbers = all(isinstance(count, int | float) for count in (once, twice))
        grown.append(twice / once if numbers and once else 0.0)
    if not grown[0] > grown[1] > 1:
        problem = "With the length, self_attention_cost must grow faster than recurrent_cost, or nothing can meet."
        raise Mismatch(problem, problem)


def sizes(rng, most, count):
    """Different sizes in no order, so that no two can change places unseen."""
    return rng.sample(range(2, most + 1), count)


# Criteria


@criterion(
    "Counted while the layer runs",
    points=3,
    kind="value",
    hint="Write the layer as loops and put a counter into the innermost one: how often does it count?",
)
def test_counted(student, rng):
    """Self-attention and recurrence take as many multiplications and steps as loops over them count."""
    for n, d in ((1, 6), (5, 1), (5, 6), sorted(sizes(rng, 13, 2)), sorted(sizes(rng, 13, 2), reverse=True)):
        found = student.self_attention_cost(n, d)
        assert_equal(found, (run_attention(n, d, asked=n), 1, 1), f"self_attention_cost({n}, {d})")
        found = student.recurrent_cost(n, d)
        assert_equal(found, (run_recurrent(n, d), n, n), f"recurrent_cost({n}, {d})")


@criterion(
    "Convolutions, and a stack of them",
    points=4,
    kind="value",
    hint="How many layers does it take until kernel ** layers is at least n? And what of a sentence of one word?",
)
def test_convolutions(student, rng):
    """A convolution is counted while it runs; a stack is as high as the last position needs to hear the first."""
    for n, d in ((1, 6), (5, 1), sorted(sizes(rng, 13, 2)), sorted(sizes(rng, 13, 2), reverse=True)):
        for kernel in (n + 2, 2 + rng.randrange(4)):
            found, what = student.convolution_cost(n, d, kernel), f"convolution_cost({n}, {d}, kernel={kernel})"
            assert_equal(found, (run_convolution(n, d, kernel), 1, layers_until_heard(n, kernel)), what)
    lengths = [1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 17, 26, 27, 28, *rng.sample(range(29, 60), 3)]
    for kernel in (2, 3, 4, 5, 11, 64):
        for n in lengths:
            what = f"convolution_cost({n}, 6, kernel={kernel})"
            found = part(student.convolution_cost(n, 6, kernel), "path", what)
            assert_equal(found, layers_until_heard(n, kernel), f"the path of {what}")


@criterion(
    "A logarithm without floating point",
    points=3,
    kind="robustness",
    hint="math.log(125, 5) is a little more than 3, and of very long sequences it cannot see a single token. Multiply.",
)
def test_exact_powers(student, rng):
    """At a power of the kernel, one below and one above it, the path is exact, however long the sequence is."""
    asked = [(5, 3), (6, 3), (2, 29), (2, 49), (2, 53), (2, 60), (3, 33), (7, 20), (10, 15), (10, 17)]
    asked += [(kernel, rng.randint(4, 10)) for kernel in rng.sample(range(8, 40), 4)]
    for kernel, layers in asked:
        for n, expected in (
            (kernel**layers, layers),
            (kernel**layers + 1, layers + 1),
            (kernel**layers - 1, layers),
        ):
            what = f"convolution_cost({n}, 3, kernel={kernel})"
            assert_equal(part(student.convolution_cost(n, 3, kernel), "path", what), expected, f"the path of {what}")


@criterion(
    "A neighbourhood",
    points=3,
    kind="value",
    hint="Nobody can ask more keys than there are; and a last block that is not full needs a layer as well.",
)
def test_neighbourhoods(student, rng):
    """Restricted attention asks min(size, n) keys at each position, and needs a layer for each block of size tokens."""
    asked = [(13, 3, 4), (12, 5, 4), (11, 2, 4), (7, 3, 7), (7, 3, 8), (7, 4, 20), (6, 5, 1), (1, 4, 3), (1, 3, 1)]
    for n, d, size in (*asked, sizes(rng, 12, 3), (9, rng.randint(2, 6), rng.randint(5, 8))):
        blocks = len(range(0, n, size))
        found = student.restricted_attention_cost(n, d, size)
        expected = (run_attention(n, d, asked=len(range(n)[:size])), 1, blocks)
        assert_equal(found, expected, f"restricted_attention_cost({n}, {d}, size={size})")


@criterion(
    "Rounded up without floating point",
    points=1,
    kind="robustness",
    hint="n / size is a float with 53 bits, and math.ceil comes too late: divide whole numbers with //.",
)
def test_exact_blocks(student, rng):
    """The layers of restricted attention are exact for numbers that no float can hold."""
    for blocks in (2, 3, rng.randint(4, 9)):
        size = 2**57 + 2 * rng.randrange(2**40) + 1
        for n, expected in ((blocks * size, blocks), (blocks * size + 1, blocks + 1), (blocks * size - 1, blocks)):
            what = f"restricted_attention_cost({n}, 3, size={size})"
            found = part(student.restricted_attention_cost(n, 3, size), "path", what)
            assert_equal(found, expected, f"the path of {what}")


@criterion(
    "The longest sentence",
    points=2,
    kind="value",
    hint="Try n = d - 1, d and d + 1 with your own two counts: at which of them does self-attention cost more?",
)
def test_longest_sentence(student, rng):
    """The longest sequence for which self-attention takes no more multiplications, for narrow and wide layers."""
    check_growth(student, rng.randint(5, 9))
    for d in (1, 2, 5, rng.randint(6, 9)):
        lengths = [n for n in range(1, 3 * d + 2) if run_attention(n, d, asked=n) <= run_recurrent(n, d)]
        assert_equal(student.cheaper_than_recurrent(d), max(lengths), f"cheaper_than_recurrent({d})")
    for d in (64, 512, 20_000 + rng.randrange(1000)):
        assert_equal(student.cheaper_than_recurrent(d), d, f"cheaper_than_recurrent({d})")


@criterion(
    "One layer more",
    points=3,
    kind="value",
    hint="Build one encoder layer and one decoder layer, and print the name and the shape of every parameter.",
)
def test_one_layer_more(student, rng):
    """Each further layer adds the weights of one encoder layer and of one decoder layer."""
    for d_model, d_ff in (sizes(rng, 24, 2), sizes(rng, 24, 2), (3, 1), (1, 3)):
        layers = (nn.TransformerEncoderLayer(d_model, 1, d_ff), nn.TransformerDecoderLayer(d_model, 1, d_ff))
        found = [student.transformer_parameters(11, 13, d_model, num_layers, d_ff) for num_layers in (1, 2, 3, 7)]
        for number, count in enumerate(found):
            assert type(count) in (int, float), f"the number of weights is a number, not the answer {number}: {count!r}"
        for (fewer, more), added in zip(pairwise(found), (1, 1, 4), strict=True):
            what = f"what {added} more layers add, with d_model={d_model} and d_ff={d_ff}"
            assert_equal(more - fewer, added * weights(*layers), what)


@criterion(
    "Around the layers",
    points=3,
    kind="value",
    hint="What is left of the model without its layers? Both vocabularies are used, and one of them twice.",
)
def test_around_the_layers(student, rng):
    """Without its layers the model has two embeddings and one output projection, and no table of positions."""
    for source, target, d_model, d_ff in (sizes(rng, 30, 4), sizes(rng, 30, 4), (1, 17, 5, 7), (17, 1, 5, 7)):
        one, two = (student.transformer_parameters(source, target, d_model, layers, d_ff) for layers in (1, 2))
        for count in (one, two):
            assert type(count) in (int, float), f"the number of weights is a number, found {count!r}"
        around = (nn.Embedding(source, d_model), nn.Embedding(target, d_model), nn.Linear(d_model, target))
        what = f"what is no layer, with source_vocab={source}, target_vocab={target} and d_model={d_model}"
        assert_equal(one - (two - one), weights(*around), what)


@criterion(
    "The table of weights in memory",
    points=2,
    kind="value",
    hint="Every head of every sequence has a table of its own, with a row for each query and a column for each key.",
)
def test_memory(student, rng):
    """Attention weights take a number for each sequence, head, query and key, of as many bytes as the caller says."""
    for batch, heads, n in (sizes(rng, 9, 3), (1, 3, 5), (3, 1, 5), (3, 5, 1), (8, 16, 1024)):
        numbers = batch * heads * sum(n for _query in range(n))
        found = [student.attention_memory(batch, heads, n)]
        found += [student.attention_memory(batch, heads, n, bytes_per_number=size) for size in (1, 2, 8)]
        what = f"attention_memory({batch}, {heads}, {n}) with its default of 4 bytes, and with 1, 2 and 8"
        assert_equal(found, [numbers * size for size in (4, 1, 2, 8)], what)


@criterion(
    "Whole numbers, however large",
    points=2,
    kind="robustness",
    hint="Use *, ** and // on whole numbers only: /, math.ceil, numpy and 2.0 make floats, which round beyond 2 ** 53.",
)
def test_whole_numbers(student, rng):
    """Every number is an int; with sizes so much larger, a layer costs exactly so many times as much."""
    few, many, more = (2 * rng.randrange(low, 2 * low) + 1 for low in (6, 2**23, 2**40))
    for name, small, factors, times in (
        ("self_attention_cost", (3, 5), (few, more), few**2 * more),
        ("recurrent_cost", (3, 5), (few, many), few * many**2),
        ("convolution_cost", (3, 5, 2), (few, many, 1), few * many**2),
        ("restricted_attention_cost", (5, 3, 2), (few, more, few), few**2 * more),
    ):
        large = tuple(size * factor for size, factor in zip(small, factors, strict=True))
        function, counts = getattr(student, name), []
        for asked in (small, large):
            cost, what = function(*asked), f"{name}{asked}"
            for field in ("multiplications", "sequential", "path"):
                check_kind(part(cost, field, what), f"the number {field} of {what}")
            counts.append(part(cost, "multiplications", what))
        assert_equal(counts[1], times * counts[0], f"the multiplications of {name}{large}")
    check_kind(student.cheaper_than_recurrent(6), "cheaper_than_recurrent(6)")
    one, large = student.attention_memory(3, 5, 7, 2), student.attention_memory(3 * more * few, 5, 7, 2)
    check_kind(one, "attention_memory(3, 5, 7, 2)")
    check_kind(large, "attention_memory of a large batch")
    assert_equal(large, few * more * one, f"attention_memory({3 * more * few}, 5, 7, 2)")
    words = 2 * rng.randrange(2**53) + 1
    found = [student.transformer_parameters(11 + step * words, 13, 7, 2, 9) for step in range(3)]
    for count in found:
        check_kind(count, "transformer_parameters of a large vocabulary")
    assert_equal(found[2] - found[1], found[1] - found[0], "what the same number of words adds a second time")
