"""Controls, explanations and downloads of a page without a browser."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from page_object import PATIENCE
from states import CHOICES, short
from tab import Tab

import manypath as mp
from lists import cases
from manypath.explore import files, moves
from manypath.explore.controls import changed

Site = Callable[..., Path]
"""Makes a documentation."""


# The gate has a list of a link, one that changes other controls, and one whose choice has settings.
@pytest.mark.parametrize(
    "choice",
    cases(CHOICES, long=lambda choice: choice[0] in ("Link north, loss", "Flow multipath, cc", "Flow rival, path")),
    ids=lambda choice: choice[0],
)
def test_a_choice_changes_the_run(tab: Tab, choice: tuple[str, str, str]):
    label, option, place = choice
    tab.open(short())
    tab.digest()
    tab.write(label, option)
    tab.shows(changed(short(), place, option))


def test_settings_of_an_application_appear_with_it_and_change_the_run(tab: Tab):
    tab.open(short())
    tab.digest()
    assert not tab.has("Flow multipath, application rate")
    tab.write("Flow multipath, application", "cbr")
    tab.write("Flow multipath, application rate", "3 Mbit/s")
    state = changed(changed(short(), "flows\tmultipath\tapp", "cbr"), "flows\tmultipath\tapp.rate", "3 Mbit/s")
    tab.shows(state)
    tab.write("Flow multipath, message size", "200 B to 900 B")
    tab.shows(changed(state, "flows\tmultipath\tapp.message", "200 B to 900 B"))


def test_mechanisms_are_switched_and_their_limits_are_refused_beside_them(tab: Tab):
    tab.open(short())
    tab.digest()
    assert not tab.has("Flow multipath, DAC")
    tab.expand("Mechanisms")
    tab.write("Flow multipath, DAC", False)
    tab.shows(changed(short(), "flows\tmultipath\tdac", False))
    before = tab.status
    tab.write("Flow multipath, start time", "9 s")
    tab.until(lambda: "start time: 9 s is after the end of the run" in tab.refusal("Flow multipath, start time"))
    assert tab.status == before


def test_a_control_is_explained_with_its_places_in_the_documentation(tab: Tab, site: Site):
    site("explanation/queues-and-losses", names=["manypath.scenario.queues.Red"])
    tab.open(short())
    tab.digest()
    name = "Explain Link south, queue"
    tab.click(name)
    said = tab.until(tab.dialog)
    for part in ("Queue before the transmitter", "Random early detection", "manypath.Red"):
        assert part in said
    title = tab.property_of(name, "title")
    assert title.startswith("Queue before the transmitter")
    assert title in said
    queue = {"/docs/reference.html#manypath.scenario.queues.Red", "/docs/explanation/queues-and-losses.html"}
    assert queue <= set(tab.links())
    tab.click("Close")
    tab.until(lambda: not tab.dialog())


def test_a_control_without_a_place_in_the_documentation_is_explained_without_a_link(tab: Tab, site: Site):
    site()
    tab.open(short())
    tab.digest()
    tab.click("Explain Run, measure")
    assert "manypath.Scenario.measure" in tab.until(tab.dialog)
    assert not [link for link in tab.links() if link.startswith("/docs")]


@pytest.fixture
def endless_capture(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of packets that are written until they are cancelled."""
    begun: list[Path] = []
    write = files.write

    def endless(file: Path, state: Any, answer: Any, stop: threading.Event, *further: Any) -> None:
        if file.suffix != ".pcapng":
            write(file, state, answer, stop, *further)
            return
        begun.append(file)
        assert stop.wait(PATIENCE)
        raise moves.Cancelled

    monkeypatch.setattr(files, "write", endless)
    return begun


def test_a_long_download_shows_its_progress_and_is_cancelled(tab: Tab, endless_capture: list[Path]):
    tab.open(short())
    tab.digest()
    tab.click("Download capture as pcapng")
    tab.until(lambda: "explored.pcapng is written" in tab.dialog())
    # The dialog and the thread that writes begin independently
    tab.until(lambda: endless_capture)
    tab.click("Cancel")
    tab.until(lambda: not tab.dialog())
    # Another download is not disturbed.
    tab.click("Download data as CSV")
    tab.until(lambda: tab.downloads)
    assert len(tab.downloads) == 1
    table = pd.read_csv(io.BytesIO(tab.fetch(tab.downloads[0])))
    result = mp.run(short().scenario, series="12.5 ms")
    assert len(table[table["kind"] == "paths"]) == len(result.series["paths"])
    assert "digest" in tab.status


def test_a_download_waits_for_the_run_and_one_without_a_run_says_so(tab: Tab):
    tab.open(changed(short(), "measure", "20000 s"))
    tab.until(lambda: "the first" in tab.status)
    tab.click("Download data as CSV")
    tab.until(lambda: "The download waits for the run." in tab.dialog())
    tab.click("Cancel")
    tab.until(lambda: not tab.dialog())
    tab.click("Stop")
    tab.until(lambda: "stopped, the start of the run is shown" in tab.status)
    tab.click("Download data as CSV")
    said = "explored.csv cannot be written: there is no finished run"
    tab.until(lambda: any(said in note for note in tab.notes))
    assert tab.downloads == []
