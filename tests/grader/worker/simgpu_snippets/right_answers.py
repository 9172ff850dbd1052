"""Each of these gives the same values and gradients on every device."""

from __future__ import annotations

import copy
import functools
import io
import math

import torch
import torch.nn.functional as F  # noqa: N812  # as everybody writes it
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.checkpoint import checkpoint

from simgpu_snippets import Lab, right

N, Q, K, D, H, V, T = 3, 5, 7, 12, 4, 11, 6


# Masks.


@right
def causal_mask_from_positions(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    position = torch.arange(Q, device=x.device)
    mask = position[None, :] <= position[:, None]
    return (x @ x.mT / math.sqrt(D)).masked_fill(~mask, float("-inf")).softmax(-1) @ x


@right
def causal_mask_by_new_ones(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    future = x.new_ones(Q, Q).triu(diagonal=1)
    return (x @ x.mT - 1e9 * future).softmax(-1), future == 0


@right
def causal_mask_by_where_and_full_like(lab: Lab) -> object:
    scores = lab.floats(N, Q, Q)
    visible = torch.tril(torch.ones_like(scores[0], dtype=torch.bool))
    return torch.where(visible, scores, torch.full_like(scores, -torch.inf)).softmax(-1)


@right
def padding_mask_on_the_lengths_device(lab: Lab) -> object:
    lengths, scores = lab.ints(1, K, N), lab.floats(N, Q, K)
    mask = torch.arange(K, device=lengths.device).expand(N, K) < lengths.unsqueeze(1)
    return scores.masked_fill(mask.logical_not()[:, None], -1e9).softmax(-1), mask


@right
def rows_that_see_nothing(lab: Lab) -> object:
    scores, mask = lab.floats(N, Q, K), lab.bools(N, Q, K)
    mask[1, 2] = False
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.nan_to_num(weights).masked_fill(~mask, 0.0)


@right
def softmax_by_exp_and_sums(lab: Lab) -> object:
    scores, mask = lab.floats(N, Q, K) * 50, lab.bools(N, Q, K)
    shifted = (scores - scores.amax(-1, keepdim=True).detach()).exp() * mask
    return shifted / shifted.sum(-1, keepdim=True).clamp(min=1e-30)


@right
def scalars_of_the_cpu(lab: Lab) -> object:
    x, mask = lab.floats(N, K), lab.bools(N, K)
    x = x / torch.sqrt(torch.tensor(64.0)) * torch.tensor(2)
    x = torch.where(mask, x, torch.tensor(-1e4))
    return x.masked_fill(~mask, torch.tensor(0.0)), x > torch.tensor(0), x.detach() // torch.tensor(0.25)


# Attention.


@right
def heads_by_view_and_transpose(lab: Lab) -> object:
    x, layer = lab.floats(N, Q, D), lab.module(nn.Linear(D, 3 * D))
    q, k, v = (part.view(N, Q, H, D // H).transpose(1, 2) for part in layer(x).chunk(3, dim=-1))
    weights = F.softmax(q @ k.transpose(-2, -1) / (D // H) ** 0.5, dim=-1)
    return (weights @ v).transpose(1, 2).contiguous().view(N, Q, D), weights


@right
def heads_by_einsum(lab: Lab) -> object:
    x, keys, w = lab.floats(N, Q, D), lab.floats(N, K, D), lab.floats(H, D, 3)
    q, k = torch.einsum("nqd,hde->nhqe", x, w), torch.einsum("nkd,hde->nhke", keys, w)
    weights = torch.einsum("nhqe,nhke->nhqk", q, k).softmax(-1)
    return torch.einsum("nhqk,nhke->nqhe", weights, k).flatten(2)


@right
def heads_one_by_one(lab: Lab) -> object:
    x, parts = lab.floats(N, Q, D), lab.module(nn.ModuleList(nn.Linear(D, 3) for _ in range(H)))
    heads = []
    for part in parts:
        y = part(x)
        heads.append(torch.bmm(torch.softmax(torch.bmm(y, y.permute(0, 2, 1)), 2), y))
    return torch.cat(heads, dim=-1)


@right
def attention_of_torch(lab: Lab) -> object:
    q, k, v, mask = lab.floats(N, H, Q, 3), lab.floats(N, H, K, 3), lab.floats(N, H, K, 3), lab.bools(N, 1, Q, K)
    mask[..., 0] = True
    return F.scaled_dot_product_attention(q, k, v, mask), F.scaled_dot_product_attention(q, q, q, is_causal=True)


@right
def multihead_attention_of_torch(lab: Lab) -> object:
    layer, padding = lab.module(nn.MultiheadAttention(D, H, batch_first=True)), lab.bools(N, K)
    padding[:, 0] = False
    x, memory = lab.floats(N, Q, D), lab.floats(N, K, D)
    out, weights = layer(x, memory, memory, key_padding_mask=padding)
    with torch.no_grad():
        quick, _ = layer.eval()(x, memory, memory, need_weights=False)
    return out, weights, quick


@right
def additive_and_bilinear_scores(lab: Lab) -> object:
    query, keys, weight = lab.floats(N, Q, D), lab.floats(N, K, 8), lab.floats(D, 8)
    q, k, energy = lab.module(nn.Linear(D, 5)), lab.module(nn.Linear(8, 5)), lab.module(nn.Linear(5, 1, bias=False))
    additive = energy(torch.tanh(q(query)[:, :, None] + k(keys)[:, None])).squeeze(-1)
    return additive, F.linear(query, weight.t()) @ keys.transpose(1, 2)


# Positions.


class Table(nn.Module):
    """Sines and cosines, interleaved."""

    def __init__(self, persistent: bool) -> None:
        super().__init__()
        table = torch.zeros(9, D)
        angles = torch.arange(9.0)[:, None] * torch.exp(torch.arange(0, D, 2) * (-math.log(10000.0) / D))
        table[:, 0::2], table[:, 1::2] = torch.sin(angles), torch.cos(angles)
        self.register_buffer("table", table.unsqueeze(0), persistent=persistent)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[:, : x.size(1)]


@right
def table_as_a_buffer(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    return lab.module(Table(persistent=True))(x), lab.module(Table(persistent=False))(x)


@right
def table_moved_when_needed(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    table = Table(persistent=True).table
    return x + table[:, :Q].to(x), x + table[:, :Q].type_as(x), x + table[:, :Q].to(device=x.device, dtype=x.dtype)


@right
def learned_positions(lab: Lab) -> object:
    x, table = lab.floats(N, Q, D), lab.module(nn.Embedding(9, D))
    return x + table(torch.arange(x.size(1), device=x.device)), x + table.weight[:Q]


@right
def rotations_of_complex_numbers(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    angles = torch.outer(torch.arange(Q, device=x.device), 1.0 / torch.arange(1, D // 2 + 1, device=x.device))
    turned = torch.view_as_complex(x.reshape(N, Q, -1, 2)) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2), turned.abs(), torch.view_as_real(turned.conj() * turned)


@right
def rotations_of_halves(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    angles = torch.arange(Q, device=x.device)[:, None] * 0.3 ** torch.arange(D // 2, device=x.device)
    a, b = x.split(D // 2, dim=-1)
    return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1)


# Searches and CTC.


@right
def beam_search_with_lists(lab: Lab) -> object:
    table = lab.floats(V, V).log_softmax(-1)
    beams = [([1], 0.0)]
    for _ in range(T):
        log_probs = table[torch.tensor([tokens[-1] for tokens, _ in beams], device=table.device)]
        candidates = []
        for (tokens, score), row in zip(beams, log_probs, strict=True):
            values, indices = row.topk(3)
            candidates += [([*tokens, i.item()], score + v.item()) for v, i in zip(values, indices, strict=True)]
        beams = sorted(candidates, key=lambda beam: -beam[1])[:3]
    return beams


@right
def beam_search_with_tensors(lab: Lab) -> object:
    table = lab.floats(V, V).log_softmax(-1)
    tokens = torch.ones(1, 1, dtype=torch.long, device=table.device)
    scores = table.new_zeros(1)
    for _ in range(T):
        scores, flat = (scores[:, None] + table[tokens[:, -1]]).flatten().topk(4)
        parent, token = flat // V, flat % V
        tokens = torch.cat((tokens.index_select(0, parent), token.unsqueeze(1)), 1)
        if bool((token == 2).all()):
            break
    return tokens, scores, scores.exp().tolist()


@right
def greedy_without_gradients(lab: Lab) -> object:
    layer, state = lab.module(nn.GRUCell(V, V)), lab.floats(N, V)
    tokens = []
    with torch.inference_mode():
        for _ in range(T):
            state = layer(F.one_hot(state.argmax(-1), V).float(), state)
            tokens.append(state.argmax(-1))
    return torch.stack(tokens, dim=1).cpu().numpy().tolist()


@right
def ctc_by_the_forward_recursion(lab: Lab) -> object:
    log_probs = lab.floats(T, V).log_softmax(-1)
    states = [0, 3, 0, 5, 0, 5, 0]
    alpha = log_probs.new_full((len(states),), float("-inf"))
    alpha[:2] = log_probs[0, states[:2]]
    skip = torch.tensor([s > 1 and states[s] not in (0, states[s - 2]) for s in range(len(states))])
    for t in range(1, T):
        one, two = F.pad(alpha, (1, 0), value=-1e30)[:-1], F.pad(alpha, (2, 0), value=-1e30)[:-2]
        two = two.masked_fill(~skip.to(two.device), -1e30)
        alpha = torch.logsumexp(torch.stack((alpha, one, two)), dim=0) + log_probs[t, torch.tensor(states)]
    return torch.logaddexp(alpha[-1], alpha[-2])


@right
def ctc_of_torch(lab: Lab) -> object:
    log_probs, targets = lab.floats(T, N, V).log_softmax(-1), lab.ints(1, V, N, 2)
    lengths, target_lengths = torch.full((N,), T), torch.full((N,), 2)
    return F.ctc_loss(log_probs, targets, lengths, target_lengths, zero_infinity=True)


@right
def assignments_across_devices(lab: Lab) -> object:
    x, buffer = lab.floats(N, T), torch.zeros(N, T)
    buffer[:, 2] = x[:, 2].detach()
    y = torch.zeros_like(x)
    y[:, 1] = torch.arange(3.0)
    y[torch.tensor([0, 2]), torch.tensor([3, 4])] = torch.tensor(7.0)
    y[torch.tensor([True, False, True])] += 1
    y.copy_(buffer.to(y.device) + y)
    return x[torch.tensor([2, 0])], x[torch.tensor([False, True, True])], y


# Recurrent networks.


@right
def packed_bidirectional_gru(lab: Lab) -> object:
    x, layer = lab.floats(N, T, D), lab.module(nn.GRU(D, 5, bidirectional=True, batch_first=True))
    lengths = lab.ints(1, T, N)
    packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
    states, last = layer(packed)
    states, sizes = pad_packed_sequence(states, batch_first=True, total_length=T)
    return states, last, sizes.tolist()


@right
def lstm_of_two_layers(lab: Lab) -> object:
    x, layer = lab.floats(T, N, D), lab.module(nn.LSTM(D, 5, num_layers=2, bidirectional=True))
    h, c = x.new_zeros(4, N, 5), torch.zeros(4, N, 5, device=x.device)
    return layer(x, (h, c)), layer(x)[0], lab.module(nn.LSTM(D, 5, proj_size=2))(x)[0]


@right
def recurrent_cells(lab: Lab) -> object:
    x, gru, lstm, rnn = lab.floats(N, T, D), nn.GRUCell(D, 5), nn.LSTMCell(D, 5, bias=False), nn.RNN(D, 5)
    gru, lstm, rnn = lab.module(gru), lab.module(lstm), lab.module(rnn)
    state, (h, c) = None, (x.new_zeros(N, 5), x.new_zeros(N, 5))
    for step in x.unbind(1):
        state, (h, c) = gru(step, state), lstm(step, (h, c))
    return state, h, c, rnn(x)[0]


@right
def decoder_with_attention(lab: Lab) -> object:
    memory, tokens = lab.floats(N, K, 5), lab.ints(0, V, N, T)
    table, cell, out = nn.Embedding(V, 4, padding_idx=0), nn.GRUCell(9, 5), nn.Linear(5, V)
    table, cell, out = lab.module(table), lab.module(cell), lab.module(out)
    state, logits = torch.zeros(N, 5, device=memory.device, dtype=memory.dtype), []
    for t in range(T):
        weights = torch.softmax((memory @ state.unsqueeze(-1)).squeeze(-1), dim=1)
        context = (weights.unsqueeze(1) @ memory).squeeze(1)
        state = cell(torch.cat((table(tokens[:, t]), context), dim=1), state)
        logits.append(out(state))
    return torch.stack(logits, dim=1)


# Training.


@right
def training_with_adam(lab: Lab) -> object:
    model = lab.module(nn.Sequential(nn.Embedding(V, D), nn.LayerNorm(D), nn.Linear(D, 8), nn.GELU(), nn.Linear(8, V)))
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(3):
        tokens, targets = lab.ints(0, V, N, T), lab.ints(0, V, N, T)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten(), ignore_index=0)
        loss.backward()
        losses.append(float(nn.utils.clip_grad_norm_(model.parameters(), 0.5)))
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach() for p in model.parameters()]


@right
def optimizer_made_before_the_move(lab: Lab) -> object:
    torch.manual_seed(3)
    model = nn.Linear(D, V)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    model.to(lab.device)
    x = lab.floats(N, D)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        model(x).square().mean().backward()
        optimizer.step()
        schedule.step()
    return [p.detach() for p in model.parameters()]


@right
def tied_weights(lab: Lab) -> object:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table, self.out = nn.Embedding(V, D), nn.Linear(D, V)
            self.out.weight = self.table.weight

    model = lab.module(Tied())
    assert model.out.weight is model.table.weight
    return model.out(model.table(lab.ints(0, V, N, Q))), len(list(model.parameters()))


@right
def moved_while_a_graph_holds_it(lab: Lab) -> object:
    torch.manual_seed(3)
    model = nn.Linear(D, V)
    before = model(torch.ones(N, D, requires_grad=True))
    model.to(lab.device)
    model.load_state_dict({name: value * 2 for name, value in model.state_dict().items()})
    return model(lab.floats(N, D)), before.sum().item()


@right
def label_smoothing(lab: Lab) -> object:
    logits, targets = lab.floats(N, T, V), lab.ints(0, V, N, T)
    smooth = torch.full_like(logits, 0.1 / (V - 1)).scatter_(-1, targets.unsqueeze(-1), 0.9)
    losses = -(smooth * logits.log_softmax(-1)).sum(-1)
    real = targets.ne(0)
    mean = losses.masked_select(real).mean()
    return mean, (losses * real).sum() / real.sum(), F.cross_entropy(logits.mT, targets, label_smoothing=0.1)


@right
def batches_padded_and_moved(lab: Lab) -> object:
    rows = pad_sequence([torch.tensor(row) for row in ([1, 4, 2], [5], [3, 3, 3, 9])], batch_first=True)
    tokens = rows.to(lab.device)
    return tokens, (tokens != 0).sum(1), tokens.tolist(), [int(n) for n in tokens.ne(0).sum(1)]


@right
def saved_and_loaded(lab: Lab) -> object:
    model, x = lab.module(nn.Sequential(nn.Linear(D, 8), Table(persistent=True))), lab.floats(N, Q, D)
    model = lab.module(nn.Linear(D, 8)) if x.shape[-1] != D else model[0]
    twin, file = copy.deepcopy(model), io.BytesIO()
    torch.save({"model": model.state_dict(), "x": x.detach()}, file)
    file.seek(0)
    loaded = torch.load(file)
    fresh = nn.Linear(D, 8).to(lab.device)
    fresh.load_state_dict(loaded["model"])
    fresh.load_state_dict(nn.Linear(D, 8).state_dict() | {"bias": torch.ones(8)})
    return twin(x), loaded["model"]["weight"], loaded["x"], copy.deepcopy(x.detach()), fresh.bias.detach()


@right
def encoder_of_torch(lab: Lab) -> object:
    layer = nn.TransformerEncoderLayer(D, H, 16, dropout=0.0, batch_first=True, norm_first=True)
    model, padding = lab.module(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)), lab.bools(N, Q)
    padding[:, 0] = False
    x, mask = lab.floats(N, Q, D), nn.Transformer.generate_square_subsequent_mask(Q, device=lab.device)
    trained = model(x, mask=mask, is_causal=True)
    with torch.no_grad():
        return trained, model.eval()(x, src_key_padding_mask=padding).masked_fill(padding[..., None], 0)


@right
def transformer_of_torch(lab: Lab) -> object:
    model = lab.module(nn.Transformer(D, H, 1, 1, 16, dropout=0.0, batch_first=True))
    mask = model.generate_square_subsequent_mask(Q).to(lab.device)
    return model(lab.floats(N, K, D), lab.floats(N, Q, D), tgt_mask=mask)


@right
def convolutions(lab: Lab) -> object:
    x, wide = lab.floats(N, D, T), lab.module(nn.Conv1d(D, 8, 3, padding=2, dilation=2))
    up, plane = lab.module(nn.ConvTranspose1d(4, 5, 2, stride=2)), lab.module(nn.Conv2d(N, 4, (2, 3), bias=False))
    y = F.glu(wide(x), dim=1)
    return y, up(y), plane(x.unsqueeze(0)), F.max_pool1d(y, 2), F.avg_pool1d(y, 3), F.unfold(x[None], (2, 3))


@right
def normalisations(lab: Lab) -> object:
    x, norms = lab.floats(N, D, T), [nn.BatchNorm1d(D), nn.GroupNorm(3, D), nn.LayerNorm(T), nn.RMSNorm(T)]
    outs = [lab.module(norm)(x) for norm in norms]
    return (
        outs,
        norms[0].running_mean,
        F.normalize(x, dim=1),
        (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1),
    )


@right
def gradients_of_gradients(lab: Lab) -> object:
    x, layer = lab.floats(N, D), lab.module(nn.Sequential(nn.Linear(D, 5), nn.Tanh(), nn.Linear(5, 1)))
    (slope,) = torch.autograd.grad(layer(x).sum(), x, create_graph=True)
    penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
    for cell in (lab.module(nn.GRU(D, 5)), lab.module(nn.LSTM(D, 5))):
        (slope,) = torch.autograd.grad(cell(x)[0].sum(), x, create_graph=True)
        penalty = penalty + slope.square().mean()
    return penalty


@right
def functions_and_hooks_of_ones_own(lab: Lab) -> object:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return 2 * x

        @staticmethod
        def backward(ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return grad * x.sign()

    x, layer, norms = lab.floats(N, D), lab.module(nn.Linear(D, 5)), []
    x.register_hook(lambda grad: grad.clamp(-0.5, 0.5))
    layer.register_full_backward_hook(lambda module, before, after: norms.append(after[0].norm().item()))
    y = layer(Twice.apply(x))
    y.square().sum().backward(retain_graph=True)
    return y, norms, checkpoint(layer, x, use_reentrant=False)


@right
def views_and_changes_in_place(lab: Lab) -> object:
    x = lab.floats(N, Q, D)
    y = x * 1
    y[:, 1:] += 2
    y.transpose(1, 2)[..., 0].mul_(3)
    y.view(N, -1)[:, ::5].zero_()
    y[0].clamp_(min=-1).unsqueeze(0).squeeze_(0)
    y[:, -1, :].detach().fill_(0)
    return y, y.unfold(2, 4, 3), y.expand(2, N, Q, D).sum(0), y.movedim(0, 1).flatten(1), y.diagonal(dim1=0, dim2=1)


@right
def devices_by_context(lab: Lab) -> object:
    with torch.device(lab.device):
        mask, table = torch.ones(Q, Q).triu(1), nn.Embedding(V, D, _weight=torch.ones(V, D))
        index = torch.tensor([[1, 2], [3, 4]])
    return lab.floats(N, Q, Q) * mask, table(index).detach()


@right
def text_and_truth(lab: Lab) -> object:
    x = lab.floats(2, 3).detach().round(decimals=1)
    texts = [repr(x), str(x[0]), f"{x[0, 0]:.2f}", repr(x > 0), repr(lab.module(nn.Linear(2, 3)))]
    assert all(texts)
    assert x.device.type == lab.device
    assert torch.equal(x, x.clone())
    assert torch.allclose(x, x + 1e-9)
    assert not x.isnan().any()
    assert x.is_contiguous()
    return len(x), x.tolist(), max(x.flatten()).item(), [int(row.argmax()) for row in x], 5 in x


@right
def vectorised_over_a_batch(lab: Lab) -> object:
    x, y, w = lab.floats(N, D), lab.floats(N, D), lab.floats(D)
    gradient = torch.func.grad(lambda a, b: (a * b).sin().sum())
    return torch.vmap(torch.dot)(x, y), torch.vmap(gradient, in_dims=(None, 0))(w, y)


@right
def lower_precision(lab: Lab) -> object:
    x, layer = lab.floats(N, D), lab.module(nn.Linear(D, V))
    return layer.double()(x.double()).float().detach(), (x.half() * 2).float(), x.bfloat16().sum().float()


right_in_the_simulation = functools.partial(right, simulated_only=True)


@right_in_the_simulation
def dropout_and_samples(lab: Lab) -> object:
    x, generator = lab.floats(N, Q, D), torch.Generator(device=lab.device)
    generator.manual_seed(4)
    a, b = F.dropout(x, 0.3, training=True), nn.Dropout(0.5)(x)
    layer = lab.module(nn.MultiheadAttention(D, H, dropout=0.2, batch_first=True))
    sampled = torch.multinomial(x[0].softmax(-1), 2, generator=generator)
    return a, b, layer(x, x, x), sampled, torch.rand(3, device=lab.device), torch.randperm(5, device=lab.device)
