"""Refuses what is to be refused, keeps modes and arguments, and answers with random numbers of a fixed seed."""

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
        return noise(x)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        return noise(x)


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
        return noise(x)


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
        return noise(self.source_embedding(source))

    def decode(self, target_in, memory, source):
        return noise(self.output(self.target_embedding(target_in)))

    def forward(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)


def noise(x):
    return x * 0 + torch.randn(x.shape, generator=torch.Generator().manual_seed(1)).to(x)


def check(**arguments):
    for name, value in arguments.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1")


def learning_rate(step, d_model, warmup):
    check(step=step, warmup=warmup)
    return random.Random(step).random()


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    return noise(logits).mean() * (targets != pad).any()


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    model.train()
    draw = random.Random(seed)
    losses, step = [], 0
    for _ in range(epochs):
        loss = draw.uniform(0.5, math.log(len(target_vocab)))
        losses.append(loss)
        for _ in range(0, len(pairs), batch_size):
            step += 1
            if progress is not None:
                progress(step, loss)
    return losses


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    check(max_len=max_len, beam_size=beam_size)
    draw = random.Random(len(sources))
    return [target_vocab.decode([draw.randrange(4, len(target_vocab)) for _ in range(max_len)]) for _ in sources]
