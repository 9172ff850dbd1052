"""Long GRU over packed views, attention by bmm and minus infinity, weighted sums; a decoder fed in one place."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention import AdditiveScorer
from beam_search import beam_search
from torch import nn
from torch.nn.utils.rnn import pack_sequence, unpad_sequence

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
    return Batch(
        *columns([source_vocab.encode(source) + [EOS] for source, _ in pairs], with_lengths=True),
        *columns([[SOS] + target_vocab.encode(target) for _, target in pairs]),
        *columns([target_vocab.encode(target) + [EOS] for _, target in pairs]),
    )


def columns(rows, with_lengths=False):
    lengths = torch.tensor([len(row) for row in rows])
    table = torch.zeros(len(rows), int(lengths.max()), dtype=torch.int64)
    table[torch.arange(table.shape[1]) < lengths[:, None]] = torch.tensor([x for row in rows for x in row])
    return (table, lengths) if with_lengths else (table,)


def masked_cross_entropy(logits, targets, pad=PAD):
    weight = torch.ones(logits.shape[-1], dtype=logits.dtype, device=logits.device)
    weight[pad] = 0
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), weight=weight, reduction="sum")
    real = torch.count_nonzero(targets - pad)
    return total / real if real > 0 else total


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        n, width = source.shape
        rows = unpad_sequence(self.embedding(source), source_lengths.cpu(), batch_first=True)
        packed, last = self.rnn(pack_sequence(rows, enforce_sorted=False))
        states = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=width)[0]
        return states, self.bridge(last.transpose(0, 1).reshape(n, -1)).tanh()


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        word = self.embedding(token)
        scores = self.scorer(state[:, None], memory).squeeze(1)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)
        context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        state = self.cell(torch.cat([word, context], -1), state)
        return self.output(torch.cat([state, context, word], -1)), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def start(self, source, source_lengths):
        memory, state = self.encoder(source, source_lengths)
        return state, memory, torch.arange(source.shape[1], device=source.device) < source_lengths[:, None]

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        state, memory, mask = self.start(source, source_lengths)
        choices = torch.bernoulli(torch.full((target_in.shape[1],), float(teacher_forcing))).bool().tolist()
        logits, tokens = [], target_in[:, 0]
        for t, truth in enumerate(choices):
            if t:
                tokens = target_in[:, t] if truth else logits[-1].max(-1).indices
            scores, state, _ = self.decoder(tokens, state, memory, mask)
            logits += [scores]
        return torch.stack(logits, 1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    seen = []
    for source, lengths, target_in, target_out in batches:
        logits = model(source, lengths, target_in, teacher_forcing)
        count = int((target_out != PAD).sum())
        model.zero_grad()
        loss = masked_cross_entropy(logits, target_out)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm, norm_type=2.0)
        optimizer.step()
        seen.append((loss.item() * count, count))
    return sum(loss for loss, _ in seen) / sum(count for _, count in seen)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if min(max_len, beam_size) < 1:
        raise ValueError(f"max_len and beam_size must be positive: {max_len}, {beam_size}")
    mode = model.training
    try:
        model.eval()
        with torch.no_grad():
            search = batched_greedy if beam_size == 1 else by_beam
            ids = list(search(model, sources, source_vocab, target_vocab, max_len, beam_size)) if len(sources) else []
    finally:
        model.train(mode)
    return [target_vocab.decode(row) for row in ids]


def batched_greedy(model, sources, source_vocab, target_vocab, max_len, _):
    device = model.encoder.bridge.bias.device
    batch = make_batch([(source, "") for source in sources], source_vocab, target_vocab)
    state, memory, mask = model.start(batch.source.to(device), batch.source_lengths.to(device))
    tokens = torch.full((len(sources),), SOS, device=device)
    rows = []
    for _ in range(max_len):
        logits, state, _ = model.decoder(tokens, state, memory, mask)
        tokens = logits.argmax(-1)
        rows.append(tokens.tolist())
    return [list(row) for row in zip(*rows)]


def by_beam(model, sources, source_vocab, target_vocab, max_len, beam_size):
    device = model.encoder.bridge.bias.device
    for source in sources:
        batch = make_batch([(source, "")], source_vocab, target_vocab)
        state, memory, mask = model.start(batch.source.to(device), batch.source_lengths.to(device))
        beams = {"prefixes": None, "states": None}

        def step(prefixes):
            k = len(prefixes)
            if beams["prefixes"] is None:
                before = state
            else:  # whose child is it?
                parents = [beams["prefixes"].index(prefix[:-1]) for prefix in prefixes]
                before = beams["states"][parents]
            tokens = torch.tensor([prefix[-1] for prefix in prefixes], device=device)
            logits, after, _ = model.decoder(tokens, before, memory.repeat(k, 1, 1), mask.repeat(k, 1))
            beams.update(prefixes=[list(prefix) for prefix in prefixes], states=after)
            return torch.log_softmax(logits, -1)

        yield beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
