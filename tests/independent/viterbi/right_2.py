"""Style: plain Python floats, loops and dictionaries; torch only at the door."""

import math

import torch

COOKS = (
    torch.tensor([0.6, 0.4], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.9], [0.8, 0.2]], dtype=torch.float64).log(),
    torch.tensor([[0.1, 0.4, 0.5], [0.5, 0.4, 0.1]], dtype=torch.float64).log(),
)

IMPOSSIBLE = float("-inf")


def log_add(numbers):
    numbers = list(numbers)
    top = max(numbers)
    if top == IMPOSSIBLE:
        return IMPOSSIBLE
    return top + math.log(math.fsum(math.exp(x - top) for x in numbers))


def normal(column):
    total = log_add(column.values())
    if total == IMPOSSIBLE:
        return dict.fromkeys(column, -math.log(len(column)))  # nothing is known: the handout leaves this open
    return {s: x - total for s, x in column.items()}


def to_python(initial, transition, emission):
    first = dict(enumerate(initial.tolist()))
    step = {(r, s): x for r, row in enumerate(transition.tolist()) for s, x in enumerate(row)}
    says = {(s, o): x for s, row in enumerate(emission.tolist()) for o, x in enumerate(row)}
    return first, step, says


def to_tensor(columns, like):
    rows = [[column[s] for s in range(len(column))] for column in columns]
    return torch.tensor(rows, dtype=like.dtype, device=like.device)


def beginnings(observations, first, step, says):
    columns = []
    for t, o in enumerate(observations):
        column = {}
        for s in first:
            if t == 0:
                predicted = first[s]
            else:
                predicted = log_add(columns[-1][r] + step[r, s] for r in first)
            column[s] = predicted + says[s, o]
        columns.append(column)
    return columns


def ends(observations, first, step, says):
    column = {s: 0.0 for s in first}
    columns = [column]
    for t in range(len(observations) - 1, 0, -1):
        o = observations[t]
        column = {r: log_add(step[r, s] + says[s, o] + column[s] for s in first) for r in first}
        columns.insert(0, column)
    return columns


def log_joint(states, observations, initial, transition, emission):
    first, step, says = to_python(initial, transition, emission)
    total, before = 0.0, None
    for s, o in zip(states, observations):
        total += first[s] if before is None else step[before, s]
        total += says[s, o]
        before = s
    return torch.tensor(total, dtype=initial.dtype, device=initial.device)


def bayes_filter(observations, initial, transition, emission):
    tables = to_python(initial, transition, emission)
    return to_tensor([normal(column) for column in beginnings(observations, *tables)], initial)


def log_evidence(observations, initial, transition, emission):
    tables = to_python(initial, transition, emission)
    last = beginnings(observations, *tables)[-1]
    return torch.tensor(log_add(last.values()), dtype=initial.dtype, device=initial.device)


def posterior(observations, initial, transition, emission):
    tables = to_python(initial, transition, emission)
    columns = []
    for begin, end in zip(beginnings(observations, *tables), ends(observations, *tables)):
        columns.append(normal({s: begin[s] + end[s] for s in begin}))
    return to_tensor(columns, initial)


def viterbi(observations, initial, transition, emission):
    first, step, says = to_python(initial, transition, emission)
    score = {s: first[s] + says[s, observations[0]] for s in first}
    came_from = {}
    for t in range(1, len(observations)):
        new = {}
        for s in first:
            best = 0
            for r in first:
                if score[r] + step[r, s] >= score[best] + step[best, s]:
                    best = r  # of equals the last one: any is right
            came_from[t, s] = best
            new[s] = score[best] + step[best, s] + says[s, observations[t]]
        score = new
    s = max(score, key=score.get)
    result = score[s]
    path = [s]
    for t in range(len(observations) - 1, 0, -1):
        path.insert(0, came_from[t, path[0]])
    return path, result
