"""One Chromium for all tests of a session."""

import json
import os
import shutil
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


class Browser:
    """Chromium, and what the tests ask of it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, page: Path, *, width=1280, scheme="light", media=""):
        """The page in a window of this width; what was said and asked for before is forgotten."""
        self.run_command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}  # else a click comes while the page still scrolls
        features = [{"name": "prefers-color-scheme", "value": scheme}, calm]
        self.run_command("Emulation.setEmulatedMedia", media=media, features=features)
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get(page.as_uri())

    def run_command(self, name, **values):
        return self.driver.execute_cdp_cmd(name, values)

    def js(self, code, *values):
        return self.driver.execute_script(code, *values)

    def press(self, *keys):
        """Keys, where the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def complaints(self):
        """What is in the console: errors of scripts and of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Every address that was asked for."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    folder = os.environ.get("CHROMEWEBDRIVER")  # where GitHub's machines have it
    driver = shutil.which("chromedriver") or (shutil.which("chromedriver", path=folder) if folder else None)
    if not program or not driver:
        pytest.skip("there is no Chromium with its driver here (Debian: apt install chromium chromium-driver)")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    started.set_page_load_timeout(60)
    started.set_script_timeout(60)
    yield Browser(started)
    started.quit()
