"""What `grader show` draws of the electives; like drawings.py, from a student's own functions and from nothing else."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.student.pictures import Curve, Grid, Picture, svg

from .shown import share

Functions = Mapping[str, Any]  # the names of the student's module


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
    grids, likelihoods = [], []
    for rounds, heading in ((0, "no round"), (1, "1 round"), (3, "3 rounds"), (20, "20 rounds")):
        table = own["train"](pairs, rounds)
        likelihoods.append(float(own["log_likelihood"](pairs, table)))
        shares = own["expected_counts"]([(source, target)], table)
        links = own["align"](source, target, table)
        cells = [[float(shares.get((wanted, word), 0.0)) for word in (None, *source)] for wanted in target]
        grids.append(
            Grid(
                shades=cells,
                words=[[share(cell, 2) for cell in row] for row in cells],
                rows=target,
                columns=["NULL", *source],
                heading=heading,
                way=[(j, 0 if i is None else i + 1) for j, i in enumerate(links)],
                cell=30.0,
            )
        )
    rising = ", ".join(f"{value:.1f}".replace("-", "−") for value in likelihoods)
    notes = (
        "A row shares one English word out among the German words and NULL; a frame is the best link.",
        f"log-likelihood of all ten pairs: {rising}",
    )
    return Picture("Which German word made which English word?", [grids[:2], grids[2:]], notes)


ELECTIVES: Sequence[Callable[[Functions], Picture]] = (recurrent_cells, viterbi, word_alignment, bleu, bpe, complexity)
