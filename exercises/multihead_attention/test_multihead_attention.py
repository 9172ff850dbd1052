"""Public tests of `multihead_attention`. Run them with `pytest exercises/multihead_attention` or
`grader check multihead_attention`; the hidden ones ask for more."""

import torch
from torch import nn

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, student_raises

COARSE = {"rtol": 1e-4, "atol": 1e-5}  # precision is not the question here


def random_weights(d_model):
    """Weights for the four projections, as a state_dict."""
    weights = {}
    for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
        weights[f"{name}.weight"] = torch.randn(d_model, d_model, dtype=torch.float64) / 2
        weights[f"{name}.bias"] = torch.randn(d_model, dtype=torch.float64)
    return weights


def loaded(student, weights, num_heads):
    """The student's module with these weights, in float64."""
    module = student.MultiHeadAttention(len(weights["q_proj.bias"]), num_heads)
    module.double()
    module.load_state_dict(weights, strict=False)
    return module


def torch_attention(weights, num_heads, x, mask=None):
    """The same from torch: it keeps the three input projections in one matrix, and its True means "keep out"."""
    theirs = nn.MultiheadAttention(len(weights["q_proj.bias"]), num_heads, batch_first=True, dtype=torch.float64)
    rows = [weights[f"{name}_proj.weight"] for name in "qkv"]
    biases = [weights[f"{name}_proj.bias"] for name in "qkv"]
    state = {"in_proj_weight": torch.cat(rows), "in_proj_bias": torch.cat(biases)}
    theirs.load_state_dict(state | {name: weights[name] for name in ("out_proj.weight", "out_proj.bias")})
    with torch.no_grad():
        return theirs(x, x, x, attn_mask=None if mask is None else ~mask, average_attn_weights=False)


@criterion(
    "Nothing about the future",
    points=1,
    kind="value",
    question="May a position look at itself?",
    hint="Row t is the position that asks, and it may look at itself. A tensor of ones has a .tril().",
    step="Make a square of True with torch.ones of dtype bool, and keep its lower triangle with the diagonal.",
)
def test_nothing_about_the_future(student):
    """In the causal mask, row t is True for the positions 0 to t and False after that."""
    expected = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).bool()
    assert_equal(student.causal_mask(4), expected, "causal_mask(4)")
    assert_equal(student.causal_mask(3), expected[:3, :3], "causal_mask(3)")


@criterion(
    "Tokens and padding",
    points=1,
    kind="value",
    question="Which positions of a sequence of length 3 are real, counted from 0?",
    hint="Position l of sequence n is real if l < lengths[n]: compare (L,) with (N, 1).",
    step="Compare torch.arange(max_len) with lengths as a column; without max_len take the largest length.",
)
def test_tokens_and_padding(student):
    """The padding mask is True for the first lengths[n] positions; without max_len it is as long as the longest."""
    lengths = torch.tensor([2, 4, 1])
    expected = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]).bool()
    assert_equal(student.padding_mask(lengths), expected, "padding_mask([2, 4, 1])")
    expected = torch.cat([expected, torch.zeros(3, 2, dtype=torch.bool)], dim=1)
    assert_equal(student.padding_mask(lengths, max_len=6), expected, "padding_mask([2, 4, 1], max_len=6)")


@criterion(
    "Heads by hand",
    points=2,
    kind="shape",
    question="To which head does feature 0 belong, and to which the last one?",
    hint="First cut the last axis, (N, L, H, D/H), then exchange L and H. A reshape alone has the right shape only.",
    step="view as (N, L, H, D // H), then transpose the axes 1 and 2; merging does both in the other order.",
)
def test_heads_by_hand(student):
    """Head h of a position consists of the h-th run of neighbouring features of that same position."""
    x = torch.tensor([[[11, 12, 13, 14, 15, 16], [21, 22, 23, 24, 25, 26]]])  # two positions of six features
    heads = torch.tensor([[[[11, 12], [21, 22]], [[13, 14], [23, 24]], [[15, 16], [25, 26]]]])
    assert_equal(student.split_heads(x, 3), heads, "split_heads(the table of the handout, 3)")
    assert_equal(student.merge_heads(heads), x, "merge_heads(the three heads of the handout)")
    # the two positions in the other order
    assert_equal(student.split_heads(x.flip(1), 3), heads.flip(2), "split_heads(the table, last position first, 3)")
    assert_equal(student.merge_heads(heads.flip(2)), x.flip(1), "merge_heads(the heads, last position first)")


@criterion(
    "112 and 96",
    points=2,
    kind="value",
    question="By what is 112 divided to give 14?",
    hint="The scores are divided by the square root of d_k, the last axis of q and k, before the softmax.",
    step="Divide the product of q and the transposed k by the square root of q.shape[-1].",
)
def test_lecture_scores(student):
    """Scores of 112 and 96 with d_k = 64 become 14 and 12, and weights of 0.88 and 0.12."""
    q = torch.ones(1, 2, 1, 64)  # one query in each of two heads
    k = torch.tensor([[1.75, 1.5], [1.5, 1.5]])[None, :, :, None].expand(1, 2, 2, 64)
    v = torch.tensor([[1.0, 0.0, 10.0], [0.0, 1.0, 20.0]]).expand(1, 2, 2, 3)
    found = student.scaled_dot_product_attention(q, k, v)
    weights = torch.tensor([[[[0.880797, 0.119203]], [[0.5, 0.5]]]])  # the second head has 96 twice
    out = torch.tensor([[[[0.880797, 0.119203, 11.19203]], [[0.5, 0.5, 15.0]]]])
    assert_close(found, (out, weights), "scaled_dot_product_attention of the lecture's scores: (out, weights)")
    found = student.scaled_dot_product_attention(q, k.flip(1), v)
    expected = (out.flip(1), weights.flip(1))
    assert_close(found, expected, "scaled_dot_product_attention of the same, with the keys of the two heads exchanged")


@criterion(
    "Who may not be asked weighs nothing",
    points=2,
    kind="robustness",
    question="What does softmax make of a row of -inf alone?",
    hint="Fill the scores before the softmax, where the mask is False. A row that is False throughout needs care.",
    step="Fill with -inf where the mask is False, take softmax, and set to 0 what the mask forbids.",
)
def test_who_may_not_be_asked(student):
    """Masked keys have a weight of exactly 0, the others share 1; a row without any key is 0 throughout."""
    q, k = torch.zeros(2, 3, 3, 5), torch.zeros(2, 3, 4, 5)  # all scores are equal
    v = torch.arange(4.0)[:, None].expand(2, 3, 4, 2)
    mask = torch.tensor([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]).bool()
    rows = torch.tensor([[1, 0, 0, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 0]])
    for allowed, shares in ((mask, rows), (mask.flip(0), rows.flip(0))):
        found = student.scaled_dot_product_attention(q, k, v, allowed)
        expected = (shares @ v, shares.expand(2, 3, 3, 4))
        assert_close(found, expected, "scaled_dot_product_attention with a mask: (out, weights)", atol=0.0)


@criterion(
    "As torch has it",
    points=3,
    kind="value",
    question="In which order come projecting, splitting, attending, merging?",
    hint="Project, then split; attend in each head; merge, then out_proj. Print a shape after each step.",
    step="Use q_proj, k_proj and v_proj first, split each; after attending merge the heads, and then apply out_proj.",
)
def test_as_torch_has_it(student):
    """With the same weights, self-attention equals that of torch.nn.MultiheadAttention, head by head."""
    weights, x = random_weights(12), torch.randn(2, 5, 12, dtype=torch.float64)
    for num_heads in (3, 2):
        module = loaded(student, weights, num_heads)
        expected = torch_attention(weights, num_heads, x)
        what = f"MultiHeadAttention(12, {num_heads})(x, x, x): (out, weights)"
        assert_close(module(x, x, x), expected, what, **COARSE)
        x = x.flip(0)


@criterion(
    "The past does not know the future",
    points=2,
    kind="invariance",
    question="Which weights must be 0 in the first row?",
    hint="Look at weights[0, 0]: is it a lower triangle, diagonal included?",
    step="Pass the mask on to the attention of all heads; one axis of size 1 lets it count for every head.",
)
def test_past_and_future(student):
    """Under a causal mask, a position's output is torch's, and does not change when later positions do."""
    weights, x = random_weights(8), torch.randn(3, 6, 8, dtype=torch.float64)
    mask = torch.ones(6, 6).tril().bool()
    module = loaded(student, weights, num_heads=2)
    expected = torch_attention(weights, 2, x, mask)
    what = "MultiHeadAttention(8, 2)(x, x, x, causal mask): (out, weights)"
    assert_close(module(x, x, x, mask), expected, what, **COARSE)
    other = x.clone()
    other[:, 4:] = 100 * torch.randn(3, 2, 8, dtype=torch.float64)
    for mode in (module.train, module.eval):  # without dropout they make no difference
        mode()
        found, _ = module(other, other, other, mask)
        what = "the output at positions 0 to 3, with another x at 4 and 5,"
        assert_close(found[:, :4], expected[0][:, :4], what, **COARSE)


@criterion(
    "Wrong arguments are refused",
    points=1,
    kind="robustness",
    question="What is left over when 10 features are shared by 3 heads?",
    hint='raise ValueError(f"num_heads must …, not {num_heads}"): the message names the argument.',
    step="Test with % in the constructor, and the lengths with < 0; name the argument in the message.",
)
def test_wrong_arguments(student):
    """Heads that do not divide the features, or a negative length, raise a ValueError that names the argument."""
    x = torch.randn(2, 1, 12)  # one position: its features are split, and that is all
    assert_equal(student.split_heads(x, 1), x[:, None], "split_heads of x (2, 1, 12) into 1 head")
    assert_equal(student.split_heads(x, 12), x.mT[..., None], "split_heads of x (2, 1, 12) into 12 heads")
    with student_raises("ValueError", naming="num_heads"):
        student.split_heads(x, 5)
    with student_raises("ValueError", naming="num_heads"):
        student.MultiHeadAttention(12, 5)
    with student_raises("ValueError", naming="length"):
        student.causal_mask(-1)


@criterion(
    "Where the masks are made",
    points=1,
    kind="device",
    question="Where does torch.arange make its numbers if nobody says it?",
    hint="Each mask is made of new tensors: who tells causal_mask where they belong, and who tells padding_mask?",
    step="torch.ones(…, device=device) in causal_mask, torch.arange(…, device=lengths.device) in padding_mask.",
)
def test_where_the_masks_are(student, device):
    """causal_mask is made on the device that is asked for, padding_mask on the device of the lengths."""
    reply = student.causal_mask.observe(9, device=device)
    assert_equal(reply.devices, (device,), "the device of causal_mask(9, device=…)")
    assert_equal(reply.value, torch.arange(9) <= torch.arange(9)[:, None], "causal_mask(9, device=…)")
    lengths = torch.tensor([2, 9, 4])
    assert_same_on_device(student.padding_mask, device, "padding_mask([2, 9, 4])", lengths)
    expected = torch.arange(9) < lengths[:, None]
    assert_equal(student.padding_mask.on(device)(lengths), expected, "padding_mask([2, 9, 4]) on the accelerator")
