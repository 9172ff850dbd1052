"""How `grader train` makes a model of a student's modules, takes steps with it, and sees where it looks."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from grader.training.learner import Learner
from grader.training.tasks import Data, Pair, Sizes

SPECIAL = 4  # tokens at the beginning of every vocabulary


def make_learner(module: types.ModuleType, data: Data, sizes: Sizes) -> Learner:
    """A new model of the student's for these data."""
    vocabulary = sys.modules["seq2seq"].Vocabulary  # the student's own, or the one that stands in
    vocabularies = tuple(vocabulary.from_sequences([pair[side] for pair in data.train]) for side in (0, 1))
    kind = Recurrent if hasattr(module, "Seq2Seq") else Attentive
    return kind(module, (vocabularies[0], vocabularies[1]), sizes)


class Model:
    """What both kinds of models share."""

    model: Any

    def __init__(self, module: types.ModuleType, vocabularies: tuple[Any, Any], sizes: Sizes) -> None:
        self.module, self.vocabularies, self.sizes = module, vocabularies, sizes
        self.lengths = [len(vocabulary) for vocabulary in vocabularies]

    def symbols(self) -> tuple[list[str], list[str]]:
        source, target = (
            [str(vocabulary.decode([number])[0]) for number in range(SPECIAL, len(vocabulary))]
            for vocabulary in self.vocabularies
        )
        return source, target

    def translate(self, sources: Sequence[Sequence[str]]) -> list[list[str]]:
        answers: list[list[str]] = self.module.translate(self.model, sources, *self.vocabularies)
        return answers


class Recurrent(Model):
    """Exercise ``seq2seq``."""

    def __init__(self, module: types.ModuleType, vocabularies: tuple[Any, Any], sizes: Sizes) -> None:
        import torch

        super().__init__(module, vocabularies, sizes)
        given = {"emb_dim": 32, "hidden_dim": 64, **sizes.model}
        encoder = module.Encoder(self.lengths[0], **given)
        decoder = module.AttentionDecoder(self.lengths[1], **given)
        self.model = module.Seq2Seq(encoder, decoder)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=sizes.rate)

    def learn(self, batches: Iterable[Sequence[Pair]], step: int, steps: int) -> float:
        def ready() -> Iterator[Any]:
            for number, pairs in enumerate(batches, step):
                for group in self.optimizer.param_groups:
                    group["lr"] = self.sizes.rate * cosine(number, steps, self.sizes.warmup)
                yield self.module.make_batch(pairs, *self.vocabularies)

        return float(self.module.train_epoch(self.model, ready(), self.optimizer))

    def look(self, source: Sequence[str], answer: Sequence[str]) -> Any:
        import torch

        batch = self.module.make_batch([(source, answer)], *self.vocabularies)
        rows = []
        with torch.no_grad():
            memory, state = self.model.encoder(batch.source, batch.source_lengths)
            mask = torch.ones_like(batch.source, dtype=torch.bool)
            for token in batch.target_in.T:
                _, state, weights = self.model.decoder(token, state, memory, mask)
                rows.append(weights[0])
        return torch.stack(rows)


class Attentive(Model):
    """Exercise ``transformer``."""

    def __init__(self, module: types.ModuleType, vocabularies: tuple[Any, Any], sizes: Sizes) -> None:
        import torch

        super().__init__(module, vocabularies, sizes)
        self.given = {"d_model": 64, "d_ff": 128, **sizes.model}
        self.model = module.Transformer(*self.lengths, **self.given)
        self.optimizer = torch.optim.Adam(self.model.parameters(), betas=(0.9, 0.98), eps=1e-9)

    def learn(self, batches: Iterable[Sequence[Pair]], step: int, steps: int) -> float:
        losses = []
        make_batch: Callable[..., Any] = sys.modules["seq2seq"].make_batch
        self.model.train()
        for number, pairs in enumerate(batches, step):
            batch = make_batch(pairs, *self.vocabularies)
            for group in self.optimizer.param_groups:
                group["lr"] = self.module.learning_rate(number, self.given["d_model"], self.sizes.warmup)
            loss = self.module.label_smoothed_loss(self.model(batch.source, batch.target_in), batch.target_out)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return math.fsum(losses) / max(len(losses), 1)

    def look(self, source: Sequence[str], answer: Sequence[str]) -> Any:
        import torch

        batch = sys.modules["seq2seq"].make_batch([(source, answer)], *self.vocabularies)
        seen: list[Any] = []
        attention = self.model.decoder_layers[-1].cross_attention
        hook = attention.register_forward_hook(lambda module, inputs, output: seen.append(output[1]))
        self.model.eval()
        try:
            with torch.no_grad():
                self.model(batch.source, batch.target_in)
        finally:
            hook.remove()
        return seen[-1][0].mean(0)  # over the heads


def cosine(step: int, steps: int, warmup: int) -> float:
    """A share of the highest learning rate: up in a line, then down in half a wave."""
    if step < warmup:
        return step / warmup
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - warmup) / max(1, steps - warmup))))
