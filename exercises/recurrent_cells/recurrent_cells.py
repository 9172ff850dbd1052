"""A memory, and a shortcut through time

Replace this: what the module is about, in one or two sentences. Students read it; they get this file without what
stands between the marks.
"""

# Replace this: your functions. A mark stands alone on its line, and encloses whole statements.


def bigrams(words: list[str]) -> list[tuple[str, str]]:
    """The pairs of neighbours, from the first to the last.

    words: n items -> n - 1 pairs, none where there is no word

    >>> bigrams(["so", "it", "goes"])
    [('so', 'it'), ('it', 'goes')]
    """
    raise NotImplementedError("bigrams is yours to write")
