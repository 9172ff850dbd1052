"""Tensors in single precision: a block of the table for each pair, (m, l + 1), NULL in its last column."""

import torch


def block(source, target, table):
    words = [*source, None]
    return torch.tensor([[table[f, e] for e in words] for f in target]).reshape(len(target), len(words))


def add_block(counts, source, target, shares):
    for f, row in zip(target, shares.tolist(), strict=True):
        for e, share in zip([*source, None], row, strict=True):
            counts[f, e] = counts.get((f, e), 0.0) + share


def uniform_table(pairs):
    met = {}
    for source, target in pairs:
        met |= {(f, e): 1.0 for f in target for e in [*source, None]}
    return normalise(met)


def expected_counts(pairs, table):
    counts = {}
    for source, target in pairs:
        here = block(source, target, table)
        add_block(counts, source, target, here / here.sum(dim=-1, keepdim=True))
    return counts


def normalise(counts):
    numbers = {e: n for n, e in enumerate(dict.fromkeys(e for _, e in counts))}
    rows = torch.tensor([numbers[e] for _, e in counts], dtype=torch.long)
    values = torch.tensor([float(n) for n in counts.values()])
    totals = torch.zeros(len(numbers)).index_add(0, rows, values)
    return dict(zip(counts, (values / totals[rows]).tolist(), strict=True))


def log_likelihood(pairs, table):
    logs = [block(source, target, table).mean(dim=1).log().sum() for source, target in pairs]
    return torch.stack(logs).sum().item() if logs else 0.0


def train(pairs, iterations):
    tables = [uniform_table(pairs)]
    for _ in range(iterations):
        tables.append(normalise(expected_counts(pairs, tables[-1])))
    return tables[-1]


def align(source, target, table):
    rows = [[*row] for row in block(source, target, table).double().tolist()]
    return [next((i for i in range(len(source)) if row[i] == max(row)), None) for row in rows]
