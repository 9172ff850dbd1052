"""Public tests of `transformer`. Run them with `pytest exercises/transformer` or `grader check transformer`; the hidden
ones ask for more, and train your model on reversed digits and on dates."""

import math

import torch
from torch import nn

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, module_of, student_raises

NEAR = {"rtol": 1e-4, "atol": 1e-5}  # a table of positions in float32 is right, even in a model of float64


def normal(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def torch_attention(theirs, prefix):
    """The weights of one of torch's attentions under the names that you know: it keeps q, k and v in one matrix."""
    names = {}
    for kind, stacked in (("weight", theirs.in_proj_weight), ("bias", theirs.in_proj_bias)):
        for name, part in zip(("q_proj", "k_proj", "v_proj"), stacked.detach().chunk(3), strict=True):
            names[f"{prefix}.{name}.{kind}"] = part
        names[f"{prefix}.out_proj.{kind}"] = getattr(theirs.out_proj, kind).detach()
    return names


def as_torch(student, name, theirs, **attentions):
    """The student's layer, in float64, with the weights of torch's."""
    for parameter in theirs.parameters():
        nn.init.normal_(parameter, std=0.5)
    weights = {}
    for ours, attention in attentions.items():
        weights |= torch_attention(attention, ours)
    for kind in ("weight", "bias"):
        for linear in ("linear1", "linear2"):
            weights[f"feed_forward.{linear}.{kind}"] = getattr(getattr(theirs, linear), kind).detach()
        for norm in ("norm1", "norm2", "norm3"):
            if hasattr(theirs, norm):
                weights[f"{norm}.{kind}"] = getattr(getattr(theirs, norm), kind).detach()
    layer = getattr(student, name)(theirs.linear1.in_features, 2, theirs.linear1.out_features, 0.0)
    layer.double()
    layer.load_state_dict(weights)
    return layer


@criterion(
    "Two layers and a ReLU",
    points=1,
    kind="value",
    question="What would two linear layers be without anything between them?",
    hint="One of the two layers makes the features wider, the other narrower: the ReLU stands where they are wide.",
    step="Apply linear1, then relu, then linear2, and nothing else.",
)
def test_feed_forward_by_hand(student):
    """The feed-forward network has a ReLU between its two layers, and none after them."""
    layer = student.FeedForward(2, 3, 0.0)
    weights = {
        "linear1.weight": torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        "linear1.bias": torch.tensor([0.0, 0.0, -1.0]),
        "linear2.weight": torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.0]]),
        "linear2.bias": torch.tensor([0.5, 0.0]),
    }
    layer.load_state_dict(weights)
    x = torch.tensor([[[2.0, -1.0], [-1.0, 3.0]]])  # hidden: 2 0 0 and 0 3 1
    assert_close(layer(x), torch.tensor([[[2.5, -2.0], [9.5, 0.0]]]), "FeedForward(2, 3) by hand")
    x = torch.tensor([[[0.0, -2.0], [1.0, 1.0]]])  # hidden: 0 0 0 and 1 1 1
    assert_close(layer(x), torch.tensor([[[0.5, 0.0], [6.5, -1.0]]]), "FeedForward(2, 3) by hand, for another x")


@criterion(
    "An encoder layer, as torch has it",
    points=2,
    kind="value",
    question="What does a norm see: the sum, or what is added?",
    hint="norm1(x + attention), norm2(x + feed_forward): the norm comes after the sum, and the mask goes to attention.",
    step="Twice the same: compute the part, drop out, add it to x, and normalise the sum.",
)
def test_encoder_layer_as_torch(student):
    """With the same weights and a mask, EncoderLayer equals torch.nn.TransformerEncoderLayer, in train() and eval()."""
    theirs = nn.TransformerEncoderLayer(6, 2, 10, 0.0, batch_first=True, dtype=torch.float64)
    layer = as_torch(student, "EncoderLayer", theirs, self_attention=theirs.self_attn)
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()
    for mode in ("train", "eval"):
        getattr(layer, mode)()
        x = normal(3, 5, 6)
        with torch.no_grad():
            expected = theirs.train()(x, src_key_padding_mask=~real)  # there is no dropout in it
        found = layer(x, real[:, None, :].expand(3, 5, 5))
        assert_close(found, expected, f"EncoderLayer(6, 2, 10)(x, mask) in {mode}()")


@criterion(
    "A decoder layer, as torch has it",
    points=2,
    kind="value",
    question="Who asks and who answers in the second attention?",
    hint="Three times norm(x + …): attention to oneself, attention to the memory (its keys and values), feed-forward.",
    step="The second attention takes its query from x, and its keys and values from memory with the source's mask.",
)
def test_decoder_layer_as_torch(student):
    """With the same weights and both masks, DecoderLayer equals torch.nn.TransformerDecoderLayer, in both modes."""
    theirs = nn.TransformerDecoderLayer(6, 2, 10, 0.0, batch_first=True, dtype=torch.float64)
    attentions = {"self_attention": theirs.self_attn, "cross_attention": theirs.multihead_attn}
    layer = as_torch(student, "DecoderLayer", theirs, **attentions)
    causal = torch.ones(4, 4).tril().bool()
    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()
    for mode in ("train", "eval"):
        getattr(layer, mode)()
        x, memory = normal(3, 4, 6), normal(3, 5, 6)
        with torch.no_grad():
            expected = theirs(x, memory, tgt_mask=~causal, memory_key_padding_mask=~real)
        found = layer(x, memory, causal, real[:, None, :].expand(3, 4, 5))
        assert_close(found, expected, f"DecoderLayer(6, 2, 10)(x, memory, causal mask, padding mask) in {mode}()")


@criterion(
    "From the past and the source to the next token",
    points=3,
    kind="invariance",
    question="Which two masks must be true for a key of the target?",
    hint="A causal mask for the target, source != pad for the source (twice: in the encoder and for the memory).",
    step="Combine the causal mask with the padding of the target by &, and use the mask of the source twice.",
)
def test_past_and_source(student):
    """In both modes, logits at t depend on the target up to t and on the source, not on the future or more padding."""
    model = student.Transformer(9, 11, d_model=12, num_heads=3, num_layers=2, d_ff=16, dropout=0.0)
    model.double()
    for mode in ("train", "eval"):
        getattr(model, mode)()
        source = torch.tensor([[4, 5, 6, 7, 2], [8, 4, 2, 0, 0]])
        target = torch.tensor([[1, 5, 6, 10], [1, 4, 9, 8]])
        logits = model(source, target)
        assert isinstance(logits, torch.Tensor), "Transformer(source, target_in) must return a tensor"
        assert_equal(tuple(logits.shape), (2, 4, 11), "the shape of the logits")
        other = target.clone()
        other[:, 2] = 7
        after = model(source, other)
        assert_close(after[:, :2], logits[:, :2], f"the logits before a token that changed, in {mode}()", **NEAR)
        change = (after[:, 2:] - logits[:, 2:]).abs().amax(-1).min()
        assert change > 1e-3, "logits must depend on the target up to there"
        padded = torch.cat([source, torch.zeros(2, 3).long()], dim=1)
        assert_close(model(padded, target), logits, f"the logits with more padding in the source, in {mode}()", **NEAR)
        source[:, 1] = 6
        assert (model(source, target) - logits).abs().amax(-1).min() > 1e-3, "all logits must depend on the source"
    bias = normal(11)
    model.load_state_dict({"output.weight": torch.zeros(11, 12), "output.bias": bias}, strict=False)
    logits = model(source, target)
    assert isinstance(logits, torch.Tensor), "Transformer(source, target_in) must return a tensor"
    expected = bias.softmax(-1).expand(2, 4, 11)
    assert_close(logits.softmax(-1), expected, "the probabilities if output.weight is 0", **NEAR)


@criterion(
    "Up, then down",
    points=1,
    kind="value",
    question="Which of the two terms is smaller before the warm-up ends?",
    hint="d_model**-0.5 times the smaller of step**-0.5 and step * warmup**-1.5. There is no step 0.",
    step="Write both powers of the step, take min, and multiply by d_model ** -0.5.",
)
def test_up_then_down(student):
    """The learning rate rises in a straight line to its peak at `warmup`, and falls with the root of the step."""
    expected = {1: 0.000125, 50: 0.00625, 100: 0.0125, 400: 0.00625, 10_000: 0.00125}
    for step, rate in expected.items():
        assert_close(student.learning_rate(step, 64, 100), rate, f"learning_rate({step}, 64, 100)")
    with student_raises("ValueError", naming="step"):
        student.learning_rate(0, 64, 100)


@criterion(
    "Not quite sure",
    points=2,
    kind="value",
    question="How much is left for the wrong classes, and how many are they?",
    hint="The table of the handout: 0.8 for the truth, 0.1 for each of the two others, nothing for <pad>.",
    step="Give the truth 1 - smoothing and share the rest among the other real classes; leave out where the "
    "target is padding.",
)
def test_not_quite_sure(student):
    """The loss of the handout's table: smoothed over the real classes, averaged over the real tokens."""
    logits = torch.tensor([[0.1, 0.2, 0.4, 0.3]]).log().expand(1, 3, 4).clone()
    logits[:, 1] = torch.tensor([50.0, -50.0, 0.0, 0.0])  # at the padding
    targets = torch.tensor([[2, 0, 3]])
    found = student.label_smoothed_loss(logits, targets, smoothing=0.2)
    assert_close(found, torch.tensor((1.014372 + 1.215757) / 2), "label_smoothed_loss of the handout's table")
    found = student.label_smoothed_loss(logits, torch.tensor([[0, 0, 3]]), smoothing=0.2)
    assert_close(found, torch.tensor(1.215757), "label_smoothed_loss of the table's last c alone")


@criterion(
    "A handful by heart",
    points=3,
    kind="value",
    question="What does the loss of an untrained model tell you?",
    hint="If the loss does not fall: target_in and target_out, zero_grad, the rate set before each step. If it falls "
    "and the translations are wrong: does translate decode as forward does?",
    step="Set the rate, zero_grad, loss, backward, step: in this order; and decode from <sos> as in training.",
    timeout=60,
)
def test_a_handful_by_heart(student):
    """The loss starts near ln V, 70 steps on one batch bring it down, and translate then gives the targets back."""
    vocabulary = module_of(student, "seq2seq").Vocabulary(list("abcdefg"))
    model = student.Transformer(11, 11, d_model=32, num_heads=2, num_layers=1, d_ff=64, dropout=0.0)
    pairs = [("abc", "gb"), ("b", "cab"), ("cad", "f"), ("gfedc", "abcde"), ("dab", "bad"), ("fee", "")]
    losses = student.train(model, pairs, vocabulary, vocabulary, epochs=70, batch_size=6, seed=1)
    assert isinstance(losses, list) and len(losses) == 70, "train must return a list with a loss for each epoch"
    assert all(isinstance(loss, float) for loss in losses), "the losses must be plain floats"
    assert abs(losses[0] - math.log(11)) < 1.0, f"the first loss must be near ln 11 = 2.4, and it is {losses[0]:.2f}"
    assert losses[-1] < 1.0, f"the last loss must be below 1, and it is {losses[-1]:.2f}"  # 0.54 is the least possible
    for some in (pairs, pairs[::-1]):
        found = student.translate(model, [source for source, _ in some], vocabulary, vocabulary, max_len=8)
        assert isinstance(found, list) and len(found) == 6, "translate must return a list with an item for each source"
        right = sum(text == list(target) for text, (_, target) in zip(found, some, strict=True))
        assert right >= 4, f"at least 4 of the 6 targets must come back, and {right} do; they are lists of symbols"


@criterion(
    "As it was",
    points=2,
    kind="robustness",
    question="In which mode may dropout not be at work?",
    hint="Ask the model for its mode first, and give that mode back at the end, also after an error.",
    step="Keep the mode in a variable, go to eval, and set it back in a finally.",
)
def test_as_it_was(student):
    """translate works without dropout, and leaves the model in the mode in which it found it."""
    vocabulary = module_of(student, "seq2seq").Vocabulary(list("abcd"))
    model = student.Transformer(8, 8, d_model=8, num_heads=2, num_layers=1, d_ff=8, dropout=0.5)
    model.eval()
    found = student.translate(model, ["abc", "d"], vocabulary, vocabulary, max_len=6)
    assert isinstance(found, list) and len(found) == 2, "translate must return a list with an item for each source"
    assert_equal(model.training.read(), False, "model.training after translate, if it was False before,")
    model.train()
    for _ in range(3):
        again = student.translate(model, ["abc", "d"], vocabulary, vocabulary, max_len=6)
        assert_equal(again, found, "translate(…) of the same model in training mode")
    assert_equal(model.training.read(), True, "model.training after translate, if it was True before,")
    for number, symbol in ((5, "b"), (7, "d")):  # models that say this symbol again and again, whatever they read
        bias = torch.zeros(8)
        bias[number] = 9.0
        model.load_state_dict({"output.weight": torch.zeros(8, 8), "output.bias": bias}, strict=False)
        found = student.translate(model, ["abc", "d"], vocabulary, vocabulary, max_len=6)
        assert_equal([type(text).__name__ for text in found], ["list"] * 2, "the kinds of what translate returned")
        assert_equal([text[:1] for text in found], [[symbol]] * 2, f"how a model begins that only says {symbol}")


@criterion(
    "Where the model is",
    points=1,
    kind="device",
    question="Which tensors does your model make itself, beside its parameters, while it runs?",
    hint="causal_mask(T, device=target_in.device): say where a new tensor belongs.",
    step="Both masks, padding and causal, are made from the tokens: let each ask its tokens for their device.",
)
def test_where_the_model_is(student, device):
    """A model that was moved to an accelerator gives the logits that it gives on the CPU, and leaves them there."""
    source, target_in = torch.tensor([[4, 5, 2], [6, 2, 0]]), torch.tensor([[1, 4, 5, 6], [1, 5, 0, 0]])
    model = student.Transformer(8, 9, d_model=8, num_heads=2, num_layers=1, d_ff=8, dropout=0.0)
    assert_same_on_device(model, device, "Transformer(source, target_in)", source, target_in)
    bias = torch.arange(9.0)  # with an output layer that is a bias alone, the logits are known
    model.load_state_dict({"output.weight": torch.zeros(9, 8), "output.bias": bias}, strict=False)
    found = model.on(device)(source, target_in)
    assert_close(found, bias.expand(2, 4, 9), "the logits of a model whose output is its bias, on the accelerator")
