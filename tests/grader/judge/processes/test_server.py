"""What a warm judge has ready before it forks, so that no child pays for it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
LEARN = """
import sys
from types import SimpleNamespace
import torch
from grader.course import find_course
from grader.judge.processes.server import JudgeServer

course = find_course(ROOT)
for name in ("ctc", "seq2seq", "transformer"):
    server = SimpleNamespace(suspects={})
    JudgeServer.learn_mistakes(server, SimpleNamespace(course=course, exercise=course.exercise(name)))
    print(name, len(server.suspects[name].mistakes) > 10, "torch._dynamo" in sys.modules)
"""


def test_the_compiler_of_optimizers_is_imported_where_solutions_train():
    program = LEARN.replace("ROOT", f"__import__('pathlib').Path({str(ROOT)!r})")
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.splitlines() == ["ctc True False", "seq2seq True True", "transformer True True"]
