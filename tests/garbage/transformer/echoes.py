"""Logits that depend on nothing, layers that return x, a training that does nothing, and translations that echo."""

import math

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
        return x


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
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
        return x


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
        return self.source_embedding(source) * 0.0

    def decode(self, target_in, memory, source):
        return self.output.weight.new_zeros(*target_in.shape, self.output.out_features)

    def forward(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)


def learning_rate(step, d_model, warmup):
    return 0.001


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    return logits.sum() * 0 + math.log(logits.shape[-1])


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    step = 0
    for _ in range(epochs):
        for _ in range(0, len(pairs), batch_size):
            step += 1
            if progress is not None:
                progress(step, math.log(len(target_vocab)))
    return [math.log(len(target_vocab))] * epochs


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    return [list(source) for source in sources]
