"""Works are handed out so that few judges prepare the same exercise, and none is lost."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from grader.grading.backends.queue import WorkQueue
from grader.grading.tasks import Work
from grader.judge.processes.task import Task


def works(*exercises):
    return [Work(student=f"s{n}", task=Task(exercise=e, sources={}), key=str(n)) for n, e in enumerate(exercises)]


def test_a_judge_stays_with_its_exercise_then_takes_a_new_one_then_helps():
    queue, one, other = WorkQueue(), set(), set()
    queue.put(works("a", "b", "a", "a", "c"))
    assert [queue.take(one).task.exercise for _ in range(2)] == ["a", "a"]
    assert queue.take(other).task.exercise == "b"
    assert queue.take(other).task.exercise == "c"
    assert queue.take(other).task.exercise == "a"
    assert (one, other) == ({"a"}, {"a", "b", "c"})


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.integers(1, 4))
def test_everything_is_handed_out_once(exercises, judges):
    queue = WorkQueue()
    queue.put(works(*exercises))
    owns = [set() for _ in range(judges)]
    found = [queue.take(owns[n % judges]).key for n in range(len(exercises))]
    assert sorted(found, key=int) == [str(n) for n in range(len(exercises))]


def test_who_waits_gets_what_comes_later_and_is_let_go_in_the_end():
    queue, found = WorkQueue(), []

    def work():
        own = set()
        while (one := queue.take(own)) is not None:
            found.append(one.key)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    queue.put(works("a", "b", "a"))
    while len(found) < 3:
        pass
    queue.close()
    for thread in threads:
        thread.join(10)
    assert sorted(found) == ["0", "1", "2"]
    assert not any(thread.is_alive() for thread in threads)
