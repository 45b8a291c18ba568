"""Logs of events on a page without a browser, while they are written."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tab import Log, Tab
from writers import association, hostile, measured

from manypath.explore.live import page
from real_time import needs_stack


def axis(tab: Tab) -> tuple[float, float]:
    """Return the time that the picture shows, as soon as there is a chart."""
    shown = tab.until(lambda: tab.option("picture"))["xAxis"][0]
    return shown["min"], shown["max"]


def test_time_slides_pauses_and_goes_on(tab: Tab, follow: Log, tmp_path: Path, lines: list[str]):
    file = tmp_path / "run.jsonl"
    half = len(lines) * 3 // 4
    file.write_text("".join(lines[:half]))
    tab.open(follow(file))
    before = json.loads(lines[half - 1])["time"]
    tab.until(lambda: axis(tab)[0] < 1.0 and axis(tab)[1] == pytest.approx(before))
    tab.write("Time", 10.0)
    tab.click("Pause")
    tab.until(lambda: "paused" in tab.status)
    with file.open("a") as out:
        out.writelines(lines[half:])
    # The page says so once a second, and would draw eight times as often.
    tab.until(lambda: f"{len(lines) - 1:,} events" in tab.status)
    assert axis(tab)[1] == pytest.approx(before)
    tab.click("Continue")
    tab.until(lambda: axis(tab)[1] == pytest.approx(4.0, abs=0.2))


def test_one_of_several_flows_is_chosen_and_two_tabs_choose_for_themselves(
    tab: Tab, follow: Log, tmp_path: Path, lines: list[str]
):
    file = tmp_path / "run.jsonl"
    file.write_text("".join(lines))
    address = follow(file)
    tab.open(address)
    tab.until(lambda: "RTT of radio" in tab.chart("picture"))
    other = tab.another()
    other.open(address)
    other.until(lambda: "RTT of radio" in other.chart("picture"))
    other.write("Flow", "rival")
    other.until(lambda: "RTT of radio" not in other.chart("picture"))
    other.until(lambda: "rival: open" in other.text("#numbers"))
    other.leave()
    assert "RTT of radio" in tab.chart("picture")
    tab.until(lambda: "cmt: open" in tab.text("#numbers"))


def test_a_choice_counts_that_is_made_while_numbers_of_another_flow_arrive(
    tab: Tab, follow: Log, tmp_path: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "run.jsonl"
    file.write_text("".join(lines))
    read, choices = page.background.io_bound, ["rival"]

    async def interrupted(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        found: Any = await read(function, *arguments, **options)
        # The user chooses after the numbers were read, and before the page shows them.
        if function is page._now and found.names and choices:
            tab.receive("Flow", choices.pop())
        return found

    monkeypatch.setattr(page.background, "io_bound", interrupted)
    tab.open(follow(file))
    tab.until(lambda: "rival: open" in tab.text("#numbers"))
    assert tab.value("Flow") == "rival"


def test_names_of_a_hostile_log_are_text(tab: Tab, follow: Log, tmp_path: Path):
    file = tmp_path / "hostile.jsonl"
    hostile(file)
    tab.open(follow(file))
    tab.until(lambda: tab.chart("picture"))
    tab.until(lambda: "Left out: 1 line." in tab.text("#numbers"))
    assert "<img" not in tab.source("#numbers")
    assert "<script" not in tab.source("#numbers")


@pytest.mark.skipif(sys.platform != "linux", reason="real associations need Linux")
def test_a_real_association_is_shown_while_it_sends(tab: Tab, follow: Log, tmp_path: Path):
    log = tmp_path / "perf.jsonl"
    with association(log) as client:
        tab.until(lambda: log.exists() and log.stat().st_size > 500_000)
        # The association waits while the page is opened, so that the log stays small.
        client.send_signal(signal.SIGSTOP)
        tab.open(follow(log))
        for name in ("window on 127.0.0.1 -> 127.0.0.11", "RTT of 127.0.0.1 -> 127.0.0.11", "goodput"):
            tab.until(lambda name=name: name in tab.chart("picture"))
        tab.until(lambda: "127.0.0.11:5001#1: open" in tab.text("#numbers"))
        before = axis(tab)[1]
        client.send_signal(signal.SIGCONT)
        tab.until(lambda: axis(tab)[1] > before)
        tab.until(lambda: any(row[8] not in ("", "–", "0.00") for row in tab.rows("#numbers")))
        client.send_signal(signal.SIGINT)
        tab.until(lambda: "127.0.0.11:5001#1: closed" in tab.text("#numbers"))
        tab.until(lambda: "the writer has ended" in tab.status)


@needs_stack
def test_a_measured_run_is_shown_while_it_goes_on(tab: Tab, follow: Log, tmp_path: Path):
    folder = tmp_path / "live"
    links, flow = folder / "links.jsonl", folder / "flow-cmt.jsonl"
    with measured(folder):
        tab.until(lambda: links.exists() and flow.exists())
        tab.open(follow(links))
        for name in ("queue of a", "carried by b"):
            tab.until(lambda name=name: name in tab.chart("picture"))
        before = axis(tab)[1]
        tab.until(lambda: axis(tab)[1] > before)
        tab.until(lambda: "flows: the log is of links only" in tab.text(".x-missing"))
        tab.open(follow(flow))
        for name in (
            "window on 10.0.0.1 -> 10.0.0.2",
            "RTT of 10.0.0.1 -> 10.0.0.2",
            "blocked by the congestion window",
        ):
            tab.until(lambda name=name: name in tab.chart("picture"))
        before = axis(tab)[1]
        tab.until(lambda: axis(tab)[1] > before)
