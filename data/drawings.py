"""What `grader show` draws of each exercise, from a student's own functions and from nothing else."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.student.pictures import Curve, Grid, Node, Picture, Tree

from .elective_drawings import ELECTIVES, Functions
from .shown import share


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
    return Picture(f"{source} → {target}: the table, and the way of the alignment", [[grid]], notes)


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
    return Picture("The lattice of ab in three frames", [[grid]], notes)


def _blank(so_far: Callable[[int, int], float], frame: int, place: int, shares: list[list[float]]) -> float:
    return so_far(frame - 1, place // 2 + 1) * shares[frame - 1][0]


def attention(own: Functions) -> Picture:
    """Each English word has a query that is a faint copy of the German word's key; all else is noise."""
    import torch

    source = ["das", "kleine", "Haus", "ist", "alt", "<pad>", "<pad>"]
    target = ["the", "small", "house", "is", "old", "<pad>"]
    random_numbers = torch.Generator().manual_seed(12)
    keys = torch.randn(1, len(source), 64, generator=random_numbers)
    query = 0.3 * keys[:, : len(target)] + torch.randn(1, len(target), 64, generator=random_numbers)
    real = torch.tensor([word != "<pad>" for word in source])
    asking = torch.tensor([word != "<pad>" for word in target])
    ways = (
        ("dot product: too sure", "DotScorer", None),
        ("divided by √d: it doubts", "ScaledDotScorer", None),
        ("… and with a mask", "ScaledDotScorer", real & asking[:, None]),
    )
    grids = []
    for heading, scorer, mask in ways:
        _, weights = own["attend"](own[scorer](), query, keys, keys, mask)
        grids.append(_heat(weights[0], target, heading, columns=source, decimals=2))
    return Picture("Who looks where: a row for each query, a column for each key", [grids])


def _heat(weights: Any, rows: list[str], heading: str, *, columns: Sequence[str] = (), decimals: int = 0) -> Grid:
    """Weights as shades; with ``decimals`` also as numbers: what would be nearly 0 is left out, what is 0 is not."""
    shades = [[float(weight) for weight in row] for row in weights.tolist()]
    words = [[share(weight, decimals) for weight in row] for row in shades] if decimals else ()
    return Grid(shades=shades, words=words, rows=rows, columns=columns, heading=heading, cell=26.0)


PLACES = 8  # features of a head
QUESTIONS = ("the word before?", "the same word?", "how it began?", "all so far?")


def multihead_attention(own: Functions) -> Picture:
    """Masks, and four heads whose weights are set by hand, so that each asks something that one can read off."""
    import torch

    words = ["the", "cat", "saw", "the", "dog", "<pad>", "<pad>"]
    length = len(words)
    causal = own["causal_mask"](length)  # (L, L)
    padding = own["padding_mask"](torch.tensor([5]), length)[:, None, :].expand(1, length, length)  # (1, L, L)
    both = causal & padding  # (1, L, L)
    masks = [
        _heat(mask.float(), words, heading)
        for mask, heading in ((causal, "causal_mask(7)"), (padding[0], "padding_mask([5], 7)"), (both[0], "both: &"))
    ]
    x = torch.zeros(1, length, 4 * PLACES)  # of each position a one-hot of its place, and one of its word
    for place, word in enumerate(words):
        x[0, place, place] = x[0, place, PLACES + sorted(set(words)).index(word)] = 1.0
    with torch.no_grad():
        _, weights = _asking_heads(own["MultiHeadAttention"])(x, x, x, both)  # (1, 4, L, L)
    heads = [
        _heat(weights[0, head], words, f"head {head}: {question}", decimals=1)
        for head, question in enumerate(QUESTIONS)
    ]
    notes = ("A row asks, a column is asked, in the same order. Above: who may be asked. Below: who is.",)
    return Picture("Masks, and what four heads look at under them", [masks, heads], notes)


def _asking_heads(attention: Callable[[int, int], Any]) -> Any:
    """Queries and keys such that each head looks for something else; a match scores 8 / sqrt(8)."""
    import torch

    module = attention(4 * PLACES, 4)
    places, words = slice(0, PLACES), slice(PLACES, 2 * PLACES)
    before, same, first = (slice(head * PLACES, (head + 1) * PLACES) for head in range(3))
    for parameter in module.parameters():
        parameter.zero_()
    module.q_proj.weight[before, places] = 8 * torch.eye(PLACES).roll(-1, dims=0)  # place t asks for place t - 1
    module.k_proj.weight[before, places] = torch.eye(PLACES)
    module.q_proj.weight[same, words] = 8 * torch.eye(PLACES)
    module.k_proj.weight[same, words] = torch.eye(PLACES)
    module.q_proj.bias[first] = 8 * torch.eye(PLACES)[0]  # whoever asks, it asks for place 0
    module.k_proj.weight[first, places] = torch.eye(PLACES)
    return module.eval()  # the fourth head keeps its zeros: it finds all alike


def positional_encoding(own: Functions) -> Picture:
    table = own["sinusoidal_encoding"](32, 32)
    products = table @ table.T
    figures = (
        Grid(shades=table.tolist(), heading="down: positions, across: features", cell=10.0, signed=True),
        Grid(
            shades=[[value / 16 for value in row] for row in products.tolist()],
            heading="dot products of the rows",
            cell=10.0,
        ),
    )
    return Picture("Stripes: quick hands on the left, slow ones on the right", [figures])


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

    longest, alike = 4, {"sos": SOS, "eos": EOS}
    found = own["beam_search"](step, **alike, beam_size=2, max_len=longest)
    steps = asked.copy()
    # Once more, only to be told everything that was found until then.
    everything = own["beam_search"](step, **alike, beam_size=2, max_len=len(steps), n_best=99)
    left = {tuple(hypothesis.tokens): hypothesis.score for hypothesis in everything}
    greedy = tuple(own["greedy_search"](step, **alike, max_len=longest).tokens)
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
                note = ""
                if kind == "finished":
                    note = f"score {left[said]:.2f}"
                elif said in left and len(steps) < longest:
                    note = f"at best {math.log(mass[said]) / longest:.2f}: stop"
                words = f"{' '.join(NAMES[t] for t in said)}  {mass[said]:.3g}"
                places[said] = len(nodes)
                nodes.append(
                    Node(
                        words=words, step=number, kind=kind, parent=places.get(parent, 0),
                        note=note.replace("-", "−"), dashed=greedy[: len(said)] == said,
                    )
                )  # fmt: skip
    best = " ".join(NAMES.get(token, str(token)) for token in found[0].tokens)
    greedy_words = " ".join(NAMES.get(token, str(token)) for token in greedy)
    notes = (f"best: {best}; greedy search says {greedy_words}",)
    return Picture("A beam of 2", [[Tree(nodes, dashes="the greedy way")]], notes)


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
    notes = [f"from {losses[0]:.2f} to {losses[-1]:.2f}; a model that knows nothing has about ln 14 = 2.64"]
    wrong = next((n for n, loss in enumerate(losses) if not math.isfinite(loss)), len(losses))
    if wrong < len(losses):
        notes.append(f"The loss of step {wrong + 1} is {losses[wrong]}; what comes after it is not drawn.")
    notes.append("Once you have trained a model with `grader train`, its curve is shown here.")
    curve = Curve(values=losses[:wrong] or [0.0], last=max(1, wrong))
    return Picture("The first steps on reversed digits: loss per token", [[curve]], notes)


# A drawing for an exercise is a function above or in elective_drawings.py, and a name here or there.
DRAWINGS: Mapping[str, Callable[[Functions], Picture]] = {
    drawing.__name__: drawing
    for drawing in (
        edit_distance, ctc, attention, multihead_attention, positional_encoding, beam_search, seq2seq, transformer,
        *ELECTIVES,
    )
}  # fmt: skip
