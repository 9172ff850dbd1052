"""The workflow of GitHub Actions for a student's repository."""

from __future__ import annotations

PATH = ".github/workflows/check.yml"
WORKFLOW = """\
# Written by `grader github-workflow`. It runs the public tests on every push and shows what they say.
name: Check

on:
  push:
  workflow_dispatch:

permissions:
  contents: read

# A newer push stops the run of an older one.
concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true

jobs:
  check:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v6
        with:
          persist-credentials: false
      - uses: actions/setup-python@v6
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: |
            pyproject.toml
            constraints.txt
      - name: Install
        run: python -m pip install -c constraints.txt -e .
      - name: Check
        shell: bash
        run: |
          code=0
          python -m grader check --json EXERCISES> "$RUNNER_TEMP/check.json" || code=$?
          python -m grader.student.summary "$RUNNER_TEMP/check.json" >> "$GITHUB_STEP_SUMMARY"
          exit "$code"
"""


def workflow(exercises: tuple[str, ...]) -> str:
    """The file; all exercises where none is named."""
    return WORKFLOW.replace("EXERCISES", "".join(f"{name} " for name in exercises))
