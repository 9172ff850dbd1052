"""Who has what in common with whom."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.overlap.given import given_texts
from grader.overlap.pairs import MANY, MIN_OWN, NEAREST, THRESHOLD, Text, find_pairs, given_hashes

OPERATORS = ["+", "-", "*", "/", "@", "%", "<", ">", "&", "|"]


def written(seed, lines=30):
    """A text that nobody else writes."""
    chance = random.Random(seed)
    return "".join(
        f"    x{chance.randrange(9)} = f(y) {chance.choice(OPERATORS)} {chance.randrange(50)} "
        f"{chance.choice(OPERATORS)} z.{chance.choice('abcdefgh')}\n"
        for _ in range(lines)
    )


def text(student, content, **more):
    return Text(student=student, text=content, **more)


def who(found):
    return {(pair.first.id, pair.second.id) for pair in found.pairs}


def test_a_copy_with_other_names_and_comments_is_found_and_independent_work_is_not():
    copy = "# all mine\n" + written(1).replace("x", "value_").replace("y", "other")
    found = find_pairs("ctc", [text("s01", written(1)), text("s02", copy), text("s03", written(3))])
    assert who(found) == {("s01", "s02")}
    assert found.pairs[0].share == 1.0
    assert found.compared == 3


def test_what_was_given_counts_for_nobody():
    stub = written(99, lines=40)
    texts = [text(f"s0{n}", stub + written(n)) for n in (1, 2)]
    assert who(find_pairs("ctc", texts, threshold=0.3)) == {("s01", "s02")}
    assert find_pairs("ctc", texts, given_hashes([stub]), 0.1).pairs == ()


def test_two_stubs_are_too_short_to_be_a_pair():
    stub = written(99)
    found = find_pairs("ctc", [text("s01", stub), text("s02", stub)], given_hashes([stub]))
    assert (found.pairs, found.compared, found.too_short) == ((), 0, ("s01", "s02"))


def test_members_of_a_group_are_not_compared_with_each_other_but_with_others():
    members = frozenset({"s01", "s02"})
    texts = [text("s01", written(1), group=members), text("s02", written(1), group=members), text("s03", written(1))]
    assert who(find_pairs("ctc", texts)) == {("s01", "s03"), ("s02", "s03")}


def test_attempts_of_one_student_are_no_pair_and_two_students_are_one_pair():
    texts = [
        text("s01", written(1), attempt=1),
        text("s01", written(1) + written(4, 3), attempt=2),
        text("s02", written(1)),
    ]
    (pair,) = find_pairs("ctc", texts).pairs
    assert {pair.first.id, pair.second.id} == {"s01", "s02"}


def test_what_most_different_texts_have_in_common_does_not_count_but_a_text_that_many_copied_does():
    idiom = written(99, lines=60)
    class_ = [text(f"s{n:02}", idiom + written(n, lines=15)) for n in range(MANY + 10)]
    assert find_pairs("ctc", class_).pairs == ()
    copies = [text(f"s{n:02}", idiom) for n in range(MANY + 10)]
    assert {side.id for pair in find_pairs("ctc", copies).pairs for side in (pair.first, pair.second)} == {
        one.student for one in copies
    }


def test_where_many_copied_everybody_has_near_ones_and_the_rest_is_counted():
    count = 4 * NEAREST
    found = find_pairs("ctc", [text(f"s{n:02}", written(1)) for n in range(count)])
    assert len(found.pairs) + found.further == count * (count - 1) // 2
    assert found.further > 0


def test_a_part_that_was_taken_over_is_told_with_its_lines_on_both_sides():
    part = written(7, lines=10)
    one, other = written(1, lines=4) + part, part + written(2, lines=60)
    (pair,) = find_pairs("ctc", [text("s01", one), text("s02", other)]).pairs
    assert pair.first.share > 0.6 > pair.second.share
    for side, whole, lines in ((pair.first, one, (5, 14)), (pair.second, other, (1, 10))):
        (found,) = side.lines
        assert found == pytest.approx(lines, abs=1)
        ((start, end),) = side.parts
        assert whole[start:end].count("\n") == found[1] - found[0]


def test_short_texts_are_named_and_not_compared():
    found = find_pairs("ctc", [text("s01", "return 1\n"), text("s02", "return 1\n"), text("s03", "")])
    assert found.too_short == ("s01", "s02", "s03")
    assert MIN_OWN > 16


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(0, 9))
def test_exactly_those_with_the_same_text_are_pairs_in_any_order(seeds, shuffle):
    texts = [text(f"s{n}", written(seed)) for n, seed in enumerate(seeds)]
    expected = {
        frozenset((f"s{a}", f"s{b}")) for a, x in enumerate(seeds) for b, y in enumerate(seeds) if a < b and x == y
    }
    random.Random(shuffle).shuffle(texts)
    assert {frozenset(pair) for pair in who(find_pairs("ctc", texts))} == expected


def test_right_solutions_that_are_written_in_different_ways_stay_below_the_threshold(course):
    """Except those of one large exercise, which have long parts in common (docs/similarity.md)."""
    boilerplate = given_hashes(given_texts(course))
    for exercise in course.exercises:
        if exercise.name == "transformer":
            continue
        paths = (course.solution(exercise), *course.variants(exercise))
        texts = [text(path.stem, path.read_text(encoding="utf-8")) for path in paths]
        shares = [pair.share for pair in find_pairs(exercise.name, texts, boilerplate, 0.05).pairs]
        assert max(shares, default=0) < THRESHOLD - 0.1
