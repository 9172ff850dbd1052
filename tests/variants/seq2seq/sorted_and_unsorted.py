"""Packs after sorting, and sorts back; torch's ignore_index; a draw for each sentence; beams by running the model on prefixes."""

from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from attention import AdditiveScorer, attend
from beam_search import beam_search
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import rnn as rnn_utils

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
    def pad(rows):
        width = max(map(len, rows))
        return torch.LongTensor([row + [PAD] * (width - len(row)) for row in rows])

    src = [source_vocab.encode(s) + [EOS] for s, t in pairs]
    full = [[SOS] + target_vocab.encode(t) + [EOS] for s, t in pairs]
    return Batch(
        pad(src), torch.LongTensor(list(map(len, src))), pad([f[:-1] for f in full]), pad([f[1:] for f in full])
    )


def masked_cross_entropy(logits, targets, pad=PAD):
    if bool((targets == pad).all()):
        return logits.sum() * 0.0
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        order = torch.argsort(source_lengths, descending=True)
        back = torch.argsort(order)
        packed = rnn_utils.pack_padded_sequence(
            self.embedding(source[order]), source_lengths[order].tolist(), batch_first=True
        )
        out, h = self.rnn(packed)
        out, _ = rnn_utils.pad_packed_sequence(out, batch_first=True)
        missing = source.size(1) - out.size(1)
        if missing:
            out = F.pad(out, (0, 0, 0, missing))
        h = h.permute(1, 0, 2).flatten(1)
        return out[back], self.bridge(h[back]).tanh()


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        emb = self.embedding(token)
        context, weights = attend(self.scorer, state.unsqueeze(1), memory, memory, mask.unsqueeze(1))
        context, weights = context.squeeze(1), weights.squeeze(1)
        state = self.cell(torch.cat([emb, context], -1), state)
        return self.output(torch.cat([state, context, emb], -1)), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        memory, state = self.encoder(source, source_lengths)
        mask = torch.arange(source.size(1), device=source.device)[None, :] < source_lengths[:, None]
        tokens, outs = target_in[:, 0], []
        for t in range(target_in.size(1)):
            if t:
                coin = torch.rand(len(target_in), device=target_in.device) < teacher_forcing
                tokens = torch.where(coin, target_in[:, t], outs[-1].argmax(-1))
            o, state, _ = self.decoder(tokens, state, memory, mask)
            outs.append(o)
        return torch.stack(outs, dim=1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    total = n = 0
    for b in batches:
        logits = model(b.source, b.source_lengths, b.target_in, teacher_forcing)
        loss = masked_cross_entropy(logits, b.target_out)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip_norm)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        k = b.target_out.ne(PAD).sum().item()
        total, n = total + k * float(loss.detach()), n + k
    return float(total / n)


@contextmanager
def evaluating(model):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(mode)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    for name, n in dict(max_len=max_len, beam_size=beam_size).items():
        if n <= 0:
            raise ValueError(f"{name}={n}")
    result = []
    device = model.decoder.embedding.weight.device
    with evaluating(model):
        for sentence in sources:
            batch = make_batch([(sentence, [])], source_vocab, target_vocab)
            source, lengths = batch.source.to(device), batch.source_lengths.to(device)

            def step(prefixes):
                k = len(prefixes)
                target_in = torch.tensor(prefixes, device=device)
                logits = model(source.repeat(k, 1), lengths.repeat(k), target_in, 1.0)
                return F.log_softmax(logits[:, -1], dim=-1)

            (best,) = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)
            result.append(target_vocab.decode(best.tokens))
    return result
