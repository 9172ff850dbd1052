"""What a training run leaves behind: weights and optimiser as safetensors, and its state as JSON.

Nothing in it is code: a checkpoint from somebody else can do no harm.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from grader.errors import GraderError
from grader.files import write_atomically

WEIGHTS, OPTIMISER, STATE = "model.safetensors", "optimizer.safetensors", "run.json"
FORMAT = 1


class TrainingState(msgspec.Struct, kw_only=True):
    """How far a run is, and what it is a run of."""

    format: int = FORMAT
    exercise: str
    task: str
    seed: int
    sizes: dict[str, Any]
    step: int = 0
    seconds: float = 0.0
    tokens: int = 0
    losses: list[tuple[int, float]] = []  # (step, mean loss per token since the last entry)
    symbols: tuple[list[str], list[str]] = ([], [])  # the vocabularies

    def same_run(self, other: TrainingState) -> bool:
        names = ("format", "exercise", "task", "seed", "sizes", "symbols")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def save(folder: Path, state: TrainingState, model: Any, optimizer: Any) -> None:
    """The state last: without it there is no checkpoint, so that an interruption leaves the old one or the new."""
    from safetensors.torch import save as to_bytes

    write_atomically(folder / WEIGHTS, to_bytes({k: v.contiguous() for k, v in model.state_dict().items()}))
    flat = {
        f"{index}.{name}": value.contiguous()
        for index, state in optimizer.state_dict()["state"].items()
        for name, value in state.items()
    }
    write_atomically(folder / OPTIMISER, to_bytes(flat))
    write_atomically(folder / STATE, msgspec.json.format(msgspec.json.encode(state), indent=1).decode() + "\n")


def load(folder: Path, fresh: TrainingState, model: Any, optimizer: Any) -> TrainingState | None:
    """Put weights and optimiser back, and return the state so far; None if there is nothing of this run."""
    from safetensors.torch import load_file

    if not (folder / STATE).is_file():
        return None
    try:
        state = msgspec.json.decode((folder / STATE).read_bytes(), type=TrainingState)
    except (msgspec.DecodeError, OSError) as error:
        raise GraderError(f"{folder / STATE}: cannot be read ({error}). Say --fresh to begin anew.") from error
    if not state.same_run(fresh):
        raise GraderError(
            f"{folder}: holds another run ({state.exercise}, {state.task}). Choose another --out, or say --fresh."
        )
    try:
        model.load_state_dict(load_file(folder / WEIGHTS))
        flat = load_file(folder / OPTIMISER)
    except Exception as error:  # whatever a damaged file, or a model that has changed since, makes of it
        raise GraderError(
            f"{folder}: does not fit your model any more ({error}). Say --fresh to begin anew."
        ) from error
    moments: dict[int, dict[str, Any]] = {}
    for key, value in flat.items():
        index, _, name = key.partition(".")
        moments.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return state
