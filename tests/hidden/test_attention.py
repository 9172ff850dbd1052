"""Hidden tests of `attention`. Oracles: the definitions, written out with sums, and torch's gradients of them."""

import math

import torch

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, module_of

LARGE = {"rtol": 0, "atol": 2e-3}  # a float32 of 10,000 is exact to 1/1,000
# Whoever computes in float32 loses points where the dtype is asked, and nowhere else.
COARSE = {"rtol": 1e-4, "atol": 1e-5}
STEP = 1e-2  # of finite differences
SLOPES = {"rtol": 1e-2, "atol": 2e-2}  # what these are good for in float32

# Oracles


def draw(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype)


def draw_mask(*shape):
    """About half is allowed, and in every row at least one key is and one is not."""
    order = torch.rand(*shape).argsort(-1)
    return (torch.rand(*shape) < 0.5).masked_fill(order == 0, True).masked_fill(order == 1, False)


def dot(query, keys):
    return (query[:, :, None] * keys[:, None]).sum(-1)


def bilinear(query, keys, weight):
    return torch.einsum("nqi,ij,nkj->nqk", query, weight, keys)


def additive(query, keys, w_query, w_key, v):
    both = torch.einsum("hi,nqi->nqh", w_query, query)[:, :, None] + torch.einsum("hj,nkj->nkh", w_key, keys)[:, None]
    return (torch.tanh(both) * v[0]).sum(-1)


def shares(scores, mask=None):
    """e^score over the sum of those that are allowed, each row measured from the best of them; differentiable."""
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    best = scores.detach().where(mask, -1e30).amax(-1, keepdim=True)
    parts = (scores - best).where(mask, -math.inf).exp()
    return parts / parts.sum(-1, keepdim=True).clamp(min=1e-30)


def mixture(scores, values, mask=None):
    """What attend returns for these scores."""
    weights = shares(scores, mask)
    return (weights[..., None] * values[:, None]).sum(2), weights


# The student's scorers, with weights that we know


def bilinear_scorer(student, weight):
    scorer = student.BilinearScorer(*weight.shape)
    if weight.dtype == torch.float64:
        scorer.double()
    scorer.load_state_dict({"weight": weight})
    return scorer


def additive_scorer(student, w_query, w_key, v):
    scorer = student.AdditiveScorer(w_query.shape[1], w_key.shape[1], v.shape[1])
    if v.dtype == torch.float64:
        scorer.double()
    scorer.load_state_dict({"query_proj.weight": w_query, "key_proj.weight": w_key, "energy.weight": v})
    return scorer


def draw_additive(query_dim, key_dim, hidden_dim, dtype=torch.float32):
    sizes = (hidden_dim, query_dim), (hidden_dim, key_dim), (1, hidden_dim)
    return tuple(draw(*size, dtype=dtype) for size in sizes)


def all_scorers(student, d, dtype=torch.float32):
    """Each of the four for queries and keys of width d, by name."""
    return {
        "DotScorer": student.DotScorer(),
        "ScaledDotScorer": student.ScaledDotScorer(),
        "BilinearScorer": bilinear_scorer(student, draw(d, d, dtype=dtype)),
        "AdditiveScorer": additive_scorer(student, *draw_additive(d, d, d + 1, dtype)),
    }


# What garbage cannot do


def check_shares(student):
    """Scores have the right shares along one of their axes: the least that criteria about other things may rely on."""
    for _ in range(2):
        scores = draw(5, 5, 5) * 2
        found = student.masked_softmax(scores)
        assert isinstance(found, torch.Tensor) and found.shape == scores.shape, "weights have the shape of the scores"
        possible = [shares(scores.transpose(axis, -1)).transpose(axis, -1) for axis in range(3)]
        close = [torch.allclose(found.float(), expected, rtol=1e-3, atol=1e-5) for expected in possible]
        assert any(close), "masked_softmax of scores (5, 5, 5) must be a softmax along one of their axes"


def check_looks(weights):
    """Queries that differ look at different keys."""
    assert weights.dim() == 3 and (weights[:, 0] != weights[:, 1]).any(), "different queries have the same weights"


def dots(query, keys):
    """A scorer that is no module: attend is asked by it where the student's own scorers are not the question."""
    return dot(query, keys)


def own_mixture(student, scores, values, mask=None):
    """What attend must return for these scores if masked_softmax, whose values are asked elsewhere, is right."""
    weights = student.masked_softmax(scores) if mask is None else student.masked_softmax(scores, mask)
    assert isinstance(weights, torch.Tensor), "masked_softmax must give a tensor"
    assert weights.shape == scores.shape, "masked_softmax must give weights of the shape of the scores"
    assert bool(weights.isfinite().all()), "masked_softmax gives weights that are not finite"
    return (weights[..., None] * values[:, None]).sum(2), weights


def check_slopes(call, tensors, gradients, what):
    """Each gradient of the sum of ``call(*tensors)`` is the slope that finite differences show."""
    for name, number in zip(("query", "keys", "values"), range(3), strict=True):
        gradient = gradients[number]
        assert isinstance(gradient, torch.Tensor), f"{what}: nothing flows back to {name}"
        direction = torch.nn.functional.normalize(draw(tensors[number].numel()), dim=0).view_as(tensors[number])
        ends = []
        for step in (STEP, -STEP):
            moved = [tensor + step * direction if n == number else tensor for n, tensor in enumerate(tensors)]
            ends.append(call(*moved))
        assert all(isinstance(end, torch.Tensor) for end in ends), f"{what} must give tensors"
        slope = (ends[0].sum() - ends[1].sum()) / (2 * STEP)
        assert bool(slope.isfinite()), f"{what} is not finite"
        assert_close((gradient * direction).sum(), slope, f"the slope of {what} in {name}", **SLOPES)


def in_both_modes(module):
    """The module in each of its modes, and in eval() twice: what it computes depends neither on these nor on before."""
    for mode in (module.train, module.eval, module.eval):
        mode()
        yield module


def tensors(found, what):
    """The result of a function, one tensor or several, after a look at its kind."""
    found = found if isinstance(found, tuple) else (found,)
    assert all(isinstance(part, torch.Tensor) for part in found), f"{what} must give tensors"
    return found


def pair(found, what):
    """The result of attend, after a look at its kind."""
    assert isinstance(found, tuple) and len(found) == 2, f"{what} must be a tuple of context and weights"
    assert all(isinstance(part, torch.Tensor) for part in found), f"{what} must be a tuple of two tensors"
    return found


# Scorers


@criterion(
    "The root of which size?",
    points=2,
    kind="value",
    hint="√d, where d is the width of a query and of a key: no fixed number, not d itself, nor the number of keys.",
)
def test_root_of_which_size(student, rng):
    """Scaled scores are dot products divided by the square root of the vectors' width, whatever other sizes are."""
    scorer = student.ScaledDotScorer()  # one for all widths: it remembers nothing
    for d, count in zip(rng.sample([2, 3, 5, 7, 11], 3), rng.sample([4, 6, 8, 9], 3), strict=True):
        for same in in_both_modes(scorer):
            query, keys = draw(3, 5, d, dtype=torch.float64), draw(3, count, d, dtype=torch.float64)
            found = same(query, keys)
            assert_close(found, dot(query, keys) / math.sqrt(d), f"ScaledDotScorer() with d={d} and {count} keys")


@criterion(
    "W stands the right way round",
    points=3,
    kind="value",
    hint="W is (query_dim, key_dim), and scores are sᵀWh: the query comes from the left. Nothing else: no root here.",
)
def test_bilinear_weight(student, rng):
    """Bilinear scores are sᵀWh, also for a square W, which fits transposed too; with W = I they are dot products."""
    small, large = sorted(rng.sample([2, 3, 4, 6], 2))
    for shape in ((small, large), (large, small), (5, 5)):
        weight = draw(*shape, dtype=torch.float64)
        for scorer in in_both_modes(bilinear_scorer(student, weight)):
            query, keys = draw(3, 4, shape[0], dtype=torch.float64), draw(3, 7, shape[1], dtype=torch.float64)
            assert_close(scorer(query, keys), bilinear(query, keys, weight), f"BilinearScorer{shape}(query, keys)")
    found = bilinear_scorer(student, torch.eye(5, dtype=torch.float64))(query, keys)
    assert_close(found, dot(query, keys), "BilinearScorer(5, 5) with the identity as weight")


@criterion(
    "Project, add, squash, weigh",
    points=3,
    kind="value",
    hint="query_proj is for queries and key_proj for keys; one tanh around their sum; the energy comes last.",
)
def test_additive_layers(student, rng):
    """Additive scores are vᵀ tanh(W_q s + W_k h), also where all sizes are equal and projections could be exchanged."""
    sizes = rng.sample([2, 3, 4, 6], 3)
    for query_dim, key_dim, hidden_dim in (sizes, sizes[::-1], (4, 4, 4)):
        layers = draw_additive(query_dim, key_dim, hidden_dim, torch.float64)
        for scorer in in_both_modes(additive_scorer(student, *layers)):
            query, keys = draw(3, 5, query_dim, dtype=torch.float64), draw(3, 7, key_dim, dtype=torch.float64)
            what = f"AdditiveScorer({query_dim}, {key_dim}, {hidden_dim})(query, keys)"
            assert_close(scorer(query, keys), additive(query, keys, *layers), what)


@criterion(
    "Scorers can learn",
    points=3,
    kind="gradient",
    hint="Compute with the parameters themselves: no .data, .detach(), .item() or torch.tensor(…) on the way.",
)
def test_scorers_can_learn(student):
    """The gradients of the scores are right for the queries, the keys and every parameter."""
    query, keys = draw(2, 3, 4), draw(2, 5, 6)
    weight, layers = draw(4, 6), draw_additive(4, 6, 3)
    names = "query_proj.weight", "key_proj.weight", "energy.weight"
    for kind, scorer, oracle, parameters in (
        ("BilinearScorer", bilinear_scorer(student, weight), bilinear, {"weight": weight}),
        ("AdditiveScorer", additive_scorer(student, *layers), additive, dict(zip(names, layers, strict=True))),
    ):
        leaves = [tensor.clone().requires_grad_() for tensor in (query, keys, *parameters.values())]
        expected = torch.autograd.grad(oracle(*leaves).sum(), leaves)
        reply = scorer.gradients(query, keys)
        assert_close(list(reply.gradients), list(expected[:2]), f"{kind}: the gradients of query and keys")
        wanted = dict(zip(parameters, expected[2:], strict=True))
        assert_close(reply.parameters, wanted, f"{kind}: the gradients of the parameters")
    other = draw(2, 5, 4)
    for kind, root in (("DotScorer", 1.0), ("ScaledDotScorer", 2.0)):
        leaves = [tensor.clone().requires_grad_() for tensor in (query, other)]
        expected = torch.autograd.grad((dot(*leaves) / root).sum(), leaves)
        reply = getattr(student, kind)().gradients(query, other)
        assert_close(list(reply.gradients), list(expected), f"{kind}: the gradients of query and keys")
        assert not reply.parameters, f"{kind} has parameters, but nothing to learn"


# masked_softmax


@criterion(
    "The last axis is the one",
    points=2,
    kind="shape",
    hint="dim=-1: scores may have any number of axes, and the keys are always the last.",
)
def test_last_axis(student):
    """Weights are shared along the last axis, whatever other axes there are and however long they are."""
    for shape in ((5,), (4, 4), (3, 3, 3), (2, 3, 4, 5)):
        scores = draw(*shape) * 3
        assert_close(student.masked_softmax(scores), shares(scores), f"masked_softmax of scores {shape}")


@criterion(
    "Only differences count",
    points=2,
    kind="robustness",
    hint="exp(10000) is no float: take the maximum away first, that of each row from that row. torch's softmax does.",
)
def test_only_differences_count(student):
    """A row of scores, shifted by 10,000 up or down, has the same weights, whatever the other rows are."""
    shift = torch.tensor([0.0, 1e4, -1e4, 700.0])[:, None]  # one for each query
    small = draw(2, 4, 6) * 2
    spread = torch.tensor([[1e4, -1e4, 9998.0, 0.0]])
    for scores in (small + shift, spread):
        found = student.masked_softmax(scores)
        assert_close(found, shares(scores), "masked_softmax of scores up to 10,000, no mask", **LARGE)
    check_shares(student)
    for mask, by in ((torch.ones(2, 4, 6, dtype=torch.bool), shift), (draw_mask(2, 4, 6), shift.clamp(min=-700.0))):
        before, after = student.masked_softmax(small, mask), student.masked_softmax(small + by, mask)
        assert isinstance(before, torch.Tensor) and bool(before.isfinite().all()), "weights are not finite"
        assert_close(after, before, "masked_softmax of shifted scores, beside that of the same not shifted", **LARGE)


@criterion(
    "Whatever the masked ones shout",
    points=3,
    kind="robustness",
    hint="Masked means: as if it did not exist. Only -inf is below every score; -9, -1e4 or 0 is a score like others.",
)
def test_whatever_the_masked_shout(student, rng):
    """Masked scores have no influence, be they 10,000 above the allowed ones, and get exactly 0 if these are low."""
    mask = draw_mask(2, 3, 6)
    for allowed, masked in ((0, 1e4), (-1e4, 1e4), (-1e4, 0), (-rng.uniform(5, 50), rng.uniform(5, 50)), (1e4, -1e4)):
        scores = draw(2, 3, 6) + torch.where(mask, allowed, masked)
        found = student.masked_softmax(scores, mask)
        what = f"masked_softmax, allowed scores around {allowed:.0f}, masked ones around {masked:.0f}"
        assert_close(found, shares(scores, mask), what, **LARGE)
        assert_equal(found[~mask], torch.zeros_like(found[~mask]), f"{what}: the masked weights")


@criterion(
    "Nowhere to look",
    points=2,
    kind="robustness",
    hint="A softmax of nothing is 0/0. Find the rows without a single True, and make their weights 0, not equal.",
)
def test_nowhere_to_look(student, rng):
    """A row where all is masked has weights and a context of exactly 0, and the other rows do not notice."""
    query, keys, values = draw(3, 4, 5), draw(3, 6, 5), draw(3, 6, 2)
    some = draw_mask(3, 4, 6)
    nowhere = torch.zeros(3, 4, dtype=torch.bool)
    nowhere[0, rng.randrange(4)] = nowhere[1] = True
    calls = {
        "masked_softmax": lambda mask: (student.masked_softmax(dot(query, keys), mask),),
        "attend": lambda mask: pair(student.attend(dots, query, keys, values, mask), "attend"),
    }
    for name, call in calls.items():
        for found, elsewhere in zip(call(some & ~nowhere[..., None]), call(some), strict=True):
            assert isinstance(found, torch.Tensor), f"{name} must give tensors"
            zeros = torch.zeros(5, found.shape[-1])
            assert_equal(found[nowhere], zeros, f"the fully masked rows of {name}")
            assert_close(found[~nowhere], elsewhere[~nowhere], f"the other rows of {name}")
    scores, whole = draw(2, 4, 6), torch.tensor([False, True, False, True])[:, None]  # (4, 1): whole queries
    for mask in (whole, ~whole):
        found = student.masked_softmax(scores, mask)
        assert_close(found, shares(scores) * mask, "masked_softmax with a mask (4, 1) that forbids whole queries")
    nothing = student.masked_softmax(scores, torch.zeros(6, dtype=torch.bool))
    assert_equal(nothing, torch.zeros(2, 4, 6), "masked_softmax with a mask (6,) that allows nothing")


@criterion(
    "No NaN on the way back",
    points=2,
    kind="gradient",
    hint="NaN times 0 is NaN: putting 0 in after the softmax mends the value, not the gradient. Keep 0/0 and rows of "
    "-inf out of the computation itself.",
)
def test_no_nan_on_the_way_back(student, rng):
    """Fully masked rows have gradients of 0, and no NaN gets into those of other rows."""
    query, keys, values, mask = draw(2, 4, 5), draw(2, 6, 5), draw(2, 6, 3), draw_mask(2, 4, 6)
    nowhere = torch.zeros(2, 4, dtype=torch.bool)
    nowhere[0, rng.randrange(4)] = nowhere[1, rng.randrange(3)] = nowhere[1, 3] = True
    mask &= ~nowhere[..., None]
    check_shares(student)
    reply = student.attend.gradients(student.DotScorer(), query, keys, values, mask)
    for gradient, of in zip(reply.gradients[1:4], ("query", "keys", "values"), strict=True):
        assert isinstance(gradient, torch.Tensor), f"the context is detached from {of}"
        assert gradient.isfinite().all(), f"the gradient of {of} is not finite"
    assert_equal(reply.gradients[1][nowhere], torch.zeros(3, 5), "the gradient of queries whose rows are fully masked")
    gradient = student.masked_softmax.gradients(draw(2, 4, 6), mask).gradients[0]
    assert isinstance(gradient, torch.Tensor), "the weights are detached from the scores"
    assert gradient.isfinite().all(), "the gradient of the scores is not finite"


# attend


@criterion(
    "Masks of every shape",
    points=2,
    kind="shape",
    hint="Let the mask broadcast to (N, Q, K), as masked_fill and torch.where do; do not add axes or transpose it.",
)
def test_masks_of_every_shape(student):
    """A mask may have any shape that broadcasts to (N, Q, K): one for all queries, one for all sequences, …"""
    query, keys, values = draw(3, 4, 2), draw(3, 5, 2), draw(3, 5, 6)
    square = draw(3, 5, 2)  # as many queries as keys: a transposed mask would fit
    check_shares(student)
    masks = [draw_mask(*shape) for shape in ((5,), (4, 5), (4, 5), (1, 4, 5), (3, 1, 5), (3, 1, 5), (3, 4, 5))]
    masks += [torch.rand(*shape) < 0.5 for shape in ((4, 1), (3, 4, 1), (3, 1, 1))]  # whole queries, whole sequences
    few = draw(3, 3, 2)  # as many queries as sequences: (Q, K) is not (N, K)
    for asked, mask in (*((query, mask) for mask in masks), (square, draw_mask(5, 5)), (few, draw_mask(3, 5))):
        what = f"attend, query {tuple(asked.shape)}, keys (3, 5, 2), mask {tuple(mask.shape)}"
        reply = student.attend.observe(dots, asked, keys, values, mask=mask)
        found = reply.value
        assert_equal(reply.kwargs["mask"], mask, f"{what}: the mask after the call")
        assert isinstance(found, tuple) and len(found) == 2, f"{what} must be a tuple of context and weights"
        scores = dot(asked, keys)
        expected = own_mixture(student, scores, values, mask.expand(scores.shape))
        assert_close(found, expected, f"{what}, beside the same mask in its full shape: (context, weights)", **COARSE)
    scores, mask = draw(2, 3, 4, 5), draw_mask(2, 1, 1, 5)
    found, full = (student.masked_softmax(scores, seen) for seen in (mask, mask.expand(scores.shape)))
    assert_close(found, full, "masked_softmax, scores (2, 3, 4, 5), mask (2, 1, 1, 5), beside the same in full shape")
    for shape in ((5,), (4, 5)):
        scores, mask = draw(*shape), draw_mask(*shape)
        found, again = student.masked_softmax(scores, mask=mask), student.masked_softmax(scores, mask)
        assert_close(found, again, f"masked_softmax, scores {shape}, mask={shape}, beside a mask by position")
    square, mask = draw(5, 3, 5), draw_mask(5)  # as many sequences as keys
    found, full = (student.masked_softmax(square, seen) for seen in (mask, mask.expand(square.shape)))
    assert_close(found, full, "masked_softmax, scores (5, 3, 5), mask (5,), beside the same mask in its full shape")
    keys, values = draw(5, 5, 2), draw(5, 5, 6)
    asked = keys[:, :3]
    found = student.attend(dots, asked, keys, values, mask)
    expected = own_mixture(student, dot(asked, keys), values, mask.expand(5, 3, 5))
    assert_close(found, expected, "attend, keys (5, 5, 2), mask (5,)", **COARSE)
    alone = student.masked_softmax(draw(2, 3, 1), torch.tensor([[True], [False], [True]]))
    assert_equal(alone, torch.tensor([[1.0], [0.0], [1.0]]).expand(2, 3, 1), "masked_softmax of one key, mask (3, 1)")


@criterion(
    "Any function can be a scorer",
    points=2,
    kind="value",
    hint="attend calls scorer(query, keys) and takes the scores as they come: it knows no scale and no widths.",
)
def test_any_scorer(student):
    """attend hands query and keys to whatever scorer it is given, and takes its scores as they are."""
    query, keys, values, slope = draw(3, 4, 2), draw(3, 5, 6), draw(3, 5, 7), draw(8)
    calls = []

    def wild(query, keys):  # not symmetric, not linear, and for different widths
        return (query @ slope[:2])[..., :, None].sin() * 3 + (keys @ slope[2:])[..., None, :] ** 2 / 5

    def scorer(*given):
        calls.append(given)
        assert len(given) == 2 and all(isinstance(x, torch.Tensor) for x in given), "scorers get query and keys"
        assert given[0].shape[-1] == 2 and given[1].shape[-1] == 6, "scorers get query and keys, in this order"
        return wild(*given)

    check_shares(student)
    found = student.attend(scorer, query, keys, values)
    expected = own_mixture(student, wild(query, keys), values)
    assert_close(found, expected, "attend with a scorer of the test's: (context, weights)", **COARSE)
    if len(calls) == 1:  # a loop over sequences is nobody's business
        assert_close(calls[0], (query, keys), "what attend gives to the scorer")


@criterion(
    "Attention can learn",
    points=3,
    kind="gradient",
    hint="The context depends on query and keys through the weights: do not detach these on the way.",
)
def test_attention_can_learn(student):
    """The gradients of the context are right for query, keys and values; with a mask, they are of those allowed."""
    query, keys, values = draw(2, 3, 4), draw(2, 5, 4), draw(2, 5, 6)
    scorer = student.DotScorer()
    check_shares(student)
    for mask in (None, draw_mask(2, 1, 5)):

        def context(*tensors, mask=mask):
            found = student.attend(scorer, *tensors, mask)
            return found[0] if isinstance(found, tuple) and found else found

        reply = student.attend.gradients(scorer, query, keys, values, mask)
        what = f"attend, {'no' if mask is None else 'a'} mask"
        check_slopes(context, (query, keys, values), reply.gradients[1:4], what)
        for gradient, of in zip(reply.gradients[1:4], ("query", "keys", "values"), strict=True):
            assert mask is not None or bool(gradient.any()), f"{what}: nothing flows back to {of}"
        learning = bilinear_scorer(student, draw(4, 4))
        both = student.attend.keep(learning, query, keys, values, mask)
        weights = module_of(student, "operator").getitem.keep(both, 1)
        assert weights.requires_grad.read(), "the weights that attend returns are detached"


@criterion(
    "Garbage behind the mask",
    points=3,
    kind="gradient",
    hint="If a masked key still matters, its weight was not exactly 0, or the context was made from other weights.",
)
def test_garbage_behind_the_mask(student, rng):
    """Keys and values of a million behind the mask change nothing, and their gradients are exactly 0."""
    query, keys, values = draw(2, 3, 4), draw(2, 6, 4), draw(2, 6, 5)
    mask = torch.rand(2, 1, 6).argsort(-1) < 3  # with a single key, all queries would look at the same
    padding = ~mask[:, 0]  # (2, 6)
    spoilt_keys, spoilt_values = keys.clone(), values.clone()
    spoilt_keys[padding] = draw(int(padding.sum()), 4).sign() * 1e6
    spoilt_values[padding] = rng.choice([1e6, -1e6])
    layers = draw_additive(4, 4, 3)
    check_shares(student)
    for name, scorer in (("DotScorer", student.DotScorer()), ("AdditiveScorer", additive_scorer(student, *layers))):
        clean = pair(student.attend(scorer, query, keys, values, mask), f"attend({name}, …)")
        check_looks(clean[1])
        reply = student.attend.gradients(scorer, query, spoilt_keys, spoilt_values, mask)
        assert_close(reply.value, clean, f"attend({name}, …) with garbage behind the mask")
        for gradient, of in zip(reply.gradients[2:4], ("keys", "values"), strict=True):
            assert isinstance(gradient, torch.Tensor), f"attend({name}, …) is detached from {of}"
            zeros = torch.zeros_like(gradient[padding])
            assert_equal(gradient[padding], zeros, f"attend({name}, …): the gradient of the masked {of}")


@criterion(
    "A set of keys, a list of queries",
    points=2,
    kind="invariance",
    hint="Attention knows no order: each key takes its value along, and each query is answered by itself.",
)
def test_no_order(student):
    """Keys in another order, with their values and masks, change no context; queries in another order get the same."""
    query, keys, values, mask = draw(2, 5, 4), draw(2, 7, 4), draw(2, 7, 3), draw_mask(2, 5, 7)
    scorer = bilinear_scorer(student, draw(4, 4))
    check_shares(student)
    context, weights = pair(student.attend(scorer, query, keys, values, mask), "attend")
    check_looks(weights)
    p, r = torch.randperm(7), torch.randperm(5)
    found = student.attend(scorer, query, keys[:, p], values[:, p], mask[:, :, p])
    assert_close(found, (context, weights[:, :, p]), f"attend, the keys in the order {p.tolist()}")
    found = student.attend(scorer, query[:, r], keys, values, mask[:, r])
    assert_close(found, (context[:, r], weights[:, r]), f"attend, the queries in the order {r.tolist()}")


@criterion(
    "A mixture, and nothing else",
    points=2,
    kind="invariance",
    hint="The weights that you return are those by which the values are mixed: from 0 to 1, and 1 in sum.",
)
def test_mixture(student):
    """Weights are shares of 1, the context is their mixture of the values, so it lies between the allowed ones."""
    query, keys, mask = draw(3, 4, 5), draw(3, 6, 5), draw_mask(3, 4, 6)
    values = draw(3, 6, 5) * 10
    context, weights = pair(student.attend(dots, query, keys, values, mask), "attend")
    assert_close(weights.sum(-1), torch.ones(3, 4), "the sums of the weights over the keys")
    assert weights.min() >= 0, "a weight is negative"
    assert_close(context, (weights[..., None] * values[:, None]).sum(2), "the context, from the weights beside it,")
    spread = values[:, None].expand(3, 4, 6, 5)
    low = spread.where(mask[..., None], math.inf).amin(2)
    high = spread.where(mask[..., None], -math.inf).amax(2)
    inside = (context >= low - 1e-4) & (context <= high + 1e-4)
    assert inside.all(), "a context lies outside of the values that it is mixed from"
    check_shares(student)
    for sizes in ((2, 3, 40), (2, 3, 3)):
        query, keys, values = draw(*sizes[:2], 5) / 2, draw(2, sizes[2], 5), draw(2, sizes[2], 4)
        found = student.attend(dots, query, keys, values)
        expected = own_mixture(student, dot(query, keys), values)
        assert_close(found, expected, f"attend to {sizes[2]} keys: (context, weights)", **COARSE)
    scores, mask = draw(4, 6, dtype=torch.float64), draw_mask(4, 6)
    for found in (student.masked_softmax(scores), student.masked_softmax(scores, mask)):
        assert isinstance(found, torch.Tensor), "masked_softmax must give a tensor"
        if found.dtype == torch.float64:  # which is asked elsewhere
            assert_close(found.sum(-1), torch.ones(4, dtype=torch.float64), "the sums of weights in float64", rtol=1e-7)


# All together


@criterion(
    "Each sequence by itself",
    points=2,
    kind="invariance",
    hint="No sequence sees another: is there an axis that your product sums over or broadcasts by mistake? And "
    ".squeeze() without an axis eats every axis of length 1.",
)
def test_each_by_itself(student):
    """A sequence alone gives what it gives in a batch, a query alone what it gives beside others, a key its value."""
    query, keys, values = draw(3, 4, 5), draw(3, 6, 5), draw(3, 6, 2)
    few = {  # which sequence, queries and keys
        "one sequence": (slice(1, 2), slice(4), slice(6)),
        "one sequence and query": (slice(2, 3), slice(1), slice(6)),
        "one sequence, query and key": (slice(1), slice(3, 4), slice(1)),
        "one sequence and key": (slice(1, 2), slice(4), slice(1)),
    }
    scorers = all_scorers(student, 5)
    check_shares(student)
    for name, scorer in scorers.items():
        scores = scorer(query, keys)
        assert isinstance(scores, torch.Tensor) and scores.shape == (3, 4, 6), f"{name}: scores are (N, Q, K)"
        for what, (n, q, k) in few.items():
            assert_close(scorer(query[n, q], keys[n, k]), scores[n, q, k], f"{name} of {what}")
    dots = scorers["DotScorer"]
    context, weights = pair(student.attend(dots, query, keys, values), "attend")
    for what, (n, q, k) in few.items():
        expected = context[n, q], weights[n, q]
        if k == slice(1):  # the only key gets everything
            count = len(range(4)[q])
            expected = values[n, k].expand(1, count, 2), torch.ones(1, count, 1)
        assert_close(student.attend(dots, query[n, q], keys[n, k], values[n, k]), expected, f"attend with {what}")


@criterion(
    "float64 stays float64",
    points=2,
    kind="shape",
    hint="New tensors take the dtype of the inputs (zeros_like, new_zeros, full_like); .float() throws digits away.",
)
def test_dtypes(student):
    """Scores, weights and contexts have the dtype of the inputs, and are as precise as that dtype."""
    double = torch.float64
    query, keys, values = draw(2, 5, 4, dtype=double), draw(2, 5, 4, dtype=double), draw(2, 5, 6, dtype=double)
    mask = draw_mask(2, 5, 5)
    check_shares(student)
    calls = {name: (scorer, (query, keys)) for name, scorer in all_scorers(student, 4, double).items()}
    calls["masked_softmax"] = student.masked_softmax, (draw(2, 5, 5, dtype=double), mask)
    calls["attend"] = student.attend, (student.DotScorer(), query, keys, values, mask)
    calls["masked_softmax without a mask"] = student.masked_softmax, calls["masked_softmax"][1][:1]
    calls["attend without a mask"] = student.attend, calls["attend"][1][:4]
    precise = {name: function(*arguments) for name, (function, arguments) in calls.items()}
    for name, (function, arguments) in calls.items():
        if name in ("BilinearScorer", "AdditiveScorer"):
            function.float()
        rounded = [x.float() if isinstance(x, torch.Tensor) and x.dtype == double else x for x in arguments]
        coarse = function(*rounded)
        several = isinstance(precise[name], tuple)
        for found, other in zip(*((precise[name], coarse) if several else ([precise[name]], [coarse])), strict=True):
            assert all(isinstance(tensor, torch.Tensor) for tensor in (found, other)), f"{name} must give tensors"
            assert found.dtype == double, f"{name} of float64 is {found.dtype}"
            assert other.dtype == torch.float32, f"{name} of float32 is {other.dtype}"
            assert (found != found.float()).any(), f"{name} of float64 has only the digits of float32"


@criterion(
    "Nothing is changed, nothing is remembered",
    points=2,
    kind="robustness",
    hint="Operations whose names end in an underscore (masked_fill_), += and assignment to parts change the caller's "
    "tensors.",
)
def test_nothing_changed(student):
    """No function changes its arguments, and its result depends on the arguments of this call and on no other."""
    query, keys, values, mask = draw(2, 3, 4), draw(2, 5, 4), draw(2, 5, 6), draw_mask(2, 3, 5)
    mask[1, 2] = False
    mask[0, :, 4] = False  # a key that no query may see
    scores, other = draw(2, 3, 5), draw(4, 2, 4)
    asked, offered = draw(2, 3, 4), draw(2, 5, 4)
    scorers = all_scorers(student, 4)
    dots = scorers["DotScorer"]
    # A call, and others of the same shapes that have another result.
    calls = [(name, scorer, (query, keys), [(asked, keys), (query, offered)]) for name, scorer in scorers.items()]
    others = [(draw(2, 3, 5), mask), (scores, ~mask)]
    calls += [("masked_softmax", student.masked_softmax, (scores, mask), others)]
    calls += [("masked_softmax", student.masked_softmax, (scores,), [(draw(2, 3, 5),)])]
    others = [(dots, asked, keys, values, mask), (dots, query, offered, values, mask)]
    calls += [("attend", student.attend, (dots, query, keys, values, mask), others)]
    check_shares(student)
    first = [function.observe(*arguments) for _, function, arguments, _ in calls]
    for scorer in scorers.values():
        scorer(other, other)
    student.masked_softmax(other)
    student.masked_softmax(scores, draw_mask(5))
    student.attend(dots, other, other, other)
    for (name, function, arguments, others), reply in zip(calls, first, strict=True):
        found = tensors(reply.value, name)
        after = [x for x in reply.args if isinstance(x, torch.Tensor)]
        before = [x for x in arguments if isinstance(x, torch.Tensor)]
        assert_equal(after, before, f"the arguments of {name} after the call")
        for given in others:
            again = tensors(function(*given), name)
            changed = any(not torch.equal(*both) for both in zip(found, again, strict=True))
            assert changed, f"{name} has the same result for other arguments of the same shapes"
        assert_equal(function(*arguments), reply.value, f"{name}, called with the same arguments once more,")


@criterion(
    "At home on an accelerator",
    points=2,
    kind="device",
    hint="Every tensor that you make (zeros, full, arange, tensor) needs device=scores.device, or comes from a *_like.",
)
def test_on_an_accelerator(student, device):
    """On an accelerator everything gives the same results as on the CPU, and they are on the accelerator."""
    query, keys, values, mask = draw(2, 5, 4), draw(2, 5, 4), draw(2, 5, 6), draw_mask(2, 5, 5)
    mask[0, 1] = False
    scores = draw(2, 5, 5)
    check_shares(student)
    assert_same_on_device(student.masked_softmax, device, "masked_softmax", scores, mask)
    assert_same_on_device(student.masked_softmax, device, "masked_softmax without a mask", scores)
    scorers = all_scorers(student, 4)
    for name, scorer in scorers.items():
        assert_same_on_device(scorer, device, name, query, keys)
    dots = scorers["DotScorer"]
    assert_same_on_device(student.attend, device, "attend", dots, query, keys, values, mask)
    assert_same_on_device(student.attend, device, "attend without a mask", dots, query, keys, values)
