"""Draws pages_class.png and pages_student.png: the pages of an invented class, in Chromium.

    grader grade data/sample_class --out results && python docs/pictures/make_pages.py results

Every student of the class takes each exercise from one student of the sample class. Names are drawn from a list.
"""

from __future__ import annotations

import base64
import random
import sys
import tempfile
from pathlib import Path

import msgspec
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from grader.reports.write import write_pages
from grader.results.schema import GradedStudent, Results, load_results

HERE = Path(__file__).parent
NAMES = (
    "Amina Yusuf", "Anders Holm", "Beatriz Lima", "Chen Wei", "Daria Petrova", "Elif Kaya", "Emeka Obi", "Farid Haddad",
    "Greta Lindqvist", "Hana Sato", "Ines Moreau", "Ivan Horvat", "Jana Novak", "Jonas Weber", "Kavya Rao",
    "Kofi Mensah", "Lea Fischer", "Linh Tran", "Luca Ricci", "Maja Kowalska", "Mateo Vargas", "Mira Cohen",
    "Nadia Rahman", "Noah Smit", "Olga Ivanova", "Omar Aziz", "Paula Costa", "Ravi Patel", "Sofia Rossi", "Tariq Khan",
    "Uma Nair", "Viktor Toth", "Wanjiru Kamau", "Ximena Flores", "Yara Saleh", "Zoe Martin",
)  # fmt: skip
WEIGHTS = (9, 5, 2, 2, 2, 0, 1, 1, 0, 1, 2, 1)  # how often each of the sample class is taken: most work is right


def invented_class(sample: Results) -> Results:
    chance = random.Random(7)
    columns = list(zip(*(student.exercises for student in sample.students), strict=True))
    students = []
    for number, name in enumerate(NAMES, start=1):
        exercises = tuple(chance.choices(column, WEIGHTS[: len(column)])[0] for column in columns)
        scored = [e for e in exercises if e.score is not None and not e.left_out]
        score = sum(e.weight * (e.score or 0.0) for e in scored) / sum(e.weight for e in scored)
        students.append(GradedStudent(id=f"s{number:02}", name=name, score=round(score, 2), exercises=exercises))
    students[9] = msgspec.structs.replace(
        students[9], needs_review=True, notes=("two files are called ctc.py; the newer one was graded",)
    )
    return msgspec.structs.replace(sample, students=tuple(students), provisional=False)


def shoot(browser: webdriver.Chrome, page: Path, picture: Path, *, size: tuple[int, int], scheme: str) -> None:
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get(page.as_uri())
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    picture.write_bytes(base64.b64decode(shot["data"]))


def main() -> None:
    results = invented_class(load_results(Path(sys.argv[1])))
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"):
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        options.add_argument(f"--user-data-dir={folder}/profile")
        page = write_pages(results, Path(folder))
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            shoot(browser, page, HERE / "pages_class.png", size=(1280, 860), scheme="light")
            student = page.parent / "students/s12.html"
            shoot(browser, student, HERE / "pages_student.png", size=(860, 900), scheme="light")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
