"""Downloads of the page in a browser: samples, figure and packets, which a click cancels."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from browser import Browser, linked
from states import short

import manypath as mp
from manypath.explore.controls import changed


def test_downloads_have_the_run(browser: Browser, address: str, tmp_path: Path):
    state = short()
    browser.open(linked(address, state))
    folders = {name: tmp_path / name for name in ("csv", "parquet", "svg", "pcapng")}
    for folder in folders.values():
        folder.mkdir()
    table = pd.read_csv(browser.downloaded("data as CSV", folders["csv"]))
    own = table[(table["kind"] == "paths") & (table["flow"] == "rival")]
    result = mp.run(state.scenario, series="12.5 ms")
    assert own["cwnd"].iloc[-1] == result.series["paths"].query("flow == 'rival'")["cwnd"].iloc[-1]
    assert len(pd.read_parquet(browser.downloaded("data as Parquet", folders["parquet"]))) == len(table)
    assert "<svg" in browser.downloaded("figure as SVG", folders["svg"]).read_text()
    capture = browser.downloaded("capture as pcapng", folders["pcapng"])
    mp.run(state.scenario, capture=tmp_path / "own.pcapng")
    assert capture.read_bytes() == (tmp_path / "own.pcapng").read_bytes()


@pytest.mark.long
def test_a_long_download_shows_its_progress_and_is_cancelled(browser: Browser, address: str, tmp_path: Path):
    state = changed(short(), "measure", "3000 s")
    browser.open(linked(address, state))
    browser.downloads_to(tmp_path)
    browser.take_along("Download capture as pcapng")
    browser.until(lambda: "explored.pcapng is written" in browser.text('[role="dialog"]'))
    browser.close_dialog("Cancel")
    assert list(tmp_path.iterdir()) == []
    assert "digest" in browser.status


@pytest.mark.long
def test_a_download_waits_for_the_run_and_one_without_a_run_says_so(browser: Browser, address: str, tmp_path: Path):
    long = changed(changed(short(), "measure", "20000 s"), "warmup", "2 s")
    browser.driver.get(linked(address, long))
    browser.until(lambda: "the first" in browser.status)
    browser.downloads_to(tmp_path)
    browser.take_along("Download data as CSV")
    browser.until(lambda: "The download waits for the run." in browser.text('[role="dialog"]'))
    browser.close_dialog("Cancel")
    browser.click("Stop")
    browser.until(lambda: "stopped, the start of the run is shown" in browser.status)
    browser.take_along("Download data as CSV")
    browser.until(lambda: "explored.csv cannot be written: there is no finished run" in browser.text("body"))
    assert list(tmp_path.iterdir()) == []
