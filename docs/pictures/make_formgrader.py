"""Draws formgrader.png and formgrader_submission.png: nbgrader's formgrader on an autograded course, in Chromium.

    python docs/pictures/make_formgrader.py

The course is made, given out, handed in by some students of the sample class under invented names, and autograded in a
temporary folder. The server listens on this machine alone, on a free port, until the pictures are taken.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
EXERCISE = "ctc"
STUDENTS = {
    "s01": ("Amina", "Yusuf"), "s03": ("Anders", "Holm"), "s05": ("Beatriz", "Lima"), "s06": ("Chen", "Wei"),
}  # fmt: skip
WAIT = 120  # seconds
PATIENCE = 0.2
LIST, SUBMISSION = 620, 860  # heights of the window


def run(*command: str | Path, cwd: Path) -> None:
    subprocess.run([sys.executable, "-m", *map(str, command)], cwd=cwd, env=environment(), check=True)  # noqa: S603


def environment() -> dict[str, str]:
    path = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def graded_course(course: Path) -> None:
    run("grader", "nbgrader-course", course, "--course", ROOT, "--exercise", EXERCISE, cwd=ROOT)
    run("nbgrader", "generate_assignment", EXERCISE, cwd=course)
    for number, (student, (first, last)) in enumerate(STUDENTS.items(), start=1):
        target = course / "submitted" / f"student{number}" / EXERCISE
        shutil.copytree(course / "release" / EXERCISE, target)
        path = target / f"{EXERCISE}.ipynb"
        notebook = json.loads(path.read_text(encoding="utf-8"))
        answers = [c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("solution")]
        for answer in answers:
            answer["source"] = ""
        code = ROOT / "data" / "sample_class" / student / f"{EXERCISE}.py"
        answers[0]["source"] = code.read_text(encoding="utf-8")
        path.write_text(json.dumps(notebook), encoding="utf-8")
        names = (f"--first-name={first}", f"--last-name={last}")
        run("nbgrader", "db", "student", "add", f"student{number}", *names, cwd=course)
    run("nbgrader", "autograde", EXERCISE, cwd=course)


def start_server(course: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A Jupyter server with the formgrader on this course, without a token, on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyter", "server", "--no-browser", "--ServerApp.ip=127.0.0.1", "--allow-root",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
        f"--ServerApp.root_dir={course}",
        "--ServerApp.jpserver_extensions=nbgrader.server_extensions.formgrader=True",
    ]  # fmt: skip
    server = subprocess.Popen(command, cwd=course, env=environment())  # noqa: S603
    address = f"http://127.0.0.1:{port}"
    wait_for(lambda: urllib.request.urlopen(f"{address}/api/status").status == 200)  # noqa: S310
    return server, address


def wait_for(answers: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while True:
        try:
            if answers():
                return
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(PATIENCE)


def shoot(browser: webdriver.Chrome, address: str, submission: str) -> None:
    """The list of submissions, and what a teacher sees of one where points were lost."""
    wait = WebDriverWait(browser, WAIT)
    browser.set_window_size(1100, LIST)
    browser.get(f"{address}/formgrader/manage_submissions/{EXERCISE}")
    wait.until(lambda page: len(page.find_elements(By.PARTIAL_LINK_TEXT, ", ")) == len(STUDENTS))
    browser.save_screenshot(str(HERE / "formgrader.png"))
    browser.set_window_size(1100, SUBMISSION)
    browser.get(f"{address}/formgrader/submissions/{submission}/")
    failed = wait.until(lambda page: page.find_element(By.XPATH, "//pre[contains(., '✗')]"))
    wait.until(lambda page: page.find_elements(By.CSS_SELECTOR, ".score"))
    browser.execute_script("window.scrollTo(0, arguments[0].getBoundingClientRect().top - 330)", failed)
    time.sleep(1)  # its bar at the top moves with the page
    browser.save_screenshot(str(HERE / "formgrader_submission.png"))


def id_of(course: Path, student: str) -> str:
    """By which the formgrader knows a student's notebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return str(gradebook.find_submission_notebook(EXERCISE, EXERCISE, student).id)


def main() -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"):
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder, "course")
        graded_course(course)
        server, address = start_server(course)
        try:
            options.add_argument(f"--user-data-dir={folder}/profile")
            browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
            try:
                shoot(browser, address, id_of(course, "student2"))
            finally:
                browser.quit()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
