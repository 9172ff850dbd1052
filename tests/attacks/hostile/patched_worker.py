"""Replaces the worker's own parts, so that every reply carries what a criterion might like."""
# expect: * = failed | tampered | crashed | error

import msgspec

from grader.wire import codec, messages
from grader.worker import executor

executor.Executor.call = lambda self, call: messages.Reply(value=True)
executor.Executor._send = lambda self, value, depth=0: True
codec.Writer.tree = lambda self, value, depth=0: value
executor._gradients = lambda value, leaves: tuple(leaves)
msgspec.convert = lambda value, type: value
sys.modules["grader.judge"] = sys.modules["grader.judge.suite.compare"] = sys.modules[__name__]
assert_equal = assert_close = lambda *args: None
