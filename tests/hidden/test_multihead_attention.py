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


# What garbage cannot do


def check_weights(student):
    """Weights grow with the scores, by one factor a step: the least that criteria about other things may rely on.

    Whoever scales the scores wrongly passes, and loses points where that is asked.
    """
    what = "the weights of a query that scores 0, 1 and 2"
    for sign in (1.0, -1.0):
        q = torch.full((1, 1, 1, 1), sign, dtype=torch.float64)
        k = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64).view(1, 1, 3, 1) * sign
        for keys in (k, k.flip(2)):
            found = student.scaled_dot_product_attention(q, keys, keys)
            assert isinstance(found, tuple) and len(found) == 2, "scaled_dot_product_attention must be (out, weights)"
            assert_close(found[1], torch.ones(1, 1, 1, 3, dtype=torch.float64), what, rtol=0.0, atol=1.0)
            low, middle, high = (found[1] if keys is k else found[1].flip(3)).flatten().tolist()
            assert 0 < low < middle < high, f"{what} must be in the order of the scores"
            assert abs(low + middle + high - 1) < 1e-6, f"{what} must sum to 1"
            assert abs(middle / low - high / middle) < 1e-6, f"{what} must grow by one factor"


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
    q, k, v = normal(2, 3, 5, 4) * 100, normal(2, 3, 7, 4) * 100, normal(2, 3, 7, 6)
    found = student.scaled_dot_product_attention(q, k, v)
    assert_close(found, plain_attention(q, k, v), "scaled_dot_product_attention with scores of ±20000: (out, weights)")
    mask = random_mask(2, 3, 5, 7)[:, :, :1]  # one mask for all queries of a head
    q = q.abs()
    k = torch.where(mask.transpose(-2, -1), -k.abs() - 50, k.abs())  # whoever may be attended scores low
    mask = mask.expand(2, 3, 5, 7)
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
    assert_close(module(query, key, value), expected, "MultiHeadAttention(12, 4)(query, key, value): (out, weights)")
    for mode in (module.train, module.eval, module.eval):
        mode()
        query, key, value = normal(3, 5, 12), normal(3, 5, 12), normal(3, 5, 12)
        expected = plain_multihead(weights, 4, query, key, value)
        what = "MultiHeadAttention(12, 4)(query, key, value), as many keys as queries: (out, weights)"
        assert_close(module(query, key, value), expected, what)
    memory = module_of(student, "torch").clone.keep(key)  # one tensor, twice: "key is value" may be asked
    expected = plain_multihead(weights, 4, query, key, key)
    assert_close(module(query, memory, memory), expected, "MultiHeadAttention(12, 4)(query, memory, memory)")


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
            query, key, value = normal(2, 3, 6).float(), normal(2, 5, 6).float(), normal(2, 5, 6).float()
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
    for shape in ((5, 7), (3, 5, 7), (3, 2, 5, 7), (3, 1, 7)):
        mask = random_mask(*shape)
        full = mask.expand(3, 5, 7) if shape == (3, 1, 7) else mask
        expected = torch_multihead(weights, 2, query, key, value, full)
        module.train()
        reply = module.observe(query, key, value, mask=mask)
        assert_close(reply.value, expected, f"MultiHeadAttention(8, 2) with a mask {shape}: (out, weights)")
        assert_equal(reply.kwargs["mask"], mask, f"the mask {shape} after the call")
        module.eval()
        found = module(query, key, value, mask)
        assert_close(found, expected, f"MultiHeadAttention(8, 2) with a mask {shape} in eval(): (out, weights)")
    single = loaded(student, weights, num_heads=1)
    for shape in ((3, 5, 7), (3, 1, 5, 7)):
        mask = random_mask(*shape)
        expected = plain_multihead(weights, 1, query, key, value, mask)
        found = single(query, key, value, mask)
        assert_close(found, expected, f"MultiHeadAttention(8, 1) with a mask {shape}: (out, weights)")
    query, mask = normal(3, 3, 8), random_mask(3, 7)  # as many queries as items: (Lq, Lk) is not (N, Lk)
    expected = torch_multihead(weights, 2, query, key, value, mask)
    assert_close(
        module(query, key, value, mask), expected, "MultiHeadAttention(8, 2), 3 items, 3 queries, a mask (3, 7)"
    )


@criterion(
    "As many items as heads",
    points=2,
    kind="value",
    hint="(N, Lq, Lk) laid against (N, H, Lq, Lk) puts N where H is, and with N = H nobody complains. unsqueeze(1).",
)
def test_as_many_items_as_heads(student):
    """An item's mask counts for all of its heads and for no other item, also where there are as many items as heads."""
    weights = random_weights(12)
    module = loaded(student, weights, num_heads=3)
    query, key, value = normal(3, 5, 12), normal(3, 4, 12), normal(3, 4, 12)
    for same in in_both_modes(module):
        for shape in ((3, 5, 4), (3, 3, 5, 4)):
            mask = random_mask(*shape)
            found = same(query, key, value, mask)
            expected = torch_multihead(weights, 3, query, key, value, mask)
            assert_close(found, expected, f"MultiHeadAttention(12, 3), a batch of 3, a mask {shape}: (out, weights)")


@criterion(
    "Nobody to ask",
    points=2,
    kind="robustness",
    hint="A row without any key has weights of 0, so its heads are 0, and out_proj makes its bias of them.",
)
def test_nobody_to_ask(student):
    """A query that may attend to nobody gets weights of 0 and no NaN; the other queries are not disturbed."""
    weights = random_weights(8)
    query, key, value = normal(3, 5, 8), normal(3, 6, 8), normal(3, 6, 8)
    module = loaded(student, weights, num_heads=2)
    for_all, for_items, for_heads = random_mask(5, 6), random_mask(3, 5, 6), random_mask(3, 2, 5, 6)
    for_all[1] = False
    for_items[0, 4] = False
    for_items[2] = False  # a whole item is padding
    for_heads[1, 0, 3] = False  # the other head still has keys
    for mask in (for_all, for_items, for_heads):
        if mask is for_heads:
            module.eval()
        reply = module.observe(query, key, value, mask)
        found = reply.value
        assert_equal(reply.args[3], mask, "the mask with empty rows after the call")
        out, maps = plain_multihead(weights, 2, query, key, value, mask)
        if mask is not for_heads and isinstance(found, tuple) and isinstance(found[0], torch.Tensor):
            # The course's convention says "an output of 0"; whoever takes it at its word even here is right as well.
            silent = ~mask.any(dim=-1).expand(3, 5)
            if found[0].shape == out.shape and not found[0][silent].any():
                out = out.masked_fill(silent[:, :, None], 0.0)
        what = f"MultiHeadAttention(8, 2) with a mask {tuple(mask.shape)} and rows without any key: (out, weights)"
        assert_close(found, (out, maps), what)


@criterion(
    "More padding changes nothing",
    points=2,
    kind="invariance",
    hint="Padded keys must have no weight at all: whatever stands there, and however many there are.",
)
def test_more_padding(student):
    """With a padding mask, outputs do not depend on what stands in the padding, nor on how much there is."""
    weights, lengths = random_weights(12), torch.tensor([4, 2, 3])
    x = normal(3, 4, 12)
    module = loaded(student, weights, num_heads=3)
    alone = [plain_multihead(weights, 3, *[x[n : n + 1, :length]] * 3)[0] for n, length in enumerate(lengths.tolist())]
    for width, mode, rows in ((4, module.train, 4), (7, module.eval, 7), (7, module.train, 1)):
        mode()
        padded = normal(3, width, 12) * 100
        for n, length in enumerate(lengths.tolist()):
            padded[n, :length] = x[n, :length]
        mask = (torch.arange(width) < lengths[:, None])[:, None, :].expand(3, rows, width)
        found, weighed = module(padded, padded, padded, mask)
        assert isinstance(found, torch.Tensor) and found.shape == (3, width, 12), "out must be (N, L, D)"
        for n, length in enumerate(lengths.tolist()):
            what = f"sequence {n} with {length} tokens, padded to {width},"
            assert_close(found[n : n + 1, :length], alone[n], f"the output for {what}", rtol=1e-9)
            assert not weighed[n, :, :, length:].any(), f"{what} looks at its padding"


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
    out, maps = plain_multihead(weights, 3, x, x, x)
    shuffled = x[:, order]
    found = loaded(student, weights, 3)(shuffled, shuffled, shuffled)
    expected = (out[:, order], maps[:, :, order][:, :, :, order])
    assert_close(found, expected, "MultiHeadAttention(12, 3) of permuted positions: (out, weights)")

    rows = torch.arange(12).view(3, 4)[heads].flatten()
    permuted = {name: weight[rows] for name, weight in weights.items() if not name.startswith("out")}
    permuted |= {"out_proj.weight": weights["out_proj.weight"][:, rows], "out_proj.bias": weights["out_proj.bias"]}
    found = loaded(student, permuted, 3)(x, x, x)
    assert_close(found, (out, maps[:, heads]), "MultiHeadAttention(12, 3) with permuted heads: (out, weights)")


@criterion(
    "The future is out of reach",
    points=2,
    kind="invariance",
    hint="Weights of the future are exactly 0, not small: -20 is not low enough, and after the softmax is too late.",
)
def test_future_out_of_reach(student, rng):
    """Whatever stands in the future, however large, the past stays the same to the last digit, in every head."""
    weights, x = random_weights(6), normal(2, 7, 6)
    now = rng.randint(2, 5)
    mask = (torch.arange(7)[:, None] >= torch.arange(7)).expand(2, 7, 7)
    expected = plain_multihead(weights, 3, x, x, x, mask)
    for module in in_both_modes(loaded(student, weights, num_heads=3)):
        before = module(x, x, x, mask)
        assert_close(before, expected, "MultiHeadAttention(6, 3) with a causal mask (N, L, L): (out, weights)")
        other = x.clone()
        other[:, now:] = normal(2, 7 - now, 6) * 1e4
        after = module(other, other, other, mask)
        for found, old, what in zip(
            (after[0][:, :now], after[1][:, :, :now]),
            (before[0][:, :now], before[1][:, :, :now]),
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
    weights = random_weights(8)
    query, key, value, mask = normal(3, 5, 8), normal(3, 4, 8), normal(3, 4, 8), random_mask(3, 5, 4)
    module = loaded(student, weights, num_heads=2)
    out, maps = plain_multihead(weights, 2, query, key, value, mask)
    for n, some in ((0, slice(0, 5)), (2, slice(3, 4)), (1, slice(3, 4))):
        if n == 1:
            module.eval()
        one = slice(n, n + 1)
        found = module(query[one, some], key[one], value[one], mask[one, some])
        expected = (out[one, some], maps[one, :, some])
        what = f"MultiHeadAttention(8, 2) of one item and {some.stop - some.start} of its queries: (out, weights)"
        assert_close(found, expected, what)
    key, value = key[:, :1], value[:, :1]
    found = module(query, key, value)
    assert_close(found, plain_multihead(weights, 2, query, key, value), "MultiHeadAttention(8, 2) of one key")
    mask = torch.tensor([True, False, True, True, False])[:, None]
    _, found = module(query, key, value, mask)
    assert_equal(found, mask.double().expand(3, 2, 5, 1), "the weights of one key, which some queries may not see,")


# Gradients


@criterion(
    "Gradients reach every parameter",
    points=3,
    kind="gradient",
    hint="No .detach(), .data or no_grad on the way; and the four projections are all the parameters there are.",
)
def test_gradients(student):
    """Gradients in all inputs and parameters are right; there are as many parameters with two heads as with six."""
    query, key, value = (normal(2, length, 6) for length in (3, 4, 4))
    for num_heads in (2, 6):
        weights = random_weights(6)
        inputs = [x.clone().requires_grad_() for x in (query, key, value)]
        leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        plain_multihead(leaves, num_heads, *inputs)[0].sum().backward()
        reply = loaded(student, weights, num_heads).gradients(query, key, value)
        what = f"MultiHeadAttention(6, {num_heads})"
        assert_close(list(reply.gradients), [x.grad for x in inputs], f"gradients of {what} in query, key, value")
        expected = {name: weight.grad for name, weight in leaves.items()}
        assert_close(dict(reply.parameters), expected, f"gradients of {what} in its parameters")


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

    q, k, v = (normal(2, 2, length, 3) for length in (4, 5, 5))
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    plain_attention(*leaves, mask)[0].sum().backward()
    reply = student.scaled_dot_product_attention.gradients(q, k, v, mask)
    what = "gradients of scaled_dot_product_attention with a mask in q, k, v"
    assert_close(list(reply.gradients[:3]), [x.grad for x in leaves], what)
    for gradient, of in zip(student.scaled_dot_product_attention.gradients(q, k, v).gradients, "qkv", strict=True):
        reached = isinstance(gradient, torch.Tensor) and bool(gradient.any())
        assert reached, f"without a mask, scaled_dot_product_attention lets no gradient through to {of}"

    weights = random_weights(6)
    inputs = [normal(2, length, 6) for length in (4, 5, 5)]
    leaves = [x.clone().requires_grad_() for x in inputs]
    parameters = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
    plain_multihead(parameters, 2, *leaves, mask)[0].sum().backward()
    reply = loaded(student, weights, 2).gradients(*inputs, mask)
    what = "gradients of MultiHeadAttention(6, 2) with a mask in"
    assert_close(list(reply.gradients[:3]), [x.grad for x in leaves], f"{what} query, key, value")
    assert not any(gradient[unseen].any() for gradient in reply.gradients[1:3]), f"{what} masked keys are not 0"
    expected = {name: leaf.grad for name, leaf in parameters.items()}
    assert_close(dict(reply.parameters), expected, f"{what} its parameters")


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
    _, expected = plain_multihead(weights, 2, query, key, value)  # (2, 2, 5, 3)
    rate = rng.choice([0.3, 0.4, 0.5])
    module = loaded(student, weights, num_heads=2, dropout=rate)
    module.train()
    patterns = []
    for mask in (None, torch.ones(5, 3, dtype=torch.bool)):
        out, found = module(query, key, value, mask)
        assert_close(found, expected, "the weights that are returned in training")
        assert isinstance(out, torch.Tensor) and out.shape == (2, 5, 12), "out must be (N, Lq, D)"
        copies = out.view(2, 5, 2, 2, 3).permute(3, 0, 2, 1, 4)  # (copy, N, H, Lq, Lk)
        kept = copies[0] != 0
        used = (expected / (1 - rate)).masked_fill(~kept, 0.0)  # (N, H, Lq, Lk)
        assert_close(copies, torch.stack([used, used]), "what the weights are multiplied by in training")
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
    query, key, value = normal(2, 4, 6), normal(2, 5, 6), normal(2, 5, 6)
    module = loaded(student, weights, num_heads=2, dropout=0.5)
    expected = plain_multihead(weights, 2, query, key, value)
    module.eval()
    assert_close(module(query, key, value), expected, "MultiHeadAttention(6, 2, dropout=0.5) in eval()")
    assert_close(
        module(query, query, query), plain_multihead(weights, 2, query, query, query), "self-attention in eval()"
    )
    x = module_of(student, "torch").clone.keep(query)  # one tensor, three times: "query is key" may be asked
    assert_close(
        module(x, x, x), plain_multihead(weights, 2, query, query, query), "self-attention of one tensor in eval()"
    )
    out = module_of(student, "operator").getitem.keep(module.keep(x, x, x), 0)
    assert out.requires_grad.read(), "the output in eval() is detached"
    module.train()
    module(query, key, value)
    module.eval()
    assert_close(module(query, key, value), expected, "MultiHeadAttention(6, 2, dropout=0.5), in eval() again")
    mask = torch.ones(4, 4).tril().bool()
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
    check_weights(student)
    weights = random_weights(6)
    module, twin, other = (loaded(student, weights, num_heads) for num_heads in (3, 3, 2))
    query, key, value, mask = normal(2, 4, 6), normal(2, 5, 6), normal(2, 5, 6), random_mask(2, 4, 5)
    q, k, v, mask_of_heads = normal(2, 3, 4, 2), normal(2, 3, 5, 2), normal(2, 3, 5, 2), random_mask(2, 3, 4, 5)
    calls = [
        ("padding_mask", student.padding_mask, (torch.tensor([3, 1, 4]), 5)),
        ("split_heads", student.split_heads, (query, 3)),
        ("merge_heads", student.merge_heads, (q,)),
        ("scaled_dot_product_attention", student.scaled_dot_product_attention, (q, k, v, mask_of_heads)),
        ("MultiHeadAttention without a mask", module, (query, key, value)),
        ("MultiHeadAttention", module, (query, key, value, mask)),
    ]
    first = [function.observe(*arguments) for _, function, arguments in calls]
    student.causal_mask.keep(4).logical_not_()  # the caller may do what it likes with its mask
    assert_equal(student.causal_mask(4), torch.ones(4, 4).tril().bool(), "causal_mask(4), made once more,")
    student.padding_mask(torch.tensor([2, 6]))
    student.scaled_dot_product_attention(k, q, q)
    other(key, query, query, random_mask(5, 4))
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
    check_weights(student)
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
    mask = random_mask(2, 3, 5)
    mask[1, 2] = False
    q, k = torch.randn(2, 2, 3, 4), torch.randn(2, 2, 5, 4)
    name = "scaled_dot_product_attention"
    assert_same_on_device(student.scaled_dot_product_attention, device, name, q, k, k, mask[0])
    module = loaded(student, {name: weight.float() for name, weight in random_weights(6).items()}, num_heads=2)
    query, key, value = torch.randn(2, 3, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 6)
    assert_same_on_device(module, device, "MultiHeadAttention(6, 2)", query, key, value, mask)
