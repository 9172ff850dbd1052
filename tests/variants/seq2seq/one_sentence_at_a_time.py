"""The encoder runs over each sentence by itself; greedy_search of the exercise before; inference_mode."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from attention import AdditiveScorer, masked_softmax
from beam_search import beam_search, greedy_search
from torch import nn
from torch.nn.utils.rnn import pad_sequence

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
    sources, ins, outs = [], [], []
    for source, target in pairs:
        sources.append(torch.tensor(source_vocab.encode(source) + [EOS], dtype=torch.int64))
        ids = target_vocab.encode(target)
        ins.append(torch.tensor([SOS] + ids, dtype=torch.int64))
        outs.append(torch.tensor(ids + [EOS], dtype=torch.int64))
    lengths = torch.tensor([s.numel() for s in sources])
    source, target_in, target_out = (pad_sequence(x, batch_first=True) for x in (sources, ins, outs))
    return Batch(source=source, source_lengths=lengths, target_in=target_in, target_out=target_out)


def masked_cross_entropy(logits, targets, pad=PAD):
    mask = targets.ne(pad)
    log_probs = logits[mask].log_softmax(-1)
    picked = log_probs.gather(1, targets[mask].unsqueeze(1))
    return -picked.sum() / max(1, mask.sum().item())


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        states = self.embedding.weight.new_zeros(*source.shape, 2 * self.rnn.hidden_size)
        last = []
        for n, length in enumerate(source_lengths.tolist()):
            out, h = self.rnn(self.embedding(source[n, :length]))
            states[n, :length] = out
            last.append(h.reshape(-1))
        return states, torch.tanh(self.bridge(torch.stack(last)))


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        emb = self.embedding(token)
        scores = self.scorer(state[:, None, :], memory)[:, 0]
        weights = masked_softmax(scores, mask)
        context = torch.einsum("ns,nsd->nd", weights, memory)
        state = self.cell(torch.hstack([emb, context]), state)
        return self.output(torch.hstack([state, context, emb])), state, weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        memory, state = self.encoder(source, source_lengths)
        mask = source.ne(PAD)
        logits = None
        out = []
        for t, truth in enumerate(target_in.unbind(1)):
            token = truth if t == 0 or random.random() < teacher_forcing else logits.argmax(-1)
            logits, state, _ = self.decoder(token, state, memory, mask)
            out.append(logits[:, None])
        return torch.cat(out, 1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train(True)
    total, tokens = torch.zeros(()), 0
    for batch in batches:
        logits = model(*batch[:3], teacher_forcing)
        loss = masked_cross_entropy(logits, batch.target_out)
        optimizer.zero_grad()
        loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.sqrt(sum((g**2).sum() for g in grads))
        if norm > clip_norm:
            for g in grads:
                g.mul_(clip_norm / norm)
        optimizer.step()
        count = int((batch.target_out != PAD).sum())
        total = total + loss.detach().cpu() * count
        tokens += count
    return (total / tokens).item()


@torch.inference_mode()
def _translate(model, sources, source_vocab, target_vocab, max_len, beam_size):
    device = next(model.parameters()).device
    for source in sources:
        ids = torch.tensor([[*source_vocab.encode(source), EOS]], device=device)
        memory, start = model.encoder(ids, torch.tensor([ids.shape[1]]))
        mask = torch.ones_like(ids, dtype=torch.bool)

        def step(prefixes):
            k = len(prefixes)
            state, mem, msk = start.expand(k, -1), memory.expand(k, -1, -1), mask.expand(k, -1)
            for tokens in torch.tensor(prefixes, device=device).T:
                logits, state, _ = model.decoder(tokens, state, mem, msk)
            return logits.log_softmax(-1)

        if beam_size == 1:
            found = greedy_search(step, sos=SOS, eos=EOS, max_len=max_len)
        else:
            found = beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len, n_best=1)[0]
        yield target_vocab.decode(found.tokens)


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if beam_size < 1:
        raise ValueError("beam_size must be 1 or more")
    if max_len < 1:
        raise ValueError("max_len must be 1 or more")
    before = model.training
    model.eval()
    try:
        return list(_translate(model, sources, source_vocab, target_vocab, max_len, beam_size))
    finally:
        model.train(before)
