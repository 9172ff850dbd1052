"""Hidden tests of `transformer`. The oracle is a Transformer of plain functions over a dict of weights; it also replays
a training step by step, and finds out from the losses which pairs were in which batch."""

import functools
import itertools
import math
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name

from data.dates import PLAIN_STYLES, date_pairs, draw_form
from data.digits import draw_names, reverse_pairs
from grader.judge import (
    assert_close,
    assert_equal,
    assert_not_used,
    assert_same_on_device,
    criterion,
    module_of,
    student_raises,
)

NEAR = {"rtol": 1e-4, "atol": 1e-5}  # a table of positions in float32 is right, even in a model of float64
PAD, SOS, EOS, UNK = 0, 1, 2, 3
ATTENTION = ("q_proj", "k_proj", "v_proj", "out_proj")


# Oracles


def normal(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def linear_weights(name, inputs, outputs):
    return {f"{name}.weight": normal(outputs, inputs) / math.sqrt(inputs), f"{name}.bias": normal(outputs) / 2}


def layer_weights(d_model, d_ff, *, decoder, prefix=""):
    """Weights for one layer, under the names of the given constructors; no bias is 0, no norm is plain."""
    weights = {}
    for attention in ("self_attention", "cross_attention")[: 1 + decoder]:
        for name in ATTENTION:
            weights |= linear_weights(f"{prefix}{attention}.{name}", d_model, d_model)
    weights |= linear_weights(f"{prefix}feed_forward.linear1", d_model, d_ff)
    weights |= linear_weights(f"{prefix}feed_forward.linear2", d_ff, d_model)
    for number in range(1, 3 + decoder):
        weights[f"{prefix}norm{number}.weight"] = 1 + normal(d_model) / 4
        weights[f"{prefix}norm{number}.bias"] = normal(d_model) / 4
    return weights


def model_weights(source_size, target_size, d_model, num_layers, d_ff):
    """Weights for a whole Transformer."""
    weights = {
        "source_embedding.weight": normal(source_size, d_model) / math.sqrt(d_model),
        "target_embedding.weight": normal(target_size, d_model) / math.sqrt(d_model),
        **linear_weights("output", d_model, target_size),
    }
    for number in range(num_layers):
        weights |= layer_weights(d_model, d_ff, decoder=False, prefix=f"encoder_layers.{number}.")
        weights |= layer_weights(d_model, d_ff, decoder=True, prefix=f"decoder_layers.{number}.")
    return weights


def linear(weights, name, x):
    return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def norm(weights, name, x):
    return F.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"])


def attend(weights, name, heads, query, keys, mask):
    """Multi-head attention; mask: (Lq, Lk), (N, Lq, Lk) or (N, H, Lq, Lk). Who may ask nobody finds 0."""
    q, k, v = (
        linear(weights, f"{name}.{kind}_proj", x).unflatten(-1, (heads, -1)).transpose(1, 2)
        for kind, x in (("q", query), ("k", keys), ("v", keys))
    )
    scores, some = q @ k.mT / math.sqrt(q.shape[-1]), 1.0
    if mask is not None:
        mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
        some = mask.any(-1, keepdim=True)
        scores = scores.masked_fill(~mask & some, -math.inf)
    found = (scores.softmax(-1) * some) @ v
    return linear(weights, f"{name}.out_proj", found.transpose(1, 2).flatten(2))


def feed_forward(weights, name, x):
    return linear(weights, f"{name}.linear2", linear(weights, f"{name}.linear1", x).clamp(min=0))


def encoder_layer(weights, heads, x, mask=None, prefix=""):
    x = norm(weights, f"{prefix}norm1", x + attend(weights, f"{prefix}self_attention", heads, x, x, mask))
    return norm(weights, f"{prefix}norm2", x + feed_forward(weights, f"{prefix}feed_forward", x))


def decoder_layer(weights, heads, x, memory, self_mask=None, cross_mask=None, prefix=""):
    x = norm(weights, f"{prefix}norm1", x + attend(weights, f"{prefix}self_attention", heads, x, x, self_mask))
    x = norm(weights, f"{prefix}norm2", x + attend(weights, f"{prefix}cross_attention", heads, x, memory, cross_mask))
    return norm(weights, f"{prefix}norm3", x + feed_forward(weights, f"{prefix}feed_forward", x))


@functools.cache
def positions(length, width):
    """Sines and cosines in turn, (L, D)."""
    table = [
        [(math.cos if column % 2 else math.sin)(p / 10000 ** (2 * (column // 2) / width)) for column in range(width)]
        for p in range(length)
    ]
    return torch.tensor(table, dtype=torch.float64)


class Plain:
    """A whole Transformer of these weights."""

    def __init__(self, weights, heads, pad=PAD):
        self.weights, self.heads, self.pad = weights, heads, pad
        self.layers = sum(name.startswith("encoder_layers") and name.endswith("norm1.bias") for name in weights)

    def embed(self, kind, tokens):
        vectors = self.weights[f"{kind}_embedding.weight"][tokens]
        return vectors * math.sqrt(vectors.shape[-1]) + positions(*vectors.shape[1:])

    def encode(self, source):
        x = self.embed("source", source)
        for number in range(self.layers):
            mask = (source != self.pad)[:, None, :]
            x = encoder_layer(self.weights, self.heads, x, mask, f"encoder_layers.{number}.")
        return x

    def decode(self, target_in, memory, source):
        x = self.embed("target", target_in)
        masks = torch.ones(x.shape[1], x.shape[1]).tril().bool(), (source != self.pad)[:, None, :]
        for number in range(self.layers):
            x = decoder_layer(self.weights, self.heads, x, memory, *masks, f"decoder_layers.{number}.")
        return linear(self.weights, "output", x)

    def __call__(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)

    def greedy(self, sources, max_len):
        """The most probable tokens for each of these lists, up to <eos>."""
        source = padded(sources)
        memory, tokens = self.encode(source), torch.full((len(sources), 1), SOS)
        for _ in range(max_len):
            best = self.decode(tokens, memory, source)[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, best], dim=1)
        return [row[: row.index(EOS) + 1] if EOS in row else row for row in tokens[:, 1:].tolist()]

    def searcher(self, source):
        """Beam search as exercise 6 has it, for one list of tokens; what it was told once it does not ask again."""
        source, known = torch.tensor([source]), {}
        memory = self.encode(source)

        def ask(prefixes):
            new = [prefix for prefix in prefixes if prefix not in known]
            if new:
                logits = self.decode(torch.tensor(new), memory.expand(len(new), -1, -1), source)[:, -1]
                known.update(zip(new, logits.log_softmax(-1).tolist(), strict=True))
            return [known[prefix] for prefix in prefixes]

        def search(beam_size, max_len, alpha=1.0):
            live, finished = [((SOS,), 0.0)], []
            for _ in range(max_len):
                grown = [
                    ((*prefix, token), total + log_prob)
                    for (prefix, total), row in zip(live, ask([prefix for prefix, _ in live]), strict=True)
                    for token, log_prob in enumerate(row)
                ]
                best = sorted(grown, key=lambda found: -found[1])[:beam_size]
                finished += [
                    (total / (len(tokens) - 1) ** alpha, tokens) for tokens, total in best if tokens[-1] == EOS
                ]
                live = [found for found in best if found[0][-1] != EOS]
                if not live or (finished and live[0][1] / max_len**alpha <= max(finished)[0]):
                    break
            unfinished = [(total / (len(tokens) - 1) ** alpha, tokens) for tokens, total in live]
            return list(max(finished or unfinished)[1][1:])

        return search


class OfTheirLayers(Plain):
    """The same by the student's own layers: whoever has a mistake there pays for it where they are asked."""

    def __init__(self, weights, heads, pad, model):
        super().__init__(weights, heads, pad)
        self.model = model

    def encode(self, source):
        x = self.embed("source", source)
        for number in range(self.layers):
            x = getattr(self.model.encoder_layers, str(number))(x, (source != self.pad)[:, None, :])
        return x

    def decode(self, target_in, memory, source):
        x = self.embed("target", target_in)
        masks = torch.ones(x.shape[1], x.shape[1]).tril().bool(), (source != self.pad)[:, None, :]
        for number in range(self.layers):
            x = getattr(self.model.decoder_layers, str(number))(x, memory, *masks)
        return linear(self.weights, "output", x)


class Theirs(Plain):
    """The same by the student's own encode and decode."""

    def __init__(self, model):
        super().__init__({}, 0)
        self.model = model

    def encode(self, source):
        return self.model.encode(source)

    def decode(self, target_in, memory, source):
        return self.model.decode(target_in, memory, source)


def check(found, expected, theirs, what, **tolerances):
    """It is what we expect, or else what the student's own parts give: a mistake in these is told elsewhere."""
    try:
        assert_close(found, expected, what, **tolerances)
    except AssertionError:
        if not agrees(found, theirs, **tolerances):
            raise


def agrees(found, theirs, **tolerances):
    """Whether it is what the student's own parts give, and these say something, not the same again and again."""
    try:
        answers = theirs()
        assert_close(found, answers, "the same", **tolerances)
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError, RuntimeError):  # whatever they returned
        return False
    except Exception as error:
        if not getattr(error, "types", ()):  # not the student's
            raise
        return False
    if isinstance(answers, torch.Tensor):
        return bool(answers.isfinite().all()) and (len(answers) < 2 or not torch.allclose(answers[0], answers[-1]))
    return len(answers) < 3 or len({symbol for answer in answers for symbol in answer}) > 1


def smoothed(logits, targets, smoothing=0.1, pad=PAD):
    """The loss of each token (0 for padding), by the definition: a distribution for every target."""
    size = logits.shape[-1]
    truth = torch.full_like(logits, smoothing / (size - 2)).scatter(-1, targets[..., None], 1 - smoothing)
    truth[..., pad] = 0.0
    return -(truth * logits.log_softmax(-1)).sum(-1) * (targets != pad)


class Replay:
    """The training that the contract describes, step by step, on batches that somebody else chooses."""

    def __init__(self, weights, heads, pairs, warmup, width=6):
        self.leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        self.model = Plain(self.leaves, heads)
        self.width, self.warmup, self.steps = width, warmup, 0
        self.source, self.target_in, self.target_out = tensors(pairs)
        self.counts = (self.target_out != PAD).sum(1)  # real tokens of each pair
        self.moments = {name: (torch.zeros_like(w), torch.zeros_like(w)) for name, w in weights.items()}

    def losses(self):
        """The summed loss of every pair, now."""
        return smoothed(self.model(self.source, self.target_in), self.target_out).sum(1)

    def step(self, pairs):
        """One step of Adam on these pairs; returns the loss before it."""
        loss = self.losses()[pairs].sum() / self.counts[pairs].sum()
        gradients = torch.autograd.grad(loss, list(self.leaves.values()))
        self.steps += 1
        rate = self.width**-0.5 * min(self.steps**-0.5, self.steps * self.warmup**-1.5)
        with torch.no_grad():
            for (name, leaf), gradient in zip(self.leaves.items(), gradients, strict=True):
                first, second = self.moments[name]
                first.mul_(0.9).add_(gradient, alpha=0.1)
                second.mul_(0.98).add_(gradient**2, alpha=0.02)
                mean, square = first / (1 - 0.9**self.steps), second / (1 - 0.98**self.steps)
                leaf -= rate * mean / (square.sqrt() + 1e-9)
        return loss.item()

    def batch_with(self, loss, candidates):
        """The candidate whose loss is the nearest to this one, and its loss."""
        with torch.no_grad():
            each = self.losses()
        found = {batch: (each[list(batch)].sum() / self.counts[list(batch)].sum()).item() for batch in candidates}
        return min(found.items(), key=lambda item: abs(item[1] - loss))


class BiasReplay(Replay):
    """The same for a model whose logits are its output's bias, and in which nothing else gets a gradient."""

    def losses(self):
        logits = self.leaves["output.bias"].expand(*self.target_out.shape, -1)
        return smoothed(logits, self.target_out).sum(1)


SYMBOLS = list("abcdefg")  # of the sources
WORDS = ["ba", "be", "bi", "bo", "bu", "da", "de", "di", "do"]  # of the targets
SIZES = 4 + len(SYMBOLS), 4 + len(WORDS)


def encoded(sequence, symbols=SYMBOLS):
    return [4 + symbols.index(symbol) if symbol in symbols else UNK for symbol in sequence]


def padded(rows):
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def tensors(pairs):
    """source, target_in and target_out of these pairs."""
    sources = padded([[*encoded(source), EOS] for source, _ in pairs])
    inputs = padded([[SOS, *encoded(target, WORDS)] for _, target in pairs])
    return sources, inputs, padded([[*encoded(target, WORDS), EOS] for _, target in pairs])


def vocabulary_of(student, symbols=SYMBOLS):
    return module_of(student, "seq2seq").Vocabulary(list(symbols))


def vocabularies_of(student):
    """Of sources and of targets."""
    return vocabulary_of(student), vocabulary_of(student, WORDS)


def loaded(student, weights, heads, *, dropout=0.0, pad=PAD):
    """The student's Transformer with these weights, in their dtype."""
    d_model, d_ff = (weights[f"encoder_layers.0.feed_forward.linear{k}.bias"].shape[0] for k in (2, 1))
    sizes = [weights[f"{kind}_embedding.weight"].shape[0] for kind in ("source", "target")]
    layers = Plain(weights, heads).layers
    model = student.Transformer(*sizes, d_model, heads, layers, d_ff, dropout, pad)
    if weights["output.bias"].dtype == torch.float64:
        model.double()
    model.load_state_dict(weights, strict=False)
    return model


def in_both_modes(student, weights, heads, pad=PAD):
    """The student's Transformer in training, without dropout, and in eval(), where dropout is off."""
    models = {"train()": loaded(student, weights, heads, pad=pad)}
    models["eval()"] = loaded(student, weights, heads, pad=pad, dropout=0.4)
    models["eval()"].eval()
    return models.items()


def saying(weights, token):
    """Make the model of these weights say this token again and again, whatever its layers do."""
    weights["output.weight"].zero_()
    weights["output.bias"].zero_()
    weights["output.bias"][token], weights["output.bias"][EOS] = 9.0, -50.0
    return weights


def random_tokens(lengths, size, pad=PAD):
    """Real tokens up to the lengths, then padding: (N, L)."""
    tokens = torch.randint(size - 1, (len(lengths), max(lengths)))
    tokens += tokens >= pad  # any token but the padding
    for row, length in zip(tokens, lengths, strict=True):
        row[length:] = pad
    return tokens


def random_texts(rng, lengths):
    return ["".join(rng.choices(SYMBOLS, k=k)) for k in lengths]


def random_pairs(rng, lengths):
    """Pairs of which every source, a string, has one of these lengths, and every target, a list of words, another."""
    targets = [rng.choices(WORDS, k=k) for k in lengths[1:] + lengths[:1]]
    return list(zip(random_texts(rng, lengths), targets, strict=True))


def edit_distance(one, other):
    row = list(range(len(other) + 1))
    for i, item in enumerate(one, 1):
        above, row = row, [i]
        for j, symbol in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (item != symbol)))
    return row[-1]


def check_texts(found, count, what):
    """A list of lists of symbols."""
    fits = isinstance(found, list) and all(
        isinstance(text, list) and all(isinstance(symbol, str) for symbol in text) for text in found
    )
    assert fits and len(found) == count, f"{what} must be a list of {count} lists of symbols"


def check_says(found, count, token, what):
    """Each of these texts begins with this token: what a model says that says nothing else.

    It asks as little of translate as a right answer can, so that who has another mistake there does not pay again.
    """
    check_texts(found, count, what)
    expected = [[SYMBOLS[token - 4]]] * count
    assert_equal([text[:1] for text in found], expected, f"the first symbols of {what}, by a model that has only one")


# Layers


@criterion(
    "The feed-forward network, and its dropout",
    points=2,
    kind="value",
    hint="self.dropout stands between the ReLU and linear2, and is off in eval().",
)
def test_feed_forward_and_dropout(student):
    """FeedForward is the same at every position; in training, hidden features are dropped after the ReLU."""
    weights = linear_weights("f.linear1", 5, 7) | linear_weights("f.linear2", 7, 5)
    own = {name.removeprefix("f."): weight for name, weight in weights.items()}
    layer = student.FeedForward(5, 7, 0.4)
    layer.double()
    layer.load_state_dict(own)
    layer.eval()
    for x in (normal(2, 3, 5), normal(2, 3, 5), normal(1, 1, 5)):
        assert_close(layer(x), feed_forward(weights, "f", x), "FeedForward(5, 7, dropout=0.4) in eval()")

    layer = student.FeedForward(6, 6, 0.4)  # whose hidden features can be told from its output
    layer.double()
    mix, bias = normal(6, 6) + 4 * torch.eye(6), normal(6)
    own = {"linear1.weight": torch.eye(6), "linear1.bias": torch.zeros(6), "linear2.weight": mix, "linear2.bias": bias}
    layer.load_state_dict(own)
    layer.train()
    x = normal(4, 5, 6)
    found = layer(x)
    assert isinstance(found, torch.Tensor) and found.shape == x.shape, "FeedForward must return (N, L, D)"
    hidden = (found.double() - bias) @ mix.inverse().T
    kept = hidden.abs() > 1e-7
    assert_close(hidden, (x.clamp(min=0) / 0.6) * kept, "what linear2 gets in training, with dropout=0.4", atol=1e-6)
    share = kept[x > 0].double().mean().item()
    assert 0.25 < share < 0.9, f"with dropout=0.4 about 0.6 of the positive features are kept, found {share:.2f}"


@criterion(
    "Layers, by their definition",
    points=4,
    kind="value",
    hint="LayerNorm(x + Sublayer(x)), in order: norm1, norm2, norm3. In the cross-attention the target asks and the "
    "memory answers; each of the two attentions has its own mask.",
)
def test_layers(student):
    """Both layers equal their definition: which sublayer, which norm, which mask, and who asks whom, in both modes."""
    weights = layer_weights(12, 7, decoder=False)
    layer = student.EncoderLayer(12, 3, 7, 0.0)
    layer.double()
    layer.load_state_dict(weights)
    mask = torch.rand(2, 3, 5, 5) < 0.5
    mask |= torch.eye(5).bool()
    for mode, some in itertools.product(("train", "eval"), ((), (mask[1, 2],), (mask[:, 0],), (mask,))):
        getattr(layer, mode)()
        x = normal(2, 5, 12)
        what = f"EncoderLayer(12, 3, 7) with {f'a mask {tuple(some[0].shape)}' if some else 'no mask'}, in {mode}()"
        assert_close(layer(x, *some), encoder_layer(weights, 3, x, *some), what)

    weights = layer_weights(12, 7, decoder=True)
    layer = student.DecoderLayer(12, 3, 7, 0.0)
    layer.double()
    layer.load_state_dict(weights)
    self_mask = torch.ones(4, 4).tril().bool()
    cross_mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1, 0, 1, 1, 1, 1]]).bool()[:, None, :].expand(2, 4, 6)
    for mode in ("train", "eval"):
        getattr(layer, mode)()
        for masks in ({}, {"self_mask": self_mask}, {"cross_mask": cross_mask}):
            x, memory = normal(2, 4, 12), normal(2, 6, 12)
            expected = decoder_layer(weights, 3, x, memory, **masks)
            what = f"DecoderLayer(12, 3, 7) with {list(masks) or 'no mask'}, in {mode}()"
            assert_close(layer(x, memory, **masks), expected, what)
        expected = decoder_layer(weights, 3, x, memory, self_mask, cross_mask)
        what = f"DecoderLayer(12, 3, 7) with both masks, in {mode}()"
        assert_close(layer(x, memory, self_mask, cross_mask), expected, what)


def dropped(x, scale):
    """All that dropout can make of each vector, if it multiplies by 0 or by scale: (..., D) -> (..., 2^D, D)."""
    patterns = torch.tensor(list(itertools.product((0.0, scale), repeat=x.shape[-1])), dtype=torch.float64)
    return x.unsqueeze(-2) * patterns


def possible_outputs(x, constants, norms, scale):
    """All that norm(x + dropout(constant)), again and again, can be: x (..., D) -> (..., 2^(D·sublayers), D).

    The last one is the feed-forward network, whose hidden features are dropped once more.
    """
    x = x.unsqueeze(-2)  # (..., 1, D)
    for number, constant in enumerate(constants, 1):
        patterns = dropped(constant, scale**2 if number == len(constants) else scale)
        x = norm(norms, f"norm{number}", x.unsqueeze(-2) + patterns).flatten(-3, -2)
    return x


def constant_sublayers(weights, prefix=""):
    """Make sublayers that add the same vector everywhere, whatever they see: these vectors, and the norms.

    The last layer of an attention is its bias alone; the hidden features of the network are, and they come out as such.
    """
    own = {name.removeprefix(prefix): weight for name, weight in weights.items() if name.startswith(prefix)}
    constants = []
    for name in ("self_attention.out_proj", "cross_attention.out_proj", "feed_forward.linear1"):
        if f"{name}.weight" in own:
            own[f"{name}.weight"].zero_()
            constants.append(own[f"{name}.bias"])
    constants[-1].abs_().add_(0.1)  # the ReLU lets them pass
    own["feed_forward.linear2.weight"].copy_(torch.eye(len(constants[-1])))
    own["feed_forward.linear2.bias"].zero_()
    return constants, own


def check_possible(found, possible, what):
    """Each vector (N, L, D) is one of those that dropout can make, (N, L, M, D)."""
    shape = (*possible.shape[:2], possible.shape[-1])
    assert isinstance(found, torch.Tensor) and found.shape == shape, f"{what} must return the shape {shape}"
    distances = (possible - found.unsqueeze(-2)).abs().amax(-1).min(-1)
    far = f"the distance of {what}, in training, from the nearest that dropout can make"
    assert_close(distances.values, torch.zeros(shape[:2], dtype=torch.float64), far, atol=1e-4)
    assert len(distances.indices.unique()) > 3, f"dropout in {what} must differ from position to position"


@criterion(
    "Dropout before the residual",
    points=2,
    kind="value",
    hint="norm(x + self.dropout(sublayer(x))): what a sublayer found is dropped, x itself never is. self.positions "
    "drops some of the embeddings with their positions. That is all.",
)
def test_dropout_before_the_residual(student):
    """In training, dropout falls on what a sublayer adds, and on embeddings with their positions; in eval() nowhere."""
    scale = 1 / (1 - 0.4)
    for name, decoder in (("EncoderLayer", False), ("DecoderLayer", True)):
        weights = layer_weights(3, 3, decoder=decoder)
        constants, _ = constant_sublayers(weights)
        layer, x = getattr(student, name)(3, 1, 3, 0.4), normal(2, 6, 3)
        layer.double()
        layer.load_state_dict(weights)
        arguments = (x, normal(2, 5, 3)) if decoder else (x,)
        check_possible(layer(*arguments), possible_outputs(x, constants, weights, scale), f"{name}(…)")
        layer.eval()
        none = x
        for number, constant in enumerate(constants, 1):
            none = norm(weights, f"norm{number}", none + constant)
        assert_close(layer(*arguments), none, f"{name} with dropout=0.4 in eval()")

    weights = model_weights(9, 7, 3, 1, 3)
    sublayers = [constant_sublayers(weights, f"{kind}_layers.0.") for kind in ("encoder", "decoder")]
    plain, model = Plain(weights, 1), loaded(student, weights, 1, dropout=0.4)
    source, target_in = random_tokens([5, 5], 9), random_tokens([5, 5], 7)
    memory, logits = (
        possible_outputs(dropped(plain.embed(kind, tokens), scale), *layers, scale).flatten(-3, -2)
        for kind, tokens, layers in zip(("source", "target"), (source, target_in), sublayers, strict=True)
    )
    check_possible(model.encode(source), memory, "encode(…)")
    check_possible(model.decode(target_in, normal(2, 5, 3), source), linear(weights, "output", logits), "decode(…)")


# The model


@criterion(
    "What the encoder remembers",
    points=3,
    kind="value",
    hint="Embedding times the root of d_model, plus positions; every layer gets the mask source != self.pad.",
    timeout=30,
)
def test_memory(student):
    """encode equals the definition at every real token, for any number of layers, any padding, and in both modes."""
    for num_layers, heads, pad in ((1, 2, 0), (2, 3, 8), (3, 1, 5)):
        weights = model_weights(9, 7, 6, num_layers, 8)
        for mode, model in in_both_modes(student, weights, heads, pad):
            for lengths in ([5, 3, 4], [2, 5, 5], [1]):
                source = random_tokens(lengths, 9, pad)
                found, real = model.encode(source), source != pad
                fits = isinstance(found, torch.Tensor) and found.shape == (*source.shape, 6)
                assert fits, "encode must return (N, S, D)"
                expected = Plain(weights, heads, pad).encode(source)
                own = OfTheirLayers(weights, heads, pad, model)
                what = f"encode(source) with {num_layers} layers, at real tokens, in {mode}"
                check(found[real], expected[real], lambda: own.encode(source)[real], what, **NEAR)  # noqa: B023  # called at once


@criterion(
    "What the decoder makes of a memory",
    points=3,
    kind="value",
    hint="A causal mask for itself, source != self.pad for the memory; the scale and the positions as in encode; "
    "output at the end, without a softmax.",
    timeout=30,
)
def test_logits(student):
    """decode equals the definition for any memory, in both modes, and forward is decode after encode."""
    for num_layers, heads, pad in ((2, 3, 0), (1, 2, 4), (3, 2, 6)):
        weights = model_weights(9, 7, 6, num_layers, 8)
        plain = Plain(weights, heads, pad)
        for mode, model in in_both_modes(student, weights, heads, pad):
            for lengths, length in (([6, 2, 5], 4), ([1, 6, 3], 4), ([3], 1)):
                source, target_in = random_tokens(lengths, 9, pad), random_tokens([length] * len(lengths), 7, pad)
                memory = normal(*source.shape, 6)
                own, what = OfTheirLayers(weights, heads, pad, model), f"with {num_layers} layers, in {mode}"
                asked = target_in, memory, source
                found, expected = model.decode(*asked), plain.decode(*asked)
                check_rows(found, expected, lambda: own.decode(*asked), f"decode(…) {what}")  # noqa: B023  # called at once
                found, expected = model(source, target_in), plain(source, target_in)
                theirs = Theirs(model)  # whatever they are: forward is decode after encode
                check_rows(found, expected, lambda: theirs(source, target_in), f"forward {what}")  # noqa: B023  # called at once
    weights = {name: weight.float() for name, weight in weights.items()}
    model = loaded(student, weights, heads, pad=pad)
    what = "Transformer(source, target_in) in float32"
    theirs = Theirs(model)
    check_rows(model(source, target_in), expected.float(), lambda: theirs(source, target_in), what)


def check_rows(found, expected, theirs, what):
    """As `check`, for logits (N, T, V), token by token."""
    check(
        found.flatten(0, 1) if isinstance(found, torch.Tensor) and found.dim() == 3 else found,
        expected.flatten(0, 1), lambda: theirs().flatten(0, 1), what, rtol=1e-3, atol=1e-4,
    )  # fmt: skip


@criterion(
    "Step by step",
    points=2,
    kind="invariance",
    hint="What stands at t may depend on the tokens up to t and on nothing else: not on how many follow.",
    timeout=30,
)
def test_step_by_step(student, rng):
    """Decoding prefix by prefix gives the logits of the full forward, for one sentence as within the batch."""
    for num_layers in (2, 3):
        weights = model_weights(9, 8, 12, num_layers, 8)
        for mode, model in in_both_modes(student, weights, 3):
            source, target_in = random_tokens([5, 3, 4], 9), random_tokens([6, 6, 6], 8)
            full = Plain(weights, 3)(source, target_in)
            memory, whole = model.encode(source), model(source, target_in)
            assert isinstance(memory, torch.Tensor) and memory.shape == (3, 5, 12), "encode must return (N, S, D)"
            turned = model(torch.cat([source[:, [1, 0]], source[:, 2:]], dim=1), target_in)
            if agrees(whole, lambda: model.decode(target_in, memory, source), **NEAR):  # noqa: B023  # called at once
                # Right or not, it is told elsewhere, if it is a model that reads a source from one end to the other.
                full = full if turned.shape == whole.shape and torch.allclose(turned, whole, rtol=1e-3) else whole
            for length in (1, 2, 6):
                found = model.decode(target_in[:, :length], memory, source)
                assert_close(found, full[:, :length], f"decode of the first {length} tokens, in {mode}", **NEAR)
            n = rng.randrange(3)
            one = slice(n, n + 1)
            real = source[one, : int((source[n] != PAD).sum())]
            what = f"a sentence alone, without its padding, in {mode}"
            assert_close(model(real, target_in[one]), full[one], what, **NEAR)


@criterion(
    "Padding changes nothing",
    points=2,
    kind="invariance",
    hint="Two places need source != pad: the encoder's attention to itself, and the decoder's to the memory.",
    timeout=30,
)
def test_padding(student):
    """More padding changes no logits of real tokens, nor does its memory; a source of padding alone makes no NaN."""
    for lengths in ([5, 2, 4], [5, 0, 3]):  # a source may be nothing but padding
        weights = model_weights(9, 8, 6, 2, 8)
        plain = Plain(weights, 2)
        for mode, model in in_both_modes(student, weights, 2):
            source, target_in = random_tokens(lengths, 9), random_tokens([4, 2, 3], 8)
            expected, real = plain(source, target_in), target_in != PAD
            shorter = model(source, target_in)
            if agrees(shorter, lambda: Theirs(model)(source, target_in), **NEAR):  # noqa: B023  # called at once
                expected = shorter  # right or not: that is told elsewhere
            longer = F.pad(source, (0, 3)), F.pad(target_in, (0, 2))
            found = model(*longer)
            assert isinstance(found, torch.Tensor) and found.shape == (3, 6, 8), "Transformer must return (N, T, V)"
            what = f"the logits of real tokens, with more padding, in {mode}"
            assert_close(found[:, :4][real], expected[real], what, **NEAR)
            memory = model.encode(source)
            assert isinstance(memory, torch.Tensor) and memory.isfinite().all(), "encode must return finite numbers"
            memory[source == PAD] = 1e3 * normal(int((source == PAD).sum()), 6)
            found = model.decode(target_in, memory, source)
            assert isinstance(found, torch.Tensor) and found.shape == (3, 4, 8), "decode must return (N, T, V)"
            what = f"the logits of real tokens, with another memory of the padding, in {mode}"
            assert_close(found[real], expected[real], what, **NEAR)


@criterion(
    "Gradients everywhere",
    points=2,
    kind="gradient",
    hint="No .detach() and no no_grad in encode and decode; every layer is used, and none is used twice.",
    timeout=60,
)
def test_gradients(student):
    """Gradients reach every parameter and are right; the embedding of the source's padding gets exactly none."""
    for lengths, num_layers in (([4, 2, 3], 2), ([3, 0, 2], 3)):  # a source may be nothing but padding
        weights = model_weights(7, 8, 6, num_layers, 5)
        source, target_in = random_tokens(lengths, 7), random_tokens([3, 3, 3], 8)
        leaves = {name: weight.clone().requires_grad_() for name, weight in weights.items()}
        Plain(leaves, 2)(source, target_in).sum().backward()
        model = loaded(student, weights, 2)
        found = dict(model.gradients(source, target_in).parameters)
        expected = {name: leaf.grad for name, leaf in leaves.items()}
        try:
            assert_close(found, expected, "the gradients of the logits' sum", rtol=1e-3, atol=1e-4)
        except AssertionError:  # of another function, perhaps; what is wrong with that is told elsewhere
            check_slopes(model, weights, found, source, target_in)
        assert not found["source_embedding.weight"][PAD].any(), "the padding of the source must get no gradient at all"


def check_slopes(model, weights, gradients, source, target_in):
    """Each parameter has a gradient, and it says how fast the sum of the logits changes."""
    for name, weight in weights.items():
        gradient, what = gradients.get(name), f"the gradient of the logits' sum in {name}"
        assert isinstance(gradient, torch.Tensor) and gradient.shape == weight.shape, f"{what} is missing"
        assert gradient.any() or name.endswith("k_proj.bias"), f"{what} must not be 0"  # a softmax does not feel that
        direction, sums = torch.randn_like(weight), []
        direction /= direction.norm()
        for step in (1e-5, -1e-5):
            model.load_state_dict({name: weight + step * direction}, strict=False)
            found = model(source, target_in)
            assert isinstance(found, torch.Tensor), "the logits must be a tensor"
            sums.append(found.sum())
        model.load_state_dict({name: weight}, strict=False)
        assert_close((gradient * direction).sum(), (sums[0] - sums[1]) / 2e-5, what, rtol=1e-3, atol=1e-5)


# The loss and the rate


@criterion(
    "The smoothed loss",
    points=3,
    kind="value",
    hint="-(1 - s) log p(right) - s/(V - 2) · (the others, without pad), summed over real tokens, divided by their "
    "number. F.cross_entropy(label_smoothing=…) gives a share to <pad>, and to the right class again.",
)
def test_smoothed_loss(student):
    """label_smoothed_loss equals its definition for any smoothing and any pad; with smoothing 0 it is cross-entropy."""
    cases = [({"smoothing": 0.35, "pad": 3}, 2.0), ({"smoothing": 0.0}, 1.0), ({"smoothing": 0.7}, 1.0)]
    for settings, scale in [*cases, ({"pad": 6}, 1.0), ({}, 1.0), ({}, 300.0)]:
        targets = random_tokens([5, 2, 3], 7, settings.get("pad", PAD))
        logits = normal(3, 5, 7) * scale
        logits[targets == settings.get("pad", PAD)] *= 1e3  # which does not count
        each = smoothed(logits, targets, **settings)
        expected = each.sum() / (targets != settings.get("pad", PAD)).sum()
        found = student.label_smoothed_loss(logits, targets, **settings)
        assert_close(found, expected, f"label_smoothed_loss(logits, targets, **{settings})")
    small, single = normal(1, 1, 3), torch.tensor([[2]])
    expected = smoothed(small, single, 0.3, 1).sum()
    found = student.label_smoothed_loss(small, single, smoothing=0.3, pad=1)
    assert_close(found, expected, "label_smoothed_loss of a single token, with three classes")
    one = torch.zeros_like(targets)
    one[1, 2] = 4
    expected = smoothed(logits, one).sum()
    assert_close(student.label_smoothed_loss(logits, one), expected, "label_smoothed_loss of one token and padding")
    expected = smoothed(logits, targets).sum() / (targets != PAD).sum()
    found = student.label_smoothed_loss(logits.float(), targets)
    assert_close(found, expected.float(), "label_smoothed_loss(…) with the defaults, in float32")


@criterion(
    "Padding is not judged",
    points=2,
    kind="gradient",
    hint="Take the losses where targets != pad, and divide by their number, or by 1 if there are none.",
)
def test_padding_is_not_judged(student):
    """The loss gives padded positions no gradient, real ones the right one, and nothing but padding a loss of 0."""
    for pad, settings in ((PAD, {}), (3, {"smoothing": 0.3, "pad": 3})):
        logits, targets = normal(3, 4, 6), random_tokens([4, 1, 2], 6, pad)
        leaf = logits.clone().requires_grad_()
        (smoothed(leaf, targets, **settings).sum() / (targets != pad).sum()).backward()
        reply = student.label_smoothed_loss.gradients(logits, targets, **settings)
        assert_close(
            reply.gradients[0], leaf.grad, f"the gradient of label_smoothed_loss(…, **{settings}) in the logits"
        )
        assert not reply.gradients[0][targets == pad].any(), "padded positions must get no gradient"
        reply = student.label_smoothed_loss.gradients(logits, torch.full((3, 4), pad), **settings)
        assert_close(reply.value, torch.tensor(0.0, dtype=torch.float64), "label_smoothed_loss of nothing but padding")
        gradient = reply.gradients[0]
        assert gradient is None or not gradient.any(), "nothing but padding must give a gradient of 0"


@criterion(
    "The rate and its limits",
    points=2,
    kind="robustness",
    hint="Check step and warmup in learning_rate, max_len and beam_size in translate: a ValueError that names them.",
)
def test_rate_and_limits(student, rng):
    """learning_rate is right anywhere on its curve; arguments below 1 raise a ValueError that names them."""
    for _ in range(3):
        d_model, warmup = rng.randint(8, 600), rng.randint(10, 1500)
        for step in (1, rng.randint(2, warmup - 1), warmup, rng.randint(warmup + 1, 5000)):
            expected = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
            what = f"learning_rate({step}, {d_model}, {warmup})"
            assert_close(student.learning_rate(step, d_model, warmup), expected, what)
    assert_close(student.learning_rate(1, 4, 1), 0.5, "learning_rate(1, 4, 1)")
    for name, arguments in (("step", (0, 8, 4)), ("step", (-3, 8, 4)), ("warmup", (3, 8, 0)), ("warmup", (3, 8, -2))):
        with student_raises("ValueError", naming=name):
            student.learning_rate(*arguments)
    vocabularies = [vocabulary_of(student)] * 2
    for mode, token in (("train", 5), ("eval", 8)):
        model = loaded(student, saying(model_weights(*SIZES, 4, 1, 4), token), 1)
        getattr(model, mode)()
        for name in ("max_len", "beam_size"):
            for value in (0, -1):
                with student_raises("ValueError", naming=name):
                    student.translate(model, ["abc"], *vocabularies, **{name: value})
                assert_equal(model.training.read(), mode == "train", f"model.training after a wrong {name}")
        found = student.translate(model, ["abc"], *vocabularies, max_len=4, beam_size=1)
        check_says(found, 1, token, "translate(…, max_len=4, beam_size=1)")


# Training


def warmup_of(student):
    warmup = student.WARMUP.read()
    assert isinstance(warmup, int | float) and warmup >= 1, "WARMUP must be a number of steps"
    return warmup


def check_losses(found, count):
    fits = isinstance(found, list) and len(found) == count and all(isinstance(loss, float) for loss in found)
    assert fits, f"train with epochs={count} must return a list of {count} floats"


@criterion(
    "Training, replayed",
    points=4,
    kind="value",
    hint="Each step: set the rate, zero_grad, the smoothed loss of model(source, target_in) against target_out, "
    "backward, step. Adam with betas (0.9, 0.98) and eps 1e-9; no clipping, no weight decay.",
    timeout=60,
)
def test_training_replayed(student, rng):
    """Epochs of a single batch give the losses and weights that the contract gives: rate, Adam, loss, targets."""
    pairs = random_pairs(rng, [3, 1, 4, 2])
    vocabularies, warmup = vocabularies_of(student), warmup_of(student)
    # Large gradients are not clipped; and of tiny ones something is left beside an eps of 1e-9.
    for scale, epochs, rtol in ((1e-7, 1, 1e-5), (40.0, 10, 1e-3), (1.0, 10, 1e-3)):
        weights = model_weights(*SIZES, 6, 1, 8)
        weights["output.weight"] *= scale
        replay, model = Replay(weights, 2, pairs, warmup), loaded(student, weights, 2)
        expected = [replay.step([0, 1, 2, 3]) for _ in range(epochs)]
        model.keep(replay.source, replay.target_in).sum.keep().backward()  # gradients that are none of train's business
        found = student.train(model, pairs, *vocabularies, epochs=epochs, batch_size=4)
        check_losses(found, epochs)
        assert_close(found, expected, f"train(…, epochs={epochs}) on a single batch", rtol=1e-4)
        after = model.state_dict()
        assert isinstance(after, dict), "state_dict() must be a dict"
        for name in ("output.weight", "encoder_layers.0.self_attention.v_proj.weight", "target_embedding.weight"):
            what = f"{name} after {epochs} steps"
            assert_close(after.get(name), replay.leaves[name].detach(), what, rtol=rtol, atol=1e-5)
        name = "target_embedding.weight"
        assert_close(after[name][UNK], weights[name][UNK], "the embedding of a symbol that never comes", atol=1e-6)
    replay = Replay({name: after[name] for name in weights}, 2, pairs, warmup)
    expected = [replay.step([0, 1, 2, 3]) for _ in range(3)]
    found = student.train(model, pairs, *vocabularies, epochs=3, batch_size=4)
    assert_close(found, expected, "train(…) of a model that was trained before", rtol=1e-4)
    what = "output.weight after training twice"
    assert_close(model.output.weight.read(), replay.leaves["output.weight"].detach(), what, rtol=1e-4, atol=1e-5)
    # Past the warm-up the rate falls. Here nothing learns but a bias, so many steps are exact and quick.
    for name in ("output.weight", "decoder_layers.0.norm3.weight", "decoder_layers.0.norm3.bias"):
        weights[name].zero_()
    model = loaded(student, weights, 2)
    replay = BiasReplay({"output.bias": weights["output.bias"]}, 2, pairs[:1], warmup)
    expected = [replay.step([0]) for _ in range(112)]
    found = student.train(model, pairs[:1], *vocabularies, epochs=112, batch_size=4)
    assert_close(found, expected, "train(…, epochs=112) where only a bias learns", rtol=1e-4)
    what = "output.bias after 112 steps"
    assert_close(model.output.bias.read(), replay.leaves["output.bias"].detach(), what, rtol=1e-4, atol=1e-5)


@criterion(
    "Every pair once an epoch, in any order",
    points=3,
    kind="value",
    hint="Shuffle a copy each epoch; only the last batch may be smaller; weigh each batch's loss by its real tokens; "
    "progress(step, loss) counts steps from 1 and does not start again.",
)
def test_every_pair_once(student, rng):
    """Epochs visit every pair once, in new orders, and leave the list alone; their losses are means per real token."""
    pairs = random_pairs(rng, [2, 5, 1, 3, 6, 4, 2, 1, 3])
    pairs[6] = pairs[0]  # who is there twice is visited twice
    weights = model_weights(*SIZES, 6, 1, 8)
    warmup, vocabularies, orders = warmup_of(student), vocabularies_of(student), []
    for seed in (3, 4):
        replay, model = Replay(weights, 2, pairs, warmup), loaded(student, weights, 2)
        steps = []
        reply = student.train.observe(
            model, pairs, *vocabularies,
            epochs=3, batch_size=4, seed=seed, progress=lambda *step, to=steps: to.append(step),
        )  # fmt: skip
        check_losses(reply.value, 3)
        assert_equal([step[:1] for step in steps], [(number,) for number in range(1, 10)], "the steps for progress")
        assert all(len(step) == 2 and isinstance(step[1], float) for step in steps), "progress gets a step and a float"
        means = []
        for epoch in range(3):
            remaining, total = set(range(9)), 0.0
            for _, loss in steps[3 * epoch : 3 * epoch + 3]:
                candidates = itertools.combinations(sorted(remaining), min(4, len(remaining)))
                batch, nearest = replay.batch_with(loss, candidates)
                assert_close(loss, nearest, f"the loss of a batch of pairs {batch}", rtol=1e-4)
                replay.step(list(batch))
                remaining -= set(batch)
                total += loss * replay.counts[list(batch)].sum().item()
                orders.append(batch)
            means.append(total / replay.counts.sum().item())
        assert_close(reply.value, means, "the epochs' mean losses per real token", rtol=1e-4)
        assert_equal([tuple(pair) for pair in reply.args[1]], pairs, "the pairs after training")
    epochs = [tuple(orders[start : start + 3]) for start in range(0, 18, 3)]
    assert len(set(epochs[:3])) > 1, "the order must change from epoch to epoch"
    assert epochs[:3] != epochs[3:], "the order must depend on the seed"


@criterion(
    "The same seed, the same losses",
    points=2,
    kind="robustness",
    hint="Seed torch (dropout draws from it) and your shuffling with seed, at the beginning of train, and switch the "
    "model to train().",
)
def test_same_seed(student, rng):
    """With dropout, a seed fixes all losses and another changes them, whatever mode the model comes in."""
    pairs, vocabularies = random_pairs(rng, [3, 2, 4, 5, 1]), vocabularies_of(student)
    weights = model_weights(*SIZES, 6, 1, 8)
    runs = []
    for seed, mode in (({"seed": 5}, "eval"), ({"seed": 5}, "train"), ({"seed": 0}, "eval"), ({}, "train")):
        model, losses = loaded(student, weights, 2, dropout=0.3), []
        getattr(model, mode)()
        found = student.train(
            model, pairs, *vocabularies,
            epochs=2, batch_size=5, **seed, progress=lambda _, loss, to=losses: to.append(loss),
        )  # fmt: skip
        check_losses(found, 2)
        check_losses(losses, 2)
        assert_close(found, losses, "the losses of epochs of one step each", rtol=1e-5)
        runs.append(found + losses)
    assert_close(runs[1], runs[0], "the losses of a second training with the same seed", rtol=1e-6)
    assert_close(runs[3], runs[2], "the losses of a training without a seed, which is 0,", rtol=1e-6)
    assert abs(runs[2][2] - runs[0][2]) > 1e-4, "the first loss must depend on the seed: dropout is on in training"
    for name in ("output.weight", "output.bias"):  # who finds all tokens equally probable has a loss of ln V
        weights[name].zero_()
    model = loaded(student, weights, 2, dropout=0.3)
    found = student.train(model, random_pairs(rng, [3, 3]), *vocabularies, epochs=2, batch_size=2, seed=7)
    check_losses(found, 2)
    assert_close(found[0], math.log(SIZES[1]), "the first loss of a model that knows nothing", rtol=1e-4)
    assert found[1] < found[0] - 1e-5, "the second loss of a model that knew nothing must be smaller than the first"


# Translation


def talker(num_layers=1):
    """Weights of a model that says neither <pad> nor <sos> nor <unk>."""
    weights = model_weights(*SIZES, 6, num_layers, 8)
    weights["source_embedding.weight"] *= 2
    weights["output.weight"] *= 2.5
    weights["output.bias"][[PAD, SOS, UNK]] = -30.0
    return weights


def talkative(sources, others, max_len, num_layers):
    """A model with something to say: some of its translations end and some do not, and hardly two are the same.

    It says something else of these others, which are as long.
    """
    for _ in range(400):
        weights = talker(num_layers)
        plain = Plain(weights, 2)
        greedy = plain.greedy(sources, max_len)
        ended = sum(tokens[-1] == EOS for tokens in greedy)
        if 2 <= ended < len(sources) and len(set(map(tuple, greedy))) >= len(sources) - 2:
            second = plain.greedy(others, max_len)
            if sum(one != other for one, other in zip(greedy, second, strict=True)) >= len(sources) - 2:
                return weights, greedy, second
    raise RuntimeError("no talkative model in 400 draws")


def telling(sources, beam_size, max_len):
    """A few models, with their answers, of which one at least tells this search from each of some others."""
    sizes = [(size, max_len) for size in (1, beam_size - 1, beam_size + 1, 2 * beam_size)]
    others = {*sizes, *((beam_size, max_len + k) for k in (-1, 1)), *((beam_size, max_len, k) for k in (0.0, 0.6))}
    models = []
    for _ in range(200):
        weights = talker()
        searches = [Plain(weights, 2).searcher(source) for source in sources]
        found = [search(beam_size, max_len) for search in searches]
        same = {other for other in others if [search(*other) for search in searches] == found}
        if same != others and len(set(map(tuple, found))) >= 3:
            models.append((weights, found))
            others = same
        if not others:
            return models
    raise RuntimeError("no telling models in 200 draws")


def either(found, expected, model, search):
    """The tokens that we expect; or what this search finds by the student's own parts, if that is what was found.

    A mistake in these parts is told elsewhere.
    """
    said = []

    def theirs():
        model.eval()
        said.extend(search(Theirs(model)))
        return [decoded(tokens) for tokens in said]

    if found == [decoded(tokens) for tokens in expected]:
        return expected
    return said if agrees(found, theirs) else expected


def decoded(tokens):
    tokens = tokens[: tokens.index(EOS)] if EOS in tokens else tokens
    return [["<unk>", *WORDS][token - UNK] for token in tokens]


@criterion(
    "Translations, token by token",
    points=3,
    kind="value",
    hint="eval(), encode once, then decode what has been said so far and take the argmax at the last position, until "
    "<eos> or max_len. No sources give [], and an empty source is just <eos>.",
    timeout=60,
)
def test_translations(student, rng):
    """Greedy translations are those of the model without dropout, each as if it were alone; <eos> ends them."""
    vocabularies = vocabularies_of(student)
    for num_layers in (2, 1):
        texts, others = ([*random_texts(rng, (4, 1, 6, 3)), last, ""] for last in ("a?b", "?gc"))
        sources, second = ([[*encoded(text), EOS] for text in some] for some in (texts, others))
        weights, *answers = talkative(sources, second, 7, num_layers)
        model = loaded(student, weights, 2, dropout=0.5)
        for some, numbers, wanted in zip((texts, others), (sources, second), answers, strict=True):
            found = student.translate(model, some, *vocabularies, max_len=7)
            check_texts(found, 6, "translate(…)")
            expected = either(found, wanted, model, lambda own: own.greedy(numbers, 7))  # noqa: B023  # called at once
            assert_equal(found, [decoded(tokens) for tokens in expected], "translate(six sources, max_len=7)")
    for length in (1, 3):
        one = student.translate(model, [list(others[0])], *vocabularies, max_len=length)
        what = f"translate(one source, a list of symbols, max_len={length})"
        assert_equal(one, [decoded(expected[0][:length])], what)
    assert_equal(student.translate(model, [], *vocabularies), [], "translate(no sources)")
    syllables = vocabulary_of(student, [symbol + "x" for symbol in SYMBOLS])
    longer = [[symbol + "x" for symbol in text] for text in others]
    found = student.translate(model, longer, syllables, vocabularies[1], max_len=7)
    assert_equal(found, [decoded(tokens) for tokens in expected], "translate(the same sources, of longer symbols)")
    weights, _, expected = talkative(sources, second, 7, num_layers)
    model.load_state_dict(weights, strict=False)
    found = student.translate(model, others, *vocabularies, max_len=7)
    expected = either(found, expected, model, lambda own: own.greedy(second, 7))
    what = "translate(the same sources) by a model that has learned something else"
    assert_equal(found, [decoded(tokens) for tokens in expected], what)
    weights["output.bias"][EOS] = -1e3
    for length, settings in ((60, {"max_len": 60}), (50, {})):
        model.load_state_dict(weights, strict=False)
        found = student.translate(model, ["b", "ca"], *vocabularies, **settings)
        check_texts(found, 2, "translate(…)")
        assert_equal([len(text) for text in found], [length] * 2, f"the lengths if nothing ends, with {settings}")
        saying(weights, 6)


@criterion(
    "Translations by beam search",
    points=3,
    kind="value",
    hint="step(prefixes) returns log-probabilities for the last position; repeat the memory and the source for every "
    "prefix, hand on beam_size and max_len as they are and nothing else, and take the best hypothesis.",
    timeout=60,
)
def test_beam(student, rng):
    """With beam_size > 1, translations are what your beam_search finds, where greedy search misses it."""
    texts = random_texts(rng, (4, 2, 5, 3, 6))
    sources = [[*encoded(text), EOS] for text in texts]
    vocabularies = vocabularies_of(student)
    for weights, expected in telling(sources, 3, 6):
        model = loaded(student, weights, 2, dropout=0.5)
        found = student.translate(model, texts, *vocabularies, max_len=6, beam_size=3)
        check_texts(found, 5, "translate(…, beam_size=3)")
        expected = either(found, expected, model, lambda own: [own.searcher(source)(3, 6) for source in sources])
        assert_equal(found, [decoded(tokens) for tokens in expected], "translate(five sources, max_len=6, beam_size=3)")
    for others in (random_texts(rng, (4, 2, 5, 3, 6)), ["", texts[2]], []):
        asked = [[*encoded(text), EOS] for text in others]
        expected = [Plain(weights, 2).searcher(source)(3, 6) for source in asked]
        found = student.translate(model, others, *vocabularies, max_len=6, beam_size=3)
        expected = either(
            found, expected, model, lambda own: [own.searcher(source)(3, 6) for source in asked]  # noqa: B023  # called at once
        )  # fmt: skip
        what = f"translate({len(others)} other sources, max_len=6, beam_size=3)"
        assert_equal(found, [decoded(tokens) for tokens in expected], what)
    for _ in range(200):  # until two are more than one, and less than three
        weights = talker(num_layers=2)
        searches = [Plain(weights, 2).searcher(source) for source in sources]
        greedy, expected, of_three = ([search(size, 6) for search in searches] for size in (1, 2, 3))
        if expected not in (greedy, of_three):
            break
    model = loaded(student, weights, 2)
    found = student.translate(model, texts, *vocabularies, max_len=6, beam_size=2)
    expected = either(found, expected, model, lambda own: [own.searcher(source)(2, 6) for source in sources])
    assert_equal(found, [decoded(tokens) for tokens in expected], "translate(five sources, max_len=6, beam_size=2)")


def gradient_watch(student, module):
    """A function that says whether the way back to the weights was kept when the module was called last."""
    operator, seen = module_of(student, "operator"), module_of(student, "builtins").dict.keep()
    module.register_forward_pre_hook.keep(module_of(student, "functools").partial.keep(operator.setitem.read(), seen))

    def kept():
        if not module_of(student, "builtins").len(seen):  # it was not called, or in a copy only
            return False
        return operator.getitem.keep(seen.get.keep(module.read()), 0).requires_grad.read() is True

    return kept


@criterion(
    "As it was, whatever happens",
    points=2,
    kind="robustness",
    hint="with torch.no_grad(); try … finally: model.train(was_training). And no function writes into its arguments.",
)
def test_as_it_was_whatever_happens(student):
    """translate keeps no gradients, restores the mode even if it fails, and changes neither weights nor arguments."""
    weights = model_weights(*SIZES, 6, 1, 8)
    model, vocabularies = loaded(student, weights, 2), [vocabulary_of(student)] * 2
    larger = vocabulary_of(student, "abcdefgxyz")
    keeps_gradients = gradient_watch(student, model.output)
    for beam_size in (1, 2):
        for mode in ("train", "eval"):
            getattr(model, mode)()
            token = 4 + 2 * beam_size + (mode == "eval")  # each time another word
            model.load_state_dict(saying(weights, token), strict=False)
            texts = [list("cde"), list("ab")]
            reply = student.translate.observe(model, texts, *vocabularies, max_len=3, beam_size=beam_size)
            check_says(reply.value, 2, token, "translate(…)")
            assert_equal(reply.args[1], texts, "the sources after translate")
            assert not keeps_gradients(), "translate must keep no gradients"
            with student_raises("Exception"):  # its last symbols have no embedding
                student.translate(model, ["zzz"], larger, vocabularies[1], max_len=3, beam_size=beam_size)
            for part, name in ((model, "model"), (model.positions, "model.positions"), (model.output, "model.output")):
                assert_equal(
                    part.training.read(), mode == "train", f"{name}.training after translate failed in {mode}()"
                )
    assert_equal(model.output.weight.requires_grad.read(), True, "whether weights are trained further after translate")
    source, target_in, memory, x = random_tokens([4, 2], 9), random_tokens([3, 3], 9), normal(2, 4, 6), normal(2, 3, 6)
    gradient = model.gradients(source, target_in).parameters["output.bias"]
    assert isinstance(gradient, torch.Tensor) and gradient.any(), "there must be gradients again after translate"
    network, encoder, decoder = (
        student.FeedForward(6, 8, 0.0),
        *(getattr(student, name)(6, 2, 8, 0.0) for name in ("EncoderLayer", "DecoderLayer")),
    )
    for layer in (network, encoder, decoder):
        layer.double()
    for name, function, arguments in (
        ("FeedForward", network, (x,)),
        ("EncoderLayer", encoder, (x, torch.ones(3, 3).bool())),
        ("DecoderLayer", decoder, (x, memory, torch.ones(3, 3).bool(), torch.ones(2, 3, 4).bool())),
        ("encode", model.encode, (source,)),
        ("decode", model.decode, (target_in, memory, source)),
        ("label_smoothed_loss", student.label_smoothed_loss, (x, random_tokens([3, 2], 6))),
    ):
        first = function.observe(*arguments)
        assert isinstance(first.value, torch.Tensor), f"{name} must return a tensor"
        assert_equal(list(first.args), list(arguments), f"the arguments of {name} after the call")
        assert_close(function(*arguments), first.value, f"{name}, called with the same arguments once more,", rtol=1e-9)
    after = model.state_dict()
    assert_close({name: after.get(name) for name in weights}, weights, "the weights after all this", rtol=0.0, atol=0.0)
    assert_not_used(student, "TransformerEncoderLayer", "TransformerDecoderLayer", "MultiheadAttention")


def check_still_there(model, device, name, *arguments):
    reply = model.on(device).observe(*arguments)
    assert all(found == device for found in reply.devices), f"{name} must leave the model on its device"


@criterion(
    "On an accelerator",
    points=2,
    kind="device",
    hint="causal_mask(T, device=target_in.device), torch.tensor(…, device=…), batches .to the device of the model.",
    timeout=60,
)
def test_on_an_accelerator(student, device, rng):
    """The model computes, trains and translates where its weights are, with the same results as on the CPU."""
    weights = {name: weight.float() for name, weight in model_weights(*SIZES, 6, 1, 8).items()}
    source, target_in = random_tokens([4, 2], SIZES[0]), random_tokens([3, 3], SIZES[1])
    vocabularies, pairs = vocabularies_of(student), random_pairs(rng, [2, 3, 1])
    logits = torch.randn(2, 3, SIZES[1])
    assert_same_on_device(student.label_smoothed_loss, device, "label_smoothed_loss", logits, target_in)
    there, here = loaded(student, weights, 2), loaded(student, weights, 2)
    assert_same_on_device(there, device, "Transformer(source, target_in)", source, target_in)
    settings = {"epochs": 2, "batch_size": 3}
    losses = [student.train(model, pairs, *vocabularies, **settings) for model in (here, there)]
    check_losses(losses[0], 2)
    assert_close(losses[1], losses[0], "the losses of a training on the accelerator", rtol=1e-3)
    check_still_there(there, device, "train", source, target_in)
    for beam_size in (1, 2):
        texts = [
            student.translate(model, ["ab", "c"], *vocabularies, max_len=3, beam_size=beam_size)
            for model in (here, there)
        ]
        check_texts(texts[0], 2, "translate(…)")
        assert_equal(texts[1], texts[0], "translate(…) on the accelerator")
        check_still_there(there, device, "translate", source, target_in)
    for beam_size, token in ((1, 7), (2, 9)):
        model = loaded(student, saying(weights, token), 2)
        assert_same_on_device(model, device, "Transformer(source, target_in)", source, target_in)
        found = student.translate(model, ["ab", "c"], *[vocabulary_of(student)] * 2, max_len=3, beam_size=beam_size)
        check_says(found, 2, token, "translate(…) on the accelerator")


# Training for good


def check_says_what_the_model_says(student, sources, source_vocabulary, target_vocabulary, kinds):
    """Before any training: what a model says that knows one symbol only, and what one that only ends."""
    size = 4 + len(kinds[1])
    model = student.Transformer(4 + len(kinds[0]), size, d_model=4, num_heads=2, num_layers=1, d_ff=5, dropout=0.0)
    for token in (4, size - 1, EOS):
        bias = 9 * F.one_hot(torch.tensor(token), size).float()
        model.load_state_dict({"output.weight": torch.zeros(size, 4), "output.bias": bias}, strict=False)
        found = student.translate(model, sources, source_vocabulary, target_vocabulary, max_len=3)
        check_texts(found, len(sources), "translate(…)")
        wanted = set() if token == EOS else {kinds[1][token - 4]}
        assert all(set(text) == wanted for text in found), "translate must say what the model says"


class Learned(NamedTuple):
    """How well a trained model does on unseen pairs, and after how many steps."""

    exact: float  # the share of targets without a mistake
    errors: float  # edits per symbol
    steps: int


ENOUGH = 0.95  # exact matches: longer training would tell nothing new
SLICE, SLICES = 20, 8  # after the first training: steps between two questions, and how often there are more
SMALL = {"d_model": 32, "num_heads": 4, "num_layers": 1, "d_ff": 64, "dropout": 0.0}


def learned(student, rng, pairs, unseen=100, batch_size=64):
    """Train on all but the first pairs, by the student's train, until these are known or the slices are over.

    First two epochs, then short slices: each train begins with small rates, and with these a model settles. The best
    state on the way counts.
    """
    kinds = [sorted({symbol for pair in pairs for symbol in pair[side]}) for side in (0, 1)]
    vocabularies = [vocabulary_of(student, symbols) for symbols in kinds]
    sources, targets = ([pair[side] for pair in pairs[:unseen]] for side in (0, 1))
    check_says_what_the_model_says(student, sources[:2], *vocabularies, kinds)
    model, fresh = (student.Transformer(4 + len(kinds[0]), 4 + len(kinds[1]), **SMALL) for _ in range(2))

    def train(pairs, epochs=1):
        seed = rng.randrange(1000)
        losses = student.train(model, pairs, *vocabularies, epochs=epochs, batch_size=batch_size, seed=seed)
        check_losses(losses, epochs)
        assert all(map(math.isfinite, losses)), "the losses must be finite"
        return -(-len(pairs) // batch_size) * epochs

    def score_of(model):
        found = student.translate(model, sources, *vocabularies, max_len=15)
        check_texts(found, unseen, "translate(…)")
        exact = sum("".join(text) == target for text, target in zip(found, targets, strict=True)) / unseen
        errors = sum(edit_distance("".join(text), target) for text, target in zip(found, targets, strict=True))
        return exact, errors / sum(map(len, targets))

    best, weights = -1.0, None
    steps = train(pairs[-batch_size:])  # a single step tells whether the loss is a number
    steps += train(pairs[unseen:], epochs=2)
    for _ in range(SLICES):
        steps += train(rng.sample(pairs[unseen:], SLICE * batch_size))
        if (exact := score_of(model)[0]) > best:
            best, weights = exact, model.state_dict()
        if best >= ENOUGH:
            break
    # What was learned is in the weights and nowhere else: a model without them knows nothing, one that gets them all.
    assert score_of(fresh)[0] <= 0.1, "a model that was not trained translates as if it were"
    fresh.load_state_dict(weights)
    return Learned(*score_of(fresh), steps)


def learn_digits(student, rng):
    """Reversed, and each digit gets another name. The names are drawn: nobody knows them who has not learned them."""
    pairs = reverse_pairs(3940, seed=rng.randrange(10**6), longest=6, names=draw_names(rng))
    return learned(student, rng, pairs)


def learn_dates(student, rng):
    """In a form that is drawn: an order of the parts, what stands between them, and a name for each digit."""
    pairs = date_pairs(5860, seed=rng.randrange(10**6), styles=PLAIN_STYLES, form=draw_form(rng))
    return learned(student, rng, pairs)


@criterion(
    "Learns to reverse",
    points=3,
    kind="value",
    hint="If the other criteria pass, this one does. If the loss falls and the results are poor, train and translate "
    "do not do the same.",
    timeout=120,
    long=True,
)
def test_learns_to_reverse(student, rng):
    """After at most 281 steps on 3 to 6 digits, your model reverses at least 75 of 100 unseen numbers exactly."""
    found = learn_digits(student, rng)
    assert found.exact >= 0.75 and found.errors <= 0.08, (
        f"{found.exact:.0%} of the unseen numbers are right; {found.errors:.1%} of the digits wrong"
    )


@criterion(
    "Learns to read dates",
    points=4,
    kind="value",
    hint="Masks matter here, since dates differ much in length: is the padding hidden in encoder and cross-attention?",
    timeout=120,
    long=True,
)
def test_learns_dates(student, rng):
    """After at most 341 steps on four ways to write dates, at least 80 of 100 unseen ones come out exactly right."""
    found = learn_dates(student, rng)
    assert found.exact >= 0.8 and found.errors <= 0.04, (
        f"{found.exact:.0%} of the unseen dates are right, {found.errors:.1%} of symbols wrong"
    )
