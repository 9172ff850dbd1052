"""Two readers by torch.gru_cell, the second over sentences turned around by an index; its own additive attention."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from attention import AdditiveScorer, masked_softmax
from beam_search import beam_search
from torch import nn

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
    source_ids = [(*source_vocab.encode(source), EOS) for source, _ in pairs]
    target_ids = [(SOS, *target_vocab.encode(target), EOS) for _, target in pairs]
    lengths = torch.tensor([len(ids) for ids in source_ids])
    source = torch.zeros(len(pairs), max(map(len, source_ids)), dtype=torch.int64)
    target_in, target_out = torch.zeros(2, len(pairs), max(map(len, target_ids)) - 1, dtype=torch.int64)
    for n, (ids, target) in enumerate(zip(source_ids, target_ids)):
        source[n].narrow(0, 0, len(ids)).copy_(torch.tensor(ids))
        target_in[n, : len(target) - 1] = torch.tensor(target[:-1])
        target_out[n, : len(target) - 1] = torch.tensor(target[1:])
    return Batch(source, lengths, target_in, target_out)


def masked_cross_entropy(logits, targets, pad=PAD):
    log_p = logits - logits.logsumexp(-1, keepdim=True)
    right = torch.take_along_dim(log_p, targets[..., None], -1)[..., 0]
    real = targets != pad
    return -right.masked_fill(~real, 0).sum() / max(int(real.sum()), 1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        lengths = source_lengths.to(source.device)[:, None]
        t = torch.arange(source.shape[1], device=source.device)[None]
        real = t < lengths
        turned = torch.where(real, lengths - 1 - t, t)  # its own inverse
        x = self.embedding(source)
        forward, last = self.run(x, real, "")
        backward, first = self.run(x.gather(1, turned[..., None].expand_as(x)), real, "_reverse")
        backward = backward.gather(1, turned[..., None].expand_as(backward))
        return torch.cat([forward, backward], -1), torch.tanh(self.bridge(torch.cat([last, first], -1)))

    def run(self, x, real, suffix):
        names = (f"weight_ih_l0{suffix}", f"weight_hh_l0{suffix}", f"bias_ih_l0{suffix}", f"bias_hh_l0{suffix}")
        weights = [getattr(self.rnn, name) for name in names]
        h = x.new_zeros(len(x), self.rnn.hidden_size)
        states = []
        for x_t, real_t in zip(x.unbind(1), real.unbind(1)):
            m = real_t[:, None].to(x.dtype)
            h = m * torch.gru_cell(x_t, h, *weights) + (1 - m) * h
            states.append(m * h)
        return torch.stack(states, 1), h


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        scorer = self.scorer
        energy = torch.tanh(scorer.query_proj(state)[:, None] + scorer.key_proj(memory))
        weights = masked_softmax(scorer.energy(energy).squeeze(-1), mask)
        context = (weights[..., None] * memory).sum(1)
        word = self.embedding(token)
        state = self.cell(torch.cat([word, context], -1), state)
        return self.output(torch.cat([state, context, word], -1)), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def begin(self, source, source_lengths):
        memory, state = self.encoder(source, source_lengths)
        real = torch.arange(source.shape[1], device=source.device) < source_lengths.to(source.device)[:, None]
        return state, memory, real

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        state, memory, real = self.begin(source, source_lengths)
        taught = torch.rand(target_in.shape, device=source.device) < teacher_forcing
        taught[:, 0] = True
        logits = [None] * target_in.shape[1]
        said = target_in[:, 0]
        for t in range(len(logits)):
            token = torch.where(taught[:, t], target_in[:, t], said)
            logits[t], state, _ = self.decoder(token, state, memory, real)
            said = logits[t].argmax(-1)
        return torch.stack(logits, 1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    history = []
    for source, lengths, target_in, target_out in batches:
        loss = masked_cross_entropy(model(source, lengths, target_in, teacher_forcing), target_out)
        for parameter in model.parameters():
            parameter.grad = None
        loss.backward()
        nn.utils.clip_grad_norm_(list(model.parameters()), clip_norm)
        optimizer.step()
        history.append((loss.item(), int((target_out != PAD).sum())))
    return sum(loss * n for loss, n in history) / sum(n for _, n in history)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    assert_positive(max_len=max_len, beam_size=beam_size)
    if len(sources) == 0:
        return []
    mode = model.training
    try:
        model.train(False)
        with torch.no_grad():
            batch = make_batch([(source, []) for source in sources], source_vocab, target_vocab)
            device = model.decoder.output.weight.device
            starts = model.begin(batch.source.to(device), batch.source_lengths)
            if beam_size == 1:
                rows = all_at_once(model, *starts, max_len)
            else:
                rows = [
                    with_beam(model, *(part[n : n + 1] for part in starts), max_len, beam_size)
                    for n in range(len(sources))
                ]
    finally:
        model.train(mode)
    return [target_vocab.decode(row) for row in rows]


def assert_positive(**numbers):
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} is {number}, and must be positive")


def all_at_once(model, state, memory, real, max_len):
    token = torch.full_like(real[:, 0], SOS, dtype=torch.int64)
    said = []
    for _ in range(max_len):
        logits, state, _ = model.decoder(token, state, memory, real)
        token = logits.argmax(-1).where(token != EOS, torch.full_like(token, EOS))
        said.append(token)
        if (token == EOS).all():
            break
    return torch.stack(said, 1).tolist()


def with_beam(model, state, memory, real, max_len, beam_size):
    known = [state, [[]]]  # the states after the prefixes of the step before

    def step(prefixes):
        parents = [known[1].index(prefix[:-1]) for prefix in prefixes]
        token = torch.tensor([prefix[-1] for prefix in prefixes], device=memory.device)
        k = len(prefixes)
        logits, after, _ = model.decoder(token, known[0][parents], memory.expand(k, -1, -1), real.expand(k, -1))
        known[:] = after, [list(prefix) for prefix in prefixes]
        return logits.log_softmax(-1)

    return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
