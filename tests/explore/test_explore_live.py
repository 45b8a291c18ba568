"""Logs of events in a browser while they are written: by the test, by a real association, and by several runs."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, explorer
from wcag import faint, nameless
from writers import association, hostile, measured

from real_time import needs_stack


@pytest.fixture
def attached(browser: Browser, tmp_path: Path) -> Any:
    """Return a function that opens the page of a log."""

    @contextmanager
    def shown(place: Path) -> Iterator[str]:
        with explorer("--attach", str(place), cwd=tmp_path) as server:
            browser.driver.get(server.address)
            try:
                browser.until(lambda: place.name in browser.status)
                yield server.address
            finally:
                # A page whose server ends writes errors on the console.
                browser.driver.get("about:blank")

    return shown


def axis(browser: Browser) -> tuple[float, float]:
    """Return the time that the picture shows, as soon as the browser has its chart."""
    script = """const box = document.querySelector('#picture .nicegui-echart');
        const axis = getElement(Number(box.id.slice(1)))?.chart?.getOption().xAxis[0];
        return axis ? [axis.min, axis.max] : null"""
    low, high = browser.until(lambda: browser.js(script))
    return low, high


def test_a_log_is_shown_while_it_is_written_and_its_end_is_said(
    browser: Browser, attached: Any, tmp_path: Path, lines: list[str]
):
    grows = tmp_path / "grows.jsonl"
    grows.touch()
    with attached(grows):
        browser.until(lambda: "waiting for the first events" in browser.status)
        half = len(lines) // 2
        with grows.open("a") as out:
            out.writelines([*lines[:100], "no json\n", *lines[100:half]])
            out.flush()
            browser.until(lambda: "window on radio" in browser.chart("picture"))
            browser.until(lambda: f"{half - 1:,} events" in browser.status)
            first = browser.until(lambda: axis(browser)[1])
            out.writelines(lines[half:])
        browser.until(lambda: axis(browser)[1] > first)
        browser.until(lambda: f"{len(lines) - 1:,} events" in browser.status)
        for name in ("ssthresh on wire", "losses", "RTT of radio", "goodput", "goodput on wire", "retransmissions"):
            browser.until(lambda name=name: name in browser.chart("picture"))
        browser.until(lambda: "window of rival on wire" in browser.chart("picture"))
        browser.until(
            lambda: "left out: 1 line. the last one: line 101 is no json: no json" in browser.text("#numbers").lower()
        )
        browser.until(lambda: "queues (link:metrics_updated" in browser.text(".x-missing"))
        browser.until(lambda: browser.count("#numbers tbody tr") == 2)
        browser.until(lambda: "the writer has ended" in browser.status or "no new events" in browser.status)
        browser.until(lambda: browser.text(".x-said").startswith(str(grows)))


@pytest.mark.long
def test_time_slides_pauses_and_goes_on(browser: Browser, attached: Any, tmp_path: Path, lines: list[str]):
    file = tmp_path / "run.jsonl"
    half = len(lines) * 3 // 4
    file.write_text("".join(lines[:half]))
    with attached(file):
        browser.until(lambda: browser.chart("picture") and axis(browser)[0] < 1.0)
        browser.choose("Time", "last 10 s")
        pause = browser.driver.find_element("xpath", '//button[contains(., "Pause")]')
        pause.send_keys(" ")
        browser.until(lambda: "paused" in browser.status)
        assert pause.get_attribute("aria-pressed") == "true"
        before = axis(browser)[1]
        with file.open("a") as out:
            out.writelines(lines[half:])
        # The page says so once a second, and would draw eight times as often.
        browser.until(lambda: f"{len(lines) - 1:,} events" in browser.status)
        assert axis(browser)[1] == before
        browser.click("Continue")
        browser.until(lambda: axis(browser)[1] == pytest.approx(4.0, abs=0.2))


@pytest.mark.long
def test_one_of_several_flows_is_chosen_and_two_tabs_choose_for_themselves(
    browser: Browser, attached: Any, tmp_path: Path, lines: list[str]
):
    file = tmp_path / "run.jsonl"
    file.write_text("".join(lines))
    with attached(file) as address:
        browser.until(lambda: "RTT of radio" in browser.chart("picture"))
        one = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        try:
            browser.driver.get(address)
            browser.until(lambda: "RTT of radio" in browser.chart("picture"))
            browser.choose("Flow", "rival")
            browser.until(lambda: "RTT of radio" not in browser.chart("picture"))
            browser.until(lambda: "rival: open" in browser.text("#numbers"))
        finally:
            browser.driver.close()
            browser.driver.switch_to.window(one)
        assert "RTT of radio" in browser.chart("picture")
        browser.until(lambda: "cmt: open" in browser.text("#numbers"))


@pytest.mark.long
def test_a_phone_shows_the_whole_width_and_everything_has_a_name(
    browser: Browser, attached: Any, tmp_path: Path, lines: list[str]
):
    file = tmp_path / "run.jsonl"
    file.write_text("".join(lines))
    browser.size(390, 844)
    try:
        with attached(file):
            browser.until(lambda: "goodput" in browser.chart("picture"))
            assert browser.js("return document.scrollingElement.scrollWidth - innerWidth") <= 0
            assert nameless(browser) == []
            assert faint(browser) == []
            name = "return document.querySelector('#picture .nicegui-echart').getAttribute('aria-label')"
            browser.until(lambda: "round-trip times and goodput of cmt" in browser.js(name))
    finally:
        browser.size(1280, 1000)


@pytest.mark.long
def test_names_of_a_hostile_log_are_text(browser: Browser, attached: Any, tmp_path: Path):
    file = tmp_path / "hostile.jsonl"
    hostile(file)
    with attached(file):
        browser.until(lambda: browser.chart("picture"))
        browser.until(lambda: "Left out: 1 line." in browser.text("#numbers"))
        assert browser.count("#numbers img, #picture img") == 0


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="real associations need Linux")
def test_a_real_association_is_shown_while_it_sends(browser: Browser, attached: Any, tmp_path: Path):
    log = tmp_path / "perf.jsonl"
    with association(log) as client:
        browser.until(lambda: log.exists() and log.stat().st_size > 500_000)
        # The association waits while the explorer starts, so that the log stays small.
        client.send_signal(signal.SIGSTOP)
        with attached(log):
            for name in ("window on 127.0.0.1 -> 127.0.0.11", "RTT of 127.0.0.1 -> 127.0.0.11", "goodput"):
                browser.until(lambda name=name: name in browser.chart("picture"))
            browser.until(lambda: "127.0.0.11:5001#1: open" in browser.text("#numbers"))
            before = axis(browser)[1]
            client.send_signal(signal.SIGCONT)
            browser.until(lambda: axis(browser)[1] > before)
            browser.until(lambda: browser.text("#numbers tbody td:nth-child(9)") not in ("", "–", "0.00"))
            client.send_signal(signal.SIGINT)
            browser.until(lambda: "127.0.0.11:5001#1: closed" in browser.text("#numbers"))
            browser.until(lambda: "the writer has ended" in browser.status)


@pytest.mark.long
@needs_stack
def test_a_measured_run_is_shown_while_it_goes_on(browser: Browser, attached: Any, tmp_path: Path):
    folder = tmp_path / "live"
    links, flow = folder / "links.jsonl", folder / "flow-cmt.jsonl"
    with measured(folder):
        browser.until(lambda: links.exists() and flow.exists())
        with attached(links):
            for name in ("queue of a", "carried by b"):
                browser.until(lambda name=name: name in browser.chart("picture"))
            before = axis(browser)[1]
            browser.until(lambda: axis(browser)[1] > before)
            browser.until(lambda: "flows: the log is of links only" in browser.text(".x-missing"))
        with attached(flow):
            shown = (
                "window on 10.0.0.1 -> 10.0.0.2",
                "RTT of 10.0.0.1 -> 10.0.0.2",
                "blocked by the congestion window",
            )
            for name in shown:
                browser.until(lambda name=name: name in browser.chart("picture"))
            before = axis(browser)[1]
            browser.until(lambda: axis(browser)[1] > before)
