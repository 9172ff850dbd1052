"""Two runs of one-way GRUs, the second over reversed sentences, the padding left where it falls; a weighted loss."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention import AdditiveScorer, attend
from beam_search import beam_search
from torch import Tensor, nn

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
    sources, targets = zip(*pairs)
    xs = [source_vocab.encode(x) + [EOS] for x in sources]
    ys = [[SOS, *target_vocab.encode(y), EOS] for y in targets]
    S, T = max(map(len, xs)), max(map(len, ys))
    source = torch.tensor([x + [PAD] * (S - len(x)) for x in xs])
    target = torch.tensor([y + [PAD] * (T - len(y)) for y in ys])
    target_in = target[:, :-1].clone()
    target_in[target_in == EOS] = PAD  # the end of shorter ones is nothing to read
    return Batch(source, (source != PAD).sum(1), target_in, target[:, 1:])


def masked_cross_entropy(logits: Tensor, targets: Tensor, pad: int = PAD) -> Tensor:
    losses = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), reduction="none")
    mask = targets.reshape(-1) != pad
    return torch.where(mask, losses, 0.0).sum() / torch.clamp(mask.sum(), min=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.rnn = nn.GRU(emb_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_dim, hidden_dim)

    def forward(self, source, source_lengths):
        N, S = source.shape
        emb = self.embedding(source)
        places = torch.arange(S, device=source.device).repeat(N, 1)
        lengths = source_lengths.to(source.device)[:, None]
        real = places < lengths
        mirror = torch.where(real, lengths - 1 - places, places)[:, :, None]  # its own inverse
        flipped = emb.gather(1, mirror.expand_as(emb))
        first, second = self._one_way(emb, ""), self._one_way(flipped, "_reverse")
        ends = (lengths - 1)[:, :, None].expand(-1, -1, first.shape[2])
        final = torch.cat([first.gather(1, ends), second.gather(1, ends)], 2).squeeze(1)
        second = second.gather(1, mirror.expand_as(second))
        states = torch.cat([first, second], 2) * real[:, :, None]
        return states, torch.tanh(self.bridge(final))

    def _one_way(self, x, suffix):
        w = [getattr(self.rnn, f"{n}_l0{suffix}") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        h, out = x.new_zeros(len(x), self.rnn.hidden_size), []
        for x_t in x.unbind(1):
            h = torch.gru_cell(x_t, h, *w)
            out.append(h)
        return torch.stack(out, 1)


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim, padding_idx=PAD)
        self.scorer = AdditiveScorer(hidden_dim, 2 * hidden_dim, hidden_dim)
        self.cell = nn.GRUCell(emb_dim + 2 * hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim + 2 * hidden_dim + emb_dim, vocab_size)

    def forward(self, token, state, memory, mask):
        emb = self.embedding(token)
        context, weights = attend(self.scorer, state[:, None, :], memory, memory, mask[:, None, :])
        context = context[:, 0, :]
        state = self.cell(torch.cat([emb, context], dim=1), state)
        logits = self.output(torch.cat([state, context, emb], dim=1))
        return logits, state, weights[:, 0, :]


class Seq2Seq(nn.Module):
    def __init__(self, encoder: Encoder, decoder: AttentionDecoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        N, T = target_in.shape
        memory, state = self.encoder(source, source_lengths)
        mask = torch.arange(source.size(1), device=source.device).unsqueeze(0) < source_lengths.unsqueeze(1)
        truth = (torch.rand(T) < teacher_forcing).tolist()  # a draw for every step
        result = torch.zeros(N, T, self.decoder.embedding.num_embeddings, device=source.device, dtype=memory.dtype)
        token = target_in[:, 0]
        for t in range(T):
            logits, state, _ = self.decoder(token, state, memory, mask)
            result[:, t] = logits
            if t < T - 1:
                token = target_in[:, t + 1] if truth[t] else logits.argmax(1)
        return result


def train_epoch(model, batches, optimizer, *, clip_norm=1.0, teacher_forcing=1.0):
    model.train()
    device = next(model.parameters()).device
    history = []
    for batch in batches:
        batch = Batch(*(x.to(device) for x in batch))
        optimizer.zero_grad()
        loss = masked_cross_entropy(
            model(batch.source, batch.source_lengths, batch.target_in, teacher_forcing=teacher_forcing),
            batch.target_out,
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
        optimizer.step()
        tokens = (batch.target_out != PAD).sum()
        history.append(torch.stack([loss.detach() * tokens, tokens.to(loss.dtype)]))
    total, count = torch.stack(history).sum(0)
    return (total / count).item()


@torch.no_grad()
def translate(model, sources, source_vocab, target_vocab, *, max_len=50, beam_size=1):
    if max_len < 1:
        raise ValueError(f"max_len is {max_len}")
    if beam_size < 1:
        raise ValueError(f"beam_size is {beam_size}")
    if len(sources) == 0:
        return []
    training = model.training
    model.eval()
    try:
        batch = make_batch([(s, ()) for s in sources], source_vocab, target_vocab)
        device = next(model.parameters()).device
        source, lengths = batch.source.to(device), batch.source_lengths.to(device)
        memory, state = model.encoder(source, lengths)
        mask = source != PAD
        if beam_size > 1:
            return [
                target_vocab.decode(beam(model.decoder, memory[n], state[n], mask[n], max_len, beam_size))
                for n in range(len(sources))
            ]
        tokens = torch.full((len(sources), 1), SOS, device=device)
        done = torch.zeros(len(sources), dtype=torch.bool, device=device)
        for _ in range(max_len):
            logits, state, _ = model.decoder(tokens[:, -1], state, memory, mask)
            logits[:, [PAD, SOS]] = -torch.inf  # neither is a word
            following = logits.argmax(-1).masked_fill(done, PAD)
            tokens = torch.cat([tokens, following[:, None]], 1)
            done |= following == EOS
            if done.all():
                break
        return [target_vocab.decode(row) for row in tokens.tolist()]
    finally:
        model.train(training)


def beam(decoder, memory, state, mask, max_len, beam_size):
    known = {(SOS,): (state, None)}

    def after(prefix):
        # the state before and the log-probabilities after a prefix, each computed once
        prefix = tuple(prefix)
        if prefix not in known:
            after(prefix[:-1])
            known[prefix] = (known[prefix[:-1]][1][0], None)
        before, done = known[prefix]
        if done is None:
            token = torch.tensor([prefix[-1]], device=memory.device)
            logits, new, _ = decoder(token, before[None], memory[None], mask[None])
            done = (new[0], logits[0].log_softmax(0))
            known[prefix] = (before, done)
        return done[1]

    found = beam_search(
        lambda prefixes: torch.stack([after(p) for p in prefixes]),
        sos=SOS,
        eos=EOS,
        beam_size=beam_size,
        max_len=max_len,
    )
    return found[0].tokens
