"""The solution of `viterbi` beside hmmlearn, on many random models."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

ROOT = Path(__file__).parents[2]
hmm = pytest.importorskip("hmmlearn.hmm")


@pytest.fixture(scope="module")
def solution():
    spec = importlib.util.spec_from_file_location("viterbi", ROOT / "solutions" / "viterbi.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_models(count, *, sparse):
    """hmmlearn's model, and the same as logarithms; a model of each size that is drawn."""
    draw = np.random.default_rng(7)
    for _ in range(count):
        states, symbols = int(draw.integers(1, 6)), int(draw.integers(2, 8))
        tables = [draw.dirichlet([0.6] * width, size=rows) for rows, width in ((1, states), (states, states))]
        tables.append(draw.dirichlet([0.6] * symbols, size=states))
        if sparse:
            for table in tables:
                table[table < 0.1] = 0.0
                table /= table.sum(axis=1, keepdims=True)
        model = hmm.CategoricalHMM(n_components=states, random_state=1)
        model.startprob_, model.transmat_, model.emissionprob_ = tables[0][0], tables[1], tables[2]
        initial, transition, emission = (torch.from_numpy(table).log() for table in tables)
        yield model, (initial[0], transition, emission)


@pytest.mark.parametrize("sparse", [False, True])
def test_as_hmmlearn(solution, sparse):
    for number, (model, logs) in enumerate(random_models(40, sparse=sparse)):
        length = (1, 2, 3, 7, 40)[number % 5]
        column, states = model.sample(length, random_state=number)  # (T, 1), (T,): nothing impossible
        seen = column[:, 0].tolist()
        evidence, shares = model.score_samples(column)
        assert solution.log_evidence(seen, *logs).item() == pytest.approx(evidence)
        torch.testing.assert_close(solution.posterior(seen, *logs).exp(), torch.from_numpy(shares))
        torch.testing.assert_close(solution.bayes_filter(seen, *logs)[-1].exp(), torch.from_numpy(shares[-1]))

        best, path = model.decode(column, algorithm="viterbi")
        found, score = solution.viterbi(seen, *logs)
        assert score == pytest.approx(best)
        for way in (found, path.tolist()):  # of several best paths any is right
            assert solution.log_joint(way, seen, *logs).item() == pytest.approx(best)
        assert solution.log_joint(states.tolist(), seen, *logs).item() <= best + 1e-9


def test_rows_of_the_filter_are_those_of_each_beginning(solution):
    for model, logs in random_models(10, sparse=True):
        column, _ = model.sample(9, random_state=3)
        rows = solution.bayes_filter(column[:, 0].tolist(), *logs).exp()
        for t in range(9):
            _, shares = model.score_samples(column[: t + 1])
            torch.testing.assert_close(rows[t], torch.from_numpy(shares[-1]))
