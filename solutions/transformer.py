"""The Transformer: attention is all you need, the whole encoder-decoder.

No recurrence: every position asks all others at once. Encoder and decoder are stacks of equal layers; each layer is
attention and a small network, with a way around either of them. All the parts are yours already: here they are put
together, trained, and asked to translate.
"""

import math
import random
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
        ### BEGIN SOLUTION
        hidden = self.linear1(x).relu()  # (N, L, d_ff)
        return self.linear2(self.dropout(hidden))
        ### END SOLUTION


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
        ### BEGIN SOLUTION
        found, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(found))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
        ### END SOLUTION


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
        ### BEGIN SOLUTION
        found, _ = self.self_attention(x, x, x, self_mask)
        x = self.norm1(x + self.dropout(found))
        found, _ = self.cross_attention(x, memory, memory, cross_mask)  # the target asks, the source answers
        x = self.norm2(x + self.dropout(found))
        return self.norm3(x + self.dropout(self.feed_forward(x)))
        ### END SOLUTION


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

    ### BEGIN SOLUTION
    def embed(self, embedding: nn.Embedding, tokens: torch.Tensor) -> torch.Tensor:
        """What the tokens mean and where they stand: (N, L) -> (N, L, D)."""
        return self.positions(embedding(tokens) * math.sqrt(self.d_model))

    def source_mask(self, source: torch.Tensor) -> torch.Tensor:
        """Which keys are real, for all queries alike: (N, S) -> bool (N, 1, S)."""
        return (source != self.pad)[:, None, :]

    ### END SOLUTION
    def encode(self, source: torch.Tensor) -> torch.Tensor:
        """source: (N, S) tokens, padded with self.pad -> memory: (N, S, D)"""
        ### BEGIN SOLUTION
        mask = self.source_mask(source)
        x = self.embed(self.source_embedding, source)
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return x
        ### END SOLUTION

    def decode(self, target_in: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """target_in: (N, T), begins with <sos>, memory: (N, S, D), source: (N, S), for its padding -> logits (N, T, V)

        The logits at t speak of the token after target_in[:, t], and depend on target_in[:, : t + 1] only.
        """
        ### BEGIN SOLUTION
        # Padding stands at the end of a target, so "no future" already hides it from every real token.
        self_mask = causal_mask(target_in.shape[1], device=target_in.device)  # (T, T)
        cross_mask = self.source_mask(source)
        x = self.embed(self.target_embedding, target_in)
        for layer in self.decoder_layers:
            x = layer(x, memory, self_mask, cross_mask)
        return self.output(x)
        ### END SOLUTION

    def forward(self, source: torch.Tensor, target_in: torch.Tensor) -> torch.Tensor:
        """source: (N, S), target_in: (N, T) -> logits (N, T, V)"""
        ### BEGIN SOLUTION
        return self.decode(target_in, self.encode(source), source)
        ### END SOLUTION


### BEGIN SOLUTION
def check_at_least_one(**arguments: int) -> None:
    """Refuse an argument below 1, by its name."""
    for name, value in arguments.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")


### END SOLUTION


def learning_rate(step: int, d_model: int, warmup: int) -> float:
    """Up in a straight line for warmup steps, then down with the root of the step; steps count from 1.

    >>> [round(learning_rate(step, d_model=64, warmup=100), 5) for step in (1, 50, 100, 400)]
    [0.00013, 0.00625, 0.0125, 0.00625]
    """
    ### BEGIN SOLUTION
    check_at_least_one(step=step, warmup=warmup)
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


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
    ### BEGIN SOLUTION
    log_probs = logits.log_softmax(dim=-1)  # (N, T, V)
    right = log_probs.gather(-1, targets[..., None])[..., 0]  # (N, T)
    others = log_probs.sum(dim=-1) - right - log_probs[..., pad]  # (N, T), over V - 2 classes
    losses = -(1 - smoothing) * right - smoothing / (logits.shape[-1] - 2) * others
    real = targets != pad
    return losses[real].sum() / real.sum().clamp(min=1)  # the clamp: no token, no loss, and no 0/0
    ### END SOLUTION


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
    ### BEGIN SOLUTION
    torch.manual_seed(seed)  # for dropout
    shuffler = random.Random(seed)
    device = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    model.train()
    means: list[float] = []
    step = 0
    for _ in range(epochs):
        order = shuffler.sample(pairs, len(pairs))  # a copy: the caller's list stays as it is
        total, tokens = 0.0, 0
        for start in range(0, len(order), batch_size):
            batch = make_batch(order[start : start + batch_size], source_vocab, target_vocab)
            source, target_in, target_out = (
                tensor.to(device) for tensor in (batch.source, batch.target_in, batch.target_out)
            )
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, model.d_model, WARMUP)
            loss = label_smoothed_loss(model(source, target_in), target_out)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            count = int((target_out != PAD).sum())
            total += loss.item() * count  # batches differ in length: a mean of their means would favour short ones
            tokens += count
            if progress is not None:
                progress(step, loss.item())
        means.append(total / tokens)
    return means
    ### END SOLUTION


### BEGIN SOLUTION
def greedy_tokens(model: Transformer, source: torch.Tensor, max_len: int) -> list[list[int]]:
    """The most probable next token, again and again, for all sources together: (N, S) -> N lists."""
    memory = model.encode(source)  # once: it does not depend on what has been said
    tokens = source.new_full((len(source), 1), SOS)  # (N, 1), then one longer each time
    for _ in range(max_len):
        logits = model.decode(tokens, memory, source)[:, -1]  # (N, V)
        tokens = torch.cat([tokens, logits.argmax(dim=-1, keepdim=True)], dim=1)
        if (tokens == EOS).any(dim=1).all():
            break
    return tokens[:, 1:].tolist()  # what follows an <eos> is nobody's business: decode cuts it off


def beam_tokens(model: Transformer, source: torch.Tensor, max_len: int, beam_size: int) -> list[int]:
    """The best hypothesis of a beam search for one source: (1, S) -> tokens."""
    memory = model.encode(source)  # (1, S, D)

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        """The search's question: (k prefixes) -> (k, V)."""
        tokens = torch.tensor(prefixes, device=source.device)  # (k, t)
        k = len(prefixes)
        logits = model.decode(tokens, memory.expand(k, -1, -1), source.expand(k, -1))
        return logits[:, -1].log_softmax(dim=-1)

    return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens


### END SOLUTION


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
    ### BEGIN SOLUTION
    check_at_least_one(max_len=max_len, beam_size=beam_size)
    if not sources:
        return []
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            source = make_batch([(source, "") for source in sources], source_vocab, target_vocab).source.to(device)
            if beam_size == 1:
                found = greedy_tokens(model, source, max_len)
            else:
                found = [beam_tokens(model, one, max_len, beam_size) for one in source.split(1)]
    finally:
        model.train(was_training)
    return [target_vocab.decode(tokens) for tokens in found]
    ### END SOLUTION
