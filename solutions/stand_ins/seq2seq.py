"""Stands in for a student's own ``seq2seq`` where a later exercise builds on it: the data, not the model."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

PAD, SOS, EOS, UNK = 0, 1, 2, 3


class Vocabulary:
    """Symbols and their numbers; the first four are <pad>, <sos>, <eos> and <unk>."""

    def __init__(self, symbols: Iterable[Hashable]) -> None:
        self.symbols = ["<pad>", "<sos>", "<eos>", "<unk>", *symbols]
        self.ids = {symbol: number for number, symbol in enumerate(self.symbols)}

    @classmethod
    def from_sequences(cls, sequences: Iterable[Sequence[Hashable]]) -> "Vocabulary":
        return cls(sorted({symbol for sequence in sequences for symbol in sequence}))

    def __len__(self) -> int:
        return len(self.symbols)

    def encode(self, sequence: Sequence[Hashable]) -> list[int]:
        return [self.ids.get(symbol, UNK) for symbol in sequence]

    def decode(self, ids: Iterable[int]) -> list[Hashable]:
        found = []
        for number in ids:
            if number == EOS:
                break
            if number not in (PAD, SOS):
                found.append(self.symbols[number])
        return found


class Batch(NamedTuple):
    source: torch.Tensor
    source_lengths: torch.Tensor
    target_in: torch.Tensor
    target_out: torch.Tensor


def make_batch(pairs, source_vocab: Vocabulary, target_vocab: Vocabulary) -> Batch:
    sources = [torch.tensor([*source_vocab.encode(source), EOS]) for source, _ in pairs]
    targets = [torch.tensor([SOS, *target_vocab.encode(target), EOS]) for _, target in pairs]
    padded = pad_sequence(targets, batch_first=True, padding_value=PAD)
    target_in = padded[:, :-1].masked_fill(padded[:, :-1] == EOS, PAD)  # <eos> is asked for, never given
    lengths = torch.tensor([len(source) for source in sources])
    return Batch(pad_sequence(sources, batch_first=True, padding_value=PAD), lengths, target_in, padded[:, 1:])
