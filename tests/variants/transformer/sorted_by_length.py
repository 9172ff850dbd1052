"""Sources sorted by length, and sentences that have ended leave the batch; the loss by gather, over flat tokens."""

import numpy as np

import torch
import torch.nn as nn

from beam_search import beam_search
from multihead_attention import MultiHeadAttention, causal_mask
from positional_encoding import PositionalEncoding
from seq2seq import EOS, PAD, SOS, make_batch

WARMUP = 100


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return nn.Sequential(self.linear1, nn.ReLU(), self.dropout, self.linear2)(x)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attention, weights = self.self_attention(x, x, x, mask=mask)
        attention = self.dropout(attention)
        x = self.norm1(x + attention)
        hidden = self.dropout(self.feed_forward(x))
        x = self.norm2(x + hidden)
        return x


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, mask=self_mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, mask=cross_mask)[0]))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=64, num_heads=4, num_layers=2, d_ff=128,
                 dropout=0.1, pad=0):
        super().__init__()
        self.d_model = d_model
        self.pad = pad
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = nn.Embedding(target_vocab_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        self.positions = PositionalEncoding(d_model, dropout)
        sizes = (d_model, num_heads, d_ff, dropout)
        self.encoder_layers = nn.ModuleList(EncoderLayer(*sizes) for _ in range(num_layers))
        self.decoder_layers = nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))
        self.output = nn.Linear(d_model, target_vocab_size)

    def encode(self, source):
        x = self.positions(self.d_model**0.5 * self.source_embedding(source))
        keys = source.not_equal(self.pad).unsqueeze(1)
        for layer in self.encoder_layers:
            x = layer(x, mask=keys)
        return x

    def decode(self, target_in, memory, source):
        y = self.positions(self.d_model**0.5 * self.target_embedding(target_in))
        keys = source.not_equal(self.pad).unsqueeze(1)
        past = causal_mask(target_in.shape[-1], device=y.device)
        for layer in self.decoder_layers:
            y = layer(y, memory, past, keys)
        return self.output(y)

    def forward(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)


def learning_rate(step, d_model, warmup):
    if step < 1:
        raise ValueError(f"step={step}")
    if warmup < 1:
        raise ValueError(f"warmup={warmup}")
    return float(np.power(d_model, -0.5) * np.minimum(step**-0.5, step * warmup**-1.5))


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    flat, answers = logits.flatten(0, 1), targets.flatten()  # (M, V), (M,)
    costs = -flat.log_softmax(-1)
    right = costs.gather(1, answers[:, None]).squeeze(1)
    wrong = costs.sum(1) - costs[:, pad] - right
    share = smoothing / (flat.shape[1] - 2)
    each = (1 - smoothing) * right + share * wrong
    count = answers.ne(pad).sum()
    return each.masked_fill(answers.eq(pad), 0).sum() / torch.clamp(count, min=1)


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    torch.manual_seed(seed)
    rng = np.random.RandomState(seed)
    where = next(model.parameters()).device
    adam = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    model.train()
    step, history = 1, []
    for _ in range(epochs):
        weighed = []
        order = rng.permutation(len(pairs)).tolist()
        for first in range(0, len(order), batch_size):
            batch = make_batch([pairs[i] for i in order[first : first + batch_size]], source_vocab, target_vocab)
            source, target_in, target_out = (t.to(where) for t in (batch.source, batch.target_in, batch.target_out))
            adam.zero_grad()
            loss = label_smoothed_loss(model(source, target_in), target_out)
            loss.backward()
            for group in adam.param_groups:
                group["lr"] = learning_rate(step, model.d_model, WARMUP)
            adam.step()
            weighed.append((loss.item(), target_out.count_nonzero().item()))
            if progress is not None:
                progress(step, loss.item())
            step += 1
        values, weights = zip(*weighed)
        history.append(float(np.dot(values, weights) / np.sum(weights)))
    return history


@torch.no_grad()
def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    for name, value in {"max_len": max_len, "beam_size": beam_size}.items():
        if value <= 0:
            raise ValueError(f"{name} must be at least 1, got {value}")
    was_training = model.training
    model.eval()
    try:
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        answers = [None] * len(sources)
        for start in range(0, len(order), 4):  # four of about the same length together
            some = order[start : start + 4]
            batch = make_batch([(sources[i], "") for i in some], source_vocab, target_vocab)
            source = batch.source.to(model.output.weight.device)
            say = _greedy if beam_size == 1 else _beam
            for i, tokens in zip(some, say(model, source, max_len, beam_size)):
                answers[i] = target_vocab.decode(tokens)
        return answers
    finally:
        model.train(was_training)


def _greedy(model, source, max_len, _):
    said = [[] for _ in source]
    alive = torch.arange(len(source), device=source.device)
    memory = model.encode(source)
    tokens = torch.full_like(source[:, :1], SOS)
    for _ in range(max_len):
        best = model.decode(tokens, memory[alive], source[alive])[:, -1].argmax(-1)
        for i, token in zip(alive.tolist(), best.tolist()):
            said[i].append(token)
        going = best != EOS
        alive, tokens = alive[going], torch.cat([tokens, best[:, None]], 1)[going]
        if len(alive) == 0:
            break
    return said


def _beam(model, source, max_len, beam_size):
    memory = model.encode(source)
    for row, known in zip(source, memory):
        row, known = row[row != PAD][None], known[row != PAD][None]

        def step(prefixes):
            n = len(prefixes)
            target_in = torch.as_tensor(prefixes).to(row.device)
            return model.decode(target_in, known.repeat(n, 1, 1), row.repeat(n, 1))[:, -1].log_softmax(-1)

        yield beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
