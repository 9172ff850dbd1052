"""Calls are kept for a diagnosis, but not without end."""

import torch

from grader.judge.diagnosis.recording import MAX_BYTES, MAX_EXCHANGES, Recordings
from grader.wire.messages import Call, Reply

CALL = Call(target="f", args=(1, "two"))


def test_exchanges_are_kept_by_criterion():
    recordings = Recordings()
    first = recordings.begin("a", simulate=False)
    second = recordings.begin("a", simulate=True)
    first.add(CALL, [print], Reply(value=3))
    assert recordings.by_criterion == {"a": [first, second]}
    assert first.usable and first.exchanges[0].outcome == Reply(value=3)
    assert second.simulate and not second.exchanges


def test_what_cannot_be_repeated_is_not_usable():
    recording = Recordings().begin("a", simulate=False)
    recording.add(CALL, [], Reply(value=3))
    recording.add(CALL, [], None)
    recording.add(CALL, [], Reply(value=4))
    assert not recording.usable and not recording.exchanges


def test_there_is_an_end():
    recordings = Recordings()
    many = recordings.begin("many", simulate=False)
    for number in range(MAX_EXCHANGES + 5):
        many.add(CALL, [], Reply(value=number))
    assert many.usable and len(many.exchanges) == MAX_EXCHANGES
    large = recordings.begin("large", simulate=False)
    for _ in range(5):
        large.add(CALL, [], Reply(value=[torch.zeros(MAX_BYTES // 4, dtype=torch.uint8)]))
    assert not large.usable and not large.exchanges
    assert many.usable
