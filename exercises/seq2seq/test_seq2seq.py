"""Public tests of `seq2seq`. Run them with `pytest exercises/seq2seq` or `grader check seq2seq`; the hidden ones ask
for more."""

import math

import torch
from torch import nn

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, module_of, student_raises

PAIRS = [("abc", "cba"), ("b", "b"), ("ca", "ac"), ("abca", "acba"), ("cc", "cc")]


def small_model(student, source_size=7, target_size=7, hidden_dim=4):
    """A model of the student's with random weights, in float64."""
    encoder, decoder = student.Encoder(source_size, 3, hidden_dim), student.AttentionDecoder(target_size, 3, hidden_dim)
    model = student.Seq2Seq(encoder, decoder)
    model.double()
    return model


def parts_of(found, shapes, what):
    """The tensors in a result, once it is certain that they are there, have these shapes, and are finite."""
    assert isinstance(found, tuple) and len(found) == len(shapes), f"{what} must return {len(shapes)} tensors"
    for part, (name, shape) in zip(found, shapes.items(), strict=True):
        assert isinstance(part, torch.Tensor), f"{name}, of {what}, must be a tensor"
        assert_equal(list(part.shape), list(shape), f"the shape of {name}, of {what},")
        assert part.isfinite().all(), f"{name}, of {what}, must hold finite numbers, not NaN or infinity"
    return found


# Batches and loss


@criterion(
    "Read one token, say the next",
    points=2,
    kind="value",
    question="What does the decoder read before it says the first word?",
    hint="target_in is <sos> and the target; target_out is the target and <eos>: the same tokens, one place apart.",
    step="Put <sos> before the target for what is read, <eos> behind it for what is said, and pad both to one length.",
)
def test_shifted_targets(student):
    """A batch has the source with <eos>, and the target twice: once after <sos>, once before <eos>."""
    letters = student.Vocabulary("abc")
    questions = {
        (("ab", "c"), ("c", "cab")): (
            [[4, 5, 2], [6, 2, 0]],
            [3, 2],
            [[1, 6, 0, 0], [1, 6, 4, 5]],
            [[6, 2, 0, 0], [6, 4, 5, 2]],
        ),
        (("a", "bca"), ("cb", "a")): (
            [[4, 2, 0], [6, 5, 2]],
            [2, 3],
            [[1, 5, 6, 4], [1, 4, 0, 0]],
            [[5, 6, 4, 2], [4, 2, 0, 0]],
        ),
    }
    for pairs, expected in questions.items():
        found = student.make_batch(list(pairs), letters, letters)
        what = f"make_batch({list(pairs)}): (source, source_lengths, target_in, target_out)"
        assert_close(found, tuple(torch.tensor(part) for part in expected), what)


@criterion(
    "A loss of real tokens only",
    points=2,
    kind="value",
    question="Over how many tokens is the mean taken?",
    hint="Divide by the number of tokens that are not <pad>, not by N·T.",
    step="cross_entropy has an argument that names the class to leave out; give it the padding.",
)
def test_loss_of_real_tokens(student):
    """The loss is the mean over the real tokens: what stands at the padding, and how much of it, does not matter."""
    probabilities = torch.tensor(
        [[[0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.5, 0.1]], [[0.7, 0.1, 0.1, 0.1], [0.4, 0.3, 0.2, 0.1]]]
    )
    for targets, real in (([[3, 2], [1, 0]], [0.4, 0.5, 0.1]), ([[2, 0], [2, 1]], [0.3, 0.1, 0.3])):
        expected = torch.tensor(-sum(map(math.log, real)) / 3)
        found = student.masked_cross_entropy(probabilities.log(), torch.tensor(targets))
        what = f"masked_cross_entropy of three real tokens, with the probabilities {real[0]}, {real[1]} and {real[2]},"
        assert_close(found, expected, what)


# Encoder and decoder


@criterion(
    "Padded, and alone",
    points=3,
    kind="invariance",
    question="Where does the backward direction begin in a padded sentence?",
    hint="The network must know where each sentence ends: torch can pack a padded batch, and unpack what comes out.",
    step="pack_padded_sequence(…, batch_first=True, enforce_sorted=False), lengths on CPU; then pad_packed_sequence.",
)
def test_padded_and_alone(student):
    """In a padded batch each sentence is read as if it were alone: from its first token to its last, and back."""
    model = small_model(student)
    weights = model.encoder.state_dict()
    reader = nn.GRU(3, 4, batch_first=True, bidirectional=True).double()
    reader.load_state_dict({name.removeprefix("rnn."): w for name, w in weights.items() if name.startswith("rnn.")})
    batches = (
        ([[5, 2, 0, 0], [4, 6, 5, 2], [6, 4, 2, 0]], [2, 4, 3]),
        ([[4, 5, 6, 2], [4, 2, 0, 0], [5, 5, 2, 0]], [4, 2, 3]),
    )
    for numbers, lengths in batches:
        source = torch.tensor(numbers)
        found = model.encoder(source, torch.tensor(lengths))
        states, final = parts_of(found, {"states": (3, 4, 8), "final": (3, 4)}, "Encoder(7, 3, 4) of a batch (3, 4)")
        for n, length in enumerate(lengths):
            with torch.no_grad():
                alone, last = reader(weights["embedding.weight"][source[n : n + 1, :length]])  # without padding
            what = f"sentence {n}, which has {length} tokens in a batch as wide as 4"
            assert_close(states[n, :length], alone[0], f"the states of {what},")
            assert_close(states[n, length:], torch.zeros(4 - length, 8).double(), f"the states past the end of {what},")
            summary = torch.tanh(weights["bridge.weight"] @ last.flatten() + weights["bridge.bias"])
            assert_close(final[n], summary, f"the final state of {what},")


@criterion(
    "One step, by hand",
    points=3,
    kind="value",
    question="Which state asks the attention: the one before the step or after it?",
    hint="Attention, cell, output, in this order: which state does each of them see, the old one or the new one?",
    step="Attend with the old state, join embedding and context, run the cell, join the new state with both, "
    "apply the output.",
)
def test_one_step_by_hand(student):
    """One step of a decoder whose weights are so simple that its result can be seen without a computer."""
    # No energy: all real positions weigh the same. A cell of zeros halves its state. The output copies what it gets.
    decoder = student.AttentionDecoder(9, 3, 2)
    weights = {name: torch.zeros_like(weight) for name, weight in decoder.state_dict().items()}
    weights["embedding.weight"][5] = torch.tensor([0.1, 0.2, 0.3])
    weights["output.weight"] = torch.eye(9)
    decoder.load_state_dict(weights)
    memory = torch.tensor([[[1.0, 2.0, 3.0, 4.0], [3.0, 2.0, 1.0, 0.0], [9.0, 9.0, 9.0, 9.0]]])
    steps = (
        ([True, True, False], [0.6, -0.8], [0.3, -0.4, 2.0, 2.0, 2.0, 2.0, 0.1, 0.2, 0.3], [0.5, 0.5, 0.0]),
        ([True, False, False], [0.2, 0.4], [0.1, 0.2, 1.0, 2.0, 3.0, 4.0, 0.1, 0.2, 0.3], [1.0, 0.0, 0.0]),
    )
    for mask, state, logits, looked in steps:
        found = decoder(torch.tensor([5]), torch.tensor([state]), memory, torch.tensor([mask]))
        expected = torch.tensor([logits]), torch.tensor([logits[:2]]), torch.tensor([looked])
        what = f"a step of AttentionDecoder(9, 3, 2) with the mask {mask}: (logits, state, weights)"
        assert_close(found, expected, what)


# The whole


@criterion(
    "Step by step, and the past only",
    points=3,
    kind="invariance",
    question="What does step t need from step t-1?",
    hint="Start from the encoder's final state, read target_in[:, t] at step t, and hand the new state on.",
    step="Loop over t, collect the scores of each step in a list, and stack them along axis 1.",
)
def test_step_by_step(student):
    """The whole is the decoder, step by step; token t of the target changes the scores from t on, the source all."""
    model = small_model(student)
    model.float()
    source, lengths = torch.tensor([[4, 5, 6, 2], [6, 2, 0, 0]]), torch.tensor([4, 2])
    target_in = torch.tensor([[1, 5, 4, 6, 6], [1, 4, 6, 5, 4]])
    (logits,) = parts_of((model(source, lengths, target_in),), {"logits": (2, 5, 7)}, "Seq2Seq")
    memory, state = model.encoder(source, lengths)
    mask = torch.tensor([[True, True, True, True], [True, True, False, False]])
    for t in range(5):
        step, state, _ = model.decoder(target_in[:, t], state, memory, mask)
        assert_close(logits[:, t], step, f"the logits at position {t}, compared with your decoder's,")
    other = target_in.clone()
    other[:, 3] = torch.tensor([4, 6])
    (changed,) = parts_of((model(source, lengths, other),), {"logits": (2, 5, 7)}, "Seq2Seq")
    assert_close(changed[:, :3], logits[:, :3], "the logits before the position where target_in was changed")
    assert (changed[:, 3:] != logits[:, 3:]).any(-1).all(), "a token of target_in must matter from its own position on"
    (asked,) = parts_of((model(source.flip(0), lengths.flip(0), target_in),), {"logits": (2, 5, 7)}, "Seq2Seq")
    assert (asked != logits).any(-1).all(), "another source must change the logits, from the first position on"


@criterion(
    "Whose words?",
    points=2,
    kind="value",
    question="What can the decoder read when nobody knows the target?",
    hint="With teacher_forcing=0 every step after the first reads logits.argmax(-1) of the step before.",
    step="In each step after the first draw a number: below teacher_forcing read the target, else the best "
    "token of before.",
)
def test_whose_words(student):
    """With teacher_forcing=1 the decoder reads the target; with 0 it reads <sos>, and then what it has said itself."""
    model = small_model(student)
    model.float()
    source, lengths = torch.tensor([[4, 6, 2], [5, 2, 0]]), torch.tensor([3, 2])
    target_in = torch.tensor([[1, 5, 4, 6]] * 2)
    (own,) = parts_of((model(source, lengths, target_in, teacher_forcing=0.0),), {"logits": (2, 4, 7)}, "Seq2Seq")
    said = torch.cat([target_in[:, :1], own.argmax(dim=-1)[:, :-1]], dim=1)  # what it must have read
    assert_close(own, model(source, lengths, said), "the logits with teacher_forcing=0")
    other = said.clone()
    other[:, 1:] = (said[:, 1:] + 1) % 7  # what it has never said itself
    (taught,) = parts_of((model(source, lengths, other, teacher_forcing=1.0),), {"logits": (2, 4, 7)}, "Seq2Seq")
    assert_close(taught, model(source, lengths, other), "the logits with teacher_forcing=1, and by default,")
    assert_close(taught[:, 0], own[:, 0], "the logits of the first step, which reads target_in[:, 0] in any case,")
    assert (taught[:, 1:] != own[:, 1:]).any(-1).all(), "after another word, the logits must be others"


@criterion(
    "One batch, by heart",
    points=4,
    kind="value",
    timeout=30,
    question="What is the loss of a model that knows nothing about V words?",
    hint="Does the loss begin near ln V, and does it fall? If it falls and the translations are wrong, training and "
    "translating differ somewhere.",
    step="Four calls in one step: zero_grad, backward, clip, step; and translate must end a source as training does.",
)
def test_one_batch_by_heart(student):
    """An untrained model's loss is near ln V; in 60 steps on one batch it falls below 0.1, and the words are right."""
    letters = student.Vocabulary("abc")
    module_of(student, "torch").manual_seed(1)
    model = small_model(student, hidden_dim=12)
    optimizer = module_of(student, "torch").optim.Adam(model.parameters(), lr=0.03)
    batch = student.make_batch.keep(PAIRS, letters, letters)
    losses = [student.train_epoch(model, [batch] * steps, optimizer) for steps in (1, 29, 29, 1)]
    assert all(isinstance(loss, float) for loss in losses), "train_epoch must return a number"
    assert abs(losses[0] - math.log(7)) < 0.5, f"the first loss should be near ln 7 = 1.95, and it is {losses[0]:.2f}"
    assert losses[-1] < 0.1, f"after 60 steps on one batch the loss should be below 0.1, and it is {losses[-1]:.2f}"
    found = student.translate(model, [source for source, _ in PAIRS], letters, letters)
    assert_equal(found, [list(target) for _, target in PAIRS], f"translate({[source for source, _ in PAIRS]})")


@criterion(
    "Asked to translate",
    points=2,
    kind="robustness",
    question="What should be the same after a translation as before it?",
    hint="A list of lists of symbols. Remember model.training, and put it back.",
    step="Keep model.training, call eval(), translate without gradients, and set the mode again in a finally.",
)
def test_asked_to_translate(student):
    """translate returns a list of symbols for each source, keeps to max_len, and leaves the model's mode as it was."""
    letters = student.Vocabulary("abc")
    model = small_model(student)
    model.float()
    # The output layer is a bias alone: the model repeats one letter, and never ends.
    for training, letter, max_len in ((True, "b", 5), (False, "c", 3)):
        bias = torch.full((7,), -99.0)
        bias[4:] = torch.tensor([0.0 if symbol == letter else -1.0 for symbol in "abc"])
        model.decoder.load_state_dict({"output.weight": torch.zeros(7, 15), "output.bias": bias}, strict=False)
        model.train(training)
        for beam_size in (1, 2):
            settings = {"max_len": max_len, "beam_size": beam_size}
            found = student.translate(model, ["ab", "c", ["b", "x"]], letters, letters, **settings)
            what = f"translate of three sources with {settings}, by a model that says {letter!r} again and again,"
            assert_equal(found, [[letter] * max_len] * 3, what)
            assert_equal(model.training.read(), training, "model.training after translate")
    with student_raises("ValueError", naming="max_len"):
        student.translate(model, ["ab"], letters, letters, max_len=0)
    with student_raises("ValueError", naming="beam_size"):
        student.translate(model, ["ab"], letters, letters, beam_size=0)


@criterion(
    "Where the model is",
    points=1,
    kind="device",
    question="Which tensors does your model make itself, beside its parameters, while it runs?",
    hint="A mask is made where the source is: torch.arange(…, device=source.device). Packing wants lengths on the CPU.",
    step="Give the device of the source to the mask and to each first state that you make, and take lengths "
    "to the CPU for packing alone.",
)
def test_where_the_model_is(student, device):
    """A model that was moved to an accelerator gives the logits that it gives on the CPU, and leaves them there."""
    source, lengths = torch.tensor([[4, 5, 2], [6, 2, 0]]), torch.tensor([3, 2])
    target_in = torch.tensor([[1, 4, 5, 6], [1, 5, 0, 0]])
    model = student.Seq2Seq(student.Encoder(7, 3, 4), student.AttentionDecoder(7, 3, 4))
    assert_same_on_device(model, device, "Seq2Seq(source, source_lengths, target_in)", source, lengths, target_in)
    bias = torch.arange(7.0)  # with an output layer that is a bias alone, the logits are known
    model.decoder.load_state_dict({"output.weight": torch.zeros(7, 15), "output.bias": bias}, strict=False)
    found = model.on(device)(source, lengths, target_in)
    assert_close(found, bias.expand(2, 4, 7), "the logits of a model whose output is its bias, on the accelerator")
