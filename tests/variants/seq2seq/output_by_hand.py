"""The output layer's weights taken by hand, logits written into a tensor made before; the modes put back one by one."""

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


def make_batch(pairs, source_vocab, target_vocab):
    sources = [source_vocab.encode(source) + [EOS] for source, _ in pairs]
    targets = [target_vocab.encode(target) for _, target in pairs]
    S, T = max(map(len, sources)), max(map(len, targets)) + 1
    source = torch.tensor([s + [PAD] * (S - len(s)) for s in sources])
    given = torch.tensor([[SOS, *t] + [PAD] * (T - 1 - len(t)) for t in targets])
    wanted = torch.tensor([[*t, EOS] + [PAD] * (T - 1 - len(t)) for t in targets])
    return Batch(source, source.count_nonzero(1), given, wanted)


def masked_cross_entropy(logits, targets, pad=PAD):
    if not targets.ne(pad).any():
        return 0.0 * logits.sum()
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)


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
        e = self.embedding(token)
        context, weights = attend(self.scorer, state[:, None], memory, memory, mask[:, None])
        state = self.cell(torch.hstack([e, context[:, 0]]), state)
        x = torch.hstack([state, context[:, 0], e])
        return torch.addmm(self.output.bias, x, self.output.weight.t()), state, weights[:, 0]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        memory, state = self.encoder(source, source_lengths)
        n, steps = target_in.shape
        logits = memory.new_empty(n, steps, self.decoder.output.out_features)
        coins = torch.rand(n, steps, device=source.device) < teacher_forcing  # for each sentence and step
        read = target_in[:, 0]
        for t in range(steps):
            if t > 0:
                read = torch.where(coins[:, t], target_in[:, t], logits[:, t - 1].detach().argmax(-1))
            logits[:, t], state, _ = self.decoder(read, state, memory, source != PAD)
        return logits


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    total = count = 0
    weights = [p for group in optimizer.param_groups for p in group["params"]]
    for source, lengths, given, wanted in batches:
        logits = model(source, lengths, given, teacher_forcing)
        losses = -logits.log_softmax(-1).gather(2, wanted[:, :, None])[wanted != PAD]
        slopes = torch.autograd.grad(losses.mean(), weights)
        size = torch.stack([slope.norm() for slope in slopes]).norm()
        for p, slope in zip(weights, slopes):
            p.grad = slope * (clip_norm / (size + 1e-6)).clamp(max=1.0)
        optimizer.step()
        total += losses.sum().item()
        count += losses.numel()
    return total / count


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError("max_len")
    if beam_size < 1:
        raise ValueError("beam_size")
    modes = [(module, module.training) for module in model.modules()]
    try:
        for module, _ in modes:
            module.training = False
        with torch.no_grad():
            return [target_vocab.decode(one(model, source_vocab.encode(s), max_len, beam_size)) for s in sources]
    finally:
        for module, mode in modes:
            module.training = mode


def one(model, ids, max_len, beam_size):
    weight = model.decoder.output.weight
    source = torch.tensor([ids + [EOS]], device=weight.device)
    memory, first = model.encoder(source, torch.tensor([len(ids) + 1]))
    if beam_size == 1:
        said, state = [SOS], first
        while said[-1] != EOS and len(said) <= max_len:
            token = torch.tensor(said[-1:], device=weight.device)
            logits, state, _ = model.decoder(token, state, memory, source != PAD)
            said.append(int(logits.argmax()))
        return said[1:]
    table = {(): first[0]}

    def step(prefixes):
        k = len(prefixes)
        token = torch.tensor(prefixes, device=weight.device)[:, -1]
        old = torch.stack([table[tuple(p[:-1])] for p in prefixes])
        logits, new, _ = model.decoder(token, old, memory.repeat(k, 1, 1), source.repeat(k, 1) != PAD)
        table.update({tuple(p): s for p, s in zip(prefixes, new)})
        return logits - logits.logsumexp(-1, keepdim=True)

    return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
