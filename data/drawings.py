"""What `grader show` draws of each exercise, from a student's own functions and from nothing else."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.student.pictures import Curve, Grid, Node, Picture, Tree, svg

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
    words = [[_share(weight, decimals) for weight in row] for row in shades] if decimals else ()
    return Grid(shades=shades, words=words, rows=rows, columns=columns, heading=heading, cell=26.0)


def _share(weight: float, decimals: int) -> str:
    if not 0 < weight < 1:
        return f"{weight:g}"[:4]
    text = f"{weight:.{decimals}f}".removeprefix("0")
    return "" if weight < 10**-decimals else text.partition(".")[0] or text


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


def viterbi(own: Functions) -> Picture:
    """The handout's trellis, with the best path into each state by log_joint, and the shares of the states."""
    import torch

    tables = ([0.6, 0.4], [[0.1, 0.9], [0.8, 0.2]], [[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]])
    model = [torch.tensor(table, dtype=torch.float64).log() for table in tables]
    words, states, said = ["cooks", "can", "fish"], ["noun", "verb"], [0, 1, 2]

    best, arrows = [[0.0] * len(words) for _ in states], []
    for time in range(len(words)):
        for state in range(len(states)):
            into = [(*start, state) for start in itertools.product(range(len(states)), repeat=time)]
            joints = {path: _share_of(own["log_joint"](list(path), said[: time + 1], *model)) for path in into}
            path = max(into, key=lambda path: joints[path])
            best[state][time] = joints[path]
            if time:
                arrows.append(((path[-2], time - 1), (state, time)))
    path, score = own["viterbi"](said, *model)
    most = [max(column) or 1.0 for column in zip(*best, strict=True)]
    trellis = Grid(
        shades=[[0.5 * cell / best_here for cell, best_here in zip(row, most, strict=True)] for row in best],
        words=[[f"{cell:.3g}" for cell in row] for row in best],
        rows=states,
        columns=words,
        heading="viterbi: the best path into each state",
        way=[(int(state), time) for time, state in enumerate(path)],
        arrows=arrows,
    )
    grids = []
    for name, heading in (("bayes_filter", "bayes_filter: so far"), ("posterior", "posterior: afterwards")):
        rows = own[name](said, *model).exp().T.tolist()  # (S, T)
        numbers = [[f"{cell:.3f}" for cell in row] for row in rows]
        grids.append(
            Grid(shades=[[0.5 * cell for cell in row] for row in rows], words=numbers, rows=states, columns=words,
                 heading=heading)
        )  # fmt: skip
    names = " ".join(states[int(state)] for state in path)
    evidence = _share_of(own["log_evidence"](said, *model))
    notes = (
        f"The best path, {names}, has {_share_of(score):.3g} of all {evidence:.3g}.",
        "An arrow leads into each state from where its best path comes.",
    )
    return Picture("cooks can fish: nouns or verbs?", [[trellis], grids], notes)


def _share_of(logarithm: Any) -> float:
    return math.exp(min(0.0, float(logarithm)))


def bpe(own: Functions) -> Picture:
    """Two words under the merges of the handout, one of them new: a row for each merge that changes the word."""
    text = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3
    merges = own["learn_merges"](text, 10)
    notes = ("_ is the end of a word, </w>. In the text: 5 low, 2 lower, 6 newest, 3 widest; never lowest.",)
    words = (("newest", "newest: in the text 6 times"), ("lowest", "lowest: never seen before"))
    return Picture("Two words, merge after merge", [[_pieces(own, word, merges, said)] for word, said in words], notes)


def _pieces(own: Functions, word: str, merges: Sequence[tuple[str, str]], heading: str) -> Grid:
    """The word with the first merges only: with none of them, and with each one that changes something."""
    steps = [("characters", own["segment"](word, []))]
    for number in range(1, len(merges) + 1):
        symbols = own["segment"](word, merges[:number])
        if symbols != steps[-1][1]:
            steps.append((f"merge {number}", symbols))
    longest = len(steps[0][1])
    return Grid(
        shades=[[0.6 * (len(_shown(symbol)) - 1) / longest for symbol in symbols] for _, symbols in steps],
        words=[[_shown(symbol) for symbol in symbols] for _, symbols in steps],
        rows=[name for name, _ in steps],
        heading=heading,
        cell=30.0,
    )


def _shown(symbol: str) -> str:
    return symbol.replace("</w>", "_")


def recurrent_cells(own: Functions) -> Picture:
    """Above: how much of a gradient is left so many steps before the end. Below: what is left of each candidate."""
    import torch

    torch.manual_seed(1)
    inputs, back = torch.randn(1, 41, 4), range(40, -1, -5)
    cells = {
        "RNN": own["RNNCell"](4, 16),
        "GRU": own["GRUCell"](4, 16),
        "LSTM": own["LSTMCell"](4, 16),
        "LSTM, f open": own["LSTMCell"](4, 16),
    }
    with torch.no_grad():
        cells["LSTM, f open"].input.bias[16:32] = 4.0  # the rows of the forget gate, which is 0.98 then
    rows = []
    for name, cell in cells.items():
        state = torch.zeros(1, 16)
        norms = own["gradient_norms"](cell, inputs, (state, state.clone()) if "LSTM" in name else state)
        rows.append([float(norms[40 - steps]) for steps in back])
    norms_left = Grid(
        shades=[[0.6 * min(1.0, max(0.0, 1 + math.log10(max(norm, 1e-12)) / 6)) for norm in row] for row in rows],
        words=[[f"{norm:.1f}" if norm >= 0.05 else f"{norm:.0e}" for norm in row] for row in rows],
        rows=list(cells),
        columns=[f"T-{steps}" if steps else "T" for steps in back],
        heading="gradient_norms: what Σ h_T says to the state so many steps before",
    )
    gates = torch.tensor([[0.5, 0.9, 0.9]] * 12)  # (T, d): three units
    gates[6, 2] = 0.0
    weights = own["candidate_weights"](gates)  # (T, T, d)
    units = ("u = 0.5: fades", "u = 0.9: stays", "0.9, but 0 at step 7")
    left = [
        Grid(
            shades=[[float(weight) ** 0.5 for weight in row] for row in weights[:, :, unit]], heading=heading, cell=13.0
        )
        for unit, heading in enumerate(units)
    ]
    notes = (
        "Below, candidate_weights: a row for each state h_t, a column for each candidate. The last row is the end.",
    )
    return Picture("What passes through time", [[norms_left], left], notes)


TRANSLATED = ("the small cat is on the mat", "it sleeps now")
WRITTEN = (
    ("the cat is on the mat", "a small cat is sitting on the mat"),
    ("it sleeps there all day",),
)


def bleu(own: Functions) -> Picture:
    """The handout's corpus: how the first sentence is counted, and what the length of the corpus costs."""
    hypotheses = [sentence.split() for sentence in TRANSLATED]
    references = [[sentence.split() for sentence in sentences] for sentences in WRITTEN]
    grids = [_clipping(own, hypotheses[0], references[0], n) for n in (1, 2)]
    said = sum(map(len, hypotheses))
    sentences = tuple(zip(hypotheses, references, strict=True))
    wanted = sum(own["closest_length"](len(one), [len(other) for other in others]) for one, others in sentences)
    penalties = [float(own["brevity_penalty"](length, wanted)) for length in range(1, 2 * wanted + 1)]
    curve = Curve(values=penalties, last=len(penalties), across=f"words said, {wanted} expected", up="penalty")
    sums = []
    for n in (1, 2, 3, 4):
        counts = [own["clipped_matches"](*pair, n) for pair in sentences]
        sums.append("/".join(str(sum(column)) for column in zip(*counts, strict=True)))
    score = own["corpus_bleu"](hypotheses, references)
    notes = (
        f"with the second sentence: {', '.join(sums)} for n = 1, 2, 3, 4",
        f"{said} words said, {wanted} expected: penalty {own['brevity_penalty'](said, wanted):.3f}; BLEU {score:.4f}",
    )
    return Picture("What of a translation matches, and what brevity costs", [grids, [curve]], notes)


def _clipping(own: Functions, hypothesis: list[str], references: list[list[str]], n: int) -> Grid:
    """A row for each n-gram that is said: how often, how often in each reference, and how often it matches."""
    counts = own["ngram_counts"](hypothesis, n)
    others = [own["ngram_counts"](reference, n) for reference in references]
    rows = []
    for gram, times in counts.items():
        found = [other.get(gram, 0) for other in others]
        rows.append([times, *found, min(times, max(found))])
    matches, total = own["clipped_matches"](hypothesis, references, n)
    return Grid(
        shades=[[0.25 * min(cell, 3) for cell in row] for row in rows],
        words=[[str(cell) for cell in row] for row in rows],
        rows=[" ".join(gram) for gram in counts],
        columns=["said", *(f"ref {number}" for number in range(1, len(references) + 1)), "match"],
        way=[(place, len(references) + 1) for place in range(len(rows))],
        heading=f"n = {n}: {matches} of {total}",
        cell=52.0,
    )


WIDTH, KERNEL, NEIGHBOURS = 64, 7, 16
LENGTHS = [2**power for power in range(13)]


@dataclass(frozen=True)
class Growth:
    """How numbers grow with n: a curve for each name, both axes logarithmic; ``mark`` is an n that is shown."""

    heading: str
    curves: Mapping[str, Sequence[float]]  # for each of LENGTHS
    mark: float = 0.0
    wide: float = 270.0
    high: float = 240.0
    left: float = 46.0

    @property
    def size(self) -> tuple[float, float]:
        return self.left + self.wide + 8 + 8.0 * max(map(len, self.curves)), self.high + 68

    def _x(self, n: float) -> float:
        return self.left + self.wide * math.log(n) / math.log(LENGTHS[-1])

    def draw(self) -> list[str]:
        logs = {
            name: [(n, math.log10(value)) for n, value in zip(LENGTHS, values, strict=True) if 0 < value < math.inf]
            for name, values in self.curves.items()
        }
        heights = [height for points in logs.values() for _, height in points] or [0.0]
        low, top = math.floor(min(heights)), max(math.ceil(max(heights)), math.floor(min(heights)) + 1)

        def place(height: float) -> float:
            return 28 + self.high * (top - height) / (top - low)

        body = [svg.text(self.left, 8, self.heading, anchor="start", kind="note")]
        for power in range(low, top + 1):
            body.append(
                svg.line([(self.left, place(power)), (self.left + self.wide, place(power))], "stroke: var(--line)")
            )
            tick = "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] if digit.isdigit() else "⁻" for digit in str(power))
            body.append(svg.text(self.left - 8, place(power), tick, anchor="end", kind="note"))
        if 1 <= self.mark <= LENGTHS[-1]:
            across = [(self._x(self.mark), place(top)), (self._x(self.mark), place(low))]
            body.append(svg.line(across, "stroke: var(--ink); stroke-dasharray: 4 4"))
            body.append(svg.text(self._x(self.mark), place(low) + 18, f"{self.mark:g}", kind="note"))
        colours = ("var(--shade)", "var(--mark)", "var(--good)", "var(--soft)")
        for (name, points), colour in zip(logs.items(), colours, strict=False):
            line = [(self._x(n), place(height)) for n, height in points]
            body.append(svg.line(line, f"stroke: {colour}; stroke-width: 2.5; stroke-linejoin: round"))
            if line:
                body.append(svg.text(line[-1][0] + 8, line[-1][1], name, anchor="start", kind="note"))
        body.append(svg.text(self.left, place(low) + 18, "1", kind="note"))
        body.append(svg.text(self.left + self.wide, place(low) + 18, f"n = {LENGTHS[-1]}", kind="note"))
        return body

    def lines(self, *, plain: bool) -> list[str]:
        columns = [["n", *map(str, LENGTHS)]]
        columns += [[name, *(f"{value:,.13g}" for value in values)] for name, values in self.curves.items()]
        rows = [list(row) for row in zip(*columns, strict=True)]
        widths = [max(map(len, column)) + 2 for column in columns]
        aligned = ["".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return [self.heading, aligned[0], *aligned[1::2]]


def complexity(own: Functions) -> Picture:
    """Four layers of the same width for longer and longer sentences: multiplications, and the way of a signal."""
    layers = {
        "self-attention": [own["self_attention_cost"](n, WIDTH) for n in LENGTHS],
        "recurrent": [own["recurrent_cost"](n, WIDTH) for n in LENGTHS],
        "convolution": [own["convolution_cost"](n, WIDTH, KERNEL) for n in LENGTHS],
        "restricted": [own["restricted_attention_cost"](n, WIDTH, NEIGHBOURS) for n in LENGTHS],
    }
    crossing = own["cheaper_than_recurrent"](WIDTH)
    products = {name: [cost.multiplications for cost in costs] for name, costs in layers.items()}
    paths = {name: [cost.path for cost in costs] for name, costs in layers.items()}
    figures = (
        Growth("multiplications of one layer", products, mark=crossing),
        Growth("path from the first token to the last", paths),
    )
    notes = (
        f"d = {WIDTH}, kernel {KERNEL}, neighbourhood {NEIGHBOURS}; both axes are logarithmic",
        f"up to n = {crossing} self-attention takes no more multiplications than a recurrent layer",
    )
    return Picture("What four layers cost for a sentence of n tokens", [figures], notes)


WORD_PAIRS = """
das Haus ist alt      the house is old
das Buch ist neu      the book is new
Anna kennt das Haus   Anna knows the house
mein Haus             my house
mein Buch             my book
du kennst Anna        you know Anna
du liest viel         you read much
liest Anna viel       does Anna read much
kennst du mein Haus   do you know my house
liest du das Buch     do you read the book
"""


def word_alignment(own: Functions) -> Picture:
    """Who is held to have made each word of the last pair, after more and more rounds."""
    pairs = [tuple(half.split() for half in line.split("   ", 1)) for line in WORD_PAIRS.strip().splitlines()]
    source, target = pairs[-1]
    grids = []
    for rounds, heading in ((0, "no round"), (1, "1 round"), (3, "3 rounds"), (20, "20 rounds")):
        table = own["train"](pairs, rounds)
        shares = own["expected_counts"]([(source, target)], table)
        links = own["align"](source, target, table)
        cells = [[float(shares.get((wanted, word), 0.0)) for word in (None, *source)] for wanted in target]
        grids.append(
            Grid(
                shades=cells,
                words=[[_share(cell, 2) for cell in row] for row in cells],
                rows=target,
                columns=["NULL", *source],
                heading=heading,
                way=[(j, 0 if i is None else i + 1) for j, i in enumerate(links)],
                cell=30.0,
            )
        )
    likelihoods = [float(own["log_likelihood"](pairs, own["train"](pairs, rounds))) for rounds in (0, 1, 3, 20)]
    rising = ", ".join(f"{value:.1f}".replace("-", "−") for value in likelihoods)
    notes = (
        "A row shares one English word out among the German words and NULL; a frame is the best link.",
        f"log-likelihood of all ten pairs: {rising}",
    )
    return Picture("Which German word made which English word?", [grids[:2], grids[2:]], notes)


# A drawing for an exercise is a function above, and a name here.
DRAWINGS: Mapping[str, Callable[[Functions], Picture]] = {
    drawing.__name__: drawing
    for drawing in (
        edit_distance, ctc, attention, multihead_attention, positional_encoding, beam_search, seq2seq, transformer,
        recurrent_cells, viterbi, word_alignment, bleu, bpe, complexity,
    )
}  # fmt: skip
