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
    """The pairs as padded tensors; what the decoder reads at a position is what it had to say at the one before."""
    lengths = torch.tensor([len(source) + 1 for source, _ in pairs])
    width = max(len(target) for _, target in pairs) + 1
    source_ids = torch.full((len(pairs), int(lengths.max())), PAD)
    target_in = torch.full((len(pairs), width), PAD)
    target_out = torch.full((len(pairs), width), PAD)
    for n, (source, target) in enumerate(pairs):
        for k, number in enumerate(source_vocab.encode(source)):
            source_ids[n, k] = number
        source_ids[n, len(source)] = EOS
        target_in[n, 0] = SOS
        for k, number in enumerate(target_vocab.encode(target)):
            target_in[n, k + 1] = number
            target_out[n, k] = number
        target_out[n, len(target)] = EOS
    return Batch(source_ids, lengths, target_in, target_out)


def masked_cross_entropy(logits: torch.Tensor, targets: torch.Tensor, pad: int = PAD) -> torch.Tensor:
    """The mean of -log p(target) over the real tokens of a batch; 0 if there are none."""
    log_probs = torch.log_softmax(logits, dim=-1)
    picked = torch.gather(log_probs, 2, targets.unsqueeze(2)).squeeze(2)  # (N, T)
    real = targets != pad
    if not real.any():
        return (logits * 0.0).sum()
    return -picked[real].mean()


class Encoder(nn.Module):
    """Reads the source from left to right and from right to left."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)  # from two readers to the decoder's first state

    def forward(self, source: torch.Tensor, source_lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What both readers know at each position, and a summary of the whole."""
        lengths = source_lengths.to(source.device)
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]  # (N, S)
        embedded = self.embedding(source.masked_fill(~real, PAD))
        forward_states, forward_last = self._read(embedded, real, "", range(source.shape[1]))
        backward_states, backward_last = self._read(embedded, real, "_reverse", reversed(range(source.shape[1])))
        states = torch.cat([forward_states, backward_states], dim=2)
        final = self.bridge(torch.cat([forward_last, backward_last], dim=1)).tanh()
        return states, final

    def _read(
        self, embedded: torch.Tensor, real: torch.Tensor, suffix: str, times: Iterable[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """One direction, step by step; past its length a sentence holds its state."""
        w_in, w_state = getattr(self.rnn, "weight_ih_l0" + suffix), getattr(self.rnn, "weight_hh_l0" + suffix)
        b_in, b_state = getattr(self.rnn, "bias_ih_l0" + suffix), getattr(self.rnn, "bias_hh_l0" + suffix)
        state = embedded.new_zeros(embedded.shape[0], self.rnn.hidden_size)
        outputs = [state] * embedded.shape[1]
        for t in times:
            r_in, z_in, n_in = (embedded[:, t] @ w_in.T + b_in).chunk(3, dim=1)
            r_state, z_state, n_state = (state @ w_state.T + b_state).chunk(3, dim=1)
            reset, update = torch.sigmoid(r_in + r_state), torch.sigmoid(z_in + z_state)
            new = torch.tanh(n_in + reset * n_state)
            here = real[:, t, None]
            state = torch.where(here, (1 - update) * new + update * state, state)
            outputs[t] = torch.where(here, state, torch.zeros_like(state))
        return torch.stack(outputs, dim=1), state


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
        e = self.embedding(token)
        c, a = attend(self.scorer, state[:, None, :], memory, memory, mask[:, None, :])
        c = c[:, 0]
        a = a[:, 0]
        state = self.cell(torch.cat((e, c), 1), state)
        return self.output(torch.cat((state, c, e), 1)), state, a


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
        states, state = self.encoder(source, source_lengths)
        lengths = source_lengths.to(source.device)
        mask = torch.arange(source.shape[1], device=source.device)[None, :] < lengths[:, None]
        n, width = target_in.shape
        reads_truth = torch.rand(n, width, device=source.device) < teacher_forcing  # a draw for each sentence and step
        reads_truth[:, 0] = True
        said = target_in[:, 0]
        all_logits = []
        for t in range(width):
            token = torch.where(reads_truth[:, t], target_in[:, t], said)
            logits, state, _ = self.decoder(token, state, states, mask)
            said = logits.detach().argmax(1)
            all_logits.append(logits[:, None])
        return torch.cat(all_logits, 1)


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
    losses, sizes = [], []
    for source, source_lengths, target_in, target_out in batches:
        optimizer.zero_grad()
        logits = model(source, source_lengths, target_in, teacher_forcing=teacher_forcing)
        loss = masked_cross_entropy(logits, target_out)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip_norm)
        optimizer.step()
        losses.append(loss.item())
        sizes.append(int((target_out != PAD).sum()))
    return sum(loss * size for loss, size in zip(losses, sizes)) / max(sum(sizes), 1)


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
    for name, value in (("max_len", max_len), ("beam_size", beam_size)):
        if value < 1:
            raise ValueError(f"{name} is {value}, and must be 1 or more")
    mode = model.training
    model.eval()
    try:
        results = []
        for source in sources:
            ids = _translate_one(model, source, source_vocab, max_len, beam_size)
            results.append(target_vocab.decode(ids))
        return results
    finally:
        model.train(mode)


@torch.no_grad()
def _translate_one(
    model: Seq2Seq, source: Sequence[str], source_vocab: Vocabulary, max_len: int, beam_size: int
) -> list[int]:
    device = next(model.parameters()).device
    ids = torch.tensor([source_vocab.encode(source) + [EOS]], device=device)
    memory, first = model.encoder(ids, torch.tensor([ids.shape[1]]))
    mask = torch.ones_like(ids, dtype=torch.bool)
    known = {(): first}  # the state before the last token of each prefix

    def step(prefixes: list[list[int]]) -> torch.Tensor:
        before = torch.cat([known[tuple(prefix[:-1])] for prefix in prefixes])
        last = torch.tensor([prefix[-1] for prefix in prefixes], device=device)
        k = len(prefixes)
        logits, after, _ = model.decoder(last, before, memory.repeat(k, 1, 1), mask.repeat(k, 1))
        for n, prefix in enumerate(prefixes):
            known[tuple(prefix)] = after[n : n + 1]
        return torch.log_softmax(logits, dim=1)

    if beam_size > 1:
        return beam_search(step, sos=SOS, eos=EOS, beam_size=beam_size, max_len=max_len)[0].tokens
    prefix = [SOS]
    while len(prefix) <= max_len and (len(prefix) == 1 or prefix[-1] != EOS):
        prefix.append(int(step([prefix])[0].argmax()))
    return prefix[1:]
