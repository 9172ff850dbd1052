"""Losses times a mask, zero_grad after the step, and only real words are ever said in a translation."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention import AdditiveScorer, attend
from beam_search import beam_search
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD, SOS, EOS, UNK = 0, 1, 2, 3


class Vocabulary:
    def __init__(self, symbols: Iterable[str]) -> None:
        self.symbols = ["<pad>", "<sos>", "<eos>", "<unk>", *symbols]
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols) if number > UNK}

    @classmethod
    def from_sequences(cls, sequences: Iterable[Sequence[str]]) -> "Vocabulary":
        return cls(sorted({symbol for sequence in sequences for symbol in sequence}))

    def encode(self, sequence: Sequence[str]) -> list[int]:
        return [self.numbers.get(symbol, UNK) for symbol in sequence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        symbols = []
        for number in ids:
            if number == EOS:
                break
            if number not in (PAD, SOS):
                symbols.append(self.symbols[number])
        return symbols

    def __len__(self) -> int:
        return len(self.symbols)


class Batch(NamedTuple):
    source: torch.Tensor
    source_lengths: torch.Tensor
    target_in: torch.Tensor
    target_out: torch.Tensor


def pad_rows(rows):
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)


def make_batch(pairs, source_vocab, target_vocab):
    sources, ins, outs = [], [], []
    for source, target in pairs:
        sources.append(source_vocab.encode(source) + [EOS])
        ins.append([SOS] + target_vocab.encode(target))
        outs.append(target_vocab.encode(target) + [EOS])
    lengths = torch.tensor([len(row) for row in sources], dtype=torch.long)
    return Batch(pad_rows(sources), lengths, pad_rows(ins), pad_rows(outs))


def masked_cross_entropy(logits, targets, pad=PAD):
    N, T, V = logits.shape
    losses = F.cross_entropy(logits.reshape(N * T, V), targets.reshape(N * T), reduction="none")
    mask = (targets.reshape(N * T) != pad).to(logits.dtype)
    return (losses * mask).sum() / mask.sum().clamp(min=1.0)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        x = self.embedding(source)
        packed = pack_padded_sequence(x, source_lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, padding_value=0.0, total_length=source.shape[1])
        h = h.permute(1, 0, 2).flatten(1)
        return out, torch.tanh(self.bridge(h))


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        x = self.embedding(token)
        context, weights = attend(self.scorer, state.unsqueeze(1), memory, memory, mask.unsqueeze(1))
        context, weights = context.squeeze(1), weights.squeeze(1)
        state = self.cell(torch.cat([x, context], dim=1), state)
        return self.output(torch.cat([state, context, x], dim=1)), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        memory, state = self.encoder(source, source_lengths)
        positions = torch.arange(source.size(1), device=source.device)
        mask = positions.unsqueeze(0) < source_lengths.to(source.device).unsqueeze(1)
        token = target_in[:, 0]
        outputs = []
        for t in range(target_in.size(1)):
            if t > 0:
                use_truth = random.random() < teacher_forcing
                token = target_in[:, t] if use_truth else outputs[-1].argmax(dim=1)
            logits, state, _ = self.decoder(token, state, memory, mask)
            outputs.append(logits)
        return torch.stack(outputs, dim=1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    loss_sum, token_sum = 0.0, 0
    optimizer.zero_grad()
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in, teacher_forcing=teacher_forcing)
        loss = masked_cross_entropy(logits, batch.target_out, pad=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        optimizer.zero_grad()
        n = batch.target_out.ne(PAD).sum().item()
        loss_sum += loss.item() * n
        token_sum += n
    return loss_sum / token_sum


def allowed(logits):
    logits = logits.clone()
    logits[:, [PAD, SOS, UNK]] = float("-inf")
    return logits


@torch.no_grad()
def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError(f"max_len must be >= 1, got {max_len}")
    if beam_size < 1:
        raise ValueError(f"beam_size must be >= 1, got {beam_size}")
    was_training = model.training
    model.eval()
    try:
        device = next(model.parameters()).device
        results = []
        for source in sources:
            ids = torch.tensor([source_vocab.encode(source) + [EOS]], device=device)
            memory, state = model.encoder(ids, torch.tensor([ids.size(1)]))
            mask = torch.ones_like(ids, dtype=torch.bool)
            if beam_size == 1:
                tokens, last = [], SOS
                while len(tokens) < max_len and last != EOS:
                    logits, state, _ = model.decoder(torch.tensor([last], device=device), state, memory, mask)
                    last = int(allowed(logits).argmax())
                    tokens.append(last)
            else:
                cache = {(SOS,): None}

                def run(prefix):
                    key = tuple(prefix)
                    if cache.get(key) is None:
                        before = state if len(key) == 1 else run(key[:-1])[1]
                        token = torch.tensor([key[-1]], device=device)
                        logits, after, _ = model.decoder(token, before, memory, mask)
                        cache[key] = torch.log_softmax(allowed(logits), dim=-1), after
                    return cache[key]

                def step(prefixes):
                    return torch.cat([run(prefix)[0] for prefix in prefixes])

                tokens = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
            results.append(target_vocab.decode(tokens))
        return results
    finally:
        model.train(was_training)
