"""What `grader show` draws of each exercise, from a student's own functions and from nothing else."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from grader.student.pictures import Curve, Grid, Node, Picture, Tree

Functions = Mapping[str, Any]  # the names of the student's module


def edit_distance(own: Functions) -> Picture:
    source, target = "INTENTION", "EXECUTION"
    table = own["edit_table"](source, target)
    steps = own["alignment"](source, target)
    way = [(0, 0)]
    for kind, _, _ in steps:
        i, j = way[-1]
        way.append((i + (kind != "insert"), j + (kind != "delete")))
    most = max(max(row) for row in table) or 1
    grid = Grid(
        shades=[[0.45 * (1 - cell / most) for cell in row] for row in table],
        words=[[f"{cell:g}" for cell in row] for row in table],
        rows=[" ", *source],
        columns=[" ", *target],
        way=way,
    )
    notes = (f"distance {table[-1][-1]:g}", "  ".join(_step(*step) for step in steps))
    return Picture(f"{source} → {target}: the table, and the way of your alignment", (grid,), notes)


def _step(kind: str, old: Any, new: Any) -> str:
    return {"keep": f"{old}", "substitute": f"{old}>{new}", "insert": f"+{new}", "delete": f"-{old}"}.get(kind, "?")


def ctc(own: Functions) -> Picture:
    """The lattice of the handout, from log_likelihood alone: of all prefixes, after each frame."""
    import torch

    shares = [[0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.1, 0.5]]
    target, names = [1, 2], "-ab"
    log_probs = torch.tensor(shares).log()

    def so_far(frames: int, labels: int) -> float:
        if not frames:
            return float(labels == 0)
        return math.exp(float(own["log_likelihood"](log_probs[:frames], target[:labels])))

    states = [0] + [symbol for label in target for symbol in (label, 0)]
    cells = []
    for place, symbol in enumerate(states):
        row = []
        for frame in range(1, len(shares) + 1):
            # A blank follows whatever read as the same labels before it; the rest of that mass is the label's.
            blank = so_far(frame - 1, place // 2) * shares[frame - 1][0]
            row.append(blank if symbol == 0 else so_far(frame, place // 2 + 1) - _blank(so_far, frame, place, shares))
        cells.append(row)
    arrows = [
        ((place, frame), (place + far, frame + 1))
        for frame in range(len(shares) - 1)
        for place, symbol in enumerate(states)
        for far in (0, 1, 2)
        if place + far < len(states) and (far < 2 or (symbol and symbol != states[place + far]))
        if cells[place][frame] > 1e-9
    ]
    grid = Grid(
        shades=[[0.5 * cell for cell in row] for row in cells],
        words=[[f"{abs(cell):.3f}" for cell in row] for row in cells],
        rows=[names[symbol] for symbol in states],
        columns=[f"frame {n}" for n in range(1, len(shares) + 1)],
        arrows=arrows,
    )
    notes = (f"P(ab) = {cells[-2][-1]:.3f} + {cells[-1][-1]:.3f} = {so_far(3, 2):.3f}: the last two states",)
    return Picture("The lattice of ab in three frames", (grid,), notes)


def _blank(so_far: Callable[[int, int], float], frame: int, place: int, shares: list[list[float]]) -> float:
    return so_far(frame - 1, place // 2 + 1) * shares[frame - 1][0]


def attention(own: Functions) -> Picture:
    import torch

    source, target = ["das", "kleine", "Haus", "ist", "alt", "<pad>"], ["the", "small", "house", "is", "old"]
    keys = torch.randn(1, len(source), 64, generator=torch.Generator().manual_seed(12))
    noise = torch.randn(1, len(target), 64, generator=torch.Generator().manual_seed(13))
    query = 0.3 * keys[:, : len(target)] + noise
    mask = torch.tensor([word != "<pad>" for word in source])
    grids: list[Grid] = []
    asked = [("dot", "DotScorer", None), ("scaled dot", "ScaledDotScorer", None)]
    for heading, scorer, allowed in [*asked, ("scaled, masked", "ScaledDotScorer", mask)]:
        _, weights = own["attend"](own[scorer](), query, keys, keys, allowed)
        grids.append(_heat(weights[0], target if not grids else [], heading))
    return Picture("Who looks where: rows ask, columns are asked", tuple(grids), ("columns: " + " ".join(source),))


def _heat(weights: Any, rows: list[str], heading: str, columns: list[str] | None = None, cell: float = 34.0) -> Grid:
    shades = [[float(weight) for weight in row] for row in weights.tolist()]
    return Grid(shades=shades, rows=rows, columns=columns or [], heading=heading, cell=cell)


def multihead_attention(own: Functions) -> Picture:
    import torch

    words = ["dogs", "bite", "men", "<pad>"]
    causal = own["causal_mask"](4)
    padding = own["padding_mask"](torch.tensor([3]), 4)
    both = causal & padding[:, None, :]  # (1, L, L)
    x = torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(5))
    heads = own["split_heads"](x, 2)
    _, weights = own["scaled_dot_product_attention"](2 * heads, heads, heads, both[:, None])
    figures = (
        _heat(causal.float(), words, "causal"),
        _heat(padding.float().expand(4, 4), [], "padding"),
        _heat(both[0].float(), [], "both"),
        *(_heat(weights[0, head], [], f"head {head}") for head in range(2)),
    )
    return Picture("Who may be asked, and who is: filled = may be attended", figures, ("columns: " + " ".join(words),))


def positional_encoding(own: Functions) -> Picture:
    table = own["sinusoidal_encoding"](32, 32)
    products = table @ table.T
    stripes = [[float(value + 1) / 2 for value in row] for row in table.tolist()]
    near = [[max(0.0, value) / 16 for value in row] for row in products.tolist()]
    figures = (
        Grid(shades=stripes, heading="the table: positions down, features across", cell=10.0),
        Grid(shades=near, heading="dot products of its rows", cell=10.0),
    )
    return Picture("Stripes: quick hands on the left, slow ones on the right", figures)


A, B, EOS, SOS = 4, 5, 2, 1
NAMES = {A: "a", B: "b", EOS: "<eos>"}
MODEL = {(): (0.5, 0.4, 0.1), (A,): (0.4, 0.25, 0.35), (A, A): (0.1, 0.3, 0.6)}
OTHERWISE = (0.05, 0.05, 0.9)


def beam_search(own: Functions) -> Picture:
    """The handout's model, beam 2: what the search asked about shows what it had kept."""
    import torch

    asked: list[list[tuple[int, ...]]] = []

    def shares(said: tuple[int, ...]) -> dict[int, float]:
        return dict(zip((A, B, EOS), MODEL.get(said, OTHERWISE), strict=True))

    def step(prefixes: list[list[int]]) -> Any:
        asked.append([tuple(prefix[1:]) for prefix in prefixes])
        return torch.tensor([[shares(said).get(token, 1e-9) for token in range(B + 1)] for said in asked[-1]]).log()

    found = own["beam_search"](step, sos=SOS, eos=EOS, beam_size=2, max_len=4)
    steps = asked.copy()
    everything = own["beam_search"](step, sos=SOS, eos=EOS, beam_size=2, max_len=len(steps), n_best=99)
    left = {tuple(hypothesis.tokens): hypothesis.score for hypothesis in everything}
    kept = set(left).union(*steps)
    nodes = [Node(words="<sos>", step=0)]
    places: dict[tuple[int, ...], int] = {(): 0}
    mass: dict[tuple[int, ...], float] = {(): 1.0}
    for number, parents in enumerate(steps, start=1):
        for parent in dict.fromkeys(parents):
            for token in (A, B, EOS):
                said = (*parent, token)
                mass[said] = mass.get(parent, 0.0) * shares(parent)[token]
                kind = "pruned" if said not in kept else "finished" if token == EOS else "kept"
                words = f"{' '.join(NAMES[t] for t in said)}  {mass[said]:.3g}"
                note = f"{left[said]:.2f}".replace("-", "−") if kind == "finished" else ""
                places[said] = len(nodes)
                nodes.append(Node(words=words, step=number, kind=kind, parent=places.get(parent, 0), note=note))
    best = " ".join(NAMES.get(token, str(token)) for token in found[0].tokens)
    notes = ("blue: kept, green: finished (with its score), grey: pruned", f"best: {best}")
    return Picture("A beam of 2", (Tree(nodes),), notes)


def _reversed_digits(count: int) -> list[tuple[str, str]]:
    draw = random.Random(1)
    numbers = ["".join(draw.choices("0123456789", k=draw.randint(3, 5))) for _ in range(count)]
    return [(number, number[::-1]) for number in numbers]


def seq2seq(own: Functions) -> Picture:
    import torch

    torch.manual_seed(1)
    pairs = _reversed_digits(800)
    digits = own["Vocabulary"]("0123456789")
    model = own["Seq2Seq"](own["Encoder"](14, 16, 32), own["AttentionDecoder"](14, 16, 32))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    batches = [own["make_batch"](pairs[n : n + 20], digits, digits) for n in range(0, 800, 20)]
    losses = [own["train_epoch"](model, [batch], optimizer) for batch in batches]
    return _learning(losses)


def transformer(own: Functions) -> Picture:
    import torch

    torch.manual_seed(1)
    pairs = _reversed_digits(1600)
    digits = own["Vocabulary"]("0123456789")
    model = own["Transformer"](14, 14, d_model=32, num_heads=4, num_layers=1, d_ff=64, dropout=0.0)
    losses: list[float] = []
    own["train"](
        model, pairs, digits, digits, epochs=2, batch_size=32, progress=lambda step, loss: losses.append(float(loss))
    )
    return _learning(losses)


def _learning(losses: list[float]) -> Picture:
    notes = (f"from {losses[0]:.2f} to {losses[-1]:.2f}; a model that knows nothing has about ln 14 = 2.64",)
    return Picture("The first steps on reversed digits: loss per token", (Curve(values=losses),), notes)


# A drawing for an exercise is a function above, and a name here.
DRAWINGS: Mapping[str, Callable[[Functions], Picture]] = {
    drawing.__name__: drawing
    for drawing in (
        edit_distance, ctc, attention, multihead_attention, positional_encoding, beam_search, seq2seq, transformer,
    )
}  # fmt: skip
