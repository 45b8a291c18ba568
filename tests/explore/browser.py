"""Chromium without a window, and a page of the explorer in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import manypath as mp
from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State

SUFFIXES = (".csv", ".parquet", ".svg", ".pcapng")
"""Endings of downloads; chromium names a file otherwise until it is complete."""

FIELD = "return document.querySelector(`input[aria-label=\"${arguments[0]}\"]`)?.closest('.q-field__control')"
"""Finds the visible part of a list by its name."""

PATIENCE = 20.0
"""Longest time that a test waits for the page, seconds."""


def lacking() -> str | None:
    """Return what this machine lacks for tests in a browser; None if it lacks nothing."""
    for module, package in (("selenium", "selenium"), ("nicegui", "nicegui")):
        try:
            __import__(module)
        except ImportError:
            return f"needs the Python package {package}: pip install 'manypath[dev]'"
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if shutil.which(program) is None:
            return f"needs {program}: apt-get install {package}"
    return None


def short() -> State:
    """Return the first state of the page with a run of 5 s."""
    return changed(changed(presets.default(), "warmup", "1 s"), "measure", "4 s")


def expected(state: State) -> str:
    """Return the digest of the run of a state, without the page."""
    return mp.run(state.scenario, seed=state.seed).digest


def linked(address: str, state: State) -> str:
    """Return the address that restores a state."""
    return f"{address}?s={state.packed()}"


class Server(NamedTuple):
    """A running explorer."""

    address: str
    pid: int


@contextmanager
def explorer(*arguments: str, cwd: Path) -> Iterator[Server]:
    """Start the explorer."""
    with (cwd / "explorer.err").open("w") as errors:
        command = [sys.executable, "-m", "manypath", "explore", "--no-browser", *arguments]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=cwd)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), (cwd / "explorer.err").read_text()
            yield Server(address, server.pid)
        finally:
            server.terminate()
            server.wait(PATIENCE)
            if server.stdout is not None:
                server.stdout.close()
    assert (cwd / "explorer.err").read_text() == ""


class Browser:
    """One browser with one tab that shows a page."""

    def __init__(self) -> None:
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        self.size(1280, 1000)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.quit()

    def size(self, width: int, height: int) -> None:
        """Set the size of the window, and so the width of the page."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def js(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page; return its result."""
        return self.driver.execute_script(script, *arguments)

    def open(self, address: str) -> str:
        """Open a page; return the digest of its first run."""
        self.driver.get(address)
        return self.digest()

    @property
    def status(self) -> str:
        """The status of the page."""
        return self.js("return document.querySelector('.x-status')?.innerText || ''")

    def digest(self, other_than: str | None = None) -> str:
        """Wait for the digest of a finished run, which may have to differ from another one."""
        self.until(lambda: "digest" in self.status and (other_than is None or other_than not in self.status))
        found = re.search(r"digest (\w{16})", self.status)
        assert found is not None
        return found[1]

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds; return its value."""
        end = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < end, self.status
            time.sleep(0.05)
        return value

    def input(self, label: str) -> Any:
        """Return the field of a control, such as ``Link south, rate``."""
        return self.driver.find_element("css selector", f'input[aria-label="{label}"]')

    def write(self, label: str, text: str) -> None:
        """Replace the text of a field."""
        from selenium.webdriver.common.keys import Keys

        self.input(label).send_keys(Keys.CONTROL, "a")
        self.input(label).send_keys(text)

    def slider(self, label: str) -> Any:
        """Return the slider of a control, which takes keys."""
        script = "return arguments[0].closest('.x-control').querySelector('.q-slider [tabindex=\"0\"]')"
        return self.js(script, self.input(label))

    def chart(self, card: str) -> list[str]:
        """Return the names of the curves that a chart shows."""
        script = """const box = document.querySelector(`#${arguments[0]} .nicegui-echart`);
            const chart = box && getElement(Number(box.id.slice(1))).chart;
            return chart ? (chart.getOption().series || []).map(series => series.name) : []"""
        return self.js(script, card)

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a control."""
        field = self.until(lambda: self.js(FIELD, label))
        self.js("arguments[0].scrollIntoView({block: 'center'})", field)
        field.click()
        path = f'//*[@role="option"][contains(normalize-space(.),"{option}")]'
        found = self.until(lambda: self.driver.find_elements("xpath", path))
        # A click by position may miss a list that is still opening.
        self.js("arguments[0].click()", found[0])

    def switch(self, label: str) -> None:
        """Turn a switch, once the group that opens around it shows it."""
        found = self.driver.find_element("css selector", f'[role=switch][aria-label="{label}"]')
        self.until(found.is_displayed)
        self.js("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def downloaded(self, name: str, folder: Path) -> Path:
        """Download a file through the menu; return it when it is complete."""
        command = {"behavior": "allow", "downloadPath": str(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", command)
        self.click("Take along")
        self.click(f"Download {name}")
        return self.until(lambda: next((each for each in folder.iterdir() if each.suffix in SUFFIXES), None))

    def text(self, selector: str) -> str:
        """Return the visible text of an element; empty if there is none."""
        return self.js("return document.querySelector(arguments[0])?.innerText || ''", selector)

    def click(self, text: str) -> None:
        """Click a button or an entry of a menu."""
        from selenium.common.exceptions import StaleElementReferenceException

        path = f'//*[self::button or contains(@class,"q-item")][contains(normalize-space(.),"{text}")]'

        def is_clicked() -> bool:
            try:
                shown = next((each for each in self.driver.find_elements("xpath", path) if each.is_displayed()), None)
                if shown is not None:
                    shown.click()
            except StaleElementReferenceException:
                # The page replaced the element after it was found.
                return False
            return shown is not None

        self.until(is_clicked)

    def errors(self) -> list[str]:
        """Return the errors and warnings on the console of the page."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
