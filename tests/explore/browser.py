"""Chromium without a window, and a page of the explorer in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from page_object import PATIENCE, PageObject

from manypath.explore.state import State

SUFFIXES = (".csv", ".parquet", ".svg", ".pcapng")
"""Endings of downloads; chromium names a file otherwise until it is complete."""

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    # Nothing moves while a test looks at it.
    "--force-prefers-reduced-motion",
)
"""Command line of chromium."""

AGAIN = 5.0
"""Time after which a click that had no effect is repeated, seconds."""

FIELD = "return document.querySelector(`input[aria-label=\"${arguments[0]}\"]`)?.closest('.q-field__control')"
"""Finds the visible part of a list by its name."""

SELECT = """const field = document.querySelector(`input[aria-label="${arguments[0]}"]`);
field?.focus(); field?.select(); return document.activeElement === field;"""
"""Selects the text of a field by its name; tells whether it has the focus."""

BUTTON = """return [...document.querySelectorAll('button, .q-item')].find(each =>
    each.getClientRects().length && each.textContent.replace(/\\s+/g, ' ').includes(arguments[0]))"""
"""Finds a visible button or entry of a menu by its text."""

OPTION = """const options = [...document.querySelectorAll('.q-menu [role=option]')];
const text = each => each.textContent.replace(/\\s+/g, ' ').trim();
return options.find(each => text(each) === arguments[0]) || options.find(each => text(each).includes(arguments[0]))"""
"""Finds an option of the open list by its text, or by a part of it."""

STEADY = """
const found = arguments[0];
const place = () => Object.values(found.getBoundingClientRect().toJSON()).join();
const before = place();
return new Promise(done => setTimeout(() => {
  const {x, y, width, height} = found.getBoundingClientRect();
  const at = document.elementFromPoint(x + width / 2, y + height / 2);
  const isHit = at !== null && found.contains(at);
  if (!isHit) found.scrollIntoView({block: 'center'});
  done(isHit && place() === before);
}, 50));"""
"""Tells whether an element stands still and a click at its centre hits it; scrolls to it otherwise."""

LISTEN = """window.isPressed = false;
arguments[0].addEventListener('click', () => { window.isPressed = true; }, {capture: true, once: true});"""
"""Notes whether an element receives a click."""


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


def linked(address: str, state: State) -> str:
    """Return the address that restores a state."""
    return f"{address}?s={state.packed()}"


class Server(NamedTuple):
    """A running explorer."""

    address: str
    pid: int

    def is_alive(self) -> bool:
        """Whether it runs; one that has ended waits for the test."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"

    def seconds(self) -> float:
        """Return the processor time that it has used, seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_idle(self) -> bool:
        """Whether it computes nothing: less than a fifth of a processor in half a second."""
        before = self.seconds()
        time.sleep(0.5)
        return self.seconds() - before < 0.1


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
    said = (cwd / "explorer.err").read_text()
    assert said == "", said


class Browser(PageObject):
    """One browser with one tab that shows a page."""

    def __init__(self) -> None:
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ARGUMENTS:
            options.add_argument(argument)
        # A page whose server answers late says that it loads again, which is neither error nor warning.
        options.set_capability("goog:loggingPrefs", {"browser": "WARNING"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        # Ends a script that hangs; a machine with other load may need half a minute for one that does not.
        self.driver.set_script_timeout(300)
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

    def rests(self) -> None:
        """Wait until the page has drawn everything that belongs to its last move."""
        self.until(lambda: self.js("return document.querySelector('.x-rest')?.getAttribute('aria-busy') === 'false'"))

    def input(self, label: str) -> Any:
        """Return the field of a control, such as ``Link south, rate``."""
        return self.driver.find_element("css selector", f'input[aria-label="{label}"]')

    def write(self, label: str, text: str) -> None:
        """Replace the text of a field, as pasting does: at once, so that the page sees no part of it."""
        self.until(lambda: self.js(SELECT, label))
        self.driver.execute_cdp_cmd("Input.insertText", {"text": text})

    def slider(self, label: str) -> Any:
        """Return the slider of a control, which takes keys."""
        script = "return arguments[0].closest('.x-control').querySelector('.q-slider [tabindex=\"0\"]')"
        return self.js(script, self.input(label))

    def chart(self, card: str) -> list[str]:
        """Return the names of the curves that a chart shows."""
        script = """const box = document.querySelector(`#${arguments[0]} .nicegui-echart`);
            const chart = box && getElement(Number(box.id.slice(1)))?.chart;
            return chart ? (chart.getOption().series || []).map(series => series.name) : []"""
        return self.js(script, card)

    def last_values(self, card: str, series: str) -> list[float]:
        """Return the last values of the curves with a name."""
        script = """const box = document.querySelector(`#${arguments[0]} .nicegui-echart`);
            return getElement(Number(box.id.slice(1))).chart.getOption().series
                .filter(series => series.name === arguments[1]).map(series => series.data.at(-1)[1])"""
        return self.js(script, card, series)

    def hover(self, card: str, series: str, said: str) -> None:
        """Point at the first mark of a series until the chart says what is expected, beside the values of curves."""
        from selenium.webdriver import ActionChains

        script = """const box = document.querySelector(`#${arguments[0]} .nicegui-echart`);
            const chart = getElement(Number(box.id.slice(1)))?.chart;
            if (!chart) return null;
            const series = chart.getOption().series.find(each => each.name === arguments[1] && each.data.length);
            if (!series) return null;
            const axes = {xAxisIndex: series.xAxisIndex, yAxisIndex: series.yAxisIndex};
            const [x, y] = chart.convertToPixel(axes, series.data[0].value);
            return [x - box.clientWidth / 2, y - box.clientHeight / 2]"""
        chart = self.driver.find_element("css selector", f"#{card} .nicegui-echart")
        shown = "return arguments[0].querySelector(':scope > div:last-child')?.innerText || ''"

        def is_shown() -> bool:
            text = self.js(shown, chart)
            return said in text and re.search(r"window of multipath on south: [\d.]+ kB\n", text) is not None

        def is_said() -> bool:
            # A chart that is drawn meanwhile has another size, and shows nothing until the pointer moves again.
            x, y = self.until(lambda: self.js(script, card, series))
            self.js("arguments[0].scrollIntoView({block: 'center'})", chart)
            for right in (3, 0):
                ActionChains(self.driver).move_to_element_with_offset(chart, round(x) + right, round(y) - 4).perform()
            return self._comes(is_shown)

        self.until(is_said)

    def press(self, find: Callable[[], Any], effect: Callable[[], Any] | None = None) -> None:
        """Click an element when it stands still and nothing covers it, until it has received the click.

        With an effect, nothing is clicked if it is there already, and the click is repeated if it does not come.
        """
        if effect is None:
            self.until(lambda: self._is_pressed(find))
        else:
            self.until(lambda: effect() or (self._is_pressed(find) and self._comes(effect)))

    def click(self, text: str, effect: Callable[[], Any] | None = None) -> None:
        """Click a button or an entry of a menu."""
        self.press(lambda: self.js(BUTTON, text), effect)

    def open_list(self, label: str, option: str) -> None:
        """Open a list, and wait until it has an option."""
        self.press(lambda: self.js(FIELD, label), lambda: self.option(option))

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list, and close the list."""
        self.open_list(label, option)
        self.press(lambda: self.option(option))
        self.close_menu()

    def option(self, option: str) -> Any:
        """Return an option of the open list; None without it."""
        return self.js(OPTION, option)

    def close_menu(self) -> None:
        """Close the open menu or list, if there is one."""
        from selenium.webdriver.common.keys import Keys

        def is_closed() -> bool:
            if self.count(".q-menu"):
                self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
                return self._comes(lambda: not self.count(".q-menu"))
            return True

        self.until(is_closed)

    def take_along(self, entry: str) -> None:
        """Choose an entry of the menu *Take along*."""

        def is_taken() -> bool:
            self.click("Take along", lambda: self.count(".q-menu"))
            return self._is_pressed(lambda: self.js(BUTTON, entry))

        self.close_menu()
        self.until(is_taken)
        self.until(lambda: not self.count(".q-menu"))

    def close_dialog(self, button: str = "Close") -> None:
        """Close the open dialog by one of its buttons."""
        self.click(button, lambda: not self.count(".q-dialog__backdrop"))

    def switch(self, label: str) -> None:
        """Turn a switch."""
        find = f"return document.querySelector('[role=switch][aria-label=\"{label}\"]')"
        self.press(lambda: self.js(find))

    def downloaded(self, name: str, folder: Path) -> Path:
        """Download a file through the menu; return it when it is complete."""
        self.downloads_to(folder)
        self.take_along(f"Download {name}")
        return self.until(lambda: next((each for each in folder.iterdir() if each.suffix in SUFFIXES), None))

    def downloads_to(self, folder: Path) -> None:
        """Set the folder of downloads."""
        command = {"behavior": "allow", "downloadPath": str(folder)}
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", command)

    def text(self, selector: str) -> str:
        """Return the visible text of an element; empty if there is none."""
        return self.js("return document.querySelector(arguments[0])?.innerText || ''", selector)

    def count(self, selector: str) -> int:
        """Return the number of elements."""
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def _is_pressed(self, find: Callable[[], Any]) -> bool:
        """Click an element once, if a click hits it; return whether it received the click."""
        from selenium.common import exceptions

        try:
            found = find()
            if found is None or not self.js(STEADY, found):
                return False
            self.js(LISTEN, found)
            found.click()
        except (
            # The page replaced, moved or covered the element after it was found.
            exceptions.StaleElementReferenceException,
            exceptions.ElementNotInteractableException,
            exceptions.ElementClickInterceptedException,
        ):
            return False
        return self.js("return window.isPressed")

    def _comes(self, effect: Callable[[], Any]) -> Any:
        """Wait for the effect of a click; return what it does, and a false value if it does not come."""
        return self._within(AGAIN, effect)

    def _pause(self) -> None:
        time.sleep(0.05)

    def errors(self) -> list[str]:
        """Return the errors and warnings on the console of the page."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
