"""The files of a new exercise: a tiny one that is complete and proven, which an author replaces bit by bit.

The example is ``bigrams``, one function. Each file says what to put in the place of what it has. In these texts
``@name@`` is the name of the exercise, ``@title@`` its title and ``@number@`` its place in the course.
"""

from __future__ import annotations

SOLUTION = '''"""@title@

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
    ### BEGIN SOLUTION
    pairs = []
    for i in range(1, len(words)):
        pairs.append((words[i - 1], words[i]))
    return pairs
    ### END SOLUTION
'''

HANDOUT = """# @number@ `@name@`: @title@

Replace this: why anybody wants to know it, in a few sentences.

## The idea

Replace this: the idea, with an example that can be followed on paper. A word and the next one make a *bigram*: "so it
goes" has two of them, (so, it) and (it, goes).

## What to write

```python
bigrams(words: list[str]) -> list[tuple[str, str]]
```

- Replace this: the contract. Whatever a test asks must follow from it.
- The pairs stand in the order of the words. A pair that occurs twice is there twice.
- A list of one word, or of none, has no pairs.

## What to try

1. Replace this: what helps whoever is stuck, and what to think about afterwards.

## The command to run

```
grader check @name@
```
"""

PUBLIC = '''"""Public tests of @name@. Students read and run them: `grader check @name@`.

A quarter to a half of all criteria is public. A hidden test asks with inputs that nobody can guess.
"""

from grader.judge import assert_equal, criterion

# Replace this: your own criteria. The test's name without `test_` is the criterion's id; its docstring is the sentence
# that students read. Every criterion asks at least two questions with different answers, so that no constant passes.


@criterion("Two short sentences", points=1, kind="value", hint="Which two words stand side by side first?")
def test_short_sentences(student):
    """Neighbours become pairs, in their order."""
    assert_equal(student.bigrams(["so", "it", "goes"]), [("so", "it"), ("it", "goes")], "the bigrams of 'so it goes'")
    assert_equal(student.bigrams(["good", "day"]), [("good", "day")], "the bigrams of 'good day'")
'''

HIDDEN = '''"""Hidden tests of @name@: the same contract with other inputs. Students never see this file."""

from grader.judge import assert_equal, criterion

# Replace this: your own criteria. Draw inputs from `rng`, and work out what is expected in another way than the
# solution does. After adding or taking out a criterion, mend hidden_criteria and hidden_points in course.toml.


@criterion("Words that come back", points=2, kind="value", hint="How many pairs do n words have?")
def test_repeated_words(student, rng):
    """Every pair is there as often as it occurs."""
    for length in (3, 5):
        words = [rng.choice("abcdef") for _ in range(length)] * 2
        expected = [(words[i], words[i + 1]) for i in range(len(words) - 1)]
        assert_equal(student.bigrams(words), expected, "the bigrams of a sentence that is said twice")
    assert_equal(student.bigrams([]), [], "the bigrams of no words")
'''

BANK = """# Known mistakes of @name@: small edits of the solution, each caught by a criterion that it names.
format = 1

# Replace this: the mistakes that students make. Every hidden criterion should be the only one to catch some mistake;
# where it cannot be, say why it is there, before the first [[misconception]]:
# [justified]
# id_of_the_criterion = "Why it is worth its points."

[[misconception]]
id = "each-pair-once"
explanation = "Your result has every pair only once."
hint = "In 'a rose is a rose' the pair (a, rose) occurs twice. What does the contract say?"
caught_by = ["repeated_words"]
severity = 30                                  # percent of the exercise that it is worth alone
find = "return pairs"                          # occurs exactly once in the solution ...
replace = "return list(dict.fromkeys(pairs))"  # ... and is replaced by this
"""

VARIANT = '''"""Replace this: a right solution in another style. It gets all points; add others beside it."""


def bigrams(words):
    return list(zip(words, words[1:], strict=False))
'''

TABLE = """
[[exercise]]
name = "@name@"
title = @quoted@
files = ["@name@.py"]
hidden_criteria = 1  # how many criteria the hidden suite has
hidden_points = 2    # and their points
"""
