"""Says that packages are absent, and rewrites what reads files, to choose the notes."""
# expect: * = passed

import grader.worker.executor
import grader.worker.loop
import grader.worker.source


def lie(*_):
    return [grader.worker.source.Surveyed(module="echo", error="parrot", line=1, absent=("os",))]


grader.worker.executor.Executor.absent = property(lambda self: True)
grader.worker.loop.survey = grader.worker.source.survey = lie
