"""The workflow for students runs here as it would on GitHub."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")


def test_the_workflow_is_printed_or_written(tiny, grader, tmp_path):
    printed = grader("github-workflow", "--course", tiny).stdout
    result = grader("github-workflow", "--course", tiny, "--out", tmp_path / "repository")
    assert "Written" in result.output
    assert (tmp_path / "repository/.github/workflows/check.yml").read_text() == printed
    document = yaml.safe_load(printed)
    assert document["permissions"] == {"contents": "read"}
    steps = document["jobs"]["check"]["steps"]
    assert steps[2]["run"] == "python -m pip install -c constraints.txt -e ."
    assert "secrets." not in printed


@pytest.mark.parametrize("right", [True, False])
def test_the_check_step_writes_a_summary_and_ends_like_the_check(tiny, grader, tmp_path, right):
    if not right:
        (tiny / "exercises/addition/addition.py").write_text("def add(a, b):\n    return '<b>|' * 9\n")
    text = grader("github-workflow", "addition", "--course", tiny).stdout
    step = yaml.safe_load(text)["jobs"]["check"]["steps"][-1]
    summary = tmp_path / "summary.md"
    environment = {
        **os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    command = ["bash", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=tiny, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if right else 1), done.stderr
    words = summary.read_text()
    assert ("All public tests passed" if right else "Something is left to mend") in words
    assert "One and one" in words
    assert "Twice" not in words
    assert "<b>" not in words
