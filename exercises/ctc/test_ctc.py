"""Public tests of `ctc`. Run them with `pytest exercises/ctc` or `grader check ctc`; the hidden ones ask for more."""

import math
from itertools import product

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name

from grader.judge import assert_close, assert_equal, assert_same_on_device, criterion, show, student_raises

LETTERS = "-Helo"  # class 0 is the blank


def ids(text):
    return [LETTERS.index(letter) for letter in text]


# The lattice of the handout: three frames of P(-), P(a), P(b).
THREE_FRAMES = torch.tensor([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.4, 0.1, 0.5]], dtype=torch.float64).log()


def number(found, what):
    """A number, or what is in a tensor of one: its shape and dtype are another criterion's business."""
    is_one = isinstance(found, float) or (isinstance(found, torch.Tensor) and found.numel() == 1)
    assert is_one, f"{what} must be one number, found {show(found)}"
    return float(found)


@criterion(
    "Hello in many ways",
    points=2,
    kind="value",
    question="Which word does h-e-l-blank-l-o stand for, and which h-e-l-l-o?",
    hint="Two steps, and their order matters: first merge equal neighbours, then drop the blanks.",
    step="Keep an item if it differs from the one before it and is not the blank; compare with the item "
    "before, kept or not.",
)
def test_hello(student):
    """Paths collapse to the labelling that they stand for: the examples of the lecture."""
    for path, labels in [
        ("HHHHHH-eeeelll-lll--oo---", "Hello"),
        ("Hel-lo", "Hello"),
        ("Heeeelll----llo", "Hello"),
        ("Hello", "Helo"),
        ("", ""),
    ]:
        assert_equal(student.collapse(ids(path)), ids(labels), f"collapse of {path!r}, that is {ids(path)},")


@criterion(
    "The most probable path, collapsed",
    points=1,
    kind="value",
    question="For how many frames do you choose, and what do you choose in each?",
    hint="Choose the best class of each frame, whatever the others are; then collapse what you chose.",
    step="argmax over the last axis, .tolist() for plain ints, then collapse with the caller's blank.",
)
def test_best_path(student):
    """Greedy decoding takes the best class of each frame and collapses that path, to a list of plain ints."""
    path = [3, 3, 1, 1, 3, 1, 2, 2, 0]
    log_probs = (F.one_hot(torch.tensor(path), 4) * 2.0).log_softmax(1)  # (9, 4)
    assert_equal(student.greedy_decode(log_probs), [3, 1, 3, 1, 2], f"greedy_decode of the path {path}")
    found = student.greedy_decode(log_probs, blank=3)
    assert_equal(found, [1, 1, 2, 0], f"greedy_decode of the path {path} with blank=3")


@criterion(
    "The lattice of the handout",
    points=2,
    kind="value",
    question="How many states has a target of U labels, with a blank around each?",
    hint="Print your forward variables frame by frame and lay them beside the handout's table.",
    step="Each state adds up: itself, the one before, and, if it is a label unlike the last label, the one two before.",
)
def test_lattice_of_the_handout(student):
    """The forward recursion gives the probabilities that the handout computes by hand."""
    for target, probability in [([1, 2], 0.492), ([1, 1], 0.021), ([2], 0.15)]:
        what = f"log_likelihood(three frames of the handout, {target})"
        found = number(student.log_likelihood(THREE_FRAMES, target), what)
        assert_close(found, math.log(probability), what, rtol=1e-5)


@criterion(
    "All labellings share probability 1",
    points=2,
    kind="invariance",
    question="May a path jump from an l straight to the next l?",
    hint="More than 1: some path is counted for two labellings (may a blank between equal labels be jumped over?). "
    "Less: some way into, through or out of the lattice is missing.",
    step="Allow the jump of two only if the state is a label and differs from the label two states before.",
)
def test_shares_of_one(student):
    """Every path collapses to exactly one labelling, so the probabilities of all labellings sum to 1."""
    sure = F.one_hot(torch.tensor([1, 1, 2]), 3) * 5.0  # of a network that is nearly sure of [1, 2]
    for scores in (torch.zeros(3, 3), sure):
        log_probs = (scores + torch.randn(3, 3, dtype=torch.float64)).log_softmax(1)
        shares = {}
        for length in range(4):
            for target in product([1, 2], repeat=length):
                found = student.log_likelihood(log_probs, list(target))
                assert isinstance(found, torch.Tensor) and found.dim() == 0, (
                    f"log_likelihood must be a 0-dim tensor, found {show(found)}"
                )
                shares[target] = found.exp()
        total = torch.stack(list(shares.values())).sum()
        assert_close(total, torch.ones_like(total), "the sum over all labellings of 3 frames with 3 classes")
    best = shares.pop((1, 2))
    assert best > max(shares.values()), f"a network is sure of [1, 2], but its share is {best.item():.3g}: not the most"


@criterion(
    "No path, no probability",
    points=2,
    kind="robustness",
    question="How many frames does the target l, l need at least?",
    hint="Equal neighbours in the target need a blank between them, that is one frame more. log 0 is -inf.",
    step="Begin with -inf everywhere except the two first states, and add with logsumexp; then -inf comes out "
    "by itself.",
)
def test_no_path(student):
    """A target that needs more frames than there are has log-likelihood -inf, and not NaN or a large number."""
    two_frames = THREE_FRAMES[:2]
    for target in ([1, 1], [1, 2, 1], [2, 2, 1, 1]):
        what = f"log_likelihood(two frames, {target})"
        assert_close(number(student.log_likelihood(two_frames, target), what), -math.inf, what)
    what = "log_likelihood(two frames, [1, 2])"  # exactly one path fits
    found = number(student.log_likelihood(two_frames, [1, 2]), what)
    assert found > -1e8, f"{what} must be the logarithm of a probability, found {found}"


@criterion(
    "The loss of a batch",
    points=2,
    kind="value",
    question="Which frames of a padded utterance belong to it?",
    hint="One number for each utterance: minus the log-likelihood of its first lengths[n] frames. Then their mean.",
    step="For each n, cut the frames at lengths[n], take minus the log-likelihood; stack the numbers, and "
    "take their mean.",
)
def test_loss_of_a_batch(student):
    """The loss is the mean over the batch of -log_likelihood, and frames past a length are ignored."""
    targets = [[1, 3, 4], [2], []]
    sizes = torch.tensor([len(target) for target in targets])
    flat = torch.tensor([1, 3, 4, 2])  # torch takes the targets one after the other
    for lengths in (torch.tensor([7, 5, 6]), torch.tensor([6, 7, 4])):
        log_probs = torch.randn(3, 7, 5, dtype=torch.float64).log_softmax(2)
        losses = F.ctc_loss(log_probs.transpose(0, 1), flat, lengths, sizes, reduction="none")  # (3,)
        what = f"ctc_loss(log_probs (3, 7, 5), {targets}, lengths={lengths.tolist()})"
        found, expected = number(student.ctc_loss(log_probs, targets, lengths), what), losses.mean().item()
        if abs(found - expected) > 1e-5:  # your log_likelihood may be wrong: is this the mean of what it says?
            each = zip(log_probs, targets, lengths.tolist(), strict=True)
            own = [-number(student.log_likelihood(x[:n], target), "log_likelihood") for x, target, n in each]
            # Only if yours tell one target from another: else nothing is computed.
            expected = sum(own) / 3 if max(own) - min(own) > 0.5 and abs(found - sum(own) / 3) < 1e-5 else expected
        assert_close(found, expected, what, rtol=1e-5, atol=1e-5)


@criterion(
    "The best labelling is not the best path",
    points=2,
    kind="value",
    question="Which paths of two frames collapse to a, and what do they have together?",
    hint="Paths that collapse to the same prefix are one entry of the beam, and their probabilities add up.",
    step="Keep for each prefix two numbers, ending in blank and not; add where two ways lead to the same prefix.",
)
def test_best_labelling(student):
    """With P(blank) = 0.6 and P(a) = 0.4 in two frames, 'a' has 0.64: more than the best path, which is empty."""
    for frames, p_a in (([[0.6, 0.4], [0.6, 0.4]], 0.64), ([[0.7, 0.3], [0.9, 0.1]], 0.37)):
        expected = [([1], math.log(p_a)), ([], math.log(1 - p_a))]
        expected.sort(key=lambda entry: -entry[1])
        found = student.prefix_beam_search(torch.tensor(frames, dtype=torch.float64).log(), 2)
        assert_close(found, expected, f"prefix_beam_search(the logarithms of {frames}, beam_size=2)", rtol=1e-4)


@criterion(
    "Wrong arguments are refused",
    points=1,
    kind="robustness",
    question="Which numbers are a class, if there are C of them?",
    hint='raise ValueError(f"blank must be …, not {blank}"): the message names the argument.',
    step="Before anything else compare the argument with its limits, and raise with its name and its value in "
    "the text.",
)
def test_wrong_arguments(student):
    """A blank that is no class, or a beam_size below 1, raises a ValueError that names the argument."""
    with student_raises("ValueError", naming="blank"):
        student.collapse([1, 2], blank=-1)
    with student_raises("ValueError", naming="blank"):
        student.log_likelihood(THREE_FRAMES, [1], blank=3)
    with student_raises("ValueError", naming="beam_size"):
        student.prefix_beam_search(THREE_FRAMES, beam_size=0)
    assert_equal(student.collapse([1, 2, 2], blank=2), [1], "collapse([1, 2, 2], blank=2)")
    assert_equal(student.collapse([2, 0, 3, 0, 1], blank=0), [2, 3, 1], "collapse([2, 0, 3, 0, 1], blank=0)")


@criterion(
    "Where the log-probabilities are",
    points=1,
    kind="device",
    question="Which tensors does your code make itself, and where are they made if nobody says it?",
    hint="A tensor that you make needs device=log_probs.device, or comes from log_probs.new_full.",
    step="Make the first column, the padding of minus infinity and the indices of the labels all on the "
    "device of log_probs.",
)
def test_where_the_inputs_are(student, device):
    """On an accelerator, log_likelihood gives what it gives on the CPU, and the result is on the accelerator."""
    found = []
    for target in ([1, 2], [2, 1], [1, 1]):
        what = f"log_likelihood(three frames of the handout, {target})"
        assert_same_on_device(student.log_likelihood, device, what, THREE_FRAMES.float(), target)
        found.append(number(student.log_likelihood.on(device)(THREE_FRAMES.float(), target), f"{what} there"))
    assert found[0] > found[1] + 1, "there, log_likelihood must be larger for [1, 2] than for [2, 1]"
