"""Hidden tests of `ctc`. Oracles: enumeration of all paths, and torch's own `ctc_loss`.

A criterion looks at its own property. Whether log-likelihoods are right is asked by `path_by_path`, and of which kind
they are by `dtypes`. Others are content if a wrong answer equals what follows from the student's own log-likelihoods
(`assert_right`), and the easy values of `check_likelihood` and its neighbours make sure that anything is computed.
"""

import math
from functools import cache
from itertools import pairwise, product

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name

from grader.judge import (
    Mismatch,
    assert_close,
    assert_equal,
    assert_not_used,
    assert_same_on_device,
    criterion,
    student_raises,
)

FLOAT_SCORES = {"rtol": 1e-4, "atol": 1e-5}  # for what may be computed in float32: only `dtypes` asks for more
STEP = 1e-4  # of a numerical derivative


# Oracles


def random_frames(*shape, sharpness=1.5, dtype=torch.float64):
    return (torch.randn(*shape, dtype=torch.float64) * sharpness).log_softmax(-1).to(dtype)


def labels_of(path, blank):
    """Said, and not said in the frame before: what a path collapses to, written without merging."""
    before = [None, *path]
    return tuple(said for said, last in zip(path, before, strict=False) if said not in (blank, last))


@cache
def all_paths(frames, classes, blank):
    """Every path (P, T), the labellings that occur, and for each path the index of its own (P,)."""
    paths = list(product(range(classes), repeat=frames))
    places = {}
    index = [places.setdefault(labels_of(path, blank), len(places)) for path in paths]
    return torch.tensor(paths), list(places), torch.tensor(index)


def enumerate_paths(log_probs, blank):
    """Labelling -> log-probability, by looking at every single path; differentiable."""
    paths, labellings, index = all_paths(*log_probs.shape, blank)
    scores = log_probs[torch.arange(len(log_probs)), paths].sum(1)  # (P,)
    totals = torch.zeros(len(labellings), dtype=scores.dtype).index_add(0, index, scores.exp()).log()
    return dict(zip(labellings, totals, strict=True))


def torch_losses(log_probs, targets, lengths, blank):
    """-log_likelihood of each utterance (N,), by torch."""
    sizes = torch.tensor([len(target) for target in targets])
    flat = torch.tensor([label for target in targets for label in target], dtype=torch.int64)
    return F.ctc_loss(log_probs.transpose(0, 1), flat, lengths, sizes, blank=blank, reduction="none")


def torch_log_likelihood(log_probs, target, blank):
    # torch looks up what it is given, wherever that is in memory.
    classes = log_probs.shape[-1]
    assert all(0 <= label < classes and label != blank for label in target), "a label is a class, and not the blank"
    return -torch_losses(log_probs[None], [target], torch.tensor([len(log_probs)]), blank)[0]


def random_target(rng, length, classes, blank, double=False):
    """Labels other than blank, no neighbours equal; or, with double, exactly two of them, if there are two.

    Equal neighbours are a lesson of their own: tests of something else do without, so that it is lost once only.
    """
    target = []
    while len(target) < length:
        target.append(rng.choice([label for label in range(classes) if label not in (blank, *target[-1:])]))
    if double and length > 1:
        twice = rng.randrange(length - 1)
        target[twice + 1 :] = target[twice:-1]
    return target


# Easy values: whoever has one mistake somewhere gets these right all the same, and whoever computes nothing does not.


def sure_of(labels, classes, blank, dtype=torch.float64):
    """Frames of a network that is nearly sure of these labels, with a blank between any two: (2·L + 1, V).

    It leaves open whether a path begins and ends with a blank.
    """
    states = [blank]
    for label in labels:
        states += [label, blank]
    scores = torch.randn(len(states), classes, dtype=torch.float64) / 4
    scores[torch.arange(len(states)), states] += 30
    scores[0, labels[0]] = scores[0, blank] - 0.3
    scores[-1, labels[-1]] = scores[-1, blank] - 0.3
    return scores.log_softmax(1).to(dtype)


def number(found, what):
    """A number, or what is in a tensor of one: its shape and dtype are other criteria's business."""
    is_one = isinstance(found, float) or (isinstance(found, torch.Tensor) and found.numel() == 1)
    assert is_one, f"{what} must be one number"
    return float(found)


def questions(labels, equal=False):
    """What was said, and what was not: of two sizes; or of equal ones, with the answers exchanged."""
    a, b, c = labels
    return (([a, b], [c, a]), ([c, a], [a, b])) if equal else (([a, b], [b, a]), ([c, a, b], [b, a, c]))


def check_likelihood(student, classes=4, blank=0, labels=(1, 2, 3), *, equal=False):
    """What a network is nearly sure of has nearly all of the probability, and something else next to none."""
    for said, other in questions(labels, equal):
        frames = sure_of(said, classes, blank)
        near = number(student.log_likelihood(frames, said, blank), "log_likelihood")
        far = number(student.log_likelihood(frames, other, blank), "log_likelihood")
        assert -7 < near < 4, "log_likelihood of what a network is nearly sure of"
        assert far < near - 4, "log_likelihood of what a network is nearly sure that it was not said"


def check_loss(student, classes=4, blank=0, labels=(1, 2, 3), *, equal=False):
    """The same for the loss: near 0, or far from it."""
    for said, other in questions(labels, equal):
        frames = torch.stack([sure_of(said, classes, blank) for _ in range(2)])  # (2, T, V)
        lengths = torch.full((2,), frames.shape[1])
        near = number(student.ctc_loss(frames, [said, said], lengths, blank), "ctc_loss")
        far = number(student.ctc_loss(frames, [other, other], lengths, blank), "ctc_loss")
        assert abs(near) < 7, "ctc_loss of what a network is nearly sure of"
        assert abs(far) > abs(near) + 3, "ctc_loss of what a network is nearly sure that it was not said"


def assert_right(found, expected, own, what):
    """It is right, or wrong as it follows from the student's `own()` answers: then another criterion says so."""
    try:
        assert_close(found, expected, what, **FLOAT_SCORES)
    except Mismatch as wrong:
        try:
            assert_close(found, own(), what, **FLOAT_SCORES)
        except Mismatch:
            raise wrong from None


def own_loss(student, log_probs, targets, lengths, blank):
    """The mean of minus the student's own log-likelihoods."""
    utterances = zip(log_probs, targets, lengths.tolist(), strict=True)
    found = [student.log_likelihood(frames[:length], target, blank) for frames, target, length in utterances]
    return -sum(number(one, "log_likelihood") for one in found) / len(found)


def assert_mean(student, expected, what, log_probs, targets, lengths, blank, padded=None):
    """The loss of a batch is right, or at least the mean of the student's own log-likelihoods."""
    found = number(student.ctc_loss(log_probs if padded is None else padded, targets, lengths, blank), what)
    assert not math.isnan(found), f"{what} is NaN"
    assert_right(found, float(expected), lambda: own_loss(student, log_probs, targets, lengths, blank), what)


def plain_labels(found, blank, what):
    """Labels as ints without blanks, whatever kind of numbers they were."""
    assert isinstance(found, list | tuple), f"{what} must be a list"
    return [int(number(float(x) if isinstance(x, int) else x, what)) for x in found if x != blank]


def check_collapse(student):
    """Paths of which little can be read wrongly."""
    for path, labels in (([2, 0, 1], [2, 1]), ([1, 0, 3], [1, 3])):
        found = plain_labels(student.collapse(path), 0, "collapse")
        assert_equal(found, labels, f"collapse({path})")


def check_greedy(student, classes=4, blank=0, labels=(1, 2, 3)):
    """The labels that a network is nearly sure of."""
    a, b, c = labels
    for said in ([a, b], [c, a]):
        found = plain_labels(student.greedy_decode(sure_of(said, classes, blank), blank), blank, "greedy_decode")
        assert_equal(found, said, "greedy_decode of what a network is nearly sure of")


def check_search(student, classes=4, blank=0, labels=(1, 2, 3)):
    """They are among what the search finds, and they have nearly all of the probability."""
    a, b, c = labels
    for said in ([a, b], [c, a]):
        frames = sure_of(said, classes, blank)[1::2]  # one frame a label
        scores = scores_of(student.prefix_beam_search(frames, 3, blank))
        assert tuple(said) in scores, "prefix_beam_search of what a network is nearly sure of"
        assert -2.5 < scores[tuple(said)] < 1.1, "the log-probability of what a network is nearly sure of"


def scores_of(found):
    """Labelling -> score, where plain floats and the order do not matter."""
    assert isinstance(found, list) and all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in found), (
        "prefix_beam_search must be a list of pairs"
    )
    assert all(isinstance(labels, list | tuple) for labels, _ in found), "labels are a list"
    return {tuple(labels): number(score, "a log-probability") for labels, score in found}


def beam_entries(found, what):
    """The search's result as [(tuple of labels, log-probability)], after a look at its kinds."""
    assert isinstance(found, list), f"{what} must be a list"
    for entry in found:
        assert isinstance(entry, list | tuple) and len(entry) == 2, f"{what}: each entry is a pair"
        labels, score = entry
        assert isinstance(labels, list | tuple) and all(type(label) is int for label in labels), (
            f"{what}: labels are a list of plain ints"
        )
        assert isinstance(score, float), f"{what}: a log-probability is a plain float"
        assert not math.isnan(score), f"{what}: a log-probability is NaN"
    return [(tuple(labels), score) for labels, score in found]


def narrow_search(log_probs, beam_size, blank):
    """What the contract asks for, and how near the nearest decision was, in log-probability."""
    beam, gap = {(): (1.0, 0.0)}, math.inf
    for row in log_probs.exp().tolist():
        grown = {}
        for prefix, (ends_blank, ends_label) in beam.items():
            both = ends_blank + ends_label
            for label, share in enumerate(row):
                moves = [((*prefix, label), 0.0, both * share)]
                if label == blank:
                    moves = [(prefix, both * share, 0.0)]
                elif prefix[-1:] == (label,):
                    moves = [(prefix, 0.0, ends_label * share), ((*prefix, label), 0.0, ends_blank * share)]
                for longer, *masses in moves:
                    grown[longer] = tuple(map(sum, zip(grown.get(longer, (0.0, 0.0)), masses, strict=True)))
        ranked = sorted(((sum(masses), prefix) for prefix, masses in grown.items() if any(masses)), reverse=True)
        near = [math.log(mass) for mass, _ in ranked[: beam_size + 1]]
        gap = min([gap, *(a - b for a, b in pairwise(near))])
        beam = {prefix: grown[prefix] for _, prefix in ranked[:beam_size]}
    return [(prefix, math.log(sum(masses))) for prefix, masses in beam.items()], gap


# collapse and greedy_decode


@criterion(
    "Stretching and separating",
    points=2,
    kind="invariance",
    hint="Is it right where a label comes twice, with a blank between, and where the blank is not class 0?",
)
def test_stretching_and_separating(student, rng):
    """Saying a symbol for longer, or blanks between different labels, does not change what a path means."""
    for length in [0, 1, 2, 3, 5, 8] * 4:
        blank = rng.randrange(4)
        labels = random_target(rng, length, 4, blank, double=True)
        path = [blank] * rng.randint(0, 2)
        for label, following in zip(labels, [*labels[1:], blank], strict=False):
            path += [label] * rng.randint(1, 3) + [blank] * (rng.randint(1, 3) - (label != following))
        for first in (0, 700):  # there may be many classes; equal numbers are then not one object
            shifted = [int(str(first + label)) for label in path]
            expected = [first + label for label in labels]
            what = f"collapse({shifted}, blank={first + blank})"
            assert_equal(student.collapse(shifted, first + blank), expected, what)


@criterion(
    "Greedy decoding with any blank",
    points=1,
    kind="value",
    hint="The best class of each frame: argmax over the last axis, and blank handed on to collapse.",
)
def test_greedy_any_blank(student, rng):
    """The best class of each frame, collapsed with the blank that the caller names, as plain ints."""
    for sharpness, dtype in ((1.0, torch.float64), (1.0, torch.float32), (1e-3, torch.float64)):  # a clear best, or not
        log_probs = random_frames(17, 4, sharpness=sharpness, dtype=dtype)
        log_probs = torch.cat([log_probs, log_probs[::2]])[torch.tensor(sorted(rng.choices(range(26), k=31)))]
        for frames in (log_probs, log_probs[:1]):
            path = frames.argmax(1).tolist()
            for blank in range(4):
                what = f"greedy_decode of {path}, blank={blank}"
                assert_equal(student.greedy_decode(frames, blank), list(labels_of(path, blank)), what)


# log_likelihood


@criterion(
    "Path by path",
    points=3,
    kind="value",
    hint="Write down all paths of three frames that collapse to 'ab', and to 'aa'. Does your lattice have each once?",
)
def test_path_by_path(student, rng):
    """The log-likelihood is the logarithm of the sum over every single path that collapses to the target."""
    log_probs = random_frames(5, 3)
    for blank in (0, rng.choice([1, 2])):
        exact = enumerate_paths(log_probs, blank)
        a, b = rng.sample([label for label in range(3) if label != blank], 2)
        for target in ([a], [b, a], [a, a], [a, b, b, a], [b, a, b, a, b]):
            what = f"log_likelihood((5, 3), {target}, blank={blank})"
            found = number(student.log_likelihood(log_probs, target, blank), what)
            assert_close(found, exact[tuple(target)].item(), what, **FLOAT_SCORES)
        for label in (a, b):  # one frame, one path
            what = f"log_likelihood((1, 3), {[label]}, blank={blank})"
            found = number(student.log_likelihood(log_probs[:1], [label], blank), what)
            assert_close(found, log_probs[0, label].item(), what, **FLOAT_SCORES)
    log_probs, target = random_frames(43, 7), random_target(rng, 17, 7, blank=6)  # more labels than one can count
    found = number(student.log_likelihood(log_probs, target, 6), "log_likelihood of 17 labels")
    expected = torch_log_likelihood(log_probs, target, blank=6).item()
    assert_close(found, expected, "log_likelihood of 17 labels", **FLOAT_SCORES)


@criterion(
    "Precise in float64, at home in float32",
    points=2,
    kind="shape",
    hint="New tensors take the dtype of log_probs (log_probs.new_full, zeros_like); a 0-dim result has the shape ().",
)
def test_dtypes(student, rng):
    """Results are 0-dim tensors with the dtype of log_probs, and as precise as that dtype."""
    frames, classes = 43, 7
    for dtype in (torch.float64, torch.float32):
        target = random_target(rng, 9, classes, blank=6)
        log_probs = random_frames(frames, classes).to(dtype)
        expected = torch_log_likelihood(log_probs, target, blank=6)
        single, impossible = student.log_likelihood(log_probs, target, 6), [0] * frames
        for found, value, what in (
            (single, expected, f"log_likelihood in {dtype}"),
            (student.log_likelihood(log_probs, impossible, 6), None, f"log_likelihood of no path in {dtype}"),
            (student.ctc_loss(log_probs[None], [target], torch.tensor([frames]), 6), -expected, f"ctc_loss in {dtype}"),
        ):
            assert isinstance(found, torch.Tensor), f"{what} must be a tensor"
            assert found.shape == (), f"{what} must be a 0-dim tensor, its shape is {tuple(found.shape)}"
            assert found.dtype is dtype, f"{what} must be {dtype}, it is {found.dtype}"
            if value is not None and abs(found - value) < 5e-5 * abs(value):  # else it is wrong, and not imprecise
                assert_close(found, value, what)
    check_likelihood(student)
    check_loss(student)


@criterion(
    "A long utterance",
    points=3,
    kind="robustness",
    hint="A path of 320 frames has a probability of e^-800 or so, which no float can hold. Stay in log space.",
)
def test_long_utterance(student, rng):
    """320 frames of float32 neither underflow nor take long."""
    log_probs = random_frames(320, 9)
    scores = torch.randn(320, 6, dtype=torch.float64)
    scores[:, 5] += 30.0  # nearly certain, and not in the target, which is possible all the same
    for frames, target, what in (
        (log_probs, random_target(rng, 3, 9, blank=0), "log_likelihood of 320 frames"),
        (scores.log_softmax(1), random_target(rng, 3, 5, blank=0), "log_likelihood of what is hardly possible"),
    ):
        expected = torch_log_likelihood(frames, target, blank=0).item()
        precise = number(student.log_likelihood(frames, target), what)
        found = number(student.log_likelihood(frames.float(), target), f"{what} in float32")
        # A way too many or too few is another criterion's business, and changes such numbers by little.
        assert_close(precise, expected, what, rtol=0.05)
        assert_close(found, precise, f"{what} in float32", rtol=1e-4)
    check_likelihood(student)


@criterion(
    "Silence",
    points=1,
    kind="value",
    hint="An empty target has one state, the blank, and one path. Which index of your code does not exist then?",
)
def test_silence(student, rng):
    """The empty target has exactly one path, all blanks; alone and within a batch."""
    log_probs = random_frames(3, 6, 4)
    for blank in (0, 2):
        silent = log_probs[:, :, blank].sum(1)  # (3,)
        what = f"log_likelihood of [], blank={blank}"
        reply = student.log_likelihood.gradients(log_probs[0], [], blank)
        assert_close(number(reply.value, what), silent[0].item(), what, **FLOAT_SCORES)
        said = F.one_hot(torch.full((6,), blank), 4).double()  # what this path says in each frame
        assert_close(reply.gradients[0], said, f"gradient of {what}", **FLOAT_SCORES)
        what = f"ctc_loss of three empty targets, blank={blank}"
        assert_mean(student, -silent.mean(), what, log_probs, [[], [], []], torch.tensor([6, 6, 6]), blank)


@criterion(
    "Just enough frames",
    points=2,
    kind="robustness",
    hint="A target needs a frame for each label and one more for each pair of equal neighbours.",
)
def test_just_enough_frames(student, rng):
    """With exactly the frames that a target needs, one path fits; with one less, none, and the loss is inf."""
    log_probs = random_frames(7, 5)
    a, b, c = rng.sample([1, 2, 3, 4], 3)
    for target, needed in (([a, a], 3), ([a, b, c], 3), ([b, b, c, c, a], 7), ([c, c, c], 5)):
        what = f"log_likelihood({needed} frames, {target})"
        found = number(student.log_likelihood(log_probs[:needed], target), what)
        assert found > -1e8, f"{what} must be a number: one path fits"
        what = f"log_likelihood({needed - 1} frames, {target})"
        found = number(student.log_likelihood(log_probs[: needed - 1], target), what)
        assert_close(found, -math.inf, what)
    batch, targets, lengths = torch.stack([log_probs, log_probs]), [[a, b], [c, c]], torch.tensor([7, 2])
    assert_mean(student, math.inf, "ctc_loss where one target does not fit", batch, targets, lengths, 0)
    check_likelihood(student)


# Gradients


@criterion(
    "The gradient of the log-likelihood",
    points=3,
    kind="gradient",
    hint="NaN comes from a logsumexp whose terms are all -inf: compute it on something finite, and put -inf in after. "
    "No .item(), float() or torch.tensor(list of results) on the way, and no second normalisation.",
)
def test_gradient(student, rng):
    """The gradient in log_probs equals that of the sum over all paths, everywhere."""
    blank = rng.randrange(4)
    a, b = rng.sample([label for label in range(4) if label != blank], 2)
    for target in ([a, b, a], [b], [a, a], [a, b, b]):
        what = f"gradient of log_likelihood for {target}, blank={blank}"
        log_probs = random_frames(5, 4).requires_grad_()
        enumerate_paths(log_probs, blank)[tuple(target)].backward()
        expected, log_probs = log_probs.grad, log_probs.detach()
        found = student.log_likelihood.gradients(log_probs, target, blank).gradients[0]
        assert isinstance(found, torch.Tensor), f"{what}: the result does not depend on log_probs"
        try:
            assert_close(found, expected, what, **FLOAT_SCORES)
        except Mismatch:  # a wrong value is another criterion's business: is this its gradient?
            if not is_own_gradient(student, found, log_probs, target, blank):
                raise
    log_probs, target = random_frames(31, 4), random_target(rng, 9, 4, blank)
    found = student.log_likelihood.gradients(log_probs, target, blank).gradients[0]
    assert isinstance(found, torch.Tensor) and found.shape == log_probs.shape, "the gradient of 31 frames"
    shares = found.sum(1)  # each path says one class in each frame
    assert_close(shares, torch.ones_like(shares), "the gradient of 31 frames, summed over the classes", atol=1e-4)
    check_likelihood(student)


def is_own_gradient(student, gradient, log_probs, target, blank):
    """Whether it is the derivative of the student's own log-likelihood, of which each frame has a share of 1."""
    if gradient.shape != log_probs.shape or not torch.allclose(gradient.sum(1), torch.ones(()).to(gradient), atol=1e-4):
        return False  # each path says one class in each frame, so there all shares are 1 together
    for _ in range(3):
        way = torch.randn_like(log_probs)
        ends = [student.log_likelihood(log_probs + step * way, target, blank) for step in (STEP, -STEP)]
        up, down = (number(end, "log_likelihood") for end in ends)
        if not math.isclose((gradient * way).sum().item(), (up - down) / (2 * STEP), rel_tol=1e-3, abs_tol=1e-3):
            return False
    return True


@criterion(
    "No NaN where nothing fits",
    points=2,
    kind="gradient",
    hint="-inf - -inf is NaN, and NaN times 0 is NaN too: keep every -inf away from logsumexp, or mask it before.",
)
def test_gradient_where_nothing_fits(student, rng):
    """Where the result is -inf, the gradient is finite, so that one bad utterance cannot destroy the weights."""
    a, b, c = rng.sample([1, 2, 3], 3)
    for frames, target in ((5, [a, b, a, b, a, b]), (5, [b, a, c, b, a, c, b]), (3, [b, a, a]), (5, [a, a, b, b])):
        reply = student.log_likelihood.gradients(random_frames(frames, 4), target)
        what = f"log_likelihood of {target} in {frames} frames"
        assert not math.isnan(number(reply.value, what)), f"{what} is NaN"
        gradient = reply.gradients[0]  # None: the result does not depend on log_probs, which is right as well
        assert gradient is None or bool(gradient.isfinite().all()), "the gradient of an impossible target is not finite"
    reply = student.ctc_loss.gradients(random_frames(2, 6, 4), [[a, b], [a, b, c, a]], torch.tensor([6, 3]))
    assert not math.isnan(number(reply.value, "ctc_loss")), "ctc_loss is NaN where one target does not fit"
    gradient = reply.gradients[0]
    assert gradient is None or bool(gradient.isfinite().all()), "the gradient of the loss is not finite"
    check_likelihood(student)  # where a target fits, there is a number
    check_loss(student)


@criterion(
    "The gradient of the loss",
    points=3,
    kind="gradient",
    hint="Each utterance has 1/N of the gradient, and a frame past its length has exactly none.",
)
def test_gradient_of_the_loss(student, rng):
    """Gradients reach all real frames of all utterances, and are exactly 0 in the padding."""
    for lengths, sizes, dtype in (
        ([9, 6, 7], [4, 3, 1], torch.float64),
        ([9, 8, 5], [4, 3, 1], torch.float64),
        ([9], [2], torch.float64),  # a batch of one
        ([31, 33], [9, 5], torch.float32),
    ):
        count, frames = len(lengths), max(lengths)
        log_probs, lengths = random_frames(count, frames, 5), torch.tensor(lengths)
        blank = rng.randrange(5)
        targets = [random_target(rng, size, 5, blank) for size in sizes]
        padding = torch.arange(frames) >= lengths[:, None]  # (N, T)

        # torch's gradient is that of the scores before the softmax: probability - occupancy. We want -occupancy / N.
        logits = log_probs.clone().requires_grad_()
        loss = torch_losses(logits.log_softmax(2), targets, lengths, blank).mean()
        loss.backward()
        expected = (logits.grad - log_probs.exp() / count).masked_fill(padding[:, :, None], 0.0).to(dtype)

        log_probs[padding] = torch.randn(int(padding.sum()), 5, dtype=torch.float64) * 10
        reply = student.ctc_loss.gradients(log_probs.to(dtype), targets, lengths, blank)
        what = f"ctc_loss, lengths={lengths.tolist()}, blank={blank}"
        gradient = reply.gradients[0]
        assert isinstance(gradient, torch.Tensor), f"{what} does not depend on log_probs"
        assert bool(gradient.isfinite().all()), f"the gradient of {what} is not finite"
        tolerance = {"rtol": 1e-3, "atol": 1e-4} if dtype is torch.float32 else FLOAT_SCORES  # sums of a size of 50
        try:
            assert_close(gradient, expected, f"gradient of {what}", **tolerance)
        except Mismatch:  # wrong log-likelihoods are another criterion's business: is it the mean of their gradients?
            own = torch.zeros_like(log_probs)
            for n, (size, target) in enumerate(zip(lengths.tolist(), targets, strict=True)):
                shares = student.log_likelihood.gradients(log_probs[n, :size], target, blank).gradients[0]
                assert isinstance(shares, torch.Tensor), "log_likelihood does not depend on log_probs"
                own[n, :size] = -shares / count
            assert_close(gradient, own.to(dtype), f"gradient of {what}", **tolerance)
        assert not gradient[padding].any(), "the gradient in the padding is not exactly 0"
    check_loss(student)


# ctc_loss


@criterion(
    "The plain mean over the batch, by your own code",
    points=2,
    kind="value",
    hint="Every utterance counts once, however long its target is: torch.stack(losses).mean(), nothing else. "
    "torch's own ctc_loss is what you build here.",
)
def test_plain_mean(student, rng):
    """The loss is the plain mean of the utterances' losses, however long their targets are; without torch's own."""
    assert_not_used(student, "ctc_loss", "CTCLoss", "_ctc_loss")
    blank = rng.randrange(1, 6)
    lengths = torch.full((4,), 11)
    for _ in range(2):
        log_probs = random_frames(4, 11, 6)
        targets = [random_target(rng, length, 6, blank, double=length > 2) for length in (2, 5, 0, 3)]
        expected = torch_losses(log_probs, targets, lengths, blank).mean()
        assert_mean(student, expected, f"ctc_loss of {targets}, blank={blank}", log_probs, targets, lengths, blank)
    check_loss(student)


@criterion(
    "Padding does not matter",
    points=2,
    kind="invariance",
    hint="log_probs[n, :lengths[n]] is all that utterance n has. Is its result read at its own last frame?",
)
def test_padding(student, rng):
    """Whatever stands in the frames past an utterance's length, and however many they are, the loss is the same."""
    for blank, lengths in ((0, [5, 8, 3]), (2, [8, 4, 5])):
        lengths = torch.tensor(lengths)
        targets = [random_target(rng, length, 4, blank) for length in (3, 2, 1)]
        log_probs = random_frames(3, 8, 4)
        expected = torch_losses(log_probs, targets, lengths, blank).mean()
        noise = torch.randn(3, 11, 4, dtype=torch.float64) * 10
        for extra, padded in (
            (0, noise[:, :8].clone()),
            (3, noise),
            (0, torch.full((3, 8, 4), math.nan, dtype=torch.float64)),
            (3, torch.full((3, 11, 4), math.inf, dtype=torch.float64)),
            (1, torch.full((3, 9, 4), -math.inf, dtype=torch.float64)),
        ):
            for n, length in enumerate(lengths.tolist()):
                padded[n, :length] = log_probs[n, :length]
            what = f"ctc_loss with lengths {lengths.tolist()} in {8 + extra} frames"
            assert_mean(student, expected, what, log_probs, targets, lengths, blank, padded)
    check_loss(student)


# prefix_beam_search


@criterion(
    "A wide beam is exact",
    points=3,
    kind="value",
    hint="Keep two masses a prefix: ending in blank, ending in its last label. Which of them goes where when that "
    "label is said once more?",
)
def test_wide_beam(student, rng):
    """With a beam wider than the number of labellings, all of them come out with their exact probabilities."""
    other = rng.choice([1, 2])
    for frames, classes, blank, sharpness, dtype in (
        (4, 3, 0, 1.5, torch.float64),
        (5, 3, other, 1.5, torch.float32),
        (2, 13, 12, 1.5, torch.float64),
        (4, 3, 1, 8.0, torch.float64),
        (1, 5, 2, 1.5, torch.float64),
    ):
        log_probs = random_frames(frames, classes, sharpness=sharpness, dtype=dtype)
        what = f"prefix_beam_search(({frames}, {classes}), 1000, blank={blank})"
        found = beam_entries(student.prefix_beam_search(log_probs, 1000, blank), what)
        possible = [entry for entry in found if entry[1] > -math.inf]
        exact = {labels: score.item() for labels, score in enumerate_paths(log_probs.double(), blank).items()}
        assert_close(dict(possible), exact, f"scores of {what}", **FLOAT_SCORES)
        assert len(possible) == len(exact), f"{what} has the same labelling twice"
        scores = [score for _, score in possible]
        assert scores == sorted(scores, reverse=True), f"{what} is not sorted, best first"


@criterion(
    "A narrow beam",
    points=2,
    kind="robustness",
    hint="After each frame, sort the prefixes by both masses together and keep the first beam_size.",
)
def test_narrow_beam(student, rng):
    """At most beam_size different labellings, best first; none is given more than its probability."""
    log_probs = random_frames(6, 5)
    for beam_size in (1, 2, 7):
        what = f"prefix_beam_search((6, 5), {beam_size}, blank=3)"
        found = beam_entries(student.prefix_beam_search(log_probs, beam_size, blank=3), what)
        assert 1 <= len(found) <= beam_size, f"{what} has {len(found)} entries"
        assert len({labels for labels, _ in found}) == len(found), f"{what} has the same labelling twice"
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True), f"{what} is not sorted, best first"
        for labels, score in found:
            most = torch_log_likelihood(log_probs, labels, blank=3).item()
            assert score <= most + 1e-4, f"{what} gives {labels} more than its probability"

    # Where no two prefixes are so near that rounding decides, every right search keeps the same ones.
    tried = 0
    while tried < 16:
        log_probs, beam_size = random_frames(7, 5, sharpness=1.0), rng.randint(1, 4)
        expected, gap = narrow_search(log_probs, beam_size, blank=2)
        if gap > 5e-3:
            tried += 1
            what = f"prefix_beam_search((7, 5), {beam_size}, blank=2)"
            found = beam_entries(student.prefix_beam_search(log_probs, beam_size, blank=2), what)
            assert_equal([labels for labels, _ in found], [labels for labels, _ in expected], f"labellings of {what}")
            assert_close([score for _, score in found], [score for _, score in expected], what, **FLOAT_SCORES)

    # The least probable label of a frame still adds to a prefix that is in the beam already.
    said = rng.choice([0, 1, 3, 4, 5, 6])
    first, second = torch.full((7,), 0.02), torch.full((7,), 0.42 / 5)
    first[2], first[said], second[2], second[said] = 0.4, 0.5, 0.55, 0.03
    faint = torch.stack([first, second]).double().log()
    what = "prefix_beam_search(two frames that say a label clearly, then faintly; 2, blank=2)"
    found = beam_entries(student.prefix_beam_search(faint, 2, blank=2), what)
    expected = [((said,), math.log(0.5 * 0.55 + 0.5 * 0.03 + 0.4 * 0.03)), ((), math.log(0.4 * 0.55))]
    assert_equal([labels for labels, _ in found], [labels for labels, _ in expected], f"labellings of {what}")
    assert_close([score for _, score in found], [score for _, score in expected], what, **FLOAT_SCORES)

    # A network that is nearly sure: whatever is pruned, it hardly counts.
    path = [2, 2, 3, 2, 0, 0, 1]
    sure = (F.one_hot(torch.tensor(path), 5) * 12 + torch.randn(7, 5)).double().log_softmax(1)
    for beam_size in (1, 3):
        what = f"prefix_beam_search(a network that is nearly sure of {path}, {beam_size}, blank=3)"
        labels, score = beam_entries(student.prefix_beam_search(sure, beam_size, blank=3), what)[0]
        assert_equal(labels, (2, 2, 0, 1), f"labels of {what}")
        assert_close(score, 0.0, f"score of {what}", atol=0.05)


@criterion(
    "A narrow beam through a long utterance",
    points=2,
    kind="efficiency",
    timeout=5,
    hint="Prune after every frame, not at the end; and add log-probabilities (log-add-exp), as 3^-600 is no float.",
)
def test_long_search(student, rng):
    """600 frames with a beam of 1 take a moment, and the score does not underflow."""
    for frames, blank in ((9, 0), (600, 4)):  # a short one first: who returns too much shows it there
        # Each frame has a favourite with a quarter of the probability, no label twice in a row, and a blank once.
        path = random_target(rng, frames, 9, blank)
        path[-5] = blank
        scores = torch.randn(frames, 9, dtype=torch.float64) / 20
        scores[torch.arange(frames), path] += 1.0
        log_probs = scores.log_softmax(1)
        what = f"prefix_beam_search(({frames}, 9), 1, blank={blank})"
        found = beam_entries(student.prefix_beam_search(log_probs, 1, blank), what)
        assert len(found) == 1, f"{what} has {len(found)} entries"
        expected = tuple(label for label in path if label != blank)
        assert found[0][0] == expected, f"{what}: the labels are not those of a search with a beam of 1"
        total = log_probs[torch.arange(frames), path].sum().item()  # -820 or so; what joins it in one frame is little
        assert_close(found[0][1], total, what, rtol=0.0, atol=0.5)


# All together


@criterion(
    "The names of the classes do not matter",
    points=2,
    kind="invariance",
    hint="blank is the caller's, in every function: hand it on, and never compare with 0.",
)
def test_names_of_classes(student, rng):
    """Renumbering the classes, the blank among them, renumbers the results and changes nothing else."""
    log_probs = random_frames(2, 6, 4)
    target, targets, lengths = [2, 3, 3], [[2, 3, 2], [1, 3]], torch.tensor([6, 5])
    likelihood = number(student.log_likelihood(log_probs[0], target, 0), "log_likelihood")
    loss = number(student.ctc_loss(log_probs, targets, lengths, 0), "ctc_loss")
    greedy = student.greedy_decode(log_probs[1], 0)
    beam = dict(beam_entries(student.prefix_beam_search(log_probs[0, :2], 40, 0), "prefix_beam_search"))

    # Old class -> new class, and the blank moves; among four classes, or among many that are as good as impossible.
    few, many = rng.choice([[1, 2, 3, 0], [2, 0, 1, 3], [3, 1, 0, 2]]), rng.sample(range(260, 290), 4)
    for new, classes in ((few, 4), (many, 290)):
        renumbered = log_probs.new_full((2, 6, classes), -40.0)
        renumbered[:, :, new] = log_probs
        blank, what = new[0], f"with renumbered classes and blank={new[0]}"

        def renumber(labels, new=new):
            assert isinstance(labels, list | tuple) and all(label in range(4) for label in labels), "labels are classes"
            return [int(str(new[label])) for label in labels]  # equal numbers, and not one object

        found = number(student.log_likelihood(renumbered[0], renumber(target), blank), f"log_likelihood {what}")
        assert_close(found, likelihood, f"log_likelihood {what}", **FLOAT_SCORES)
        found = student.ctc_loss(renumbered, [renumber(target) for target in targets], lengths, blank)
        assert_close(number(found, f"ctc_loss {what}"), loss, f"ctc_loss {what}", **FLOAT_SCORES)
        assert_equal(student.greedy_decode(renumbered[1], blank), renumber(greedy), f"greedy_decode {what}")
        found = beam_entries(student.prefix_beam_search(renumbered[0, :2], 40, blank), "prefix_beam_search")
        expected = {tuple(renumber(labels)): score for labels, score in beam.items() if score > -30}
        found = {labels: score for labels, score in found if score > -30}
        assert_close(found, expected, f"prefix_beam_search {what}", **FLOAT_SCORES)
        labels = renumber([1, 2, 3])
        check_likelihood(student, classes, blank, labels)
        check_loss(student, classes, blank, labels)
        check_greedy(student, classes, blank, labels)
        check_search(student, classes, blank, labels)


@criterion(
    "Nothing is changed, nothing is remembered",
    points=2,
    kind="robustness",
    hint="Work on copies; and a default argument or a global that you change lives on to the next call.",
)
def test_nothing_changed(student, rng):
    """No function changes its arguments; the same call has the same result after other calls, and others their own."""
    path = [1, 1, 0, 2, 0, 2, 2]
    log_probs, other = random_frames(2, 6, 4), random_frames(5, 3)
    targets, lengths = [[3, 1, 2], [2]], torch.tensor([6, 4])
    calls = {
        "collapse": (path,),
        "greedy_decode": (log_probs[0],),
        "log_likelihood": (log_probs[0], targets[0]),
        "ctc_loss": (log_probs, targets, lengths),
        "prefix_beam_search": (log_probs[0], 5),
    }
    first = {name: getattr(student, name).observe(*arguments) for name, arguments in calls.items()}
    student.collapse([2, 0, 0], 1)
    student.greedy_decode(other, 1)
    student.log_likelihood(other, [2, 0], 1)
    student.ctc_loss(other[None], [[2, 0]], torch.tensor([4]), 1)
    student.prefix_beam_search(other, 2, 1)
    for name, arguments in calls.items():
        assert first[name].value is not None, f"{name} returns nothing"
        assert_equal(list(first[name].args), list(arguments), f"the arguments of {name} after the call")
        again = getattr(student, name)(*arguments)
        assert_equal(again, first[name].value, f"{name}, called with the same arguments once more,")
    # Other questions of the same size have other answers.
    check_collapse(student)
    check_greedy(student)
    check_likelihood(student, equal=True)
    check_loss(student, equal=True)
    check_search(student)


@criterion(
    "A blank that is no class",
    points=1,
    kind="robustness",
    hint="0 <= blank < log_probs.shape[-1], checked in every function that is given one.",
)
def test_wrong_blank(student):
    """Every function refuses a blank below 0, and from V on where the number of classes V is known."""
    log_probs = random_frames(2, 3, 4)
    lengths = torch.tensor([3, 2])
    for blank in (-1, -4, 4, 7):
        with student_raises("ValueError", naming="blank"):
            student.greedy_decode(log_probs[0], blank)
        with student_raises("ValueError", naming="blank"):
            student.log_likelihood(log_probs[0], [1], blank)
        for target in ([], [1, 1, 1]):  # even where the answer is plain, or there is none
            with student_raises("ValueError", naming="blank"):
                student.log_likelihood(log_probs[0], target, blank)
        with student_raises("ValueError", naming="blank"):
            student.ctc_loss(log_probs, [[1], [2]], lengths, blank)
        with student_raises("ValueError", naming="blank"):
            student.prefix_beam_search(log_probs[0], 2, blank)
    with student_raises("ValueError", naming="blank"):
        student.collapse([1, 2], -2)
    with student_raises("ValueError", naming="beam_size"):
        student.prefix_beam_search(log_probs[0], -1)
    # The last class is one: no error then.
    for found in (
        student.log_likelihood(log_probs[0], [1], 3),
        student.ctc_loss(log_probs, [[1], [2]], lengths, 3),
        student.prefix_beam_search(log_probs[0], 2, 3),
    ):
        assert found is not None, "with the last class as blank, a function returns nothing"
    check_greedy(student, 4, 3, (1, 2, 2))
    assert_equal(student.collapse([1, 2, 2, 1], 7), [1, 2, 1], "collapse([1, 2, 2, 1], 7), where V is not known,")


@criterion(
    "At home on an accelerator",
    points=2,
    kind="device",
    hint="Every tensor that you make (tensor, full, arange) needs device=log_probs.device, or comes from new_full.",
)
def test_on_an_accelerator(student, device):
    """On an accelerator all results are the CPU's, and tensors are on the accelerator."""
    log_probs = random_frames(2, 6, 5, dtype=torch.float32)
    for frames, target, blank in ((6, [1, 2, 2], 0), (6, [], 3), (2, [1, 1], 3)):
        what = f"log_likelihood of {target} in {frames} frames"
        assert_same_on_device(student.log_likelihood, device, what, log_probs[0, :frames], target, blank)
    lengths = torch.tensor([6, 4])
    assert_same_on_device(student.ctc_loss, device, "ctc_loss", log_probs, [[1, 2], [3]], lengths, 0)
    expected = student.greedy_decode(log_probs[0], 1)
    assert_equal(student.greedy_decode.on(device)(log_probs[0], 1), expected, "greedy_decode on the accelerator")
    what = "prefix_beam_search on the accelerator"
    expected = scores_of(student.prefix_beam_search(log_probs[0, :3], 4, 1))
    found = scores_of(student.prefix_beam_search.on(device)(log_probs[0, :3], 4, 1))
    assert_close(found, expected, what, **FLOAT_SCORES)
    for check in (check_greedy, check_likelihood, check_loss, check_search):  # and these are right ones
        check(student)
