"""Greedy decoding with cached keys and values; the loss on the selected tokens; inference_mode."""

import contextlib
import math

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


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    torch.manual_seed(seed)
    device = model.output.weight.device
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: learning_rate(k + 1, model.d_model, WARMUP))
    history = []
    step = 0
    for epoch in range(epochs):
        order = torch.randperm(len(pairs)).tolist()
        losses, counts = [], []
        for i in range(0, len(pairs), batch_size):
            batch = make_batch([pairs[k] for k in order[i : i + batch_size]], source_vocab, target_vocab)
            targets = batch.target_out.to(device)
            logits = model(batch.source.to(device), batch.target_in.to(device))
            loss = label_smoothed_loss(logits, targets)
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


def _heads(x, h):
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def _look(attention, query, keys, values, mask=None):
    """Attention with keys and values that are projected and split already."""
    q = _heads(attention.q_proj(query), attention.num_heads)
    scores = torch.einsum("nhqd,nhkd->nhqk", q, keys) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    found = torch.einsum("nhqk,nhkd->nhqd", torch.softmax(scores, -1), values)
    return attention.out_proj(found.transpose(1, 2).flatten(2))


class _Cache:
    """One decoding under way: what every layer has computed for the tokens so far."""

    def __init__(self, model, source):
        self.model, self.mask = model, source.ne(model.pad)[:, None, None, :]
        memory = model.encode(source)
        self.cross = []
        for layer in model.decoder_layers:
            a = layer.cross_attention
            self.cross.append((_heads(a.k_proj(memory), a.num_heads), _heads(a.v_proj(memory), a.num_heads)))
        self.own = [None] * len(self.cross)
        self.length = 0

    def advance(self, token):
        """(N,) -> (N, V)"""
        m = self.model
        vector = m.target_embedding(token)[:, None] * m.d_model**0.5
        blank = vector.new_zeros(len(vector), self.length, m.d_model)
        x = m.positions(torch.cat([blank, vector], dim=1))[:, -1:]  # the position of the newest token
        self.length += 1
        for i, layer in enumerate(m.decoder_layers):
            a = layer.self_attention
            k, v = _heads(a.k_proj(x), a.num_heads), _heads(a.v_proj(x), a.num_heads)
            if self.own[i] is not None:
                k, v = torch.cat([self.own[i][0], k], 2), torch.cat([self.own[i][1], v], 2)
            self.own[i] = k, v
            x = layer.norm1(x + _look(a, x, k, v))
            x = layer.norm2(x + _look(layer.cross_attention, x, *self.cross[i], self.mask))
            x = layer.norm3(x + layer.feed_forward(x))
        return m.output(x)[:, 0]


@contextlib.contextmanager
def _evaluating(model):
    mode = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(mode)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    for name, value in [("max_len", max_len), ("beam_size", beam_size)]:
        if value < 1:
            raise ValueError(f"{name} = {value} is too small")
    if len(sources) == 0:
        return []
    device = next(model.parameters()).device
    with _evaluating(model):
        if beam_size > 1:
            return [_by_beam(model, s, source_vocab, target_vocab, max_len, beam_size, device) for s in sources]
        rows = [source_vocab.encode(s) + [EOS] for s in sources]
        source = nn.utils.rnn.pad_sequence([torch.tensor(r) for r in rows], batch_first=True).to(device)
        cache = _Cache(model, source)
        token = torch.full((len(rows),), SOS, device=device)
        said = []
        done = torch.zeros(len(rows), dtype=torch.bool, device=device)
        while len(said) < max_len and not bool(done.all()):
            token = cache.advance(token).argmax(-1)
            token = torch.where(done, PAD, token)
            said.append(token)
            done = done | (token == EOS)
        return [target_vocab.decode(ids) for ids in torch.stack(said, 1).tolist()]


def _by_beam(model, sentence, source_vocab, target_vocab, max_len, beam_size, device):
    source = torch.tensor([source_vocab.encode(sentence) + [EOS]], device=device)

    def step(prefixes):
        cache = _Cache(model, source.expand(len(prefixes), -1))
        for token in torch.tensor(prefixes, device=device).T:
            logits = cache.advance(token)
        return logits.log_softmax(-1)

    return target_vocab.decode(beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens)
