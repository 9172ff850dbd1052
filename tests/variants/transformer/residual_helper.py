"""One helper for all residuals, einsum in the feed-forward network, masks with an axis for the heads."""

import math

import torch
import torch.nn as nn

from beam_search import beam_search
from multihead_attention import MultiHeadAttention, causal_mask
from positional_encoding import PositionalEncoding
from seq2seq import EOS, PAD, SOS, make_batch

WARMUP = 100


def _around(x, norm, dropout, sublayer):
    """A sublayer with the way around it."""
    return norm(x + dropout(sublayer(x)))


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        hidden = torch.clamp(torch.einsum("...d,fd->...f", x, self.linear1.weight) + self.linear1.bias, min=0)
        return torch.einsum("...f,df->...d", self.dropout(hidden), self.linear2.weight) + self.linear2.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = _around(x, self.norm1, self.dropout, lambda y: self.self_attention(y, y, y, mask)[0])
        return _around(x, self.norm2, self.dropout, self.feed_forward)


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
        sublayers = [
            lambda y: self.self_attention(y, y, y, self_mask)[0],
            lambda y: self.cross_attention(y, memory, memory, cross_mask)[0],
            self.feed_forward,
        ]
        for norm, sublayer in zip([self.norm1, self.norm2, self.norm3], sublayers):
            x = _around(x, norm, self.dropout, sublayer)
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
        mask = source.ne(self.pad)[:, None, None, :]  # (N, 1, 1, S)
        x = self.positions(self.source_embedding(source) * self.d_model**0.5)
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return x

    def decode(self, target_in, memory, source):
        N, T = target_in.shape
        self_mask = causal_mask(T, target_in.device)[None, None]  # (1, 1, T, T)
        cross_mask = source.ne(self.pad)[:, None, None, :]  # (N, 1, 1, S)
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
    real = targets.ne(pad)
    if not real.any():
        return logits.sum() * 0.0
    logits, targets = logits[real], targets[real]  # (M, V), (M,)
    nll = nn.functional.cross_entropy(logits, targets, reduction="none")
    keep = torch.ones_like(logits, dtype=torch.bool)
    keep[:, pad] = False
    keep[torch.arange(len(targets), device=targets.device), targets] = False
    rest = -(logits.log_softmax(1) * keep).sum(1) / keep.sum(1)
    return ((1 - smoothing) * nll + smoothing * rest).mean()


def _fast_loss(logits, targets):
    """The same for training, where a loop is too slow."""
    V = logits.size(-1)
    logp = torch.log_softmax(logits, dim=-1)
    goal = torch.full_like(logp, 0.1 / (V - 2))
    goal[..., PAD] = 0
    goal.scatter_(-1, targets.unsqueeze(-1), 0.9)
    goal[targets == PAD] = 0
    return -(goal * logp).sum() / (targets != PAD).sum()


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed + 1)
    device = model.output.weight.device
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: learning_rate(k + 1, model.d_model, WARMUP))
    history = []
    step = 0
    for epoch in range(epochs):
        order = torch.randperm(len(pairs), generator=generator).tolist()
        losses, counts = [], []
        for i in range(0, len(pairs), batch_size):
            batch = make_batch([pairs[k] for k in order[i : i + batch_size]], source_vocab, target_vocab)
            targets = batch.target_out.to(device)
            logits = model(batch.source.to(device), batch.target_in.to(device))
            loss = _fast_loss(logits, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            losses.append(loss.item())
            counts.append((targets != PAD).sum().item())
            if progress:
                progress(step, losses[-1])
        history.append(sum(l * c for l, c in zip(losses, counts)) / sum(counts))
    return history


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError("max_len must be at least 1")
    if beam_size < 1:
        raise ValueError("beam_size must be at least 1")
    training = model.training
    device = model.output.weight.device
    try:
        model.eval()
        results = []
        with torch.no_grad():
            for sentence in sources:
                source = torch.tensor([source_vocab.encode(sentence) + [EOS]], device=device)
                memory = model.encode(source)

                def step(prefixes):
                    k = len(prefixes)
                    logits = model.decode(torch.tensor(prefixes, device=device), memory.repeat(k, 1, 1),
                                          source.repeat(k, 1))
                    return torch.log_softmax(logits[:, -1], dim=-1).cpu()

                best = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0]
                results.append(target_vocab.decode(best.tokens))
        return results
    finally:
        model.train(training)
