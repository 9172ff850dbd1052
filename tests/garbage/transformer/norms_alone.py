"""Layers that are their norms alone, logits without attention, losses that only look like learning, no answers."""

import math
import random

import torch
from multihead_attention import MultiHeadAttention
from positional_encoding import PositionalEncoding
from torch import nn

WARMUP = 100


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return torch.relu(x)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        return self.norm2(self.norm1(x))


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
        return self.norm3(self.norm2(self.norm1(x)))


class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        d_model=64,
        num_heads=4,
        num_layers=2,
        d_ff=128,
        dropout=0.1,
        pad=0,
    ):
        super().__init__()
        self.d_model = d_model
        self.pad = pad
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = nn.Embedding(target_vocab_size, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        sizes = (d_model, num_heads, d_ff, dropout)
        self.encoder_layers = nn.ModuleList(EncoderLayer(*sizes) for _ in range(num_layers))
        self.decoder_layers = nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))
        self.output = nn.Linear(d_model, target_vocab_size)

    def encode(self, source):
        return self.positions(self.source_embedding(source))

    def decode(self, target_in, memory, source):
        x = self.target_embedding(target_in)
        for layer in self.decoder_layers:
            x = layer(x, memory)
        return x @ self.output.weight.T

    def forward(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)


def learning_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("step and warmup must be at least 1")
    return step / warmup


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    real = (targets != pad).sum()
    return logits.sum() * 0 + (real > 0) * math.log(logits.shape[-1])


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    model.train()
    draw = random.Random(seed)
    losses = []
    step = 0
    for epoch in range(epochs):
        losses.append(math.log(len(target_vocab)) / (1 + epoch) + draw.random() / 10)
        for _ in range(0, len(pairs), batch_size):
            step += 1
            if progress is not None:
                progress(step, losses[-1])
    return losses


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1 or beam_size < 1:
        raise ValueError("max_len and beam_size must be at least 1")
    return [[] for _ in sources]
