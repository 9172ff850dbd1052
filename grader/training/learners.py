"""The student's own model behind one face: make it, take steps with it, ask it, and see where it looks."""

from __future__ import annotations

import math
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from grader.errors import GraderError
from grader.judge.suites import Suite
from grader.manifest import Course, Exercise
from grader.training.tasks import Data, Pair, Sizes
from grader.wire.executor import Executor, StudentError
from grader.wire.messages import Absent, Load


class Learner(Protocol):
    """A model, its optimiser and its vocabularies."""

    model: Any
    optimizer: Any
    module: types.ModuleType
    vocabularies: tuple[Any, Any]

    def learn(self, batches: Iterable[Sequence[Pair]], step: int, steps: int) -> float:
        """One step for each batch, the first of them with this number; the mean loss per token."""

    def look(self, source: Sequence[str], answer: Sequence[str]) -> Any:
        """Where the model looks: (symbols of the answer and <eos>, symbols of the source and <eos>)."""


def load_student(course: Course, exercise: Exercise, file: Path | None) -> types.ModuleType:
    """The student's module, with what it builds on; here, because it is the student who runs this."""
    files = Suite(course, exercise, hidden=False).student_files(file)
    missing = next((path for path in files.values() if not path.is_file()), None)
    if missing:
        raise GraderError(f"{missing}: not found. It is needed to train {exercise.name}.")
    sources = {name: (str(path), path.read_bytes()) for name, path in files.items()}
    executor = Executor(Load(name=exercise.name, sources=sources), lambda number, args: None)
    try:
        executor.load()
    except StudentError as error:
        raise explained(error) from error.__cause__
    assert executor.module is not None
    return executor.module


def explained(error: StudentError) -> GraderError:
    failure = error.failure
    if isinstance(failure, Absent):
        return GraderError(f"There is no {failure.name!r}.")
    where = f" ({failure.frames[-1]})" if failure.frames else ""
    return GraderError(f"Your code raised {failure.types[0]}{where}: {failure.message}")


def make_learner(module: types.ModuleType, data: Data, sizes: Sizes) -> Learner:
    """A new model of the student's for these data."""
    vocabulary = sys.modules["seq2seq"].Vocabulary  # the student's own, or the one that stands in
    vocabularies = tuple(vocabulary.from_sequences([pair[side] for pair in data.train]) for side in (0, 1))
    kind = Recurrent if hasattr(module, "Seq2Seq") else Attentive
    return kind(module, (vocabularies[0], vocabularies[1]), sizes)


class Recurrent:
    """Exercise ``seq2seq``."""

    def __init__(self, module: types.ModuleType, vocabularies: tuple[Any, Any], sizes: Sizes) -> None:
        import torch

        self.module, self.vocabularies, self.sizes = module, vocabularies, sizes
        lengths = [len(vocabulary) for vocabulary in vocabularies]
        encoder = module.Encoder(lengths[0], sizes.emb_dim, sizes.hidden_dim)
        decoder = module.AttentionDecoder(lengths[1], sizes.emb_dim, sizes.hidden_dim)
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


class Attentive:
    """Exercise ``transformer``."""

    def __init__(self, module: types.ModuleType, vocabularies: tuple[Any, Any], sizes: Sizes) -> None:
        import torch

        self.module, self.vocabularies, self.sizes = module, vocabularies, sizes
        lengths = [len(vocabulary) for vocabulary in vocabularies]
        self.model = module.Transformer(*lengths, d_model=sizes.d_model, d_ff=sizes.d_ff)
        self.optimizer = torch.optim.Adam(self.model.parameters(), betas=(0.9, 0.98), eps=1e-9)

    def learn(self, batches: Iterable[Sequence[Pair]], step: int, steps: int) -> float:
        total = count = 0.0
        make_batch: Callable[..., Any] = sys.modules["seq2seq"].make_batch
        self.model.train()
        for number, pairs in enumerate(batches, step):
            batch = make_batch(pairs, *self.vocabularies)
            for group in self.optimizer.param_groups:
                group["lr"] = self.module.learning_rate(number, self.sizes.d_model, self.sizes.warmup)
            loss = self.module.label_smoothed_loss(self.model(batch.source, batch.target_in), batch.target_out)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            tokens = int((batch.target_out != 0).sum())
            total += loss.item() * tokens
            count += tokens
        return total / max(count, 1)

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
