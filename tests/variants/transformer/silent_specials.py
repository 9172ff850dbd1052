"""Never says <pad>, <sos> or <unk>, forgets the padding of the memory, and gives the mode back after training too."""

import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from beam_search import beam_search
from multihead_attention import MultiHeadAttention, causal_mask
from positional_encoding import PositionalEncoding
from seq2seq import EOS, PAD, SOS, UNK, make_batch

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

    def _embed(self, table, tokens):
        return self.positions(F.embedding(tokens, table.weight * math.sqrt(self.d_model)))

    def encode(self, source):
        real = source != self.pad
        x = self._embed(self.source_embedding, source)
        for layer in self.encoder_layers:
            x = layer(x, real[:, None].expand(-1, source.size(1), -1))
        return x.masked_fill(~real[..., None], 0.0)  # nobody is to ask there

    def decode(self, target_in, memory, source):
        x = self._embed(self.target_embedding, target_in)
        future = causal_mask(target_in.size(1), device=target_in.device)
        real = (source != self.pad)[:, None].expand(-1, target_in.size(1), -1)
        for layer in self.decoder_layers:
            x = layer(x, memory, self_mask=future, cross_mask=real)
        return self.output(x)

    def forward(self, source, target_in):
        return self.decode(target_in, self.encode(source), source)


def learning_rate(step, d_model, warmup):
    if min(step, warmup) < 1:
        raise ValueError(f"step and warmup start at 1, not {step} and {warmup}")
    return (d_model * max(step, warmup**3 / step**2)) ** -0.5


def label_smoothed_loss(logits, targets, *, smoothing=0.1, pad=0):
    """By the distance between two distributions, which is the cross-entropy but for the entropy of the truth."""
    n_classes = logits.shape[-1]
    truth = torch.full_like(logits, smoothing / (n_classes - 2))
    truth = truth.scatter(-1, targets[..., None], 1 - smoothing)
    truth = truth.index_fill(-1, torch.tensor([pad], device=logits.device), 0.0)
    real = (targets != pad)[..., None]
    distance = F.kl_div(F.log_softmax(logits, -1), truth, reduction="none") - torch.xlogy(truth, truth)
    return torch.where(real, distance, 0.0).sum() / max(int(real.sum()), 1)


def train(model, pairs, source_vocab, target_vocab, *, epochs, batch_size, seed=0, progress=None):
    mode = model.training
    model.train()
    torch.manual_seed(seed)
    rng = random.Random(seed)
    device = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    steps = 0
    means = []
    for _ in range(epochs):
        shuffled = list(pairs)
        rng.shuffle(shuffled)
        sum_of_losses = number_of_tokens = 0
        while shuffled:
            chosen, shuffled = shuffled[:batch_size], shuffled[batch_size:]
            batch = make_batch(chosen, source_vocab, target_vocab)
            target_out = batch.target_out.to(device)
            steps += 1
            optimizer.param_groups[0]["lr"] = learning_rate(steps, model.d_model, WARMUP)
            model.zero_grad()
            loss = label_smoothed_loss(model(batch.source.to(device), batch.target_in.to(device)), target_out)
            loss.backward()
            optimizer.step()
            tokens = sum(len(target) + 1 for _, target in chosen)
            sum_of_losses += float(loss) * tokens
            number_of_tokens += tokens
            if progress:
                progress(steps, float(loss))
        means.append(sum_of_losses / number_of_tokens)
    model.train(mode)
    return means


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError("max_len must be positive")
    if beam_size < 1:
        raise ValueError("beam_size must be positive")
    mode = model.training
    try:
        model.eval()
        with torch.no_grad():
            return [_translate_one(model, s, source_vocab, target_vocab, max_len, beam_size) for s in sources]
    finally:
        model.train(mode)


def _translate_one(model, sentence, source_vocab, target_vocab, max_len, beam_size):
    device = next(model.parameters()).device
    source = make_batch([(sentence, [])], source_vocab, target_vocab).source.to(device)
    memory = model.encode(source)

    def step(prefixes):
        tokens = torch.tensor(prefixes, device=device)
        logits = model.decode(tokens, memory.expand(len(tokens), -1, -1), source.expand(len(tokens), -1))[:, -1]
        logits[:, [PAD, SOS, UNK]] = -math.inf
        return F.log_softmax(logits, -1)

    if beam_size > 1:
        tokens = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
    else:
        tokens = []
        for _ in range(max_len):
            tokens.append(step([[SOS, *tokens]]).argmax().item())
            if tokens[-1] == EOS:
                break
    return target_vocab.decode(tokens)
