"""numpy draws the order, fork_rng keeps torch's own state, and translation runs the whole model for every token."""

import math

import numpy as np
import torch
import torch.nn as nn

from beam_search import beam_search
from multihead_attention import MultiHeadAttention
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
        N, S = source.shape
        mask = source.ne(self.pad).unsqueeze(1).repeat(1, S, 1)  # (N, S, S)
        x = self.positions(self.source_embedding(source) * self.d_model**0.5)
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return x

    def decode(self, target_in, memory, source):
        N, T = target_in.shape
        place = torch.arange(T, device=target_in.device)
        causal = place.view(1, T, 1) >= place.view(1, 1, T)
        self_mask = causal & target_in.ne(self.pad).unsqueeze(1)  # (N, T, T)
        cross_mask = source.ne(self.pad).unsqueeze(1).repeat(1, T, 1)  # (N, T, S)
        x = self.positions(self.target_embedding(target_in) * self.d_model**0.5)
        for layer in self.decoder_layers:
            x = layer(x, memory, self_mask, cross_mask)
        return self.output(x)

    def forward(self, source, target_in):
        memory = self.encode(source)
        return self.decode(target_in, memory, source)


def learning_rate(step, d_model, warmup):
    if step < 1:
        raise ValueError("step starts at 1")
    if warmup < 1:
        raise ValueError("warmup must be positive")
    if step < warmup:
        return step / (math.sqrt(d_model) * warmup**1.5)
    return 1 / math.sqrt(d_model * step)


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    """As the cross-entropy between two distributions, which F.cross_entropy can do."""
    size = logits.shape[-1]
    goal = nn.functional.one_hot(targets, size).to(logits.dtype) * (1 - smoothing - smoothing / (size - 2))
    goal = goal + smoothing / (size - 2)
    goal[..., pad] = 0.0
    losses = nn.functional.cross_entropy(logits.movedim(-1, 1), goal.movedim(-1, 1), reduction="none")  # (N, T)
    real = (targets != pad).to(logits.dtype)
    return (losses * real).sum() / real.sum().clamp(min=1.0)


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _train(model, pairs, source_vocab, target_vocab, epochs, batch_size, np.random.default_rng(seed), progress)


def _train(model, pairs, source_vocab, target_vocab, epochs, batch_size, rng, progress):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    device = next(iter(model.parameters())).device
    model.train()
    means, step = [], 0
    for _ in range(epochs):
        order = rng.permutation(len(pairs))
        per_step = []
        for chosen in np.array_split(order, range(batch_size, len(order), batch_size)):
            step += 1
            optimizer.param_groups[0].update(lr=learning_rate(step, model.d_model, WARMUP))
            per_step.append(_one_step(model, optimizer, [pairs[i] for i in chosen], source_vocab, target_vocab, device))
            if progress is not None:
                progress(step, per_step[-1][0])
        losses, counts = np.array(per_step).T
        means.append(float(np.average(losses, weights=counts)))
    return means


def _one_step(model, optimizer, pairs, source_vocab, target_vocab, device):
    batch = make_batch(pairs, source_vocab, target_vocab)
    targets = batch.target_out.to(device)
    tokens = targets.ne(PAD).sum()
    optimizer.zero_grad(set_to_none=False)
    loss = label_smoothed_loss(model(batch.source.to(device), batch.target_in.to(device)), targets)
    loss.backward()
    optimizer.step()
    return loss.item(), tokens.item()


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError("max_len < 1")
    if beam_size < 1:
        raise ValueError("beam_size < 1")
    was = model.training
    model.eval()
    try:
        with torch.no_grad():
            return [_search(model, text, source_vocab, target_vocab, max_len, beam_size) for text in sources]
    finally:
        model.train(was)


def _search(model, text, source_vocab, target_vocab, max_len, beam_size):
    device = model.output.bias.device
    source = torch.as_tensor(source_vocab.encode(text) + [EOS], device=device).unsqueeze(0)
    if beam_size == 1:
        tokens = [SOS]
        while len(tokens) <= max_len and tokens[-1] != EOS:
            logits = model(source, torch.tensor([tokens], device=device))  # all anew each time
            tokens.append(int(logits[0, -1].argmax()))
        return target_vocab.decode(tokens)

    def step(prefixes):
        rows = [model(source, torch.tensor([prefix], device=device))[0, -1] for prefix in prefixes]
        return torch.stack(rows).log_softmax(-1)

    return target_vocab.decode(beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens)
