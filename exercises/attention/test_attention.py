"""Public tests of `attention`. Run them with `grader check attention`; the hidden ones ask for more."""

import torch

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion

# The example of the handout: two queries, three keys, three values that are single numbers.
QUERY = torch.tensor([[[1.0, 1.0], [0.0, 2.0]]])  # (1, 2, 2)
KEYS = torch.tensor([[[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]])  # (1, 3, 2)
VALUES = torch.tensor([[[10.0], [20.0], [30.0]]])  # (1, 3, 1)
BY_HAND = {"rtol": 0, "atol": 6e-5}  # the handout gives four digits


@criterion(
    "Every query meets every key",
    points=1,
    kind="value",
    question="Which axis do the query and the keys have in common, apart from the batch?",
    hint="query is (N, Q, d), keys are (N, K, d): which axis must vanish, and which two of keys change places for @?",
    step="Exchange the last two axes of keys, and multiply: (N, Q, d) @ (N, d, K).",
)
def test_dot_scores(student):
    """The dot scorer gives the dot product of every query with every key of the same sequence: (N, Q, K)."""
    scorer = student.DotScorer()
    for mode in (scorer.train, scorer.eval):  # which make no difference; other numbers have other scores
        mode()
        query, keys = torch.randn(3, 5, 4), torch.randn(3, 7, 4)
        expected = (query[:, :, None] * keys[:, None]).sum(-1)
        assert_close(scorer(query, keys), expected, "DotScorer()(query (3, 5, 4), keys (3, 7, 4))")


@criterion(
    "The lecture's 14 and 12",
    points=2,
    kind="value",
    question="What turns 112 into 14 when the width is 64?",
    hint="Divide by the square root of the width of the vectors, here by 8; then softmax.",
    step="Take the scores of the dot scorer and divide by query.shape[-1] ** 0.5.",
)
def test_lecture_values(student):
    """Dot products 112 and 96 of vectors of width 64 become 14 and 12, and these the weights 0.88 and 0.12."""
    query = torch.ones(1, 1, 64)
    keys = torch.tensor([1.75, 1.5]).reshape(1, 2, 1).expand(1, 2, 64).contiguous()
    scorer = student.ScaledDotScorer()
    scores, shares = torch.tensor([[[14.0, 12.0]]]), torch.tensor([[[0.88, 0.12]]])
    assert_close(scorer(query, keys), scores, "ScaledDotScorer() where the dot products are 112 and 96, d=64")
    assert_close(student.masked_softmax(scores), shares, "masked_softmax of the scores 14 and 12", atol=0.005)
    # the two keys in the other order
    found = scorer(query, keys.flip(1))
    assert_close(found, scores.flip(2), "ScaledDotScorer() where the dot products are 96 and 112, d=64")
    found = student.masked_softmax(scores.flip(2))
    assert_close(found, shares.flip(2), "masked_softmax of the scores 12 and 14", atol=0.005)


@criterion(
    "A matrix between query and key",
    points=2,
    kind="value",
    question="How wide is a query after it was multiplied by W?",
    hint="sᵀW first: with W (query_dim, key_dim) it is as wide as a key. Then it is a dot product again.",
    step="Multiply query by the weight from the right, then do what the dot scorer does with that and the keys.",
)
def test_bilinear_by_hand(student):
    """The bilinear scorer computes sᵀWh with its own weight of shape (query_dim, key_dim)."""
    scorer = student.BilinearScorer(2, 3)
    scorer.load_state_dict({"weight": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])})
    query = torch.tensor([[[1.0, 10.0], [0.0, 1.0]]])  # (1, 2, 2)
    keys = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, -1.0]]])  # (1, 4, 3)
    expected = torch.tensor([[[41.0, 52.0, 63.0, 30.0], [4.0, 5.0, 6.0, 3.0]]])
    assert_close(scorer(query, keys), expected, "BilinearScorer(2, 3) with the W of the handout")
    found = scorer(query.flip(1), keys)
    assert_close(found, expected.flip(1), "BilinearScorer(2, 3) with the W of the handout, the queries exchanged")


@criterion(
    "A small network between query and key",
    points=2,
    kind="value",
    question="What shape must the two projections have so that every query meets every key?",
    hint="Project both, add every query to every key (None makes the axes for it), then tanh, then the energy.",
    step="Make (N, Q, 1, h) and (N, 1, K, h), add them, take tanh, apply the last layer, and drop its axis of size 1.",
)
def test_additive_by_hand(student):
    """The additive scorer computes vᵀ tanh(W_q s + W_k h) with its own three layers."""
    scorer = student.AdditiveScorer(1, 2, 2)
    scorer.load_state_dict({
        "query_proj.weight": torch.tensor([[1.0], [0.0]]),
        "key_proj.weight": torch.tensor([[0.0, 1.0], [1.0, 0.0]]),
        "energy.weight": torch.tensor([[1.0, 2.0]]),
    })  # fmt: skip
    query = torch.tensor([[[0.5]]])  # (1, 1, 1)
    keys = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [-1.0, -0.5]]])  # (1, 3, 2)
    # tanh(0.5) + 2 tanh(1), tanh(1.5) + 2 tanh(0), tanh(0) + 2 tanh(-1)
    expected = torch.tensor([[[1.9853, 0.9051, -1.5232]]])
    what = "AdditiveScorer(1, 2, 2) with the weights of the handout"
    assert_close(scorer(query, keys), expected, what, **BY_HAND)
    assert_close(scorer(-query, -keys), -expected, f"{what}, query and keys with the other sign", **BY_HAND)


@criterion(
    "Shares among the allowed",
    points=2,
    kind="value",
    question="What number makes exp give exactly 0?",
    hint="What is masked must not count in the sum either: exclude it before the softmax, not after.",
    step="Fill the scores with -inf where the mask is False, take softmax, and then put 0 where a row was "
    "masked throughout.",
)
def test_shares_among_the_allowed(student):
    """masked_softmax shares 1 among the keys that the mask allows, and gives the others exactly 0."""
    scores = torch.tensor([2.0, 1.0, 0.0]).repeat(4, 1)
    mask = torch.tensor([[True, True, True], [True, True, False], [False, True, False], [False, False, False]])
    expected = torch.tensor([[0.6652, 0.2447, 0.0900], [0.7311, 0.2689, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    found = student.masked_softmax(scores, mask)
    assert_close(found, expected, "masked_softmax of four rows 2, 1, 0 with the masks of the handout", **BY_HAND)
    assert_equal(found[~mask], torch.zeros(6), "what is masked")
    found = student.masked_softmax(scores, mask.flip(0))
    assert_close(found, expected.flip(0), "masked_softmax of the same rows, the masks in the other order", **BY_HAND)


@criterion(
    "The example of the handout",
    points=2,
    kind="value",
    question="Of which rows is a context the weighted mean?",
    hint="Scores from the scorer, weights from masked_softmax over the keys, context = weights @ values; return both.",
    step="Three lines: scores, weights, and the product of weights and values; return the context first.",
)
def test_attend_by_hand(student):
    """attend returns the contexts and the weights that the handout computes by hand, as a tuple in this order."""
    found = student.attend(student.DotScorer(), QUERY, KEYS, VALUES)
    context = torch.tensor([[[14.2479], [20.0]]])
    weights = torch.tensor([[[0.6652, 0.2447, 0.0900], [0.1065, 0.7870, 0.1065]]])
    assert_close(found, (context, weights), "attend(DotScorer(), …) of the handout's example", **BY_HAND)
    found = student.attend(student.DotScorer(), QUERY.flip(1), KEYS, VALUES)
    expected = context.flip(1), weights.flip(1)
    assert_close(found, expected, "attend(DotScorer(), …) of the example, the queries exchanged", **BY_HAND)


@criterion(
    "Padding is not seen",
    points=2,
    kind="invariance",
    question="At which step does the mask come in?",
    hint="Hand the mask on to masked_softmax, and compute the context from those weights. True = may be attended.",
    step="Give the mask to masked_softmax as its second argument, and use nothing but the weights for the context.",
)
def test_padding_is_not_seen(student):
    """With a mask, attend gives the same contexts as without the masked keys and values."""
    query, keys, values = torch.randn(3, 5, 4), torch.randn(3, 7, 4), torch.randn(3, 7, 6)
    for lengths in ([7, 4, 6], [3, 7, 5]):
        mask = torch.arange(7) < torch.tensor(lengths)[:, None, None]  # (3, 1, 7): a row for all queries of a sequence
        found = student.attend(student.DotScorer(), query, keys, values, mask)
        assert isinstance(found, tuple) and len(found) == 2, "attend must return a tuple of context and weights"
        context, weights = found
        for n, length in enumerate(lengths):
            expected = (query[n] @ keys[n, :length].T).softmax(1) @ values[n, :length]
            what = f"sequence {n}, of which {length} keys of 7 are real"
            assert_close(context[n], expected, f"the context of {what}")
            assert_equal(weights[n, :, length:], torch.zeros(5, 7 - length), f"the weights of the padding of {what}")


@criterion(
    "Nothing to choose from",
    points=1,
    kind="invariance",
    question="What does softmax make of equal scores?",
    hint="Equal scores are equal shares: of all values, or of those that the mask allows.",
    step="If the mean is wrong, look whether the weights of a row sum to 1, with and without a mask.",
)
def test_equal_keys(student):
    """If all keys are equal, the context is the mean of the values; with a mask, of the allowed ones."""
    query, values = torch.randn(2, 3, 4), torch.randn(2, 5, 6)
    keys = torch.randn(2, 1, 4).repeat(1, 5, 1)
    mask = torch.tensor([True, False, True, True, False])
    for allowed in (None, mask):
        kept = values if allowed is None else values[:, allowed]
        weights = torch.full((5,), 1 / 5) if allowed is None else allowed / 3
        expected = kept.mean(1, keepdim=True).expand(2, 3, 6), weights.expand(2, 3, 5)
        found = student.attend(student.DotScorer(), query, keys, values, allowed)
        assert_close(found, expected, f"attend(DotScorer(), …) with five equal keys and mask={allowed}")


@criterion(
    "Where the inputs are",
    points=1,
    kind="device",
    question="Which tensors does your code make itself, and where are they made if nobody says it?",
    hint="A tensor that you make (zeros, full) needs device=scores.device, or comes from a *_like.",
    step="Find each torch.zeros, torch.full and torch.tensor in attend and in your softmax, and give each "
    "the device of the scores.",
)
def test_where_the_inputs_are(student, device):
    """On an accelerator, attend with a mask gives what it gives on the CPU, and the results are on the accelerator."""
    mask = torch.tensor([[True, True, False], [False, True, False]])
    what = "attend of the handout's example, with a mask,"
    scorer = student.DotScorer()
    assert_same_on_device(student.attend, device, what, scorer, QUERY, KEYS, VALUES, mask)
    weights = torch.tensor([[[0.7311, 0.2689, 0.0], [0.0, 1.0, 0.0]]])
    found = student.attend.on(device)(scorer, QUERY, KEYS, VALUES, mask)
    assert_close(found, (weights @ VALUES, weights), f"{what} on the accelerator", rtol=0, atol=2e-3)
