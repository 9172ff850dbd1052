"""Whatever happens to cluster workers, every work gets one result: the right one, or a fault by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ClusterError
from grader.grading.backends.cluster import TRIES, ClusterBackend
from grader.grading.backends.messages import (
    Agreed,
    Broken,
    Difference,
    Judged,
    Refused,
    decode_reply,
    decode_task,
    encode,
)
from grader.grading.settings import Settings
from grader.grading.tasks import Work
from grader.judge.processes.task import Task
from grader.results.records import ExerciseResult

REFUSAL = Refused(host="far", differences=(Difference(what="torch", wanted="2.13.0", found="2.12.0"),))


class FakePool:
    """Cluster workers that do what ``fate`` says: a function of the pool, called whenever somebody waits."""

    def __init__(self, there, fate, check=None):
        self.there, self.fate, self.said = set(there), fate, check or Agreed()
        self.waiting = {}  # ticket: (address, task)
        self.asked = []  # (address, student), in order
        self.closed = False

    def addresses(self):
        return set(self.there)

    def prepare(self, terms):
        self.terms = terms

    def check(self):
        return {address: encode(self.said) for address in self.there}

    def grade(self, ticket, address, task):
        assert address not in {other for other, _ in self.waiting.values()}, "one work at a time"
        self.waiting[ticket] = (address, decode_task(task))
        self.asked.append((address, decode_task(task).seed))

    def wait(self, seconds):
        return self.fate(self)

    def drop(self, ticket):
        self.waiting.pop(ticket, None)

    def close(self):
        self.closed = True

    def answer(self, ticket, reply=None):
        _, task = self.waiting.pop(ticket)
        return ticket, encode(reply or Judged(result_of(task)))

    def lose(self, address):
        self.there.discard(address)


def result_of(task):
    return ExerciseResult(name=task.exercise, criteria=(), problem=f"judged {task.seed}")


def works(count):
    return [
        Work(student=seed, task=Task(exercise="ab"[n % 2], sources={"a": ("a.py", b"\xff\0")}, seed=seed), key=f"k{n}")
        for n, seed in enumerate(f"s{n}" for n in range(count))
    ]


def backend(course, pool, told=None, **how):
    settings = Settings(course=course, exercises=(), seed="", jobs=1, layers=None)
    how = {"glance": 0.0, "patience": lambda work: 1e9, **how}
    return ClusterBackend(settings, pool, (told if told is not None else []).append, **how)


def judge(course, pool, count, told=None, **how):
    with backend(course, pool, told, **how) as opened:
        return [(work.student, result) for work, result in opened.judge(works(count))]


def right(count):
    return {work.student: result_of(work.task) for work in works(count)}


@given(events=st.lists(st.integers(0, 99), max_size=60), count=st.integers(0, 9))
def test_in_whatever_order_answers_come_and_cluster_workers_go(course, events, count):
    """A few losses for each work at most, then all goes well."""
    events = iter(events)
    born = iter(range(1000))

    def fate(pool):
        event = next(events, 50)
        if event < 10 and len(pool.there) > 1:
            pool.lose(sorted(pool.there)[event % len(pool.there)])
        elif event < 20:
            pool.there.add(f"new{next(born):03}")
        elif event < 30 and pool.waiting:
            return pool.answer(min(pool.waiting), Broken("no luck"))
        elif event > 30 and pool.waiting:
            return pool.answer(sorted(pool.waiting)[event % len(pool.waiting)])
        return None

    pool = FakePool(["one", "two"], fate)
    found = judge(course, pool, count)
    assert sorted(student for student, _ in found) == sorted(right(count)), "each once, none lost"
    tries = {student: sum(asked == student for _, asked in pool.asked) for student in right(count)}
    for student, result in found:
        assert result == right(count)[student] or (result.fault and tries[student] == TRIES)
    assert all(tries[student] <= TRIES for student in tries)
    assert pool.closed


def test_what_a_lost_one_had_is_judged_by_another_and_in_the_end_it_is_a_fault(course):
    def fate(pool):
        ticket, (address, task) = min(pool.waiting.items())
        if task.seed == "s1":  # it takes every process with it
            pool.lose(address)
            return None
        return pool.answer(ticket)

    pool = FakePool(["one", "two", "three", "four"], fate)
    found = dict(judge(course, pool, 3))
    assert found.pop("s1").fault.startswith("3 cluster workers in turn did not judge it; the last: ")
    assert found == {name: result for name, result in right(3).items() if name != "s1"}
    assert len({address for address, student in pool.asked if student == "s1"}) == TRIES
    assert len(pool.there) == 1


def test_a_straggler_s_work_goes_elsewhere_and_the_first_answer_counts(course):
    def fate(pool):
        ready = [ticket for ticket, (address, _) in pool.waiting.items() if address != "slow"]
        return pool.answer(ready[0]) if ready else None

    pool = FakePool(["slow", "swift"], fate)
    found = judge(course, pool, 4, patience=lambda work: 0.0)
    assert dict(found) == right(4)
    assert len(found) == 4
    assert [address for address, _ in pool.asked].count("slow") == 1, "who is silent gets nothing more"


def test_a_late_answer_counts_if_there_is_no_other_and_the_silent_one_goes_on(course):
    patience = iter([0.0] + [1e9] * 10)
    looks = iter(range(3))

    def fate(pool):
        return None if next(looks, None) is not None else pool.answer(min(pool.waiting))

    pool = FakePool(["only"], fate)
    assert dict(judge(course, pool, 2, patience=lambda work: next(patience))) == right(2)
    assert [student for _, student in pool.asked] == ["s0", "s1"]


def test_a_fault_of_one_cluster_worker_is_not_taken_for_everybody_s(course):
    def fate(pool):
        ticket, (address, task) = min(pool.waiting.items())
        fault = ExerciseResult(name=task.exercise, criteria=(), fault="the disk is full")
        return pool.answer(ticket, Judged(fault) if address == "sick" else None)

    assert dict(judge(course, FakePool(["sick", "well"], fate), 5)) == right(5)
    alone = dict(judge(course, FakePool(["sick"], fate), 1))
    assert alone["s0"].fault == "the disk is full"


def test_who_would_judge_otherwise_is_refused_and_named(course):
    pool = FakePool(["here", "there"], None, check=REFUSAL)
    with pytest.raises(ClusterError) as error:
        judge(course, pool, 1)
    assert "nothing was judged" in str(error.value)
    assert "there (on far) takes no part: torch: 2.12.0 there, 2.13.0 here (install 2.13.0 there)." in str(error.value)
    assert pool.closed
    assert not pool.asked


def test_who_comes_later_and_would_judge_otherwise_takes_no_part(course):
    told = []

    def fate(pool):
        pool.there.add("a-new-one")
        ticket = next(iter(pool.waiting))
        return pool.answer(ticket, REFUSAL if pool.waiting[ticket][0] == "a-new-one" else None)

    pool = FakePool(["old"], fate)
    assert dict(judge(course, pool, 5, told)) == right(5)
    assert [line.split()[0] for line in told] == ["a-new-one"]
    assert [address for address, _ in pool.asked].count("a-new-one") == 1


def test_without_any_cluster_worker_the_run_ends_with_what_to_do(course):
    with pytest.raises(ClusterError, match="no cluster worker has answered"):
        judge(course, FakePool([], None), 1, nobody=0.0)
    pool = FakePool(["one"], lambda pool: pool.lose("one"))
    with pytest.raises(ClusterError, match="Run the same command again to go on"):
        judge(course, pool, 1, nobody=0.0)
    assert pool.closed


def test_an_answer_that_cannot_be_read_is_a_fault_of_ours():
    assert decode_reply(encode(REFUSAL)) == REFUSAL
    for data in (b"", b"\xc1", b"\x80\x04.", encode(works(1)[0].task)):
        assert isinstance(decode_reply(data), Broken)
