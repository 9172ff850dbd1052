"""Sequence to sequence: read a sequence, then write another one, trained end to end.

An encoder reads the source from both sides. A decoder writes the target, one token at a time, and before each token
it looks at the source once more, by attention. Both are trained together, on pairs alone.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name
from attention import AdditiveScorer, attend
from beam_search import beam_search
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

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


def make_batch(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], source_vocab: Vocabulary, target_vocab: Vocabulary
) -> Batch:
    """The pairs as padded tensors; what the decoder reads at a position is what it had to say at the one before.

    pairs: N pairs (source, target) -> Batch of int64 tensors

    >>> vocabulary = Vocabulary("abc")
    >>> for tensor in make_batch([("a", "ba"), ("bc", "c")], vocabulary, vocabulary):
    ...     print(tensor.tolist())
    [[4, 2, 0], [5, 6, 2]]
    [2, 3]
    [[1, 5, 4], [1, 6, 0]]
    [[5, 4, 2], [6, 2, 0]]
    """
    ### BEGIN SOLUTION
    sources = [torch.tensor([*source_vocab.encode(source), EOS]) for source, _ in pairs]
    targets = [target_vocab.encode(target) for _, target in pairs]

    def padded(rows: list[torch.Tensor]) -> torch.Tensor:
        return pad_sequence(rows, batch_first=True, padding_value=PAD)

    return Batch(
        source=padded(sources),
        source_lengths=torch.tensor([len(source) for source in sources]),
        target_in=padded([torch.tensor([SOS, *target]) for target in targets]),
        target_out=padded([torch.tensor([*target, EOS]) for target in targets]),
    )
    ### END SOLUTION


def masked_cross_entropy(logits: torch.Tensor, targets: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """The mean of -log p(target) over the real tokens of a batch; 0 if there are none.

    logits: (N, T, V), targets: (N, T) -> a number, as a tensor without axes

    >>> logits = torch.tensor([[[0.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0]]])
    >>> masked_cross_entropy(logits, torch.tensor([[2, 0]]))  # ln 4: the second token is padding
    tensor(1.3863)
    """
    ### BEGIN SOLUTION
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad, reduction="sum")
    return total / (targets != pad).sum().clamp(min=1)  # without the clamp, padding alone would be 0/0
    ### END SOLUTION


class Encoder(nn.Module):
    """Reads the source from left to right and from right to left."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)  # from two readers to the decoder's first state

    def forward(self, source: torch.Tensor, source_lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What both readers know at each position, and a summary of the whole.

        source: (N, S), source_lengths: (N,)
        -> states: (N, S, 2H), forward half first, zeros past a length; final: (N, H), where the decoder starts
        """
        ### BEGIN SOLUTION
        # Packed, each sentence ends where it ends: the forward reader stops at its last token, and the backward
        # one starts there. Over the padded batch, one would end in padding and the other begin in it.
        packed = pack_padded_sequence(
            self.embedding(source), source_lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.rnn(packed)  # last: (2, N, H)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])  # (N, S, 2H)
        final = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))  # (N, H)
        return states, final
        ### END SOLUTION


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
        """One step: the token before, and the state before, give the scores of the next token and the state after.

        token: (N,), state: (N, H), memory: (N, S, 2H), the encoder's states, mask: bool (N, S), True = real
        -> logits: (N, V), state: (N, H), weights: (N, S), where the decoder looked; 0 where the mask is False
        """
        ### BEGIN SOLUTION
        embedded = self.embedding(token)  # (N, E)
        # The state before this token asks: one query for each sentence, an axis that comes and goes.
        context, weights = attend(self.scorer, state[:, None], memory, memory, mask[:, None])
        context, weights = context[:, 0], weights[:, 0]  # (N, 2H), (N, S)
        state = self.cell(torch.cat([embedded, context], dim=-1), state)  # (N, H)
        logits = self.output(torch.cat([state, context, embedded], dim=-1))  # (N, V)
        return logits, state, weights
        ### END SOLUTION


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
        """The scores of the next token at each position of the target.

        source: (N, S), source_lengths: (N,), target_in: (N, T) -> logits: (N, T, V)
        teacher_forcing: how probable it is that a step reads target_in, and not what the model has just said itself
        """
        ### BEGIN SOLUTION
        memory, state = self.encoder(source, source_lengths)
        mask = real_positions(source, source_lengths)
        token = target_in[:, 0]  # <sos>, whatever teacher_forcing is
        steps = []
        for t in range(target_in.shape[1]):
            if t > 0:
                taught = torch.rand(()).item() < teacher_forcing  # drawn anew for every step
                token = target_in[:, t] if taught else steps[-1].argmax(dim=-1)  # (N,)
            logits, state, _ = self.decoder(token, state, memory, mask)
            steps.append(logits)
        return torch.stack(steps, dim=1)  # (N, T, V)
        ### END SOLUTION


### BEGIN SOLUTION
def real_positions(source: torch.Tensor, source_lengths: torch.Tensor) -> torch.Tensor:
    """Where the source has tokens and not padding: (N, S), (N,) -> bool (N, S).

    >>> real_positions(torch.zeros(2, 3), torch.tensor([1, 3]))
    tensor([[ True, False, False],
            [ True,  True,  True]])
    """
    return torch.arange(source.shape[1], device=source.device) < source_lengths[:, None]


### END SOLUTION


def train_epoch(
    model: Seq2Seq,
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    *,
    clip_norm: float = 1.0,
    teacher_forcing: float = 1.0,
) -> float:
    """Take one step for each batch, and tell the mean loss per real token over all of them.

    batches: they are where the model is, and are read once
    clip_norm: longer gradients (all parameters as one vector) are shortened to it
    teacher_forcing: handed on to the model
    """
    ### BEGIN SOLUTION
    model.train()
    total, count = 0.0, 0
    for source, source_lengths, target_in, target_out in batches:
        logits = model(source, source_lengths, target_in, teacher_forcing)  # (N, T, V)
        loss = masked_cross_entropy(logits, target_out)
        optimizer.zero_grad()  # else the gradients of all batches so far would add up
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        # The loss is a mean over tokens, and batches have different numbers of them.
        tokens = int((target_out != PAD).sum())
        total += loss.item() * tokens
        count += tokens
    return total / max(count, 1)
    ### END SOLUTION


### BEGIN SOLUTION
def greedy_ids(model: Seq2Seq, source: torch.Tensor, source_lengths: torch.Tensor, max_len: int) -> list[list[int]]:
    """The most probable token each time, for a whole batch: (N, S), (N,) -> N lists of max_len numbers or fewer."""
    memory, state = model.encoder(source, source_lengths)
    mask = real_positions(source, source_lengths)
    token = torch.full_like(source_lengths, SOS)  # (N,)
    ended = torch.zeros_like(source_lengths, dtype=torch.bool)  # (N,)
    said = []
    while len(said) < max_len and not ended.all():
        logits, state, _ = model.decoder(token, state, memory, mask)
        token = logits.argmax(dim=-1)  # (N,); a sentence that has ended goes on, and nobody reads it
        ended = ended | (token == EOS)
        said.append(token)
    return torch.stack(said, dim=1).tolist()


def beam_ids(
    model: Seq2Seq, source: torch.Tensor, source_lengths: torch.Tensor, max_len: int, beam_size: int
) -> list[int]:
    """What a beam finds for a single sentence: (1, S), (1,) -> max_len numbers or fewer."""
    memory, state = model.encoder(source, source_lengths)
    mask = real_positions(source, source_lengths)
    states = {(): state[0]}  # by what has been read before it; each prefix is one token longer than a known one

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        beam = len(prefixes)
        token = torch.tensor([prefix[-1] for prefix in prefixes], device=source.device)  # (k,)
        before = torch.stack([states[tuple(prefix[:-1])] for prefix in prefixes])  # (k, H)
        logits, after, _ = model.decoder(token, before, memory.expand(beam, -1, -1), mask.expand(beam, -1))
        states.update(zip(map(tuple, prefixes), after, strict=True))
        return logits.log_softmax(dim=-1)  # (k, V)

    return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens


### END SOLUTION


def translate(
    model: Seq2Seq,
    sources: Sequence[Sequence[str]],
    source_vocab: Vocabulary,
    target_vocab: Vocabulary,
    *,
    max_len: int = 50,
    beam_size: int = 1,
) -> list[list[str]]:
    """What the model makes of each source: greedily, or with a beam; the model's mode is the same afterwards.

    sources: N strings or lists of symbols -> N lists of symbols
    Each is what the model says until it has said <eos>, or max_len tokens, <eos> among them.
    """
    ### BEGIN SOLUTION
    for name, value in (("max_len", max_len), ("beam_size", beam_size)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    if not sources:
        return []
    device = next(model.parameters()).device
    batch = make_batch([(source, "") for source in sources], source_vocab, target_vocab)
    source, lengths = batch.source.to(device), batch.source_lengths.to(device)
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            if beam_size == 1:
                found = greedy_ids(model, source, lengths, max_len)
            else:
                sentences = zip(source.split(1), lengths.split(1), strict=True)
                found = [beam_ids(model, one, length, max_len, beam_size) for one, length in sentences]
    finally:
        model.train(training)
    return [target_vocab.decode(ids) for ids in found]
    ### END SOLUTION
