"""First the words are chosen, without gradients; then all are read, and the output layer sees all steps at once."""

import contextlib
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention import AdditiveScorer, attend, masked_softmax
from beam_search import beam_search
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

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
    sources = [torch.tensor(source_vocab.encode(source) + [EOS]) for source, _ in pairs]
    targets = [torch.tensor([SOS] + target_vocab.encode(target) + [EOS]) for _, target in pairs]
    return Batch(
        pad_sequence(sources, batch_first=True),
        torch.tensor(list(map(len, sources))),
        pad_sequence([target[:-1] for target in targets], batch_first=True),
        pad_sequence([target[1:] for target in targets], batch_first=True),
    )


def masked_cross_entropy(logits, targets, pad=PAD):
    real = targets != pad
    if not real.any():
        return logits.sum() * 0.0
    return F.cross_entropy(logits[real], targets[real])


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        packed = pack_padded_sequence(self.embedding(source), source_lengths.cpu(), True, enforce_sorted=False)
        out, last = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        return states, torch.tanh(self.bridge(torch.hstack([last[0], last[1]])))


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        e = self.embedding(token)[:, None]  # the axis of time is kept
        context, weights = attend(self.scorer, state[:, None], memory, memory, mask[:, None])
        state = self.cell(torch.cat([e, context], -1)[:, 0], state)
        logits = self.output(torch.cat([state[:, None], context, e], -1))
        return logits[:, 0], state, weights[:, 0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        read = target_in if teacher_forcing >= 1 else self.words(source, source_lengths, target_in, teacher_forcing)
        memory, state = self.encoder(source, source_lengths)
        keys = self.decoder.scorer.key_proj(memory)
        parts = []
        for e in self.decoder.embedding(read).unbind(1):
            asked = self.decoder.scorer.query_proj(state)[:, None]
            scores = self.decoder.scorer.energy(torch.tanh(asked + keys))[:, :, 0]
            context = torch.einsum("ns,nsd->nd", masked_softmax(scores, source != PAD), memory)
            state = self.decoder.cell(torch.cat([e, context], -1), state)
            parts.append(torch.cat([state, context, e], -1))
        return self.decoder.output(torch.stack(parts, 1))

    @torch.no_grad()
    def words(self, source, source_lengths, target_in, teacher_forcing):
        memory, state = self.encoder(source, source_lengths)
        read = [target_in[:, 0]]
        for truth in target_in[:, 1:].unbind(1):
            logits, state, _ = self.decoder(read[-1], state, memory, source != PAD)
            read.append(truth if random.random() < teacher_forcing else logits.argmax(-1))
        return torch.stack(read, 1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    seen = []
    for batch in batches:
        optimizer.zero_grad()
        loss = masked_cross_entropy(model(*batch[:3], teacher_forcing=teacher_forcing), batch.target_out)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip_norm)
        optimizer.step()
        seen.append((loss.item(), batch.target_out.count_nonzero().item()))
    return sum(loss * count for loss, count in seen) / sum(count for _, count in seen)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if min(max_len, beam_size) < 1:
        raise ValueError(f"max_len and beam_size must be 1 or more, not {max_len} and {beam_size}")
    if not len(sources):
        return []
    device = next(model.parameters()).device
    with contextlib.ExitStack() as stack:
        stack.callback(model.train, model.training)
        stack.enter_context(torch.inference_mode())
        model.eval()
        batch = make_batch([(source, "") for source in sources], source_vocab, target_vocab)
        source, lengths = batch.source.to(device), batch.source_lengths.to(device)
        if beam_size == 1:  # what it says if nobody teaches it, as long as it may
            feed = source.new_full((len(sources), max_len), SOS)
            ids = model(source, lengths, feed, teacher_forcing=0.0).argmax(-1).tolist()
        else:
            ids = [with_beam(model, *one, max_len, beam_size) for one in zip(source.split(1), lengths.split(1))]
    return [target_vocab.decode(row) for row in ids]


def with_beam(model, source, length, max_len, beam_size):
    def step(prefixes):
        k = len(prefixes)
        read = torch.tensor(prefixes, device=source.device)
        return model(source.expand(k, -1), length.expand(k), read)[:, -1].log_softmax(-1)

    best, *_ = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)
    return best.tokens
