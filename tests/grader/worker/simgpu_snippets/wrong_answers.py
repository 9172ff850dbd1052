"""Each of these works on the CPU and breaks on a GPU."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # as everybody writes it
from torch import nn

from simgpu_snippets import Lab, wrong

N, Q, K, D, V, T = 3, 5, 7, 12, 11, 4
SOS = 1
NEGATIVE = torch.full((1,), -1e9)

MIXED = "RuntimeError: Expected all tensors to be on the same device"
NO_CUDA = "AssertionError", "RuntimeError"  # as torch was built without CUDA, or with it


# Masks.


@wrong(MIXED)
def causal_mask_from_arange(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    position = torch.arange(Q)
    mask = position[None, :] <= position[:, None]
    scores = x @ x.transpose(1, 2) / math.sqrt(D)
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ x


@wrong(MIXED)
def causal_mask_from_ones(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    mask = torch.tril(torch.ones(Q, Q)) == 0
    scores = x @ x.transpose(-2, -1)
    scores[mask.expand(N, Q, Q)] = -1e9
    return torch.where(mask, torch.zeros_like(scores), scores)


@wrong(MIXED)
def additive_mask_of_infinities(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    return (x @ x.mT + torch.full((Q, Q), float("-inf")).triu(1)).softmax(-1)


@wrong(MIXED)
def mask_for_torchs_own_attention(lab: Lab) -> object:
    q, k = lab.floats(N, 2, Q, D), lab.floats(N, 2, K, D)
    return F.scaled_dot_product_attention(q, k, k, attn_mask=torch.ones(Q, K).tril().bool())


@wrong(MIXED)
def padding_mask_from_lengths(lab: Lab) -> object:
    lengths = lab.ints(1, K, N)
    return torch.arange(K)[None] < lengths[:, None]


@wrong(MIXED)
def padding_mask_filled_row_by_row(lab: Lab) -> object:
    scores, lengths = lab.floats(N, Q, K), lab.ints(1, K, N)
    mask = torch.zeros(N, K, dtype=torch.bool)
    for row, length in enumerate(lengths):
        mask[row, :length] = True
    return scores.masked_fill(~mask[:, None], -1e9).softmax(-1)


@wrong(MIXED)
def mask_times_a_constant_of_the_module(lab: Lab) -> object:
    scores, mask = lab.floats(N, Q, K), lab.bools(N, Q, K)
    return (scores + (~mask) * NEGATIVE).softmax(-1)


@wrong(MIXED)
def mask_made_with_numpy(lab: Lab) -> object:
    scores = lab.floats(N, Q, Q)
    future = torch.from_numpy(np.triu(np.ones((Q, Q)), k=1).astype(bool))
    return scores.masked_fill(future, -1e9).softmax(-1)


@wrong(MIXED)
def zeros_where_nothing_may_be_seen(lab: Lab) -> object:
    weights, mask = lab.floats(N, Q, K).softmax(-1), lab.bools(N, Q, K)
    return torch.where(mask, weights, torch.zeros(N, Q, K))


# Attention.


@wrong(MIXED)
def scale_as_a_vector(lab: Lab) -> object:
    q, k = lab.floats(N, Q, D), lab.floats(N, K, D)
    return (q @ k.mT / torch.sqrt(torch.tensor([D]))).softmax(-1)


@wrong("TypeError: can't convert")
def softmax_in_numpy(lab: Lab) -> object:
    scores = lab.floats(N, Q, K).detach().numpy()
    return float(np.exp(scores - scores.max()).sum())


@wrong("TypeError: can't convert")
def asarray_of_weights(lab: Lab) -> object:
    return float(np.asarray(lab.floats(N, Q, K).softmax(-1).detach()).max())


@wrong("OutputElsewhereError")
def weights_returned_on_the_cpu(lab: Lab) -> object:
    weights = lab.floats(N, Q, K).softmax(-1)
    return weights @ lab.floats(N, K, D), weights.cpu()


@wrong("OutputElsewhereError")
def heads_collected_in_a_buffer(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    out = torch.zeros(N, Q, D)
    for head in range(3):
        part = slice(head * 4, head * 4 + 4)
        out[..., part] = (x[..., part] @ x[..., part].mT).softmax(-1) @ x[..., part]
    return out


@wrong(*NO_CUDA, simulated_only=True)
def mask_moved_with_cuda(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    mask = torch.ones(Q, Q).tril().bool()
    if x.device.type != "cpu":
        mask = mask.cuda()
    return (x @ x.mT).masked_fill(~mask, -1e9)


@wrong(*NO_CUDA, simulated_only=True)
def device_spelled_cuda(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    device = "cpu" if x.device.type == "cpu" else "cuda"
    return x + torch.zeros(Q, D, device=device)


@wrong(MIXED)
def weights_made_in_forward(lab: Lab) -> object:
    class Bilinear(nn.Module):
        def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
            return nn.Linear(D, D, bias=False)(query) @ keys.mT

    return lab.module(Bilinear())(lab.floats(N, Q, D), lab.floats(N, K, D)).detach() * 0


@wrong(MIXED)
def heads_in_a_plain_list(lab: Lab) -> object:
    class Heads(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.projections = [nn.Linear(D, 4) for _ in range(3)]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.cat([projection(x) for projection in self.projections], -1)

    return lab.module(Heads())(lab.floats(N, Q, D))


@wrong(MIXED)
def parameters_in_a_plain_dictionary(lab: Lab) -> object:
    class Scorer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = {"query": nn.Parameter(torch.eye(D))}

        def forward(self, query: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
            return query @ self.weights["query"] @ keys.mT

    return lab.module(Scorer())(lab.floats(N, Q, D), lab.floats(N, K, D))


# Positions.


class PlainTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        angles = torch.arange(9)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        self.table = torch.stack((angles.sin(), angles.cos()), -1).view(9, D)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[: x.shape[1]]


@wrong(MIXED)
def table_as_a_plain_attribute(lab: Lab) -> object:
    return lab.module(PlainTable())(lab.floats(N, Q, D))


@wrong("RuntimeError: indices should be either on cpu or on the same device")
def table_indexed_by_positions(lab: Lab) -> object:
    positions = lab.ints(0, 9, N, Q)
    return PlainTable().table[positions]


@wrong(MIXED)
def positions_for_an_embedding(lab: Lab) -> object:
    x, table = lab.floats(N, Q, D), lab.module(nn.Embedding(9, D))
    return x + table(torch.arange(x.shape[1]))


@wrong(MIXED)
def frequencies_on_two_devices(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    frequencies = torch.exp(torch.arange(0, D, 2, device=x.device) * (-math.log(10000.0) / D))
    return torch.sin(torch.arange(Q).unsqueeze(1) * frequencies)


@wrong(MIXED)
def rotations_from_a_complex_table(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    turns = torch.polar(torch.ones(Q, D // 2), torch.arange(Q)[:, None] / torch.arange(1, D // 2 + 1))
    return torch.view_as_real(torch.view_as_complex(x.view(N, Q, -1, 2)) * turns).flatten(-2)


# Searches and CTC.


@wrong(MIXED)
def beam_scores_stacked(lab: Lab) -> object:
    log_probs = lab.floats(V).log_softmax(-1)
    return torch.stack([torch.tensor(0.0), log_probs.max()])


@wrong(MIXED)
def next_token_embedded(lab: Lab) -> object:
    table = lab.module(nn.Embedding(V, D))
    return table(torch.tensor([SOS]))


@wrong(MIXED)
def one_token_without_dimensions_embedded(lab: Lab) -> object:
    table = lab.module(nn.Embedding(V, D))
    return F.embedding(torch.tensor(SOS), table.weight)


@wrong(MIXED)
def prefix_grows_by_cat(lab: Lab) -> object:
    prefix = torch.full((N, 1), SOS)
    for _ in range(3):
        prefix = torch.cat([prefix, lab.floats(N, V).argmax(-1, keepdim=True)], dim=1)
    return prefix


@wrong(MIXED)
def beams_chosen_by_gather(lab: Lab) -> object:
    scores = lab.floats(N, V)
    return scores.gather(1, torch.tensor([[2, 3], [0, 1], [4, 4]]))


@wrong(MIXED)
def scores_kept_from_step_to_step(lab: Lab) -> object:
    scores = torch.zeros(N, 1)
    for _ in range(2):
        scores = (scores + lab.floats(N, V).log_softmax(-1)).max(-1, keepdim=True).values
    return scores


@wrong(MIXED)
def finished_flags_on_the_default_device(lab: Lab) -> object:
    finished = torch.zeros(N, dtype=torch.bool)
    for _ in range(3):
        finished |= lab.floats(N, V).argmax(-1) == 2
    return finished


@wrong(MIXED)
def impossible_as_a_scalar_in_logaddexp(lab: Lab) -> object:
    return torch.logaddexp(lab.floats(T), torch.tensor(float("-inf")))


@wrong(MIXED)
def forward_variables_on_the_default_device(lab: Lab) -> object:
    log_probs = lab.floats(T, V).log_softmax(-1)
    alpha = torch.full((3,), float("-inf"))
    alpha[0] = log_probs[0, 0]
    for t in range(1, T):
        alpha = torch.logsumexp(torch.stack((alpha, alpha.roll(1))), 0) + log_probs[t, :3]
    return alpha


@wrong(MIXED)
def lengths_of_frames_against_arange(lab: Lab) -> object:
    losses, lengths = lab.floats(N, T), lab.ints(1, T, N)
    return (losses * (torch.arange(T) < lengths[:, None])).sum()


@wrong("RuntimeError: Expected a 'simgpu' device type for generator")
def sampling_with_a_generator_of_the_cpu(lab: Lab) -> object:
    probabilities = lab.floats(N, V).softmax(-1)
    return torch.multinomial(probabilities, 1, generator=torch.Generator().manual_seed(1))


# Recurrent networks and training.


@wrong(MIXED)
def first_state_of_a_cell(lab: Lab) -> object:
    x, cell, state = lab.floats(N, T, D), lab.module(nn.GRUCell(D, 8)), torch.zeros(N, 8)
    for t in range(T):
        state = cell(x[:, t], state)
    return state


@wrong("RuntimeError: Input and hidden tensors are not at the same device")
def first_state_of_an_lstm(lab: Lab) -> object:
    state = torch.zeros(1, N, 8), torch.zeros(1, N, 8)
    return lab.module(nn.LSTM(D, 8, batch_first=True))(lab.floats(N, T, D), state)[0]


@wrong("RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor")
def lengths_on_the_device_for_packing(lab: Lab) -> object:
    lengths = lab.ints(1, T, N)
    packed = nn.utils.rnn.pack_padded_sequence(lab.floats(N, T, D), lengths, batch_first=True, enforce_sorted=False)
    return packed.data


@wrong("OutputElsewhereError")
def logits_written_into_a_buffer(lab: Lab) -> object:
    x, layer = lab.floats(N, T, D), lab.module(nn.Linear(D, V))
    logits = torch.zeros(N, T, V)
    for t in range(T):
        logits[:, t] = layer(x[:, t])
    return logits


@wrong(MIXED)
def teacher_forcing_by_coins(lab: Lab) -> object:
    truth, predicted = lab.ints(0, V, N), lab.floats(N, V).argmax(-1)
    return torch.where(torch.rand(N) < 2, truth, predicted)


@wrong(MIXED)
def targets_made_from_a_list(lab: Lab) -> object:
    return F.cross_entropy(lab.floats(N, V), torch.tensor([1, 4, 2]))


@wrong(MIXED)
def class_weights_from_a_list(lab: Lab) -> object:
    return F.cross_entropy(lab.floats(N, V), lab.ints(0, V, N), weight=torch.tensor([0.0] + [1.0] * (V - 1)))


@wrong(MIXED)
def one_hot_by_scatter(lab: Lab) -> object:
    targets = lab.ints(0, V, N)
    one_hot = torch.zeros(N, V).scatter_(1, targets[:, None], 1.0)
    return -(one_hot * lab.floats(N, V).log_softmax(-1)).sum()


@wrong(MIXED)
def batch_not_moved(lab: Lab) -> object:
    model = lab.module(nn.Sequential(nn.Linear(D, 8), nn.ReLU(), nn.Linear(8, V)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.ones(2, N, D):
        optimizer.zero_grad()
        model(batch).logsumexp(-1).mean().backward()
        optimizer.step()
    return list(model.parameters())


@wrong(MIXED)
def dropout_by_hand(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    return x * torch.bernoulli(torch.full((N, Q, D), 1.0))


@wrong(MIXED)
def total_norm_from_a_list(lab: Lab) -> object:
    layer = lab.module(nn.Linear(D, V))
    layer(lab.floats(N, D)).sum().backward()
    return torch.stack([torch.tensor(1.0), *[p.grad.norm() for p in layer.parameters()]]).norm()


@wrong(MIXED)
def gradient_scaled_in_a_hook(lab: Lab) -> object:
    x = lab.floats(N, D)
    y = x * 2
    y.register_hook(lambda grad: grad * torch.ones(D))
    return y


@wrong(MIXED)
def gradient_of_a_function_of_ones_own(lab: Lab) -> object:
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
            return x.clamp(-1, 1)

        @staticmethod
        def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
            return grad.minimum(torch.ones(N, D))

    return Clip.apply(lab.floats(N, D))
