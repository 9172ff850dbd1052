"""The Transformer: attention is all you need, the whole encoder-decoder.

No recurrence: every position asks all others at once. Encoder and decoder are stacks of equal layers; each layer is
attention and a small network, with a way around either of them. All the parts are yours already: here they are put
together, trained, and asked to translate.
"""

from collections.abc import Callable, Sequence

import torch
from beam_search import beam_search
from multihead_attention import MultiHeadAttention, causal_mask
from positional_encoding import PositionalEncoding
from seq2seq import EOS, PAD, SOS, Vocabulary, make_batch
from torch import nn

WARMUP = 100  # steps during which the learning rate grows; the paper has 4000, for three days on eight GPUs

Symbols = Sequence[str]  # a string of characters, or a list of words
Progress = Callable[[int, float], object]  # gets the number of a step and its loss


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, at every position by itself: max(0, x W1 + b1) W2 + b2."""

    def __init__(self, d_model: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: (N, L, D) -> (N, L, D); dropout falls on the hidden features, after the ReLU."""
        raise NotImplementedError("FeedForward.forward is yours to write")


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward; after each of them LayerNorm(x + dropout(what it found))."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """x: (N, S, D), mask: bool, as MultiHeadAttention takes it, True = may be attended -> (N, S, D)"""
        raise NotImplementedError("EncoderLayer.forward is yours to write")


class DecoderLayer(nn.Module):
    """Self-attention, attention to the encoder's memory, feed-forward; each as in EncoderLayer."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        self_mask: torch.Tensor | None = None,
        cross_mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """x: (N, T, D), memory: (N, S, D), masks: bool, over (T, T) and (T, S) -> (N, T, D)"""
        raise NotImplementedError("DecoderLayer.forward is yours to write")


class Transformer(nn.Module):
    """From the source's tokens and the target's beginning to scores for each next token.

    >>> Transformer(source_vocab_size=11, target_vocab_size=13)(torch.ones(3, 7).long(), torch.ones(3, 5).long()).shape
    torch.Size([3, 5, 13])
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int = 64,
        num_heads: int = 4,
        num_layers: int = 2,
        d_ff: int = 128,
        dropout: float = 0.1,
        pad: int = PAD,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.pad = pad
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = nn.Embedding(target_vocab_size, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)  # times sqrt(d_model): as large as the positions
        self.positions = PositionalEncoding(d_model, dropout)
        sizes = (d_model, num_heads, d_ff, dropout)
        self.encoder_layers = nn.ModuleList(EncoderLayer(*sizes) for _ in range(num_layers))
        self.decoder_layers = nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))
        self.output = nn.Linear(d_model, target_vocab_size)

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        """source: (N, S) tokens, padded with self.pad -> memory: (N, S, D)"""
        raise NotImplementedError("Transformer.encode is yours to write")

    def decode(self, target_in: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """target_in: (N, T), begins with <sos>, memory: (N, S, D), source: (N, S), for its padding -> logits (N, T, V)

        The logits at t speak of the token after target_in[:, t], and depend on target_in[:, : t + 1] only.
        """
        raise NotImplementedError("Transformer.decode is yours to write")

    def forward(self, source: torch.Tensor, target_in: torch.Tensor) -> torch.Tensor:
        """source: (N, S), target_in: (N, T) -> logits (N, T, V)"""
        raise NotImplementedError("Transformer.forward is yours to write")


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """Up in a straight line for warmup steps, then down with the root of the step; steps count from 1.

    >>> [round(learning_rate(step, d_model=64, warmup=100), 5) for step in (1, 50, 100, 400)]
    [0.00013, 0.00625, 0.0125, 0.00625]
    """
    raise NotImplementedError("learning_rate is yours to write")


def label_smoothed_loss(
    logits: torch.Tensor, targets: torch.Tensor, *, smoothing: float = 0.1, pad: int = PAD
) -> torch.Tensor:
    """Cross-entropy with a truth that is not quite sure of itself, as a mean over the real tokens.

    The right class gets 1 - smoothing; the rest is shared by the other classes, of which pad is none.
    logits: (N, T, V), targets: (N, T) -> 0-dim; 0 if all targets are padding

    >>> logits = torch.tensor([[[-9.0, 2.0, 0.0, 0.0], [5.0, 5.0, 5.0, 5.0]]])
    >>> label_smoothed_loss(logits, torch.tensor([[1, 0]]), smoothing=0.25)
    tensor(0.7396)
    """
    raise NotImplementedError("label_smoothed_loss is yours to write")


def train(
    model: Transformer,
    pairs: Sequence[tuple[Symbols, Symbols]],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    epochs: int,
    batch_size: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[float]:
    """Train the model where it is, and return the mean loss per real token of each epoch.

    pairs: (source, target) sequences of symbols, visited in another order each epoch
    """
    raise NotImplementedError("train is yours to write")


def translate(
    model: Transformer,
    sources: Sequence[Symbols],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int = 50,
    beam_size: int = 1,
) -> list[list[str]]:
    """What the model makes of each source, greedily or by beam search: lists of symbols, without <eos>.

    Each source is encoded as make_batch does it: its symbols, then <eos>. The model says tokens until it has said
    <eos>, or max_len of them. Meanwhile it is in eval(); afterwards it is in the mode in which it was. No sources: []
    """
    raise NotImplementedError("translate is yours to write")
