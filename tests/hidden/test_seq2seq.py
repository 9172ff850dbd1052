"""Hidden tests of `seq2seq`. The oracle reads and writes one sentence at a time, so it never meets any padding."""

import functools
import itertools
import math
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name

from data.dates import PLAIN_STYLES, date_pairs, draw_form
from data.digits import draw_names, reverse_pairs
from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, module_of, student_raises

PAD, SOS, EOS, UNK = 0, 1, 2, 3
EMB, HIDDEN = 3, 4  # sizes of the small models here
SPECIAL = (PAD, SOS, UNK)  # what a decoder may, but need not, keep itself from saying


# The oracle


def random_weights(source_size, target_size, emb=EMB, hidden=HIDDEN):
    """A state_dict in float64 for the whole model; no bias is 0, and what stands for <pad> is not 0 either."""
    shapes = {"encoder.embedding.weight": (source_size, emb), "decoder.embedding.weight": (target_size, emb)}
    for name, width in (("encoder.rnn", emb), ("decoder.cell", emb + 2 * hidden)):
        for suffix in ("_l0", "_l0_reverse") if name == "encoder.rnn" else ("",):
            shapes[f"{name}.weight_ih{suffix}"] = (3 * hidden, width)
            shapes[f"{name}.weight_hh{suffix}"] = (3 * hidden, hidden)
            shapes[f"{name}.bias_ih{suffix}"] = shapes[f"{name}.bias_hh{suffix}"] = (3 * hidden,)
    shapes |= {"encoder.bridge.weight": (hidden, 2 * hidden), "encoder.bridge.bias": (hidden,)}
    shapes |= {
        "decoder.scorer.query_proj.weight": (hidden, hidden),
        "decoder.scorer.key_proj.weight": (hidden, 2 * hidden),
        "decoder.scorer.energy.weight": (1, hidden),
        "decoder.output.weight": (target_size, 3 * hidden + emb),
        "decoder.output.bias": (target_size,),
    }
    return {name: torch.randn(shape, dtype=torch.float64) * 0.7 for name, shape in shapes.items()}


class Oracle:
    """The model for a single sentence, written out; differentiable in its weights."""

    def __init__(self, weights):
        self.weights = weights

    def gru(self, name, suffix, x, h):
        w = self.weights
        from_x = (w[f"{name}.weight_ih{suffix}"] @ x + w[f"{name}.bias_ih{suffix}"]).chunk(3)
        from_h = (w[f"{name}.weight_hh{suffix}"] @ h + w[f"{name}.bias_hh{suffix}"]).chunk(3)
        reset, update = (from_x[0] + from_h[0]).sigmoid(), (from_x[1] + from_h[1]).sigmoid()
        return (1 - update) * (from_x[2] + reset * from_h[2]).tanh() + update * h

    def read(self, ids):
        """A sentence's numbers -> states (S, 2H), final (H,)."""
        embedded = self.weights["encoder.embedding.weight"][ids]
        h = torch.zeros(len(self.weights["encoder.bridge.bias"]), dtype=embedded.dtype)
        forward, backward = [h], [h]
        for x in embedded:
            forward.append(self.gru("encoder.rnn", "_l0", x, forward[-1]))
        for x in embedded.flip(0):
            backward.append(self.gru("encoder.rnn", "_l0_reverse", x, backward[-1]))
        states = torch.cat([torch.stack(forward[1:]), torch.stack(backward[:0:-1])], dim=1)
        both = torch.cat([forward[-1], backward[-1]])
        return states, torch.tanh(self.weights["encoder.bridge.weight"] @ both + self.weights["encoder.bridge.bias"])

    def step(self, token, state, memory):
        """A token, (H,), (S, 2H) -> logits (V,), state (H,), weights (S,)."""
        w = self.weights
        asked, offered = w["decoder.scorer.query_proj.weight"] @ state, memory @ w["decoder.scorer.key_proj.weight"].T
        weights = (torch.tanh(asked + offered) @ w["decoder.scorer.energy.weight"][0]).softmax(0)
        context, embedded = weights @ memory, w["decoder.embedding.weight"][token]
        state = self.gru("decoder.cell", "", torch.cat([embedded, context]), state)
        logits = w["decoder.output.weight"] @ torch.cat([state, context, embedded]) + w["decoder.output.bias"]
        return logits, state, weights

    def logits(self, source, target_in, taught=True):
        """Numbers of a source and of a target that begins with <sos> -> (T, V); else it reads its own words."""
        memory, state = self.read(source)
        found = []
        for t, token in enumerate(target_in):
            read = token if taught or t == 0 else int(found[-1].argmax())
            logits, state, _ = self.step(read, state, memory)
            found.append(logits)
        return torch.stack(found)

    def loss(self, sources, targets, taught=True):
        """The mean over all real tokens of a batch, and how many there are; targets without <sos> and <eos>."""
        total = sum(
            F.cross_entropy(self.logits(source, [SOS, *target], taught), torch.tensor([*target, EOS]), reduction="sum")
            for source, target in zip(sources, targets, strict=True)
        )
        count = sum(len(target) + 1 for target in targets)
        return total / count, count

    def greedy(self, source, max_len):
        memory, state = self.read(source)
        said = [SOS]
        while len(said) <= max_len and said[-1] != EOS:
            logits, state, _ = self.step(said[-1], state, memory)
            said.append(int(logits.argmax()))
        return said[1:]

    def best(self, source, max_len, forgetful=False):
        """Of all sequences of up to max_len tokens that end: the one with the best mean of log p, and the best sum.

        A forgetful model begins every step with the first state.
        """
        memory, first = self.read(source)
        finished = []

        def extend(said, total, state):
            logits, state, _ = self.step(said[-1], first if forgetful else state, memory)
            for token, log_p in enumerate(logits.log_softmax(0).tolist()):
                if token == EOS:
                    finished.append((total + log_p, said[1:]))
                elif token not in SPECIAL and len(said) < max_len:
                    extend([*said, token], total + log_p, state)

        extend([SOS], 0.0, first)
        mean = max(finished, key=lambda found: found[0] / (len(found[1]) + 1))
        return mean[1], max(finished)[1]

    def next_words(self, source):
        """A function from what has been said, <sos> first, to log p of all that may follow; it computes each once."""
        memory, first = self.read(source)

        @functools.cache
        def after(said):
            state = after(said[:-1])[1] if len(said) > 1 else first
            logits, state, _ = self.step(said[-1], state, memory)
            return logits.log_softmax(0).tolist(), state

        return lambda said: after(said)[0]


class Theirs(Oracle):
    """The same by the student's own encoder and decoder: whoever has a mistake there pays for it where they are asked.

    The sources are encoded as one batch, as it stands, or one by one.
    """

    def __init__(self, model, sources, *, together=True):
        self.model, self.known = model, {}
        for batch in [sources] if together else [[source] for source in sources]:
            source, lengths, *_ = tensors(batch, [[]] * len(batch))
            states, final = model.encoder(source, lengths)
            assert final.isfinite().all() and (len(batch) < 2 or len(final.unique(dim=0)) > 1), "an encoder tells apart"
            for n, row in enumerate(batch):
                memory = states[n : n + 1], (source != PAD)[n : n + 1]
                self.known[tuple(row)] = memory, final[n]

    def read(self, ids):
        """What was found when all sources were encoded."""
        return self.known[tuple(ids)]

    def step(self, token, state, memory):
        """A step of a batch that has this sentence twice: some decoders cannot bear a batch of one."""
        states, mask = memory
        twice = torch.tensor([int(token)] * 2), state.expand(2, -1), states.expand(2, -1, -1), mask.expand(2, -1)
        logits, state, weights = self.model.decoder(*twice)
        return logits[0], state[0], weights[0]


def beam(next_words, max_len, beam_size, of_each=False):
    """What a beam finds, as it is defined in `beam_search`; or one that keeps the best of each hypothesis."""
    live, finished = [(0.0, (SOS,))], []
    for _ in range(max_len):
        grown = [
            sorted(((total + log_p, (*said, word)) for word, log_p in enumerate(next_words(said))), reverse=True)
            for total, said in live
        ]
        if of_each:
            kept = [found for one in grown for found in one[:beam_size]]
        else:
            kept = sorted(itertools.chain(*grown), reverse=True)[:beam_size]
        finished += [found for found in kept if found[1][-1] == EOS]
        live = [found for found in kept if found[1][-1] != EOS]
    return max(finished or live, key=lambda found: found[0] / (len(found[1]) - 1))[1][1:]


def beam_of_rows(oracle, source, max_len, beam_size):
    """A wrong beam: what was said moves with the hypotheses, and the states stay in their rows."""
    memory, state = oracle.read(source)
    live, finished, states = [(0.0, (SOS,))], [], [state]
    for _ in range(max_len):
        states += states[-1:] * (len(live) - len(states))
        steps = [oracle.step(said[-1], state, memory) for (_, said), state in zip(live, states, strict=False)]
        states, grown = [state for _, state, _ in steps], []
        for (total, said), (logits, *_) in zip(live, steps, strict=True):
            grown += [(total + log_p, (*said, word)) for word, log_p in enumerate(logits.log_softmax(0).tolist())]
        kept = sorted(grown, reverse=True)[:beam_size]
        finished += [found for found in kept if found[1][-1] == EOS]
        live = [found for found in kept if found[1][-1] != EOS]
    return max(finished or live, key=lambda found: found[0] / (len(found[1]) - 1))[1][1:]


# Helpers


def in_float32(weights):
    return {name: weight.float() for name, weight in weights.items()}


def check(found, expected, theirs, what):
    """It is what we expect, or else what the student's own parts give: a mistake in these is told elsewhere."""
    try:
        assert_close(found, expected, what)
    except AssertionError:
        if not agrees(found, theirs):
            raise


def agrees(found, theirs):
    """Whether it is what the student's own parts give, and these say something: not the same to every question."""
    try:
        answers = theirs()
        assert_close(found, answers, "the same")
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):  # whatever the parts returned
        return False
    except Exception as error:
        if not getattr(error, "types", ()):  # not the student's
            raise
        return False
    return any(not equal(answer, answers[0]) for answer in answers[1:])


def equal(one, other):
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


def built(student, weights):
    """The student's model with these weights, in their dtype."""
    source_size, emb = weights["encoder.embedding.weight"].shape
    hidden = len(weights["encoder.bridge.bias"])
    decoder = student.AttentionDecoder(len(weights["decoder.embedding.weight"]), emb, hidden)
    model = student.Seq2Seq(student.Encoder(source_size, emb, hidden), decoder)
    if weights["encoder.bridge.bias"].dtype == torch.float64:
        model.double()
    model.load_state_dict(weights, strict=False)
    return model


def sentences(rng, lengths, size):
    """Numbers of real symbols."""
    return [[rng.randrange(UNK, size) for _ in range(length)] for length in lengths]


def padded(rows):
    width = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])


def tensors(sources, targets):
    """What make_batch should make of numbers; the sources have their <eos> already."""
    lengths = torch.tensor([len(source) for source in sources])
    return padded(sources), lengths, padded([[SOS, *t] for t in targets]), padded([[*t, EOS] for t in targets])


def ended(rows):
    return [[*row, EOS] for row in rows]


def is_tensor(found, *shape):
    return isinstance(found, torch.Tensor) and found.shape == shape


def without_special(weights):
    """So that nobody says <pad>, <sos> or <unk>."""
    weights["decoder.output.bias"][list(SPECIAL)] = -1e4
    return weights


def weight_through(student, layer, how):
    """The layer stays the Linear that it is, but its weight goes through a module of torch's whenever it is read."""
    module_of(student, "torch").nn.utils.parametrize.register_parametrization(layer.read(), "weight", how)


def with_blackout(student, model):
    """In training mode, the weight of the decoder's output layer is dropped: its bias is left, and nothing else."""
    weight_through(student, model.decoder.output, module_of(student, "torch").nn.Dropout(1.0))


def without_graph(student, model):
    """A model in float32 says what it said, but raises where gradients are kept track of, or in training mode.

    Tensors made for inference can be used in no computation that keeps track of gradients.
    """
    theirs = module_of(student, "torch")
    for_inference = theirs.inference_mode(mode=True)(theirs.clone.read())
    model.eval()
    for layer, width in ((model.encoder.bridge, 2 * HIDDEN), (model.decoder.output, 3 * HIDDEN + EMB)):
        same = theirs.nn.BatchNorm1d(width, eps=1e-12, affine=False)  # less a mean of 0, over a deviation of 1
        weight_through(student, layer, same)
        for name, value in (("running_mean", torch.zeros(width)), ("running_var", torch.ones(width))):
            same.register_buffer(name, for_inference.keep(value))


def letters(size):
    return [chr(ord("a") + number) for number in range(size)]


def in_symbols(symbols, ids):
    """The sequence that has these numbers: a string, or a list of words; an unknown symbol is a question mark."""
    found = ["?" if number == UNK else symbols[number - 4] for number in ids]
    return "".join(found) if all(len(symbol) == 1 for symbol in symbols) else found


# Batches and loss


@criterion(
    "Batches of any pairs",
    points=3,
    kind="value",
    hint="Words instead of letters, unknown ones, an empty sequence, two vocabularies: each side has its own.",
)
def test_any_batch(student, rng):
    """Lists of words, unknown symbols and empty sequences become padded int64 tensors, each by its own vocabulary."""
    words, symbols = [f"w{number}" for number in range(rng.randint(5, 9))], letters(rng.randint(4, 7))
    for turned in (False, True):  # from words to letters, and from letters to words
        sides = (symbols, words) if turned else (words, symbols)
        source_vocab, target_vocab = map(student.Vocabulary, sides)
        same = [(4, 1), (4, 1), (4, 1)]
        for lengths in ([(3, 5), (1, 2), (6, 0), (0, 3)], same, same, [(rng.randint(1, 4), 2)]):
            sources, targets = (
                sentences(rng, row, 4 + len(side)) for row, side in zip(zip(*lengths, strict=True), sides, strict=True)
            )
            pairs = list(
                zip(
                    *(
                        map(functools.partial(in_symbols, side), rows)
                        for side, rows in zip(sides, (sources, targets), strict=True)
                    ),
                    strict=True,
                )
            )
            reply = student.make_batch.observe(pairs, source_vocab, target_vocab)
            assert_close(reply.value, tensors(ended(sources), targets), f"make_batch({pairs})")
            assert_equal(list(reply.args[0]), pairs, "the pairs after make_batch")
    batch = student.make_batch.keep(pairs, source_vocab, target_vocab)
    found = module_of(student, "builtins").isinstance(batch, student.Batch.read())
    assert_equal(found, True, "isinstance(make_batch(…), Batch)")


@criterion(
    "The loss, whatever is padding",
    points=3,
    kind="value",
    hint="pad is an argument. And 0/0 is NaN: what is the loss of a batch that is nothing but padding?",
)
def test_loss_formula(student, rng):
    """The loss is a mean over the real tokens for any pad, and 0 for padding alone."""
    for pad in (PAD, rng.randint(3, 5)):
        logits = torch.randn(3, 4, 6, dtype=torch.float64) * 3
        real = [v for v in range(6) if v != pad]
        real += rng.choices(real, k=3)
        rng.shuffle(real)  # every number but pad is among them
        targets = torch.tensor([[real[0], pad, pad, pad], real[1:5], [*real[5:], pad]])
        chosen = [(n, t) for n in range(3) for t in range(4) if targets[n, t] != pad]
        expected = -sum(logits[n, t].log_softmax(0)[targets[n, t]] for n, t in chosen) / len(chosen)
        arguments = (logits, targets) if pad == PAD else (logits, targets, pad)
        reply = student.masked_cross_entropy.observe(*arguments)
        assert_close(reply.value, expected, f"masked_cross_entropy of (3, 4, 6) with pad={pad}")
        assert_equal(list(reply.args), list(arguments), "the arguments of masked_cross_entropy after the call")
        loud = torch.where((targets == pad)[:, :, None], torch.randn(3, 4, 6, dtype=torch.float64) * 1e6, logits)
        found = student.masked_cross_entropy(loud, targets, pad=pad)
        assert_close(found, expected, "masked_cross_entropy with large logits at the padding")
        targets = torch.full((3, 4), pad)
        nothing = student.masked_cross_entropy(logits.float(), targets, pad=pad)
        assert_close(nothing, torch.tensor(0.0), "masked_cross_entropy of padding alone")
        targets[1, 2] = UNK if pad != UNK else EOS
        found = student.masked_cross_entropy(logits, targets, pad=pad)
        expected = -logits[1, 2].log_softmax(0)[targets[1, 2]]
        assert_close(found, expected, "masked_cross_entropy of one token and padding")
        found = student.masked_cross_entropy(logits[1:2, 2:3], targets[1:2, 2:3], pad=pad)
        assert_close(found, expected, "masked_cross_entropy of one token alone")
        large = (logits * 300).float()  # the probability of the token may be less than any number but 0
        expected = -large[2].log_softmax(-1)[range(3), real[5:]].mean()
        found = student.masked_cross_entropy(large[2:, :3], torch.tensor([real[5:]]), pad=pad)
        assert_close(found, expected, "masked_cross_entropy of large logits")


@criterion(
    "No gradient at the padding",
    points=2,
    kind="gradient",
    hint="Padding must be left out, not only weigh little; and padding alone has a gradient of 0, not of NaN.",
)
def test_loss_gradients(student, rng):
    """The gradient of the loss is right at real tokens and exactly 0 at padding, also where there is nothing else."""
    for pad in (PAD, rng.randint(3, 6)):
        logits = torch.randn(2, 5, 7, dtype=torch.float64)
        targets = torch.tensor([[rng.choice([v for v in range(7) if v != pad]) for _ in range(5)] for _ in range(2)])
        targets[1, 2:] = pad
        leaf = logits.clone().requires_grad_()
        F.cross_entropy(leaf[targets != pad], targets[targets != pad]).backward()
        reply = student.masked_cross_entropy.gradients(logits, targets, pad=pad)
        assert_close(reply.gradients[0], leaf.grad, f"the gradient of masked_cross_entropy in its logits, pad={pad}")
        assert not reply.gradients[0][1, 2:].any(), "padding has a gradient"
        reply = student.masked_cross_entropy.gradients(logits, torch.full_like(targets, pad), pad=pad)
        assert_close(reply.value, torch.tensor(0.0, dtype=torch.float64), "the loss of padding alone")
        if reply.gradients[0] is not None:  # a constant 0 is right, too
            assert_close(reply.gradients[0], torch.zeros_like(logits), "the gradient for padding alone")


# Encoder and decoder


@criterion(
    "Packed, whatever the padding",
    points=4,
    kind="invariance",
    hint="The forward reader must stop at a sentence's last token, and the backward one start there. total_length "
    "keeps the width of the source.",
)
def test_packed_encoder(student, rng):
    """Lengths in any order, more padding than is needed: every sentence is read as if it were alone."""
    weights = random_weights(9, 6)
    model, oracle = built(student, weights), Oracle(weights)
    shapes = ([2, 5, 1, 4], 5), ([3, 2, 4], 7), ([3], 3), ([1, 1], 4), ([2, 5, 1, 4], 5), ([4, 2, 3], 7)
    for turn, (lengths, width) in enumerate(shapes):
        model.train(turn % 2 == 0)
        sources = sentences(rng, lengths, 9)
        rows = [
            [*row, *(rng.randrange(9) for _ in range(width - len(row)))] for row in sources
        ]  # whatever stands there
        reply = model.encoder.observe(torch.tensor(rows), torch.tensor(lengths))
        what = f"Encoder of lengths {lengths}, padded to {width},"
        found = reply.value
        assert isinstance(found, tuple) and len(found) == 2, "Encoder must return (states, final)"
        expected = torch.zeros(len(lengths), width, 2 * HIDDEN, dtype=torch.float64)
        read = [oracle.read(source) for source in sources]
        for n, (states, _) in enumerate(read):
            expected[n, : len(states)] = states
        assert_close(found[0], expected, f"the states of {what}")
        assert_close(found[1], torch.stack([final for _, final in read]), f"the final state of {what}")
        assert_equal(list(reply.args), [torch.tensor(rows), torch.tensor(lengths)], "the encoder's arguments after")


@criterion(
    "A step of the decoder",
    points=4,
    kind="value",
    hint="Who asks: the state before the token or after it? What is put together, and in which order?",
)
def test_decoder_step(student, rng):
    """Logits, state and weights of a step are right for any weights, and masked positions count for nothing."""
    weights = random_weights(7, 8)
    model, oracle = built(student, weights), Oracle(weights)
    for lengths, training in (([4, 6, 1], True), ([5], True), ([4, 6, 1], False), ([6, 2, 3], False)):
        model.train(training)
        arguments, expected = a_step(rng, oracle, 8, lengths)
        reply = model.decoder.observe(*arguments)
        what = f"a step over sources of the lengths {lengths}: (logits, state, weights)"
        assert_close(reply.value, expected, what)
        assert_equal(list(reply.args), arguments, "the decoder's arguments after the call")


def a_step(rng, oracle, vocab_size, lengths):
    """What a decoder is asked, with large numbers where the mask says no; and what it answers, one row at a time."""
    n, width = len(lengths), max(lengths)
    mask = torch.arange(width) < torch.tensor(lengths)[:, None]
    memory = torch.randn(n, width, 2 * HIDDEN, dtype=torch.float64).masked_fill(~mask[:, :, None], 1e3)
    state = torch.randn(n, HIDDEN, dtype=torch.float64).tanh()
    token = torch.tensor([rng.randrange(1, vocab_size) for _ in lengths])
    expected = tuple(torch.zeros(n, size, dtype=torch.float64) for size in (vocab_size, HIDDEN, width))
    for row, length in enumerate(lengths):
        parts = oracle.step(int(token[row]), state[row], memory[row, :length])
        for whole, part in zip(expected, parts, strict=True):
            whole[row, : len(part)] = part
    return [token, state, memory, mask], expected


@criterion(
    "Nothing to look at",
    points=1,
    kind="robustness",
    hint="Where the mask allows nothing, the weights are 0, and so is the context. attend does that by itself.",
)
def test_nothing_to_look_at(student, rng):
    """Where a mask allows nothing, the weights and the context are 0 and the logits finite; the rest stays right."""
    weights = random_weights(7, 8)
    model, oracle = built(student, weights), Oracle(weights)
    for lengths, training in (([3, 0, 5], True), ([0, 4, 2, 0], False)):
        model.train(training)
        arguments, expected = a_step(rng, oracle, 8, lengths)
        what = f"a step over sources of the lengths {lengths}: (logits, state, weights)"
        assert_close(model.decoder(*arguments), expected, what)


# The whole


@criterion(
    "The whole model",
    points=4,
    kind="value",
    hint="Compare one sentence alone with the same sentence in a padded batch: does the attention see its padding?",
)
def test_whole_model(student, rng):
    """The logits are right for every sentence: in a batch, in another order, and alone."""
    weights = random_weights(9, 7)
    sources, targets = ended(sentences(rng, [4, 1, 6, 0], 9)), sentences(rng, [2, 5, 3, 4], 7)
    orders = [0, 1, 2, 3], [3, 2, 1, 0], rng.sample(range(4), 3), [1], [2]  # the first two are as wide, and no more
    for precision, some in ((in_float32(weights), orders), (weights, orders[:1])):
        model, oracle = built(student, precision), Oracle(precision)
        expected = [oracle.logits(source, [SOS, *target]) for source, target in zip(sources, targets, strict=True)]
        for order in some:
            source, lengths, target_in, _ = tensors([sources[n] for n in order], [targets[n] for n in order])
            reply = model.observe(source, lengths, target_in)
            what = f"the logits of {len(order)} sentences"
            assert is_tensor(reply.value, *target_in.shape, 7), f"{what} must be (N, T, V)"

            def theirs(model=model, order=order):
                own = Theirs(model, [sources[n] for n in order])
                rows = [own.logits(sources[n], [SOS, *targets[n]]) for n in order]
                starts = torch.stack([row[0] for row in rows])  # all have read <sos>, each after another source
                assert len(order) == 1 or len(starts.unique(dim=0)) > 1, "another source must change the logits"
                return [logits for row in rows for logits in row]

            found = [logits for row, n in enumerate(order) for logits in reply.value[row, : len(targets[n]) + 1]]
            check(found, [logits for n in order for logits in expected[n]], theirs, what)
            assert_equal(list(reply.args), [source, lengths, target_in], "the model's arguments after the call")


@criterion(
    "Its own words",
    points=3,
    kind="value",
    hint="The first input is target_in[:, 0] even with teacher_forcing=0; then comes the argmax of the step before.",
)
def test_own_words(student, rng):
    """With teacher_forcing=0 the model reads its own words, in training and in eval() alike, and no others."""
    weights = in_float32(random_weights(8, 9))
    model, oracle = built(student, weights), Oracle(weights)
    sources, targets = ended(sentences(rng, [3, 5, 1], 8)), sentences(rng, [6, 6, 6], 9)
    source, lengths, target_in, _ = tensors(sources, targets)
    first = target_in.clone()
    first[:, 0] = torch.tensor([4, 5, 6])  # whatever the caller begins with
    for training in (True, False):
        model.train(training)
        for read, taught in ((target_in, 0.0), (target_in, 1.0), (first, 0.0)):
            found = model(source, lengths, read, teacher_forcing=taught)
            what = f"the logits with teacher_forcing={taught}"
            assert is_tensor(found, 3, 7, 9), f"{what} must be (N, T, V)"

            def logits(oracle, read=read, taught=taught):
                rows = zip(sources, read.tolist(), strict=True)
                return [one for source, row in rows for one in oracle.logits(source, row, taught == 1.0)]

            def theirs(logits=logits):
                return logits(Theirs(model, sources))

            check(list(found.flatten(0, 1)), logits(oracle), theirs, what)


@criterion(
    "Teacher forcing by chance",
    points=3,
    kind="value",
    hint="Draw within the loop over time: a number in [0, 1) below teacher_forcing means that the truth is read.",
    timeout=30,
)
def test_teacher_forcing_by_chance(student, rng):
    """Between 0 and 1, that share of the steps reads the truth; it is drawn anew for every step, and for every call."""
    weights = in_float32(random_weights(6, 11))
    model, oracle = built(student, weights), Oracle(weights)
    sources, steps = ended(sentences(rng, [4, 4], 6)), 45
    first = model(*tensors(sources, [[], []])[:3])
    assert is_tensor(first, 2, 1, 11), "the logits must be (N, T, V)"
    if not torch.allclose(first[0], oracle.logits(sources[0], [SOS]), rtol=1e-3, atol=1e-4):
        oracle = Theirs(model, sources)  # what is wrong with the parts is told elsewhere
    patterns = []
    for share, training in itertools.product((0.3, 0.7), (True, False, True)):
        model.train(training)
        targets = sentences(rng, [steps, steps], 11)
        source, lengths, target_in, _ = tensors(sources, targets)
        found = model(source, lengths, target_in, teacher_forcing=share)
        assert is_tensor(found, 2, steps + 1, 11), "the logits must be (N, T, V)"
        # A draw may be the batch's or each sentence's own.
        reads = [truth_is_read(oracle, sources[n], target_in[n].tolist(), found[n]) for n in range(2)]
        patterns.append((share, [read for row in reads for read in row if read is not None]))
    for share in (0.3, 0.7):
        drawn = [read for wanted, row in patterns if wanted == share for read in row]
        mean = sum(drawn) / len(drawn)
        assert abs(mean - share) < 0.2, f"with teacher_forcing={share}, the truth was read in {mean:.0%} of the steps"
    for _, row in patterns:
        assert 0 < sum(row) < len(row), "one draw for all steps: it must be drawn anew for each"
    assert len({tuple(row[:30]) for _, row in patterns}) == len(patterns), "the same steps in every call"


def truth_is_read(oracle, source, target_in, found):
    """For each step after the first: whether the truth was read, or None where it is what the model said anyway."""
    memory, state = oracle.read(source)
    _, state, _ = oracle.step(target_in[0], state, memory)
    reads = []
    for t in range(1, len(target_in)):
        said = int(found[t - 1].argmax())
        logits, after, _ = oracle.step(target_in[t], state, memory)
        if said == target_in[t]:
            reads.append(None)
        elif torch.allclose(found[t], logits, rtol=1e-3, atol=1e-4):
            reads.append(True)
        else:
            logits, after, _ = oracle.step(said, state, memory)
            reads.append(False)
        what = "the logits of a step that reads the truth, or else what was said before,"
        assert_close(found[t], logits, what, rtol=1e-3, atol=1e-4)
        state = after
    return reads


@criterion(
    "Gradients reach every parameter",
    points=3,
    kind="gradient",
    hint="No detach(), .data, .item() or no_grad between the embeddings and the logits.",
    timeout=30,
)
def test_gradients(student, rng):
    """The gradients in all parameters are right, also through padded sources, and where it reads its own words."""
    weights = without_special(random_weights(7, 6))  # whoever says <pad> reads what has no gradient
    weights["encoder.embedding.weight"][PAD] = weights["decoder.embedding.weight"][PAD] = 0.0
    sources, targets = ended(sentences(rng, [3, 1, 4], 7)), sentences(rng, [4, 4, 4], 6)
    model, arguments = built(student, weights), tensors(sources, targets)[:3]
    for taught in (1.0, 0.0):
        leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        oracle = Oracle(leaves)
        logits = [oracle.logits(s, [SOS, *t], taught == 1.0) for s, t in zip(sources, targets, strict=True)]
        torch.stack(logits).sum().backward()
        reply = model.gradients(*arguments, taught)
        found, expected = dict(reply.parameters), {name: leaf.grad for name, leaf in leaves.items()}
        what = f"the gradients of the summed logits in the model's parameters, with teacher_forcing={taught}"
        try:
            assert_close(found, expected, what)
        except AssertionError:  # of another function, perhaps; what is wrong with that is told elsewhere
            check_slopes(model, weights, found, lambda taught=taught: model(*arguments, taught))


def check_slopes(model, weights, gradients, function):
    """Each parameter has a gradient, and it says how fast the sum of the function's result changes."""
    for name, weight in weights.items():
        gradient, what = gradients.get(name), f"the gradient of the summed logits in {name}"
        assert isinstance(gradient, torch.Tensor) and gradient.shape == weight.shape, f"{what} is missing"
        assert gradient.any() or name.endswith("energy.bias"), f"{what} must not be 0"
        direction = torch.randn_like(weight)
        if name.endswith("embedding.weight"):
            direction[PAD] = 0.0
        direction, sums = direction / direction.norm(), []
        for step in (1e-5, -1e-5):
            model.load_state_dict({name: weight + step * direction}, strict=False)
            found = function()
            assert isinstance(found, torch.Tensor), "the logits must be a tensor"
            sums.append(found.sum())
        model.load_state_dict({name: weight}, strict=False)
        assert_close((gradient * direction).sum(), (sums[0] - sums[1]) / 2e-5, what, rtol=1e-3, atol=1e-5)


# Training


def training_set(student, rng, sizes):
    """Batches of different sizes, as the student's own objects, and as the oracle wants them."""
    plain = [
        (
            ended(sentences(rng, [rng.randint(0, 4) for _ in range(size)], 7)),
            sentences(rng, [rng.randint(0, 4), *(rng.randint(0, 6) for _ in range(size - 1))], 6),
        )
        for size in sizes
    ]
    return plain, [student.Batch.keep(*tensors(*batch)) for batch in plain]


def gradients_by_hand(weights, batch, taught=True):
    """The loss of a batch, its number of tokens, and the gradients in all weights."""
    leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
    loss, tokens = Oracle(leaves).loss(*batch, taught)
    loss.backward()
    return loss.item(), tokens, {name: leaf.grad for name, leaf in leaves.items()}


def norms(gradients):
    """How long the gradient is in each parameter."""
    return [float(gradient.norm()) for gradient in gradients.values()]


def epoch_by_hand(weights, batches, rate, clip_norm=1.0, teacher_forcing=1.0):
    """One epoch of gradient descent -> the mean loss per token, and the weights afterwards."""
    total, count = 0.0, 0
    for batch in batches:
        loss, tokens, gradients = gradients_by_hand(weights, batch, taught=teacher_forcing == 1.0)
        scale = min(1.0, clip_norm / math.hypot(*norms(gradients)))
        weights = {name: weight - rate * scale * gradients[name] for name, weight in weights.items()}
        total, count = total + loss * tokens, count + tokens
    return total / count, weights


def sgd(student, model, rate):
    return module_of(student, "torch").optim.SGD(model.parameters(), lr=rate)


def one_epoch(student, weights, data, rate, **settings):
    """(loss, weights) after an epoch of the student's, and by hand."""
    plain, batches = data
    model = built(student, weights)
    loss = student.train_epoch(model, batches, sgd(student, model, rate), **settings)
    return (loss, model.state_dict()), epoch_by_hand(weights, plain, rate, **settings)


@criterion(
    "A mean over tokens, not over batches",
    points=2,
    kind="value",
    hint="Add up loss · tokens and divide by all tokens in the end; return a number, not a tensor. Batches may come "
    "from an iterator, which gives each of them once.",
)
def test_loss_per_token(student, rng):
    """train_epoch returns the mean loss per real token over the epoch, where batches have different sizes."""
    plain, batches = training_set(student, rng, [5, 1, 2])
    once = module_of(student, "builtins").iter.keep(batches)
    (loss, _), (expected, _) = one_epoch(student, random_weights(7, 6), (plain, once), rate=1e-12, clip_norm=1e9)
    assert_close(loss, expected, "the loss that train_epoch returns for batches of 5, 1 and 2 pairs", rtol=1e-5)
    one = [[[4, EOS]], [[]]]
    data = [one], [student.Batch.keep(*tensors(*one))]
    (loss, _), (expected, _) = one_epoch(student, random_weights(7, 6), data, rate=1e-12, clip_norm=1e9)
    assert_close(loss, expected, "the loss that train_epoch returns for one pair with an empty target", rtol=1e-5)


@criterion(
    "A step for every batch",
    points=3,
    kind="value",
    hint="zero_grad, backward, step, once a batch. Without zero_grad the second step repeats the first gradient.",
)
def test_a_step_for_every_batch(student, rng):
    """After an epoch the weights are where gradient descent leads, one step for each batch by its own gradient."""
    weights = random_weights(7, 6)
    plain, batches = training_set(student, rng, [3, 2, 4])
    model = built(student, weights)
    reply = student.train_epoch.observe(model, batches, sgd(student, model, rate=0.3), clip_norm=1e9)
    expected, after = epoch_by_hand(weights, plain, rate=0.3, clip_norm=1e9)
    assert_close(reply.value, expected, "the loss of an epoch of three steps", rtol=1e-5)
    assert_close(model.state_dict(), after, "the weights after three steps of SGD", rtol=1e-5, atol=1e-7)
    assert_equal(reply.args[1], [tensors(*batch) for batch in plain], "the batches after train_epoch")


@criterion(
    "Gradients are clipped",
    points=2,
    kind="value",
    hint="clip_grad_norm_ after backward and before step, for all parameters together, with clip_norm.",
)
def test_gradients_are_clipped(student, rng):
    """Gradients longer than clip_norm are shortened to it, all parameters as one vector; shorter ones are not."""
    empty = [[ended(sentences(rng, [3, 1], 7)), [[], []]]]  # nothing is read after <sos>, whoever speaks
    alone = empty, [student.Batch.keep(*tensors(*batch)) for batch in empty]
    settings = {"clip_norm": 0.05}, {"clip_norm": rng.uniform(0.2, 0.4), "teacher_forcing": 0.0}
    for chosen, data in zip(settings, (training_set(student, rng, [2, 3]), alone), strict=True):
        (_, found), (_, after) = one_epoch(student, random_weights(7, 6), data, rate=1.0, **chosen)
        assert_close(found, after, f"the weights after steps of SGD with {chosen}", rtol=1e-4, atol=1e-5)
        # And what a model says that has these weights, about two sentences without padding.
        sources, targets = ended(sentences(rng, [3, 3], 7)), sentences(rng, [2, 2], 6)
        logits = built(student, found)(*tensors(sources, targets)[:3])
        expected = [Oracle(found).logits(s, [SOS, *t]) for s, t in zip(sources, targets, strict=True)]
        assert_close(logits, torch.stack(expected), "the logits after these steps")

    weights, data = random_weights(7, 6), training_set(student, rng, [3])
    weights["decoder.output.bias"][SOS] = 9.0  # which is never right: the gradient is longer than 1 in this alone
    (_, found), (_, after) = one_epoch(student, weights, data, rate=1.0)
    assert_close(found, after, "the weights after a step with clip_norm as it is by default", rtol=1e-4, atol=1e-5)
    lengths = norms(gradients_by_hand(weights, data[0][0])[2])
    for clip_norm, how in (
        ((max(lengths) + math.hypot(*lengths)) / 2, "longer than clip_norm, though in no single parameter"),
        (2 * math.hypot(*lengths), "half as long as clip_norm"),
    ):
        (_, found), (_, after) = one_epoch(student, weights, data, rate=1.0, clip_norm=clip_norm)
        assert_close(found, after, f"the weights after a step by a gradient {how}", rtol=1e-4, atol=1e-5)


@criterion(
    "In training mode, with the forcing asked for",
    points=2,
    kind="robustness",
    hint="model.train() at the beginning; and hand teacher_forcing on to the model.",
)
def test_mode_and_forcing(student, rng):
    """train_epoch puts the model into training mode, and hands teacher_forcing on, to be drawn anew in each epoch."""
    weights = random_weights(7, 6)
    plain, batches = training_set(student, rng, [3])
    model = built(student, weights)
    expected, _ = Oracle(weights).loss(*plain[0], taught=False)
    found = student.train_epoch(model, batches, sgd(student, model, rate=1e-12), teacher_forcing=0.0)
    assert_close(found, expected.item(), "the loss of train_epoch with teacher_forcing=0", rtol=1e-5)

    long = [student.Batch.keep(*tensors(ended(sentences(rng, [4, 2], 7)), sentences(rng, [12, 12], 6)))]
    losses = [student.train_epoch(model, long, sgd(student, model, rate=1e-12), teacher_forcing=0.5) for _ in range(3)]
    assert all(isinstance(loss, float) for loss in losses), "train_epoch must return a number"
    assert max(losses) - min(losses) > 1e-6, "the same words are read in every epoch: they must be drawn anew"

    with_blackout(student, model)  # whoever trains sees the bias only
    model.eval()
    expected, _ = Oracle(weights | {"decoder.output.weight": weights["decoder.output.weight"] * 0}).loss(*plain[0])
    found = student.train_epoch(model, batches, sgd(student, model, rate=1e-12))
    assert_close(found, expected.item(), "the loss of a model with dropout that was in eval() before", rtol=1e-5)
    assert_equal(model.training.read(), True, "model.training after train_epoch")


# Translation


def talkative(rng, symbols, sources, max_len):
    """Weights with which some translations end and some do not, not all are the same, and none is empty."""
    for _ in range(200):
        weights = without_special(random_weights(9, 4 + symbols))
        oracle = Oracle(weights)
        found = [oracle.greedy(source, max_len) for source in sources]
        lengths = {len(ids) for ids in found if ids[-1] == EOS}
        if len(lengths) >= 2 and [EOS] not in found and any(ids[-1] != EOS for ids in found):
            break
    return weights, found


def spelled(ids, symbols):
    return [symbols[number - 4] for number in ids if number > UNK]


def either(found, expected, model, sources, symbols, search):
    """The numbers that we expect; or what this search finds by the student's own parts, if that is what was found.

    A mistake in these parts is told elsewhere. They are asked about all sources at once, or about one at a time.
    """
    for together in (True, False) if found != [spelled(ids, symbols) for ids in expected] else ():
        said = []

        def theirs(together=together, said=said):
            own = Theirs(model, sources, together=together)
            said.extend(search(own, source) for source in sources)
            return [spelled(ids[: (*ids, EOS).index(EOS)], symbols) for ids in said]

        if agrees(found, theirs):
            return said
    return expected


def texts(sources):
    """The strings over abcde that have these numbers; an unknown symbol is a question mark."""
    return ["".join("?" if number == UNK else "abcde"[number - 4] for number in source[:-1]) for source in sources]


@criterion(
    "Word by word",
    points=4,
    kind="value",
    hint="Cut a translation at its own <eos>, whatever the others of the batch still say; max_len counts <eos> too.",
    timeout=30,
)
def test_greedy_translation(student, rng):
    """Each source is translated by the most probable tokens up to <eos> or max_len, whatever stands next to it."""
    sources = ended(sentences(rng, [3, 1, 5, 2, 4, 0, 5, 6], 9))
    weights, expected = talkative(rng, 3, sources, max_len=6)
    model, symbols = built(student, in_float32(weights)), ["x", "yy", "z"]
    source_vocab, target_vocab = student.Vocabulary("abcde"), student.Vocabulary(symbols)
    reply = student.translate.observe(model, texts(sources), source_vocab, target_vocab, max_len=6)
    expected = either(reply.value, expected, model, sources, symbols, lambda own, source: own.greedy(source, 6))
    wanted = [spelled(ids, symbols) for ids in expected]
    assert_equal(reply.value, wanted, f"translate of {len(sources)} sources with max_len=6")
    assert_equal(reply.args[1], texts(sources), "the sources after translate")
    for n in (2, 5):
        single = [list(texts(sources)[n])]
        reply = student.translate.observe(model, single, source_vocab, target_vocab, max_len=6)
        assert_equal(reply.value, [wanted[n]], "translate of a single source, given as a list,")
        assert_equal(reply.args[1], single, "the single source after translate")
    for max_len in (2, 1):
        found = student.translate(model, texts(sources), source_vocab, target_vocab, max_len=max_len)
        wanted = [spelled(ids[:max_len], symbols) for ids in expected]
        assert_equal(found, wanted, f"translate with max_len={max_len}")
    words = ["aa", "ba", "cab", "dd", "bee"]  # the same numbers, by other symbols
    found = student.translate(
        model, [in_symbols(words, ids[:-1]) for ids in sources], student.Vocabulary(words), target_vocab, max_len=6
    )
    assert_equal(found, [spelled(ids, symbols) for ids in expected], "translate of lists of words")
    assert_equal(student.translate(model, [], source_vocab, target_vocab), [], "translate of no sources")
    weights["decoder.output.bias"][EOS] = -1e4
    endless = built(student, in_float32(weights))
    for settings, length in (({}, 50), ({"max_len": 64}, 64)):
        found = student.translate(endless, ["a", ""], source_vocab, target_vocab, **settings)
        assert isinstance(found, list) and all(isinstance(one, list) for one in found), "translate must return lists"
        what = f"the lengths of what a model says that never ends, with {settings or 'max_len as it is by default'}"
        assert_equal([len(one) for one in found], [length] * 2, what)


@criterion(
    "In eval(), without gradients, and back",
    points=3,
    kind="robustness",
    hint="model.eval() and torch.no_grad(); try … finally restores the mode even if something goes wrong in between.",
    timeout=30,
)
def test_eval_and_back(student, rng):
    """translate works in eval() and without gradients, and restores the mode it found, also after an error."""
    sources = ended(sentences(rng, [3, 1, 5, 2, 4], 9))
    weights, _ = talkative(rng, 3, sources, max_len=5)
    weights = in_float32(weights)
    source_vocab, target_vocab = student.Vocabulary("abcde"), student.Vocabulary("xyz")
    plain, model = built(student, weights), built(student, weights)
    arguments, wanted = (texts(sources), source_vocab, target_vocab), {}
    plain.eval()
    for beam_size in (1, 2):
        wanted[beam_size] = student.translate(plain, *arguments, max_len=5, beam_size=beam_size)
        assert isinstance(wanted[beam_size], list), "translate must return a list for each source"
    # A beam may find one for all.
    assert len(set(map(str, wanted[1]))) > 1, "other sources must have other translations"
    one_word = F.one_hot(torch.tensor(5), 7) * 50.0  # a model that knows one word, whatever it has read
    knows_one = built(student, weights | {"decoder.output.weight": torch.zeros(7, 15), "decoder.output.bias": one_word})
    found = student.translate(knows_one, *arguments, max_len=5)
    right = isinstance(found, list) and all(isinstance(text, list) and "y" in text for text in found)
    assert right, "translate must say what the model says"
    with_blackout(student, model)  # whoever does not call eval() sees the bias only
    for training in (True, False):
        model.train(training)
        for beam_size in (1, 2):
            found = student.translate(model, *arguments, max_len=5, beam_size=beam_size)
            assert isinstance(found, list) and len(found) == len(sources), (
                "translate must return a list for each source"
            )
            assert_equal(found, wanted[beam_size], "translate by a model with dropout")
            for part in (model, model.encoder, model.decoder, model.encoder.rnn, model.decoder.cell):
                assert_equal(part.training.read(), training, "the training mode of the model's parts after translate")
    larger = student.Vocabulary(letters(26))  # with numbers that the model's embedding does not have
    for training in (True, False):
        model.train(training)
        for beam_size in (1, 2):
            try_to(student.translate, model, ["z"], larger, target_vocab, beam_size=beam_size)
            assert_equal(model.training.read(), training, "model.training after a translation that failed")
        for name, value in (("max_len", -2), ("beam_size", -1), ("max_len", 0), ("beam_size", 0)):
            with student_raises("ValueError", naming=name):
                student.translate(model, *arguments, **{name: value})
            assert_equal(model.training.read(), training, "model.training after a ValueError")
    assert_equal(module_of(student, "torch").is_grad_enabled(), True, "torch.is_grad_enabled() after translate")
    without_graph(student, plain)
    for beam_size in (1, 2):
        plain.train()
        found = student.translate(plain, *arguments, max_len=5, beam_size=beam_size)
        assert_equal(found, wanted[beam_size], "translate by a model that refuses to keep track of gradients")


def try_to(function, *args, **kwargs):
    """Call it, and do not mind if the student's code raises."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        if not getattr(error, "types", ()):  # not the student's
            raise


@criterion(
    "With a beam",
    points=4,
    kind="value",
    hint="step gets prefixes that begin with <sos> and returns log_softmax of the logits after each; the states belong "
    "to the prefixes, and each source has its own memory.",
    timeout=60,
)
def test_beam(student, rng):
    """A beam wide enough for everything finds the best mean log-probability; a narrow one, what beam_search finds."""
    sources = ended(sentences(rng, [3, 1, 5, 2], 9))
    for _ in range(200):  # until the beam matters, the length, and the past
        weights = without_special(random_weights(9, 6))
        oracle = Oracle(weights)
        best, by_sum = zip(*(oracle.best(source, 4) for source in sources), strict=True)
        missed = [oracle.greedy(source, 4)[:-1] != found for source, found in zip(sources, best, strict=True)]
        forgetful = tuple(oracle.best(source, 4, forgetful=True)[0] for source in sources)
        if sum(missed) >= 2 and len(set(map(tuple, best))) >= 2 and best not in (by_sum, forgetful):
            break
    model = built(student, in_float32(weights))
    source_vocab, target_vocab = student.Vocabulary("abcde"), student.Vocabulary("xy")
    found = student.translate(model, texts(sources), source_vocab, target_vocab, max_len=4, beam_size=81)
    best = either(found, best, model, sources, "xy", lambda own, source: own.best(source, 4)[0])
    assert_equal(found, [spelled(ids, "xy") for ids in best], "translate with max_len=4 and beam_size=81")

    def found_by(known, **how):
        return [beam(words, **({"max_len": 4, "beam_size": 3} | how)) for words in known]

    def finished(*found):
        return all(ids[-1] == EOS for ids in itertools.chain(*found))

    vocabularies = source_vocab, student.Vocabulary("xyz")
    rivals = {"beam_size": 1}, {"beam_size": 4}, {"beam_size": 30}, {"of_each": True}
    for _ in range(600):  # until 3 finds something else than 2 and each of these, 2 than 1, and rows matter
        weights = without_special(random_weights(9, 7))
        known = [Oracle(weights).next_words(source) for source in sources]
        best, of_two = found_by(known), found_by(known, beam_size=2)
        if best == of_two or not finished(best, of_two) or of_two == found_by(known, beam_size=1):
            continue
        rows = [[beam_of_rows(Oracle(weights), source, 4, size) for source in sources] for size in (2, 3)]
        if rows[0] != of_two and rows[1] != best and all(found_by(known, **how) != best for how in rivals):
            break
    questions = [(weights, 3, best), (weights, 2, of_two)]

    for _ in range(200):  # until 30 finds something else than 7, as many as there are numbers
        weights = without_special(random_weights(9, 7))
        known = [Oracle(weights).next_words(source) for source in sources]
        best = found_by(known, beam_size=30)
        if finished(best) and best != found_by(known, beam_size=7):
            break
    for some, size, wanted in (*questions, (weights, 30, best)):
        model = built(student, in_float32(some))
        found = student.translate(model, texts(sources), *vocabularies, max_len=4, beam_size=size)

        def search(own, source, size=size):
            return beam(own.next_words(source), 4, size)

        wanted = either(found, wanted, model, sources, "xyz", search)
        assert_equal(found, [spelled(ids, "xyz") for ids in wanted], f"translate with max_len=4 and beam_size={size}")


# The rest


@criterion(
    "Nothing is remembered",
    points=2,
    kind="robustness",
    hint="What a call leaves behind in self, or in a module's global, meets the next call.",
    timeout=30,
)
def test_nothing_remembered(student, rng):
    """The same call has the same result after other calls, also of the same shape, and a new model agrees."""
    sources, targets = ended(sentences(rng, [2, 4, 3], 7)), sentences(rng, [3, 1, 2], 6)
    questions = ["ab", "c"], ["ca", "b"]  # as long, and not the same
    for _ in range(200):  # until the answers differ, too
        weights, others = without_special(random_weights(7, 6)), random_weights(7, 6)
        weights["decoder.output.bias"][EOS] = -1e4  # it never ends
        others["decoder.output.bias"][EOS] = 1e4  # and this one says nothing
        oracle = Oracle(weights)
        one, two = ([oracle.greedy([*("abc".index(s) + 4 for s in text), EOS], 3) for text in q] for q in questions)
        if one[0] != two[0] and one[1] != two[1]:
            break
    weights, others = in_float32(weights), in_float32(others)
    model, twin, other = built(student, weights), built(student, weights), built(student, others)
    arguments = tensors(sources, targets)[:3]
    first = model(*arguments)
    turned = [part.flip(0) for part in arguments]  # of the same shape; row by row, the lengths are others
    turned_first = model(*turned)
    vocabularies = student.Vocabulary("abc"), student.Vocabulary("xy")
    student.translate(model, questions[0], *vocabularies, max_len=3, beam_size=2)
    other(*tensors(ended(sentences(rng, [5], 7)), sentences(rng, [2], 6))[:3])
    again, twins = model(*arguments), twin(*arguments)
    for found in (first, turned_first, again, twins):
        assert is_tensor(found, 3, 4, 6), "the logits must be (N, T, V)"
        found = found.flip(0) if found is turned_first else found
        for n, target in enumerate(targets):
            real = slice(len(target) + 1)
            assert_close(found[n, real], first[n, real], "the logits of the same call")
    assert not torch.allclose(first[0, 0], first[1, 0]), "other sources must have other logits"
    for beam_size in (1, 2):
        settings = {"max_len": 3, "beam_size": beam_size}
        for question in (*questions, questions[0]):
            fresh = built(student, weights)
            one, two = (student.translate(some, question, *vocabularies, **settings) for some in (model, fresh))
            assert isinstance(one, list) and len(one) == 2, "translate must return a list for each source"
            assert_equal(one, two, "translate by two models with the same weights")
    untouched = built(student, weights).gradients(*arguments)
    reply = model.gradients(*arguments)
    assert_close(reply.parameters, untouched.parameters, "the gradients after a translation")
    model.load_state_dict(others)
    for beam_size in (1, 2):
        found = student.translate(model, questions[0], *vocabularies, max_len=3, beam_size=beam_size)
        assert_equal(found, [[], []], "translate by a model that has learned to say nothing in between")


@criterion(
    "On an accelerator",
    points=2,
    kind="device",
    hint="A mask is made where the source is; translate moves its batch to where the model's parameters are; lengths "
    "for packing stay on the CPU.",
)
def test_on_an_accelerator(student, rng, device):
    """Loss, encoder, decoder, the whole, train_epoch and translate work where their tensors are, as on the CPU."""
    sources, targets = ended(sentences(rng, [3, 5, 1], 9)), sentences(rng, [2, 4, 3], 7)
    source, lengths, target_in, target_out = tensors(sources, targets)
    weights = {name: weight.float() for name, weight in without_special(random_weights(9, 7)).items()}
    vocabularies = student.Vocabulary("abcde"), student.Vocabulary("xyz")
    loss = student.masked_cross_entropy
    assert_same_on_device(loss, device, "masked_cross_entropy", torch.randn(3, 5, 7), target_out)
    model = built(student, weights)
    expected = {
        beam_size: student.translate(model, ["abc", "d"], *vocabularies, max_len=4, beam_size=beam_size)
        for beam_size in (1, 2)
    }
    assert_same_on_device(model, device, "Seq2Seq, reading its own words,", source, lengths, target_in, 0.0)
    model.to("cpu")
    assert_same_on_device(model, device, "Seq2Seq", source, lengths, target_in)
    for beam_size, wanted in expected.items():
        found = student.translate(model, ["abc", "d"], *vocabularies, max_len=4, beam_size=beam_size)
        assert isinstance(found, list) and len(found) == 2, "translate must return a list for each source"
        assert_equal(found, wanted, "translate by a model on the accelerator")
    reply = model.on(device).observe(source, lengths, target_in)
    assert_equal(list(reply.devices), [device], "where the logits are after translate")
    here, there = (
        make.keep(source, lengths, target_in, target_out) for make in (student.Batch, student.Batch.on(device))
    )
    weights = {name: weight.float() for name, weight in random_weights(9, 7).items()}
    on_cpu, on_device = built(student, weights), built(student, weights)
    on_device.to(device)
    loss, wanted = (
        student.train_epoch(some, [batch] * 2, sgd(student, some, rate=0.5))
        for some, batch in ((on_device, there), (on_cpu, here))
    )
    assert_close(loss, wanted, "the loss of two steps on the accelerator", rtol=1e-3)
    for number, symbol in ((5, "y"), (6, "z")):  # a model that knows one word, whatever it has read
        bias = torch.nn.functional.one_hot(torch.tensor(number), 7) * 50.0
        model.load_state_dict({"decoder.output.weight": torch.zeros(7, 15), "decoder.output.bias": bias}, strict=False)
        said = model.on(device)(source, lengths, target_in)
        assert is_tensor(said, 3, 5, 7), "the logits must be (N, T, V)"
        assert_equal(said.argmax(-1).unique().tolist(), [number], "what a model says that knows one word")
        found = student.translate(model, ["abc", "d"], *vocabularies, max_len=4)
        assert isinstance(found, list) and all(isinstance(one, list) for one in found), "translate must return lists"
        words = list(itertools.chain(*found))
        assert_equal(words, [symbol] * max(len(words), 1), "the words of a model that knows one word")


# Trained until it knows enough


class Learned(NamedTuple):
    """How well a trained model does on unseen pairs, and after how many steps."""

    exact: float  # the share of targets without a mistake
    errors: float  # edits per symbol
    steps: int


ENOUGH = 0.95  # exact matches: longer training would tell nothing new
SLICES = (1, 19, *[20] * 9)  # steps; after each of them but the first, the model is asked
SLOWER = 5  # slices after which the rate falls


def vocabulary(student, sequences):
    """All symbols as a vocabulary of the student's, how many they are, and the symbols."""
    symbols = sorted(set(itertools.chain.from_iterable(sequences)))
    return student.Vocabulary(symbols), len(symbols), symbols


def edits(one, other):
    """The edit distance, one row at a time."""
    row = list(range(len(other) + 1))
    for i, item in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (item != wanted))
    return row[-1]


def scores(found, wanted):
    """The share of exact matches, and edits per symbol."""
    exact = sum(list(one) == list(other) for one, other in zip(found, wanted, strict=True)) / len(wanted)
    return exact, sum(map(edits, found, wanted)) / sum(map(len, wanted))


def check_says_what_the_model_says(student, pairs, source_vocab, target_vocab):
    """Before any training: what a model says that knows one symbol only, and what one that only ends."""
    size, sources = 4 + target_vocab[1], [source for source, _ in pairs[:2]]
    model = student.Seq2Seq(student.Encoder(4 + source_vocab[1], 3, 4), student.AttentionDecoder(size, 3, 4))
    symbols = {4 + number: symbol for number, symbol in enumerate(target_vocab[2])}
    for token in (4, size - 1, EOS):
        bias = 9 * F.one_hot(torch.tensor(token), size).float()
        weights = {"decoder.output.weight": torch.zeros(size, 3 * 4 + 3), "decoder.output.bias": bias}
        model.load_state_dict(weights, strict=False)
        found = student.translate(model, sources, source_vocab[0], target_vocab[0], max_len=3)
        right = isinstance(found, list) and len(found) == 2 and all(isinstance(text, list) for text in found)
        assert right, "translate must return a list of symbols for each source"
        wanted = {symbols[token]} if token in symbols else set()
        assert all(set(map(str, text)) == wanted for text in found), "translate must say what the model says"


def learned(student, rng, pairs, unseen=100, batch_size=64, rate=1e-2, emb=32, hidden=64):
    """Train on all but the first pairs, by the student's train_epoch, until these are known or there were 200 steps.

    The best state on the way counts.
    """
    source_vocab = vocabulary(student, [source for source, _ in pairs])
    target_vocab = vocabulary(student, [target for _, target in pairs])
    check_says_what_the_model_says(student, pairs, source_vocab, target_vocab)
    model, fresh = (
        student.Seq2Seq(
            student.Encoder(4 + source_vocab[1], emb, hidden),
            student.AttentionDecoder(4 + target_vocab[1], emb, hidden),
        )
        for _ in range(2)
    )
    sources, targets = ([pair[side] for pair in pairs[:unseen]] for side in (0, 1))

    def score_of(model):
        found = student.translate(model, sources, source_vocab[0], target_vocab[0], max_len=15)
        right = isinstance(found, list) and len(found) == unseen and all(isinstance(one, list) for one in found)
        assert right, "translate must return a list of symbols for each source"
        return scores(found, targets)

    optim = module_of(student, "torch").optim
    optimizer = optim.Adam(model.parameters(), lr=rate)
    best, weights, steps = -1.0, None, 0
    schedule = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[SLOWER], gamma=0.3)
    for size in SLICES:
        drawn = [rng.sample(pairs[unseen:], batch_size) for _ in range(size)]
        batches = [student.make_batch.keep(some, source_vocab[0], target_vocab[0]) for some in drawn]
        loss = student.train_epoch(model, batches, optimizer)
        assert isinstance(loss, float) and math.isfinite(loss), "train_epoch must return a finite number"
        schedule.step()
        steps += size
        if size > 1 and (exact := score_of(model)[0]) > best:
            best, weights = exact, model.state_dict()
        if best >= ENOUGH:
            break
    # What was learned is in the weights and nowhere else: a model without them knows nothing, one that gets them all.
    assert score_of(fresh)[0] <= 0.1, "a model that was not trained translates as if it were"
    fresh.load_state_dict(weights)
    return Learned(*score_of(fresh), steps)


def learn_digits(student, rng):
    """Reversed, and each digit gets another name. The names are drawn: nobody knows them who has not learned them."""
    pairs = reverse_pairs(2100, seed=rng.randrange(10**9), longest=6, names=draw_names(rng))
    return learned(student, rng, pairs)


def learn_dates(student, rng):
    """In a form that is drawn: an order of the parts, what stands between them, and a name for each digit."""
    pairs = date_pairs(2100, seed=rng.randrange(10**9), styles=PLAIN_STYLES, form=draw_form(rng))
    return learned(student, rng, pairs)


@criterion(
    "Learns to reverse digits",
    points=4,
    kind="value",
    timeout=140,
    long=True,
    hint="If the loss falls and translations are wrong, reading, training and translating do not fit together.",
)
def test_reverses_digits(student, rng):
    """After at most 200 steps of training, at least 80 of 100 unseen rows of digits are reversed without a mistake."""
    found = learn_digits(student, rng)
    assert found.exact >= 0.8, f"{found.exact:.0%} of the unseen rows are reversed without a mistake"


@criterion(
    "Learns to read dates",
    points=4,
    kind="value",
    timeout=140,
    long=True,
    hint="Sources of very different lengths in one batch: what does padding do to the short ones?",
)
def test_reads_dates(student, rng):
    """After at most 200 steps, at least 80 of 100 unseen dates are exact, with at most 5 errors in 100 symbols."""
    found = learn_dates(student, rng)
    assert found.exact >= 0.8, f"{found.exact:.0%} of the unseen dates are exact"
    assert found.errors <= 0.05, f"{found.errors:.0%} of the symbols are wrong"
