"""Symbols are taken for states, and nothing is summed: a table of the caller's comes back, row by row."""


def log_joint(states, observations, initial, transition, emission):
    return emission.max()


def log_evidence(observations, initial, transition, emission):
    return emission.min()


def bayes_filter(observations, initial, transition, emission):
    return transition[[symbol % len(initial) for symbol in observations]]


def posterior(observations, initial, transition, emission):
    return transition.T[[symbol % len(initial) for symbol in observations]]


def viterbi(observations, initial, transition, emission):
    return [symbol % len(initial) for symbol in observations], float(emission.max())
