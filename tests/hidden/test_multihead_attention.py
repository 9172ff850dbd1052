"""Hidden tests of `multihead_attention`. Oracles: torch's own module, and a plain one that can do without any key."""

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name
from torch import nn

from grader.judge import (
    assert_close,
    assert_equal,
    assert_not_used,
    assert_same_on_device,
    criterion,
    module_of,
    student_raises,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}  # in float64: the same sum, up to its last digits
# Whoever computes in float32 loses points where precision is asked, and nowhere else.
COARSE = {"rtol": 1e-4, "atol": 1e-5}
STEP = 1e-3  # of finite differences
SLOPES = {"rtol": 5e-3, "atol": 5e-3}  # what these are good for


# Oracles


def normal(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def random_weights(d_model):
    """Weights for the four projections, as a state_dict; no bias is 0."""
    weights = {}
    for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
        weights[f"{name}.weight"] = normal(d_model, d_model) / 2
        weights[f"{name}.bias"] = normal(d_model)
    return weights


def loaded(student, weights, num_heads, dropout=0.0):
    """The student's module with these weights, in their dtype."""
    bias = weights["q_proj.bias"]
    module = student.MultiHeadAttention(len(bias), num_heads, dropout)
    if bias.dtype == torch.float64:
        module.double()
    module.load_state_dict(weights, strict=False)
    return module


def random_mask(*shape):
    """True and False in about equal parts, and every row has a True."""
    rows = torch.rand(*shape)
    return rows >= rows.median(dim=-1, keepdim=True).values


def plain_attention(q, k, v, mask=None):
    """Attention (..., Lq, d), (..., Lk, d), (..., Lk, dv), with 0 for a row without any key; differentiable."""
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    shares = (scores - scores.detach().amax(-1, keepdim=True)).exp()
    if mask is not None:
        shares = shares * mask
    weights = shares / shares.sum(-1, keepdim=True).clamp(min=1e-30)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights


def plain_multihead(weights, num_heads, query, key, value, mask=None):
    """Head by head, with the rows of the projections that are its own."""
    size = len(weights["q_proj.bias"]) // num_heads
    outs, maps = [], []
    for head in range(num_heads):
        own = slice(head * size, (head + 1) * size)
        q, k, v = (
            F.linear(x, weights[f"{name}_proj.weight"][own], weights[f"{name}_proj.bias"][own])
            for name, x in (("q", query), ("k", key), ("v", value))
        )
        out, shares = plain_attention(q, k, v, mask[:, head] if mask is not None and mask.dim() == 4 else mask)
        outs.append(out)
        maps.append(shares)
    out = F.linear(torch.cat(outs, dim=-1), weights["out_proj.weight"], weights["out_proj.bias"])
    return out, torch.stack(maps, dim=1)


def torch_multihead(weights, num_heads, query, key, value, mask=None):
    """torch's own module: three projections in one matrix, True = keep out, and a mask a head in a row."""
    theirs = nn.MultiheadAttention(len(weights["q_proj.bias"]), num_heads, batch_first=True, dtype=query.dtype)
    state = {
        "in_proj_weight": torch.cat([weights[f"{name}_proj.weight"] for name in "qkv"]),
        "in_proj_bias": torch.cat([weights[f"{name}_proj.bias"] for name in "qkv"]),
        "out_proj.weight": weights["out_proj.weight"],
        "out_proj.bias": weights["out_proj.bias"],
    }
    theirs.load_state_dict(state)
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat_interleave(num_heads, dim=0)
    elif mask is not None and mask.dim() == 4:
        mask = mask.flatten(0, 1)
    with torch.no_grad():
        return theirs(query, key, value, attn_mask=None if mask is None else ~mask, average_attn_weights=False)


# The module compared with itself: a criterion about masks asks whether they do what leaving out keys does. Whether the
# values are right is asked elsewhere, so that a wrong scale costs no points here.


def answer(module, what, query, key, value, mask=None):
    """What the module returns, after a look at its kind and its shapes."""
    found = module(query, key, value) if mask is None else module(query, key, value, mask)
    assert isinstance(found, tuple) and len(found) == 2, f"{what} must be a tuple of out and weights"
    out, weights = tensors(found, what)
    assert out.shape == query.shape, f"{what}: out must be (N, Lq, D)"
    sizes = weights.shape
    assert weights.dim() > 2 and (sizes[0], *sizes[-2:]) == (len(query), query.shape[1], key.shape[1]), (
        f"{what}: weights must be (N, H, Lq, Lk)"
    )
    assert bool(out.isfinite().all()) and bool(weights.isfinite().all()), f"{what} is not finite"
    return out, weights


def check_looks(module, query, key, value):
    """Queries that differ look at different keys, not at all alike, and find different things; it trains afterwards."""
    for mode in (module.eval, module.train):
        mode()
        out, weights = answer(module, "the module without a mask", query, key, value)
        assert (out[:, 0] != out[:, 1]).any(), "different queries have the same output"
        assert (weights[..., 0, :] != weights[..., 1, :]).any(), "different queries have the same weights"
        assert (weights[..., 0] != weights[..., 1]).any(), "different keys have the same weights"


def without_the_masked(module, query, key, value, mask):
    """What the module says when the keys that the mask forbids are not there; (N, Lq, Lk), as many in each row."""
    outs, maps = [], []
    items = torch.arange(len(mask))[:, None]
    for t in range(mask.shape[1]):
        seen = mask[:, t].nonzero()[:, 1].view(len(mask), -1)  # (N, the number of keys)
        out, weights = answer(module, "the module without a mask", query, key[items, seen], value[items, seen])
        full = weights.new_zeros(*weights.shape[:-1], mask.shape[-1])
        for n, own in enumerate(seen):
            full[n][..., own] = weights[n]
        outs.append(out[:, t])
        maps.append(full[..., t, :])
    return torch.stack(outs, dim=1), torch.stack(maps, dim=-2)


def only_head(weights, head, num_heads):
    """The same weights, but out_proj listens to one head only."""
    matrix = weights["out_proj.weight"]
    size = len(matrix) // num_heads
    heard = torch.arange(len(matrix)) // size == head
    return weights | {"out_proj.weight": matrix * heard}


def check_slopes(call, tensors, gradients, what):
    """Each gradient of the sum of ``call(tensors)`` is the slope that finite differences show."""
    for name, tensor in tensors.items():
        gradient = gradients[name]
        assert isinstance(gradient, torch.Tensor), f"{what}: nothing flows back to {name}"
        direction = normal(*tensor.shape)
        ends = [call(tensors | {name: tensor + sign * STEP * direction}) for sign in (1, -1)]
        assert all(isinstance(end, torch.Tensor) for end in ends), f"{what} must give tensors"
        slope = (ends[0].sum() - ends[1].sum()) / (2 * STEP)
        assert bool(slope.isfinite()), f"{what} is not finite"
        assert_close((gradient * direction).sum(), slope, f"the slope of {what} in {name}", **SLOPES)


def tensors_of(found):
    """The first part of the result of a function, of which gradients are asked."""
    return found[0] if isinstance(found, tuple) and found else found


def in_both_modes(module):
    """The module in eval() and in train(): without dropout, these make no difference."""
    for mode in (module.eval, module.train):
        mode()
        yield module


def tensors(found, what):
    """The result of a function, one tensor or several, after a look at its kind."""
    found = found if isinstance(found, tuple) else (found,)
    assert all(isinstance(part, torch.Tensor) for part in found), f"{what} must give tensors"
    return found


# Masks and heads


@criterion(
    "Masks of any size",
    points=2,
    kind="value",
    hint="Is the diagonal in? Is it bool? Are the lengths in any order right, and a length of 0, and max_len?",
)
def test_masks_of_any_size(student, rng):
    """Both masks are boolean, True = may be attended, for any lengths in any order."""
    for length in (1, 2, rng.randint(5, 9)):
        expected = torch.tensor([[column <= row for column in range(length)] for row in range(length)])
        assert_equal(student.causal_mask(length), expected, f"causal_mask({length})")
    assert_equal(student.causal_mask(0), torch.ones(0, 0, dtype=torch.bool), "causal_mask(0), which has no rows,")
    for _ in range(2):
        lengths = [rng.randint(1, 4), *(rng.randint(0, 4) for _ in range(3)), 6, rng.randint(1, 5), 0]
        for max_len in (None, 6, 9):
            expected = torch.tensor([[place < length for place in range(max_len or 6)] for length in lengths])
            found = student.padding_mask(torch.tensor(lengths), max_len)
            assert_equal(found, expected, f"padding_mask({lengths}, {max_len})")
    for length in (1, rng.randint(3, 5)):
        expected = torch.ones(1, length, dtype=torch.bool)
        assert_equal(
            student.padding_mask(torch.tensor([length])), expected, f"padding_mask([{length}]), a batch of one,"
        )


@criterion(
    "Split and merged",
    points=2,
    kind="shape",
    hint="Number the features of each position and print head 0: it must hold the first D/H numbers of every position.",
)
def test_split_and_merged(student, rng):
    """Splitting gives each head its own run of features, merging puts them back, for any number of heads."""
    n, length, width = rng.randint(2, 4), rng.choice([5, 7]), 12
    x = normal(n, length, width)
    for num_heads in (1, 2, 3, 6, 12):
        size = width // num_heads
        heads = torch.stack([x[:, :, h * size : (h + 1) * size] for h in range(num_heads)], dim=1)
        what = f"({n}, {length}, {width}), {num_heads} heads"
        assert_equal(student.split_heads(x, num_heads), heads, f"split_heads of {what}")
        assert_equal(student.merge_heads(heads), x, f"merge_heads of {what}")
    alone = x[:1, :1]
    heads = alone.view(1, 3, 1, 4)
    assert_equal(student.split_heads(alone, 3), heads, "split_heads of one position, (1, 1, 12), 3 heads")
    assert_equal(student.merge_heads(heads), alone, "merge_heads of one position, (1, 1, 12), 3 heads")
    with student_raises("ValueError", naming="num_heads"):
        student.split_heads(x, rng.choice([5, 7, 8, 24]))
    with student_raises("ValueError", naming="length"):
        student.causal_mask(-rng.randint(2, 5))


# scaled_dot_product_attention


@criterion(
    "Scaled by the right size",
    points=3,
    kind="value",
    hint="d_k is the last axis of q, whatever it is: not d_v, not d_model, no constant. The softmax is over the keys.",
)
def test_scaled_by_the_right_size(student):
    """softmax(q k^T / sqrt(d_k)) v for any sizes, values of another width than keys, float32 and float64."""
    for d_k, d_v, dtype in ((11, 4, torch.float64), (2, 13, torch.float32), (2, 13, torch.float32)):
        q, k, v = (normal(2, 3, length, size).to(dtype) for length, size in ((5, d_k), (7, d_k), (7, d_v)))
        found = student.scaled_dot_product_attention(q, k, v)
        what = f"scaled_dot_product_attention with d_k={d_k}, d_v={d_v}, {dtype}: (out, weights)"
        assert_close(found, plain_attention(q, k, v), what)
    q, k, v = q[:1, :1, :1], k[:1, :1], v[:1, :1]
    found = student.scaled_dot_product_attention(q, k, v)
    assert_close(found, plain_attention(q, k, v), "scaled_dot_product_attention of one item, one head, one query")


@criterion(
    "Masks broadcast",
    points=2,
    kind="robustness",
    hint="True = may be attended. Fill before the softmax, and let broadcasting do the rest. What does a row become in "
    "which all is False?",
)
def test_masks_broadcast(student):
    """Masks that broadcast to the scores: weights of exactly 0 where False, and no NaN where all is False."""
    q, k, v = normal(2, 3, 5, 4), normal(2, 3, 7, 4), normal(2, 3, 7, 6)
    of_queries = random_mask(5, 7)
    of_queries[3] = False
    of_everything = random_mask(2, 3, 5, 7)
    of_everything[0, 1, 2] = False
    of_everything[1, 2] = False
    of_keys = random_mask(2, 1, 1, 7)
    whole = torch.rand(5, 1) < 0.5
    whole[2] = False
    masks = [of_queries, of_everything, of_keys, whole, random_mask(2, 3, 1, 7), random_mask(5, 7)]
    for mask in (*masks, random_mask(2, 3, 5, 7)):
        found = student.scaled_dot_product_attention(q, k, v, mask)
        what = f"scaled_dot_product_attention with a mask {tuple(mask.shape)}"
        assert_close(found, plain_attention(q, k, v, mask), f"{what}: (out, weights)")
        hidden = ~mask.expand(2, 3, 5, 7)
        assert not found[1][hidden].any(), f"{what}: a masked key has a weight that is not exactly 0"


@criterion(
    "Strong scores",
    points=2,
    kind="robustness",
    hint="softmax() is stable, exp() is not. And what is filled in must be lower than every score: -1e4 is not.",
)
def test_strong_scores(student):
    """Scores of tens of thousands neither overflow nor let a masked key win."""
    q, k, v = normal(1, 3, 5, 4) * 100, normal(1, 3, 7, 4) * 100, normal(1, 3, 7, 6)
    found = student.scaled_dot_product_attention(q, k, v)
    assert_close(found, plain_attention(q, k, v), "scaled_dot_product_attention with scores of ±20000: (out, weights)")
    mask = random_mask(1, 3, 5, 7)[:, :, :1]  # one mask for all queries of a head
    q = q.abs()
    k = torch.where(mask.transpose(-2, -1), -k.abs() - 50, k.abs())  # whoever may be attended scores low
    mask = mask.expand(1, 3, 5, 7)
    found = student.scaled_dot_product_attention(q, k, v, mask)
    expected = plain_attention(q, torch.where(mask[:, :, 0, :, None], k, -1e6), v, mask)
    what = "scaled_dot_product_attention where masked keys have the highest scores"
    assert_close(found, expected, f"{what}: (out, weights)")


# The module


@criterion(
    "Asking somebody else",
    points=3,
    kind="value",
    hint="q_proj takes query, k_proj takes key, v_proj takes value. Lengths of queries and keys may differ.",
)
def test_asking_somebody_else(student):
    """Cross-attention, with query, key and value all different, equals torch's own."""
    weights = random_weights(12)
    module = loaded(student, weights, num_heads=4)
    query, key, value = normal(3, 5, 12), normal(3, 7, 12), normal(3, 7, 12)
    expected = torch_multihead(weights, 4, query, key, value)
    what = "MultiHeadAttention(12, 4)(query, key, value): (out, weights)"
    assert_close(module(query, key, value), expected, what, **COARSE)
    for mode in (module.train, module.eval, module.eval):
        mode()
        query, key, value = normal(3, 5, 12), normal(3, 5, 12), normal(3, 5, 12)
        expected = plain_multihead(weights, 4, query, key, value)
        what = "MultiHeadAttention(12, 4)(query, key, value), as many keys as queries: (out, weights)"
        assert_close(module(query, key, value), expected, what, **COARSE)
    memory = module_of(student, "torch").clone.keep(key)  # one tensor, twice: "key is value" may be asked
    expected = plain_multihead(weights, 4, query, key, key)
    what = "MultiHeadAttention(12, 4)(query, memory, memory)"
    assert_close(module(query, memory, memory), expected, what, **COARSE)


@criterion(
    "Any number of heads, by your own code",
    points=2,
    kind="value",
    hint="torch.nn.MultiheadAttention and its function are what you build here. One head is plain attention, and its "
    "weights still have an axis for it.",
)
def test_any_number_of_heads(student):
    """From one head, which is plain attention, to as many as features; in float32; without torch's own module."""
    assert_not_used(student, "MultiheadAttention", "multi_head_attention_forward")
    weights = {name: weight.float() for name, weight in random_weights(6).items()}
    for num_heads in (1, 3, 6):
        for module in in_both_modes(loaded(student, weights, num_heads)):
            query, key, value = normal(1, 3, 6).float(), normal(1, 5, 6).float(), normal(1, 5, 6).float()
            found = module(query, key, value)
            expected = plain_multihead(weights, num_heads, query, key, value)
            assert_close(found, expected, f"MultiHeadAttention(6, {num_heads})(query, key, value): (out, weights)")


@criterion(
    "Masks for all, for each item, for each head",
    points=3,
    kind="value",
    hint="(N, Lq, Lk) needs an axis for the heads between N and Lq; (Lq, Lk) and (N, H, Lq, Lk) need nothing.",
)
def test_masks_for_each(student):
    """The module takes masks of shape (Lq, Lk), (N, Lq, Lk) and (N, H, Lq, Lk)."""
    weights = random_weights(8)
    query, key, value = normal(3, 5, 8), normal(3, 7, 8), normal(3, 7, 8)
    module = loaded(student, weights, num_heads=2)
    check_looks(module, query, key, value)
    for shape in ((5, 7), (3, 5, 7), (3, 1, 7)):
        mask = random_mask(*shape)
        module.train()
        expected = without_the_masked(module, query, key, value, mask.expand(3, 5, 7))
        reply = module.observe(query, key, value, mask=mask)
        what = f"MultiHeadAttention(8, 2) with a mask {shape}, beside itself without the masked keys: (out, weights)"
        assert_close(reply.value, expected, what, **COARSE)
        assert_equal(reply.kwargs["mask"], mask, f"the mask {shape} after the call")
        module.eval()
        assert_close(module(query, key, value, mask), expected, f"{what}, in eval()", **COARSE)
    mask = random_mask(3, 2, 5, 7)
    for head in (0, 1):
        single = loaded(student, only_head(weights, head, 2), num_heads=2)
        out, maps = without_the_masked(single, query, key, value, mask[:, head])
        for same in in_both_modes(single):
            found = answer(same, "the module with a mask (3, 2, 5, 7)", query, key, value, mask)
            assert found[1].shape == (3, 2, 5, 7), "weights must be (N, H, Lq, Lk)"
            expected = out, maps[:, head]
            what = f"head {head} with a mask (3, 2, 5, 7), beside itself without the masked keys: (out, weights)"
            assert_close((found[0], found[1][:, head]), expected, what, **COARSE)
    single = loaded(student, weights, num_heads=1)
    for shape in ((3, 5, 7), (3, 1, 5, 7)):
        mask = random_mask(*shape)
        expected = without_the_masked(single, query, key, value, mask.view(3, 5, 7))
        found = single(query, key, value, mask)
        what = f"MultiHeadAttention(8, 1) with a mask {shape}, beside itself without the masked keys: (out, weights)"
        assert_close(found, expected, what, **COARSE)
    query, mask = normal(3, 3, 8), random_mask(3, 7)  # as many queries as items: (Lq, Lk) is not (N, Lk)
    expected = without_the_masked(module, query, key, value, mask.expand(3, 3, 7))
    found = module(query, key, value, mask)
    assert_close(found, expected, "MultiHeadAttention(8, 2), 3 items, 3 queries, a mask (3, 7)", **COARSE)


@criterion(
    "As many items as heads",
    points=2,
    kind="value",
    hint="(N, Lq, Lk) laid against (N, H, Lq, Lk) puts N where H is, and with N = H nobody complains. unsqueeze(1).",
)
def test_as_many_items_as_heads(student):
    """An item's mask counts for all of its heads and for no other item, also where there are as many items as heads."""
    module = loaded(student, random_weights(9), num_heads=3)
    query, key, value = normal(3, 5, 9), normal(3, 4, 9), normal(3, 4, 9)
    check_looks(module, query, key, value)
    for same in in_both_modes(module):
        for shape in ((3, 5, 4), (3, 3, 5, 4)):
            mask = random_mask(*shape)
            out, maps = answer(same, f"a batch of 3, a mask {shape}", query, key, value, mask)
            for n in range(3):
                for_all = mask[n : n + 1].expand(mask.shape)
                other = answer(same, "the module with equal masks", query, key, value, for_all)
                what = (
                    f"item {n} of a batch of 3 with 3 heads and a mask {shape}, beside the same where all have its mask"
                )
                assert_close((out[n], maps[n]), (other[0][n], other[1][n]), f"{what}: (out, weights)", **COARSE)


@criterion(
    "Nobody to ask",
    points=2,
    kind="robustness",
    hint="A row without any key has weights of 0, so its heads are 0, and out_proj makes its bias of them.",
)
def test_nobody_to_ask(student):
    """A query that may attend to nobody gets weights of 0 and no NaN; the other queries are not disturbed."""
    weights = random_weights(4)
    query, key, value = normal(3, 5, 4), normal(3, 6, 4), normal(3, 6, 4)
    module, first = loaded(student, weights, 2), loaded(student, only_head(weights, 0, 2), 2)
    check_looks(module, query, key, value)
    silence = weights["out_proj.bias"]
    silent = torch.zeros(3, 3, 5, dtype=torch.bool)  # in each of three masks, queries that may ask nobody
    silent[0, :, 1] = True
    silent[1, 0, 4] = True
    silent[1, 2] = True  # a whole item is padding
    silent[2, 1, 3] = True
    for asked, nobody, mask in zip(
        (module, module, first), silent, (random_mask(5, 6), random_mask(3, 5, 6), random_mask(3, 2, 5, 6)), strict=True
    ):
        empty = mask.clone()
        if mask.dim() == 4:  # the other head, to which nothing listens here, still has keys
            empty[:, 0] &= ~nobody[..., None]
            asked.eval()
        else:
            empty &= ~nobody[0, :, None] if mask.dim() == 2 else ~nobody[..., None]
        what = f"MultiHeadAttention(4, 2) with a mask {tuple(mask.shape)} and rows without any key"
        reply = asked.observe(query, key, value, empty)
        assert_equal(reply.args[3], empty, "the mask with empty rows after the call")
        assert isinstance(reply.value, tuple) and len(reply.value) == 2, f"{what} must be (out, weights)"
        out, maps = tensors(reply.value, what)
        full_out, full_maps = answer(asked, "the module with a mask", query, key, value, mask)
        assert out.shape == full_out.shape and maps.shape == full_maps.shape, f"{what} has another shape"
        if maps.dim() == 4 and mask.dim() == 4:
            maps, full_maps = maps[:, :1], full_maps[:, :1]
        maps, full_maps = (found if found.dim() == 3 else found.transpose(1, 2) for found in (maps, full_maps))
        assert_equal(maps[nobody], torch.zeros_like(maps[nobody]), f"the weights of such a row of {what}")
        # The course's convention says "an output of 0"; whoever takes it at its word even here is right as well.
        if out[nobody].any():
            assert_close(out[nobody], silence.expand(int(nobody.sum()), 4), f"out in such a row of {what}", **COARSE)
        assert_close(out[~nobody], full_out[~nobody], f"out in the other rows of {what}", **COARSE)
        assert_close(maps[~nobody], full_maps[~nobody], f"the weights in the other rows of {what}", **COARSE)


@criterion(
    "More padding changes nothing",
    points=2,
    kind="invariance",
    hint="Padded keys must have no weight at all: whatever stands there, and however many there are.",
)
def test_more_padding(student):
    """With a padding mask, outputs do not depend on what stands in the padding, nor on how much there is."""
    lengths = torch.tensor([4, 2, 3])
    x = normal(3, 4, 12)
    module = loaded(student, random_weights(12), num_heads=3)
    check_looks(module, x, x, x)
    alone = []
    for n, length in enumerate(lengths.tolist()):
        same = x[n : n + 1, :length].expand(3, length, 12)  # a batch of one sequence, three times
        alone.append(answer(module, "the module without padding", same, same, same)[0][:1])
    for width, mode, rows in ((4, module.train, 4), (7, module.eval, 7), (7, module.train, 1)):
        mode()
        padded = normal(3, width, 12) * 100
        for n, length in enumerate(lengths.tolist()):
            padded[n, :length] = x[n, :length]
        mask = (torch.arange(width) < lengths[:, None])[:, None, :].expand(3, rows, width)
        found, weighed = answer(module, "the module with padding", padded, padded, padded, mask)
        for n, length in enumerate(lengths.tolist()):
            what = f"sequence {n} with {length} tokens, padded to {width},"
            assert_close(found[n : n + 1, :length], alone[n], f"the output for {what}", **COARSE)
            assert not weighed[n][..., length:].any(), f"{what} looks at its padding"


@criterion(
    "The order of positions and heads",
    points=2,
    kind="invariance",
    hint="Without a mask no position is special; and a head is its rows of the input projections, its columns of W_o.",
)
def test_order(student, rng):
    """Permuted positions permute the output; permuted heads, with the matching columns of W_o, do not change it."""
    weights, x = random_weights(12), normal(2, 5, 12)
    order, heads = rng.sample(range(5), 5), rng.choice([[1, 2, 0], [2, 0, 1], [2, 1, 0]])
    module = loaded(student, weights, 3)
    check_looks(module, x, x, x)
    out, maps = answer(module, "the module without a mask", x, x, x)
    assert maps.shape == (2, 3, 5, 5), "weights must be (N, H, Lq, Lk)"
    shuffled = x[:, order]
    expected = (out[:, order], maps[:, :, order][:, :, :, order])
    found = module(shuffled, shuffled, shuffled)
    assert_close(found, expected, "MultiHeadAttention(12, 3) of permuted positions: (out, weights)", **COARSE)

    rows = torch.arange(12).view(3, 4)[heads].flatten()
    permuted = {name: weight[rows] for name, weight in weights.items() if not name.startswith("out")}
    permuted |= {"out_proj.weight": weights["out_proj.weight"][:, rows], "out_proj.bias": weights["out_proj.bias"]}
    found = loaded(student, permuted, 3)(x, x, x)
    expected = (out, maps[:, heads])
    assert_close(found, expected, "MultiHeadAttention(12, 3) with permuted heads: (out, weights)", **COARSE)


@criterion(
    "The future is out of reach",
    points=2,
    kind="invariance",
    hint="Weights of the future are exactly 0, not small: -20 is not low enough, and after the softmax is too late.",
)
def test_future_out_of_reach(student, rng):
    """Whatever stands in the future, however large, the past stays the same to the last digit, in every head."""
    x, now = normal(2, 7, 6), rng.randint(2, 5)
    mask = (torch.arange(7)[:, None] >= torch.arange(7)).expand(2, 7, 7)
    module = loaded(student, random_weights(6), num_heads=3)
    check_looks(module, x, x, x)
    for same in in_both_modes(module):
        before = answer(same, "the module with a causal mask (N, L, L)", x, x, x, mask)
        last = answer(same, "the module without a mask", x[:, :now], x[:, :now], x[:, :now])
        what = f"the output at position {now - 1}, beside a call that ends there,"
        assert_close(before[0][:, now - 1], last[0][:, -1], what, **COARSE)
        assert not before[1].triu(1).any(), "a weight of the future is not exactly 0"
        other = x.clone()
        other[:, now:] = normal(2, 7 - now, 6) * 1e4
        after = answer(same, "the module with a causal mask (N, L, L)", other, other, other, mask)
        for found, old, what in zip(
            (after[0][:, :now], after[1][..., :now, :]),
            (before[0][:, :now], before[1][..., :now, :]),
            ("output", "weights"),
            strict=True,
        ):
            assert_close(found, old, f"the {what} of positions before {now}, with another future,", **EXACT)


@criterion(
    "A batch of one",
    points=2,
    kind="invariance",
    hint="No squeeze(), and nothing that runs over the batch. While decoding there is one sentence and one query.",
)
def test_batch_of_one(student):
    """An item alone, and a query alone, get what they get within the batch."""
    query, key, value, mask = normal(3, 5, 8), normal(3, 5, 8), normal(3, 5, 8), random_mask(3, 5, 5)
    module = loaded(student, random_weights(8), num_heads=2)
    check_looks(module, query, key, value)
    out, maps = answer(module, "the module with a mask (3, 5, 5)", query, key, value, mask)
    for n, some in ((0, slice(0, 5)), (2, slice(3, 4)), (1, slice(3, 4))):
        if n == 1:
            module.eval()
        one = slice(n, n + 1)
        found = module(query[one, some], key[one], value[one], mask[one, some])
        expected = (out[one, some], maps[one][..., some, :])
        what = f"MultiHeadAttention(8, 2) of one item and {some.stop - some.start} of its queries: (out, weights)"
        assert_close(found, expected, what, **COARSE)
    key, value = key[:, :1], value[:, :1]
    _, found = answer(module, "MultiHeadAttention(8, 2) of one key", query, key, value)
    assert_close(found, torch.ones_like(found), "the weights of one key", **COARSE)
    mask = torch.tensor([True, False, True, True, False])[:, None].expand(3, 5, 1)
    _, found = answer(module, "MultiHeadAttention(8, 2) of one key with a mask", query, key, value, mask)
    seen = mask if found.dim() == 3 else mask[:, None]
    assert_equal(found, seen.double().expand(found.shape), "the weights of one key, which some queries may not see,")


# Gradients


@criterion(
    "Gradients reach every parameter",
    points=3,
    kind="gradient",
    hint="No .detach(), .data or no_grad on the way; and the four projections are all the parameters there are.",
)
def test_gradients(student):
    """Gradients in all inputs and parameters are right; there are as many parameters with two heads as with six."""
    inputs = {name: normal(2, length, 6) for name, length in (("query", 3), ("key", 4), ("value", 4))}
    for num_heads in (2, 6):
        weights = random_weights(6)
        module = loaded(student, weights, num_heads)
        check_looks(module, *inputs.values())
        reply = module.gradients(*inputs.values())
        what = f"MultiHeadAttention(6, {num_heads})"
        given = dict(zip(inputs, reply.gradients, strict=True)) | dict(reply.parameters)
        assert given.keys() == inputs.keys() | weights.keys(), f"the parameters of {what} are not the four projections'"

        def out(tensors, num_heads=num_heads):
            own = {name: tensor for name, tensor in tensors.items() if name not in inputs}
            return tensors_of(loaded(student, own, num_heads)(*(tensors[name] for name in inputs)))

        check_slopes(out, inputs | weights, given, what)
        for name in given.keys() - {"k_proj.bias"}:  # it changes all scores of a row alike
            assert given[name].any(), f"{what}: nothing flows back to {name}"


@criterion(
    "No gradient through a mask",
    points=3,
    kind="gradient",
    hint="-inf in a whole row makes NaN in the softmax's derivative as well: masked_fill or where stop it, an addition "
    "does not.",
)
def test_gradients_and_masks(student):
    """Masked keys and values get a gradient of exactly 0, and a row without any key spoils nobody's."""
    mask = random_mask(2, 1, 1, 5).repeat(1, 2, 4, 1)
    unseen = ~mask[:, 0, 0]  # (2, 5): keys that no query may attend to
    mask[0, 1, 3] = mask[1, 0, 2] = False  # queries with a head that has nobody to ask

    function = student.scaled_dot_product_attention
    inputs = {name: normal(2, 2, length, 3) for name, length in (("q", 4), ("k", 5), ("v", 5))}
    for given, of in zip(function.gradients(*inputs.values()).gradients, inputs, strict=True):
        reached = isinstance(given, torch.Tensor) and bool(given.any())
        assert reached, f"without a mask, scaled_dot_product_attention lets no gradient through to {of}"
    reply = function.gradients(*inputs.values(), mask)
    what = "scaled_dot_product_attention with a mask"
    given = dict(zip(inputs, reply.gradients[:3], strict=True))
    check_slopes(lambda tensors: tensors_of(function(*tensors.values(), mask)), inputs, given, what)
    for name, gradient in given.items():
        assert bool(gradient.isfinite().all()) and bool(gradient.any()), f"{what}: the gradient in {name} is not right"

    inputs = {name: normal(2, length, 4) for name, length in (("query", 4), ("key", 5), ("value", 5))}
    module = loaded(student, random_weights(4), 2)
    check_looks(module, *inputs.values())
    reply = module.gradients(*inputs.values(), mask)
    what = "MultiHeadAttention(4, 2) with a mask"
    given = dict(zip(inputs, reply.gradients[:3], strict=True))
    check_slopes(lambda tensors: tensors_of(module(*tensors.values(), mask)), inputs, given, what)
    for name in ("key", "value"):
        assert not given[name][unseen].any(), f"{what}: the gradient of what is masked in {name} is not 0"
    for name, gradient in (given | dict(reply.parameters)).items():
        assert isinstance(gradient, torch.Tensor), f"{what}: nothing flows back to {name}"
        assert bool(gradient.isfinite().all()), f"{what}: the gradient in {name} is not finite"
        assert name == "k_proj.bias" or bool(gradient.any()), f"{what}: nothing flows back to {name}"


# Dropout, memory, device


@criterion(
    "Dropout on the weights",
    points=3,
    kind="value",
    hint="self.dropout goes between the weights and the values: not on scores, values or outputs. Return the weights "
    "from before it.",
)
def test_dropout_on_the_weights(student, rng):
    """In training, single weights are dropped and the others grow by 1/(1-p); those returned are from before that."""
    # Values that copy the weights into the output, each of them twice: 2 heads x 2 copies x 3 keys are 12 features.
    weights = random_weights(12)
    for name in ("v_proj", "out_proj"):
        weights[f"{name}.weight"] = torch.eye(12, dtype=torch.float64)
        weights[f"{name}.bias"] = torch.zeros(12, dtype=torch.float64)
    query, key = normal(2, 5, 12) / 4, normal(2, 3, 12) / 4
    value = torch.eye(3, dtype=torch.float64).repeat(1, 4).expand(2, 3, 12)
    rate = rng.choice([0.3, 0.4, 0.5])
    module = loaded(student, weights, num_heads=2, dropout=rate)
    check_looks(module, query, key, value)
    patterns = []
    for mask in (None, random_mask(2, 5, 3)):
        module.eval()
        out, weighed = answer(module, "the module in eval()", query, key, value, mask)
        expected = out.view(2, 5, 2, 2, 3)[:, :, :, 0].transpose(1, 2)  # (N, H, Lq, Lk)
        shown = expected.any() if mask is not None else (expected.sum(-1) - 1).abs().max() < 1e-3
        assert shown, "values that copy the weights do not show them in the output"
        module.train()
        out, found = answer(module, "the module in training", query, key, value, mask)
        assert_close(found, weighed, "the weights that are returned in training, beside those in eval(),", **COARSE)
        copies = out.view(2, 5, 2, 2, 3).permute(3, 0, 2, 1, 4)  # (copy, N, H, Lq, Lk)
        kept = copies[0] != 0
        used = (expected / (1 - rate)).masked_fill(~kept, 0.0)  # (N, H, Lq, Lk)
        what = "what the weights are multiplied by in training"
        assert_close(copies, torch.stack([used, used]), what, **COARSE)
        for axis, of in enumerate(("items", "heads", "queries", "keys")):
            assert (kept != kept.roll(1, axis)).any(), f"dropout is the same for all {of}, or there is none"
        patterns.append(kept)
    assert (patterns[0] != patterns[1]).any(), "dropout is the same in two calls"


@criterion(
    "No dropout in eval()",
    points=2,
    kind="robustness",
    hint="nn.Dropout knows whether the module trains; F.dropout has to be told: training=self.training.",
)
def test_no_dropout_in_eval(student):
    """After eval() dropout does nothing, whatever its rate, and also if the module has trained before."""
    weights = random_weights(6)
    query, key, value = normal(2, 4, 6), normal(2, 4, 6), normal(2, 4, 6)
    module, plain = loaded(student, weights, 2, dropout=0.5), loaded(student, weights, 2)
    check_looks(module, query, key, value)
    expected = answer(plain, "the module with a dropout of 0, in training,", query, key, value)
    alike = answer(plain, "self-attention", query, query, query)
    module.eval()
    what = "MultiHeadAttention(6, 2, dropout=0.5) in eval(), beside one with a dropout of 0"
    assert_close(module(query, key, value), expected, what, **COARSE)
    assert_close(module(query, query, query), alike, f"{what}: self-attention", **COARSE)
    x = module_of(student, "torch").clone.keep(query)  # one tensor, three times: "query is key" may be asked
    assert_close(module(x, x, x), alike, f"{what}: self-attention of one tensor", **COARSE)
    out = module_of(student, "operator").getitem.keep(module.keep(x, x, x), 0)
    assert out.requires_grad.read(), "the output in eval() is detached"
    module.train()
    module(query, key, value)
    module.eval()
    assert_close(module(query, key, value), expected, f"{what}, once more after training", **COARSE)
    mask = torch.ones(4, 4).tril().bool().expand(2, 4, 4)
    masked = [module(*given, mask) for given in ((x, x, x), (query, query, query))]
    assert_close(masked[1], masked[0], "MultiHeadAttention(6, 2, dropout=0.5) in eval(), called twice with a mask,")


@criterion(
    "Nothing is changed, nothing is remembered",
    points=2,
    kind="robustness",
    hint="unsqueeze_, masked_fill_, /= and &= change the caller's tensors. What is left in self meets the next call.",
)
def test_nothing_changed(student):
    """No function changes its arguments, and its result depends on the arguments of this call and on no other."""
    weights = random_weights(6)
    module, twin, other = (loaded(student, weights, num_heads) for num_heads in (3, 3, 2))
    query, key, value, mask = normal(2, 5, 6), normal(2, 5, 6), normal(2, 5, 6), random_mask(2, 5, 5)
    check_looks(twin, query, key, value)
    q, k, v, mask_of_heads = normal(2, 3, 4, 2), normal(2, 3, 5, 2), normal(2, 3, 5, 2), random_mask(2, 3, 4, 5)
    calls = [
        ("padding_mask", student.padding_mask, (torch.tensor([3, 1, 4]), 5)),
        ("split_heads", student.split_heads, (query, 3)),
        ("merge_heads", student.merge_heads, (q,)),
        ("scaled_dot_product_attention", student.scaled_dot_product_attention, (q, k, v, mask_of_heads)),
        ("MultiHeadAttention without a mask", module, (query, key, value)),
        ("MultiHeadAttention", module, (query, key, value, mask)),
        ("MultiHeadAttention with one mask for all", module, (query, key, value, mask[0])),
    ]
    first = [function.observe(*arguments) for _, function, arguments in calls]
    student.causal_mask.keep(4).logical_not_()  # the caller may do what it likes with its mask
    assert_equal(student.causal_mask(4), torch.ones(4, 4).tril().bool(), "causal_mask(4), made once more,")
    student.padding_mask(torch.tensor([2, 6]))
    student.scaled_dot_product_attention(k, q, q)
    other(key, query, query, random_mask(5, 5))
    elsewhere = [normal(*x.shape) for x in (query, key, value)]
    expected = twin(*elsewhere, mask.flip(0))
    assert expected is not None, "MultiHeadAttention returns nothing"
    what = "MultiHeadAttention, compared with a new one that has the same weights,"
    assert_close(module(*elsewhere, mask.flip(0)), expected, what, **EXACT)
    for (name, function, arguments), reply in zip(calls, first, strict=True):
        assert reply.value is not None, f"{name} returns nothing"
        assert_equal(list(reply.args), list(arguments), f"the arguments of {name} after the call")
        other = [x.flip(0) if isinstance(x, torch.Tensor) else x for x in arguments]
        found = zip(tensors(reply.value, name), tensors(function(*other), name), strict=True)
        assert any(not torch.equal(*both) for both in found), f"{name} has the same result for other arguments"
        assert_close(function(*arguments), reply.value, f"{name}, called with the same arguments once more,", **EXACT)


@criterion(
    "On an accelerator",
    points=2,
    kind="device",
    hint="A tensor that you make lives where its inputs do: torch.arange(…, device=lengths.device), device=device.",
)
def test_on_an_accelerator(student, device):
    """Masks are made on the device that is asked for or that the lengths are on, and attention stays on it."""
    module = loaded(student, {name: weight.float() for name, weight in random_weights(6).items()}, num_heads=2)
    query, key, value = torch.randn(2, 3, 6), torch.randn(2, 3, 6), torch.randn(2, 3, 6)
    check_looks(module, query, key, value)
    reply = student.causal_mask.observe(5, device=device)
    assert_equal(reply.devices, (device,), "the device of causal_mask(5, device=…)")
    on_cpu = student.causal_mask.observe(5)
    assert_equal(on_cpu.devices, ("cpu",), "the device of causal_mask(5) after causal_mask(5, device=…)")
    assert_equal(on_cpu.value, reply.value, "causal_mask(5) on the CPU, compared with the accelerator,")
    again = student.causal_mask.observe(5, device)
    assert_equal(again.devices, (device,), "the device of causal_mask(5, device=…) after causal_mask(5)")
    lengths = torch.tensor([3, 1, 4])
    assert_same_on_device(student.padding_mask, device, "padding_mask([3, 1, 4])", lengths)
    assert_same_on_device(student.padding_mask, device, "padding_mask([3, 1, 4], max_len=6)", lengths, max_len=6)
    q, k, mask = torch.randn(2, 2, 3, 4), torch.randn(2, 2, 5, 4), random_mask(3, 5)
    name = "scaled_dot_product_attention"
    assert_same_on_device(student.scaled_dot_product_attention, device, name, q, k, k, mask)
    mask = random_mask(2, 3, 3)
    mask[1, 2] = False
    assert_same_on_device(module, device, "MultiHeadAttention(6, 2)", query, key, value, mask)
