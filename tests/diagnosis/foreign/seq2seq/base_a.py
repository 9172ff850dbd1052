"""Sequence to sequence: read a sequence, then write another one, trained end to end.

An encoder reads the source from both sides. A decoder writes the target, one token at a time, and before each token
it looks at the source once more, by attention. Both are trained together, on pairs alone.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention import AdditiveScorer, attend
from beam_search import beam_search
from torch import nn

PAD, SOS, EOS, UNK = 0, 1, 2, 3  # filling, the start, the end, and whatever the vocabulary does not know


class Vocabulary:
    """Symbols and their numbers. The first four numbers are special, the symbols follow.

    >>> vocabulary = Vocabulary.from_sequences(["cab", "bad"])
    >>> len(vocabulary), vocabulary.encode("abx")
    (8, [4, 5, 3])
    >>> vocabulary.decode([1, 6, 4, 5, 2, 0, 0])
    ['c', 'a', 'b']
    """

    def __init__(self, symbols: Iterable[str]) -> None:
        self.symbols = ["<pad>", "<sos>", "<eos>", "<unk>", *symbols]
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols) if number > UNK}

    @classmethod
    def from_sequences(cls, sequences: Iterable[Sequence[str]]) -> "Vocabulary":
        """All symbols of these sequences (strings, or lists of words), sorted."""
        return cls(sorted({symbol for sequence in sequences for symbol in sequence}))

    def encode(self, sequence: Sequence[str]) -> list[int]:
        """The numbers of the symbols, and nothing before or after them."""
        return [self.numbers.get(symbol, UNK) for symbol in sequence]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The symbols up to the first <eos>, without <pad> and <sos>."""
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
    """N pairs of sequences as tensors of numbers, padded with <pad>."""

    source: torch.Tensor  # (N, S): the source and <eos>
    source_lengths: torch.Tensor  # (N,): how many numbers of each row are real
    target_in: torch.Tensor  # (N, T): <sos> and the target, what the decoder reads
    target_out: torch.Tensor  # (N, T): the target and <eos>, what it is to say


def _pad(rows: list[list[int]]) -> torch.Tensor:
    width = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def make_batch(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], source_vocab: Vocabulary, target_vocab: Vocabulary
) -> Batch:
    """The pairs as padded tensors; what the decoder reads at a position is what it had to say at the one before."""
    sources = [source_vocab.encode(source) + [EOS] for source, _ in pairs]
    targets = [target_vocab.encode(target) for _, target in pairs]
    return Batch(
        source=_pad(sources),
        source_lengths=torch.tensor([len(source) for source in sources]),
        target_in=_pad([[SOS] + target for target in targets]),
        target_out=_pad([target + [EOS] for target in targets]),
    )


def masked_cross_entropy(logits: torch.Tensor, targets: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """The mean of -log p(target) over the real tokens of a batch; 0 if there are none."""
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad, reduction="sum")
    return total / (targets != pad).sum().clamp(min=1)


class Encoder(nn.Module):
    """Reads the source from left to right and from right to left."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)  # from two readers to the decoder's first state

    def forward(self, source: torch.Tensor, source_lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What both readers know at each position, and a summary of the whole."""
        embedded = self.embedding(source)
        packed = nn.utils.rnn.pack_padded_sequence(
            embedded, source_lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        output, last = self.rnn(packed)  # last: (2, N, H)
        states, _ = nn.utils.rnn.pad_packed_sequence(output, batch_first=True, total_length=source.shape[1])
        both = torch.cat([last[0], last[1]], dim=-1)
        return states, torch.tanh(self.bridge(both))


class AttentionDecoder(nn.Module):
    """Writes one token: looks at the source, updates its state, and scores every token of the vocabulary."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(
        self, token: torch.Tensor, state: torch.Tensor, memory: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """One step: the token before, and the state before, give the scores of the next token and the state after."""
        embedded = self.embedding(token)
        context, weights = attend(self.scorer, state.unsqueeze(1), memory, memory, mask.unsqueeze(1))
        context, weights = context.squeeze(1), weights.squeeze(1)
        new_state = self.cell(torch.cat([embedded, context], dim=-1), state)
        logits = self.output(torch.cat([new_state, context, embedded], dim=-1))
        return logits, new_state, weights


class Seq2Seq(nn.Module):
    """Encoder and decoder together."""

    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(
        self,
        source: torch.Tensor,
        source_lengths: torch.Tensor,
        target_in: torch.Tensor,
        teacher_forcing: float = 1.0,
    ) -> torch.Tensor:
        """The scores of the next token at each position of the target."""
        memory, state = self.encoder(source, source_lengths)
        mask = source != PAD
        token = target_in[:, 0]
        steps = []
        for t in range(target_in.shape[1]):
            if t > 0:
                truth = torch.rand(1).item() < teacher_forcing
                token = target_in[:, t] if truth else logits.argmax(dim=-1)
            logits, state, _ = self.decoder(token, state, memory, mask)
            steps.append(logits)
        return torch.stack(steps, dim=1)


def train_epoch(
    model: Seq2Seq,
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    *,
    clip_norm: float = 1.0,
    teacher_forcing: float = 1.0,
) -> float:
    """Take one step for each batch, and tell the mean loss per real token over all of them."""
    model.train()
    total, count = 0.0, 0
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in, teacher_forcing)
        loss = masked_cross_entropy(logits, batch.target_out)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        tokens = (batch.target_out != PAD).sum().item()
        total += loss.item() * tokens
        count += tokens
    return total / max(count, 1)


def translate(
    model: Seq2Seq,
    sources: Sequence[Sequence[str]],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int = 50,
    beam_size: int = 1,
) -> list[list[str]]:
    """What the model makes of each source: greedily, or with a beam; the model's mode is the same afterwards."""
    if max_len < 1:
        raise ValueError(f"max_len must be at least 1, not {max_len}")
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    if not sources:
        return []
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            device = next(model.parameters()).device
            batch = make_batch([(source, "") for source in sources], source_vocab, target_vocab)
            source, lengths = batch.source.to(device), batch.source_lengths.to(device)
            memory, state = model.encoder(source, lengths)
            mask = source != PAD
            if beam_size == 1:
                found = _greedy(model, memory, state, mask, max_len)
            else:
                found = [
                    _beam(model, memory[n : n + 1], state[n : n + 1], mask[n : n + 1], max_len, beam_size)
                    for n in range(len(sources))
                ]
    finally:
        model.train(was_training)
    return [target_vocab.decode(ids) for ids in found]


def _greedy(
    model: Seq2Seq, memory: torch.Tensor, state: torch.Tensor, mask: torch.Tensor, max_len: int
) -> list[list[int]]:
    token = torch.full((len(memory),), SOS, device=memory.device)
    done = torch.zeros(len(memory), dtype=torch.bool, device=memory.device)
    said = []
    for _ in range(max_len):
        logits, state, _ = model.decoder(token, state, memory, mask)
        token = logits.argmax(dim=-1)
        said.append(token)
        done = done | (token == EOS)
        if done.all():
            break
    return torch.stack(said, dim=1).tolist()


def _beam(
    model: Seq2Seq, memory: torch.Tensor, state: torch.Tensor, mask: torch.Tensor, max_len: int, beam_size: int
) -> list[int]:
    def step(prefixes: list[list[int]]) -> torch.Tensor:
        k = len(prefixes)
        now = state.expand(k, -1)
        for tokens in zip(*prefixes):
            token = torch.tensor(tokens, device=memory.device)
            logits, now, _ = model.decoder(token, now, memory.expand(k, -1, -1), mask.expand(k, -1))
        return logits.log_softmax(dim=-1)

    return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
