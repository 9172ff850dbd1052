"""Sequence to sequence: read a sequence, then write another one, trained end to end.

An encoder reads the source from both sides. A decoder writes the target, one token at a time, and before each token
it looks at the source once more, by attention. Both are trained together, on pairs alone.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
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
    raise NotImplementedError("make_batch is yours to write")


def masked_cross_entropy(logits: torch.Tensor, targets: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """The mean of -log p(target) over the real tokens of a batch; 0 if there are none.

    logits: (N, T, V), targets: (N, T) -> a number, as a tensor without axes

    >>> logits = torch.tensor([[[0.0, 0.0, 0.0, 0.0], [9.0, 0.0, 0.0, 0.0]]])
    >>> masked_cross_entropy(logits, torch.tensor([[2, 0]]))  # ln 4: the second token is padding
    tensor(1.3863)
    """
    raise NotImplementedError("masked_cross_entropy is yours to write")


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
        raise NotImplementedError("Encoder.forward is yours to write")


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
        raise NotImplementedError("AttentionDecoder.forward is yours to write")


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
        raise NotImplementedError("Seq2Seq.forward is yours to write")


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
    raise NotImplementedError("train_epoch is yours to write")


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
    raise NotImplementedError("translate is yours to write")
