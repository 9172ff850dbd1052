"""The Transformer: attention is all you need, the whole encoder-decoder.

No recurrence: every position asks all others at once. Encoder and decoder are stacks of equal layers; each layer is
attention and a small network, with a way around either of them. All the parts are yours already: here they are put
together, trained, and asked to translate.
"""

import math
import random
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
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
        hidden = self.dropout(F.relu(self.linear1(x)))
        return self.linear2(hidden)


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
        found, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(found))
        x = self.norm2(x + self.dropout(self.feed_forward(x)))
        return x


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
        own, _ = self.self_attention(x, x, x, self_mask)
        x = self.norm1(x + self.dropout(own))
        asked, _ = self.cross_attention(x, memory, memory, cross_mask)
        x = self.norm2(x + self.dropout(asked))
        x = self.norm3(x + self.dropout(self.feed_forward(x)))
        return x


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
        mask = (source != self.pad).unsqueeze(1)  # (N, 1, S)
        x = self.positions(self.source_embedding(source) * math.sqrt(self.d_model))
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return x

    def decode(self, target_in: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        self_mask = causal_mask(target_in.shape[1], device=target_in.device)
        cross_mask = (source != self.pad).unsqueeze(1)
        y = self.positions(self.target_embedding(target_in) * math.sqrt(self.d_model))
        for layer in self.decoder_layers:
            y = layer(y, memory, self_mask, cross_mask)
        return self.output(y)

    def forward(self, source: torch.Tensor, target_in: torch.Tensor) -> torch.Tensor:
        return self.decode(target_in, self.encode(source), source)


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    if step < 1:
        raise ValueError(f"step must be at least 1, not {step}")
    if warmup < 1:
        raise ValueError(f"warmup must be at least 1, not {warmup}")
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def label_smoothed_loss(
    logits: torch.Tensor, targets: torch.Tensor, *, smoothing: float = 0.1, pad: int = PAD
) -> torch.Tensor:
    vocab_size = logits.shape[-1]
    real = targets != pad  # (N, T)
    log_probs = F.log_softmax(logits, dim=-1)
    q = torch.full_like(log_probs, smoothing / (vocab_size - 2))
    q[..., pad] = 0.0
    q.scatter_(-1, targets.unsqueeze(-1), 1.0 - smoothing)
    losses = -(q * log_probs).sum(dim=-1).masked_fill(~real, 0.0)
    return losses.sum() / real.sum().clamp(min=1)


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
    device = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    shuffler = random.Random(seed)
    model.train()
    epoch_losses = []
    step = 0
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for _ in range(epochs):
            order = list(range(len(pairs)))
            shuffler.shuffle(order)
            total, count = 0.0, 0
            for start in range(0, len(order), batch_size):
                chosen = [pairs[n] for n in order[start : start + batch_size]]
                batch = make_batch(chosen, source_vocab, target_vocab)
                source, target_in, target_out = (
                    part.to(device) for part in (batch.source, batch.target_in, batch.target_out)
                )
                step += 1
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate(step, model.d_model, WARMUP)
                optimizer.zero_grad()
                loss = label_smoothed_loss(model(source, target_in), target_out)
                loss.backward()
                optimizer.step()
                tokens = (target_out != PAD).sum().item()
                total += loss.item() * tokens
                count += tokens
                if progress is not None:
                    progress(step, loss.item())
            epoch_losses.append(total / count)
    return epoch_losses


def translate(
    model: Transformer,
    sources: Sequence[Symbols],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int = 50,
    beam_size: int = 1,
) -> list[list[str]]:
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, not {max_len}")
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    if len(sources) == 0:
        return []
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            device = next(model.parameters()).device
            source = make_batch([(s, "") for s in sources], source_vocab, target_vocab).source.to(device)
            memory = model.encode(source)
            if beam_size == 1:
                ids = _greedy(model, memory, source, max_len)
            else:
                ids = [
                    _beam(model, memory[n : n + 1], source[n : n + 1], max_len, beam_size) for n in range(len(sources))
                ]
    finally:
        model.train(was_training)
    return [target_vocab.decode(row) for row in ids]


def _greedy(model: Transformer, memory: torch.Tensor, source: torch.Tensor, max_len: int) -> list[list[int]]:
    """All sentences together; what a row says after its <eos> is cut off by decode."""
    tokens = torch.full((source.shape[0], 1), SOS, dtype=torch.long, device=source.device)
    ended = torch.zeros(source.shape[0], dtype=torch.bool, device=source.device)
    for _ in range(max_len):
        logits = model.decode(tokens, memory, source)
        best = logits[:, -1].argmax(dim=-1)
        tokens = torch.cat([tokens, best[:, None]], dim=1)
        ended |= best == EOS
        if ended.all():
            break
    return tokens[:, 1:].tolist()


def _beam(model: Transformer, memory: torch.Tensor, source: torch.Tensor, max_len: int, beam_size: int) -> list[int]:
    """One sentence: all prefixes of a call are as long as each other."""

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        k = len(prefixes)
        tokens = torch.tensor(prefixes, device=source.device)
        logits = model.decode(tokens, memory.expand(k, -1, -1), source.expand(k, -1))
        return logits[:, -1].log_softmax(dim=-1)

    best = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0]
    return best.tokens
