"""DataLoader and collate, gradients set to None, soft targets for F.cross_entropy, greedy_search for beam 1."""

import math

import torch
import torch.nn as nn

from beam_search import beam_search, greedy_search
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
    def collate(chosen):
        return make_batch(chosen, source_vocab, target_vocab)

    torch.manual_seed(seed)
    loader = torch.utils.data.DataLoader(list(pairs), batch_size=batch_size, shuffle=True, collate_fn=collate)
    device = next(model.parameters()).device
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=0.0, betas=(0.9, 0.98), eps=1e-9, foreach=False)
    model.train(True)
    step, history = 0, []
    for _ in range(epochs):
        total = torch.zeros((), dtype=torch.float64)
        tokens = 0
        for source, _, target_in, target_out in loader:
            source, target_in, target_out = source.to(device), target_in.to(device), target_out.to(device)
            for p in parameters:
                p.grad = None
            loss = label_smoothed_loss(model.forward(source, target_in), target_out, smoothing=0.1, pad=model.pad)
            loss.backward()
            step += 1
            optimizer.param_groups[0]["lr"] = learning_rate(step, model.d_model, WARMUP)
            optimizer.step()
            n = int(target_out.ne(model.pad).sum())
            total += loss.detach().cpu().double() * n
            tokens += n
            if progress is not None:
                progress(step, float(loss))
        history.append(float(total / tokens))
    return history


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if beam_size < 1 or max_len < 1:
        raise ValueError(f"beam_size and max_len must be at least 1: {beam_size}, {max_len}")
    mode = model.training
    model.eval()
    try:
        return _translate(model, list(sources), source_vocab, target_vocab, max_len, beam_size)
    finally:
        model.train(mode)


@torch.no_grad()
def _translate(model, sources, source_vocab, target_vocab, max_len, beam_size):
    if not sources:
        return []
    device = next(model.parameters()).device
    pairs = [(source, source[:0]) for source in sources]
    source = make_batch(pairs, source_vocab, target_vocab).source.to(device)
    memory = model.encode(source)
    answers = []
    for n in range(len(sources)):

        def step(prefixes, n=n):
            target_in = torch.tensor(prefixes).to(device)
            k = [n] * len(prefixes)
            return model.decode(target_in, memory[k], source[k])[:, -1].log_softmax(dim=-1)

        if beam_size == 1:
            tokens = greedy_search(step, sos=SOS, eos=EOS, max_len=max_len).tokens
        else:
            tokens = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len, n_best=1)[0].tokens
        answers.append(target_vocab.decode(tokens))
    return answers
