"""The pytest plugin's door: its options, and whether there is a course at all.

pytest loads this module in every project of an environment. Outside a course it does nothing: no fixture, no marker, no
hook of ours is there, and nothing else of ours is imported.
"""

from __future__ import annotations

from pathlib import Path

import pytest

MANIFEST = "course.toml"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("grader", "course exercises")
    group.addoption(
        "--grader-submission", type=Path, metavar="PATH",
        help="grade this file, or the files in this folder, instead of those beside the public tests",
    )  # fmt: skip
    group.addoption("--grader-seed", metavar="WORDS", help="draw inputs from these words, not from the course's secret")
    group.addoption("--grader-draw", type=int, default=0, metavar="N", help="draw other inputs for another N")
    group.addoption("--grader-events", type=Path, metavar="FILE", help="write what happens to FILE, a JSON line each")
    group.addoption("--grader-criteria", metavar="IDS", help="run only these criteria (ids, separated by commas)")
    group.addoption("--grader-quick", action="store_true", help="leave out criteria that train a model")
    group.addoption("--grader-long", action="store_true", help="run only criteria that train a model")
    group.addoption("--grader-first-failure", action="store_true", help="stop after the first criterion that fails")
    group.addoption("--grader-problem", default="", metavar="TEXT", help="why the submission cannot be used, if so")
    group.addoption("--grader-check", action="store_true", help="a student waits: tell what was printed, and where")
    group.addoption("--grader-recognise", action="store_true", help="tell which known mistakes the failures are")
    group.addoption("--grader-stuck", default="", metavar="NAMES", help="functions that took too long before")
    group.addoption("--grader-watch", metavar="HOW", help="stay warm, and run the tests as often as asked on stdin")
    group.addoption("--grader-serve", metavar="FD,LAYERS", help="judge what comes over this socket, confined")


def pytest_configure(config: pytest.Config) -> None:
    if in_course(config):
        from grader.judge.plugin import activate

        activate(config)
        if not config.getoption("grader_serve"):
            from grader.student.plugin import StudentPlugin

            suites = config.pluginmanager.get_plugin("grader-course")
            assert suites is not None
            config.pluginmanager.register(StudentPlugin(config, suites), "grader-student")
            if how := config.getoption("grader_watch"):
                from grader.student.watch_server import WatchServer

                config.pluginmanager.register(WatchServer(suites, fork=how == "fork"), "grader-watch")


def in_course(config: pytest.Config) -> bool:
    """Whether pytest runs in a course, or on files of one."""
    folders = [config.rootpath, config.invocation_params.dir]
    folders += [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    return any((above / MANIFEST).is_file() for folder in folders for above in (folder, *folder.parents))
