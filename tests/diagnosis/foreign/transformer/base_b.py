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
        x = self.linear1(x)
        x = x.clamp(min=0)
        x = self.dropout(x)
        return self.linear2(x)


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
        residual = x
        x = self.self_attention(x, x, x, mask=mask)[0]
        x = self.dropout(x)
        x = self.norm1(residual + x)
        residual = x
        x = self.feed_forward(x)
        x = self.dropout(x)
        return self.norm2(residual + x)


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
        sublayers = (
            (self.norm1, lambda y: self.self_attention(y, y, y, self_mask)[0]),
            (self.norm2, lambda y: self.cross_attention(y, memory, memory, cross_mask)[0]),
            (self.norm3, self.feed_forward),
        )
        for norm, sublayer in sublayers:
            x = norm(x + self.dropout(sublayer(x)))
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

    def _embed(self, embedding: nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
        return self.positions(embedding(tokens) * self.d_model**0.5)

    def _real(self, tokens: torch.Tensor) -> torch.Tensor:
        return tokens.ne(self.pad)[:, None, :]  # (N, 1, L)

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        memory = self._embed(self.source_embedding, source)
        real = self._real(source)
        for layer in self.encoder_layers:
            memory = layer(memory, mask=real)
        return memory

    def decode(self, target_in: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        width = target_in.shape[1]
        past = causal_mask(width, device=target_in.device)[None] & self._real(target_in)  # (N, T, T)
        hidden = self._embed(self.target_embedding, target_in)
        for layer in self.decoder_layers:
            hidden = layer(hidden, memory, self_mask=past, cross_mask=self._real(source))
        return self.output(hidden)

    def forward(self, source: torch.Tensor, target_in: torch.Tensor) -> torch.Tensor:
        memory = self.encode(source)
        return self.decode(target_in, memory, source)


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    for name, value in (("step", step), ("warmup", warmup)):
        if value < 1:
            raise ValueError(f"{name} is {value}, but counts from 1")
    if step <= warmup:
        return step / (warmup**1.5 * d_model**0.5)
    return 1.0 / (step * d_model) ** 0.5


def label_smoothed_loss(
    logits: torch.Tensor, targets: torch.Tensor, *, smoothing: float = 0.1, pad: int = PAD
) -> torch.Tensor:
    real = (targets != pad).flatten()
    rows = logits.flatten(0, 1)[real]  # (real tokens, V)
    right = targets.flatten()[real]
    if len(right) == 0:
        return logits.sum() * 0.0
    log_probs = torch.log_softmax(rows, dim=1)
    log_right = log_probs.gather(1, right[:, None])[:, 0]
    log_others = log_probs.sum(1) - log_probs[:, pad] - log_right
    share = smoothing / (logits.shape[2] - 2)
    return -((1 - smoothing) * log_right + share * log_others).mean()


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
    torch.manual_seed(seed)
    order = torch.Generator().manual_seed(seed)
    model.train()
    where = next(model.parameters()).device
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    step, means = 1, []
    for _ in range(epochs):
        shuffled = [pairs[n] for n in torch.randperm(len(pairs), generator=order).tolist()]
        batches = [shuffled[n : n + batch_size] for n in range(0, len(shuffled), batch_size)]
        losses, sizes = [], []
        for some in batches:
            source, _, target_in, target_out = (part.to(where) for part in make_batch(some, source_vocab, target_vocab))
            adam.param_groups[0]["lr"] = learning_rate(step, model.d_model, WARMUP)
            logits = model(source, target_in)
            loss = label_smoothed_loss(logits, target_out)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
            sizes.append(int((target_out != PAD).sum()))
            if progress:
                progress(step, losses[-1])
            step += 1
        means.append(sum(loss * size for loss, size in zip(losses, sizes)) / sum(sizes))
    return means


def translate(
    model: Transformer,
    sources: Sequence[Symbols],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int = 50,
    beam_size: int = 1,
) -> list[list[str]]:
    for name, value in (("max_len", max_len), ("beam_size", beam_size)):
        if value < 1:
            raise ValueError(f"{name} is {value}, and must be 1 or more")
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            return [
                target_vocab.decode(_say(model, source_vocab.encode(text) + [EOS], max_len, beam_size))
                for text in sources
            ]
    finally:
        model.train(mode)


def _say(model: Transformer, numbers: list[int], max_len: int, beam_size: int) -> list[int]:
    where = next(model.parameters()).device
    source = torch.tensor([numbers], device=where)
    memory = model.encode(source)

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        count = len(prefixes)
        logits = model.decode(
            torch.tensor(prefixes, device=where), memory.repeat(count, 1, 1), source.repeat(count, 1)
        )
        return torch.log_softmax(logits[:, -1, :], dim=-1)

    if beam_size > 1:
        found = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)
        return found[0].tokens
    said: list[int] = []
    while len(said) < max_len and EOS not in said:
        said.append(int(step([[SOS, *said]]).argmax()))
    return said
