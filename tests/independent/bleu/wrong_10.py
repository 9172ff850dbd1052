# brevity_penalty asks for c >= r before it asks whether anything was said, so 0 words of 0 have no penalty.
# Shows: brevity_penalty(0, 0)  gives 1.0, right: 0.0
"""BLEU with recursion and a small class that gathers the sums of a corpus."""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from math import exp, log


def ngram_counts(tokens, n):
    """The sentence as a ring: a window that runs over its end is a key too, but counts 0."""
    counts = defaultdict(int)
    for start in range(len(tokens)):
        gram = tuple(tokens[(start + k) % len(tokens)] for k in range(n))
        counts[gram] += 1 if start + n <= len(tokens) else 0
    return counts


def clipped_matches(hypothesis, references, n):
    """Cross off: each n-gram said uses up one of those that a reference allows."""
    allowed = defaultdict(int)
    for reference in references:
        for gram, count in ngram_counts(reference, n).items():
            allowed[gram] = max(allowed[gram], count)
    matches = total = 0
    window = deque(maxlen=n)
    for token in hypothesis:
        window.append(token)
        if len(window) == n:
            total += 1
            if allowed[tuple(window)] > 0:
                allowed[tuple(window)] -= 1
                matches += 1
    return matches, total


def closest_length(hypothesis_length, reference_lengths):
    """Recursive: the better one of the first and the best of the rest."""
    first, *rest = reference_lengths
    if not rest:
        return first
    other = closest_length(hypothesis_length, rest)
    return min((abs(first - hypothesis_length), first), (abs(other - hypothesis_length), other))[1]


def brevity_penalty(hypothesis_length, reference_length):
    """Seen from r."""
    if reference_length <= hypothesis_length:
        return 1.0
    if not hypothesis_length:
        return 0.0
    return exp((hypothesis_length - reference_length) / hypothesis_length)


@dataclass
class Sums:
    """What has to be known of a corpus."""

    max_n: int
    said: int = 0
    expected: int = 0
    matches: defaultdict = field(default_factory=lambda: defaultdict(int))
    totals: defaultdict = field(default_factory=lambda: defaultdict(int))

    def add(self, hypothesis, references):
        """One sentence more."""
        self.said += len(hypothesis)
        self.expected += closest_length(len(hypothesis), [len(reference) for reference in references])
        for n in range(1, self.max_n + 1):
            matches, total = clipped_matches(hypothesis, references, n)
            self.matches[n] += matches
            self.totals[n] += total

    def log_precisions(self, n=1):
        """ln p_n + ... + ln p_N, or None if one of them has no logarithm."""
        if n > self.max_n:
            return 0.0
        rest = self.log_precisions(n + 1)
        if rest is None or not self.matches[n]:
            return None
        return rest + log(self.matches[n]) - log(self.totals[n])

    def score(self):
        """Penalty times geometric mean."""
        logs = self.log_precisions()
        if logs is None:
            return 0.0
        return min(1.0, brevity_penalty(self.said, self.expected) * exp(logs / self.max_n))


def corpus_bleu(hypotheses, references, max_n=4):
    """Add up, then divide once."""
    sums = Sums(max_n)
    for hypothesis, own in zip(hypotheses, references):
        sums.add(hypothesis, own)
    return sums.score()
