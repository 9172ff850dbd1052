"""Lists, dictionaries and math: tensors only at the door and on the way out."""

import math

import torch


def add(numbers):
    numbers = list(numbers)
    largest = max(numbers)
    if largest == -math.inf:
        return largest
    return largest + math.log(sum(math.exp(x - largest) for x in numbers))


def read(initial, transition, emission):
    return initial.tolist(), transition.tolist(), emission.tolist()


def log_joint(states, observations, initial, transition, emission):
    start, move, say = read(initial, transition, emission)
    total, before = 0.0, None
    for s, o in zip(states, observations):
        total += start[s] if before is None else move[before][s]
        total += say[s][o]
        before = s
    return torch.tensor(total, dtype=initial.dtype, device=initial.device)


def forward_rows(observations, start, move, say):
    S = range(len(start))
    table = []
    for t, o in enumerate(observations):
        if t == 0:
            table.append({s: start[s] + say[s][o] for s in S})
        else:
            table.append({s: add(table[-1][r] + move[r][s] for r in S) + say[s][o] for s in S})
    return table


def shares(row):
    total = add(row)
    return [x - total if x > -math.inf else x for x in row]


def bayes_filter(observations, initial, transition, emission):
    table = forward_rows(observations, *read(initial, transition, emission))
    return torch.tensor([shares(row.values()) for row in table], dtype=initial.dtype, device=initial.device)


def log_evidence(observations, initial, transition, emission):
    last = forward_rows(observations, *read(initial, transition, emission))[-1]
    return torch.tensor(add(last.values()), dtype=initial.dtype, device=initial.device)


def posterior(observations, initial, transition, emission):
    start, move, say = read(initial, transition, emission)
    S = range(len(start))
    table = forward_rows(observations, start, move, say)
    after = {s: 0.0 for s in S}
    rows = []
    for t in reversed(range(len(observations))):
        rows.insert(0, shares([table[t][s] + after[s] for s in S]))
        after = {r: add(move[r][s] + say[s][observations[t]] + after[s] for s in S) for r in S}
    return torch.tensor(rows, dtype=initial.dtype, device=initial.device)


def viterbi(observations, initial, transition, emission):
    start, move, say = read(initial, transition, emission)
    S = range(len(start))
    best = {s: (start[s] + say[s][observations[0]], [s]) for s in S}  # the whole path goes along
    for o in observations[1:]:
        new = {}
        for s in S:
            r = max(S, key=lambda r: best[r][0] + move[r][s])
            new[s] = (best[r][0] + move[r][s] + say[s][o], best[r][1] + [s])
        best = new
    score, path = max(best.values(), key=lambda pair: pair[0])
    return path, score
