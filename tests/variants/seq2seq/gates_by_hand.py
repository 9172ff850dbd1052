"""The encoder's gates written out and carried past the padding by a mask; a one-hot loss; one sentence at a time."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn as nn
from attention import AdditiveScorer, attend
from beam_search import beam_search

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


def make_batch(pairs, source_vocab, target_vocab):
    src = [source_vocab.encode(s) + [EOS] for s, _ in pairs]
    tgt = [target_vocab.encode(t) for _, t in pairs]
    S = max(len(s) for s in src)
    T = max(len(t) for t in tgt) + 1
    source = torch.full((len(pairs), S), PAD, dtype=torch.long)
    target_in = torch.full((len(pairs), T), PAD, dtype=torch.long)
    target_out = torch.full((len(pairs), T), PAD, dtype=torch.long)
    for i, (s, t) in enumerate(zip(src, tgt)):
        source[i, : len(s)] = torch.tensor(s)
        target_in[i, : len(t) + 1] = torch.tensor([SOS] + t)
        target_out[i, : len(t) + 1] = torch.tensor(t + [EOS])
    return Batch(source, torch.tensor([len(s) for s in src]), target_in, target_out)


def masked_cross_entropy(logits, targets, pad=PAD):
    real = targets != pad
    onehot = nn.functional.one_hot(targets, logits.shape[-1]).to(logits.dtype)
    nll = -(onehot * torch.log_softmax(logits, -1)).sum(-1)
    nll = torch.where(real, nll, torch.zeros_like(nll))
    return nll.sum() / real.sum().clamp(min=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def _gru(self, x, h, suffix):
        p = dict(self.rnn.named_parameters())
        gi = x @ p["weight_ih_l0" + suffix].T + p["bias_ih_l0" + suffix]
        gh = h @ p["weight_hh_l0" + suffix].T + p["bias_hh_l0" + suffix]
        ir, iz, inn = gi.chunk(3, -1)
        hr, hz, hn = gh.chunk(3, -1)
        r, z = torch.sigmoid(ir + hr), torch.sigmoid(iz + hz)
        n = torch.tanh(inn + r * hn)
        return n + z * (h - n)

    def forward(self, source, source_lengths):
        x = self.embedding(source)
        N, S, _ = x.shape
        zero = x.new_zeros(N, self.rnn.hidden_size)
        keep = [(source_lengths > t).unsqueeze(1) for t in range(S)]
        fw, bw = [None] * S, [None] * S
        h = zero
        for t in range(S):
            h = torch.where(keep[t], self._gru(x[:, t], h, ""), h)
            fw[t] = torch.where(keep[t], h, zero)
        g = zero
        for t in reversed(range(S)):
            g = torch.where(keep[t], self._gru(x[:, t], g, "_reverse"), g)
            bw[t] = torch.where(keep[t], g, zero)
        states = torch.cat([torch.stack(fw, 1), torch.stack(bw, 1)], -1)
        return states, torch.tanh(self.bridge(torch.cat([h, g], -1)))


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        e = self.embedding(token)
        c, w = attend(self.scorer, state.unsqueeze(1), memory, memory, mask.unsqueeze(1))
        c = c.squeeze(1)
        new = self.cell(torch.cat((e, c), 1), state)
        return self.output(torch.cat((new, c, e), 1)), new, w.squeeze(1)


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        memory, state = self.encoder(source, source_lengths)
        mask = source != PAD
        T = target_in.size(1)
        outputs = []
        inp = target_in[:, 0]
        for t in range(T):
            out, state, _ = self.decoder(inp, state, memory, mask)
            outputs.append(out)
            if t + 1 < T:
                if random.random() < teacher_forcing:
                    inp = target_in[:, t + 1]
                else:
                    inp = out.detach().argmax(1)
        return torch.stack(outputs, 1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    losses, counts = [], []
    for batch in batches:
        optimizer.zero_grad()
        out = model(batch.source, batch.source_lengths, batch.target_in, teacher_forcing=teacher_forcing)
        loss = masked_cross_entropy(out, batch.target_out)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        losses.append(loss.item())
        counts.append((batch.target_out != PAD).sum().item())
    return sum(l * c for l, c in zip(losses, counts)) / sum(counts)


def _one(model, src, target_vocab, max_len, beam_size):
    device = next(model.parameters()).device
    source = torch.tensor([src], device=device)
    lengths = torch.tensor([len(src)], device=device)

    memory, first = model.encoder(source, lengths)
    mask = source != PAD
    if beam_size == 1:
        tok, state, out = SOS, first, []
        for _ in range(max_len):
            logits, state, _ = model.decoder(torch.tensor([tok], device=device), state, memory, mask)
            tok = logits[0].argmax().item()
            if tok == EOS:
                break
            out.append(tok)
        return target_vocab.decode(out)

    def step(prefixes):
        rows = []
        for prefix in prefixes:  # from the beginning, each by itself
            state = first
            for tok in prefix:
                logits, state, _ = model.decoder(torch.tensor([tok], device=device), state, memory, mask)
            rows.append(torch.log_softmax(logits[0], -1))
        return torch.stack(rows)

    return target_vocab.decode(beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError("max_len has to be positive")
    if beam_size < 1:
        raise ValueError("beam_size has to be positive")
    was_training = model.training
    try:
        model.eval()
        with torch.no_grad():
            return [_one(model, source_vocab.encode(s) + [EOS], target_vocab, max_len, beam_size) for s in sources]
    finally:
        model.train(was_training)
