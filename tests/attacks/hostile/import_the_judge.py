"""Imports the judge, the gradebook, the suites, and the solution under every name that they could have."""
# expect: * = passed

import importlib

for name in (
    "grader.judge", "grader.judge.plugin", "grader.judge.suite.compare", "grader.grading.run", "grader.results.gradebook", "grader.cli",
    "grader.course.manifest", "grader.results.records", "grader.results.scoring", "test_echo", "tests.hidden.test_echo", "solutions.echo",
    "conftest",
):
    must_fail(f"import {name}", importlib.import_module, name)
