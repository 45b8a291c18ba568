"""Comparisons and sweeps of a page without a browser."""

from __future__ import annotations

import re
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from page_object import PATIENCE
from states import long_sweep, short
from tab import Tab

import manypath as mp
from manypath.explore import moves, presets, studies
from manypath.explore.controls import changed

COMPARED = "Congestion controls to compare"


def compared(tab: Tab) -> list[str]:
    """Return the congestion controls in the table of the comparison."""
    return [row[0] for row in tab.rows("#compare")]


def said(tab: Tab) -> str:
    """Return the state of the sweep."""
    return tab.text(".x-note", within="#sweep")


def test_a_congestion_control_is_added_to_the_comparison(tab: Tab):
    tab.open(short().but(compare=("newreno",)))
    tab.until(lambda: len(tab.chart("compare")) == 2)
    tab.write(COMPARED, ["newreno", "olia"])
    tab.until(lambda: len(tab.chart("compare")) == 4)
    tab.until(lambda: tab.state.compare == ("newreno", "olia"))


def test_another_choice_runs_only_what_is_new_and_leaves_a_sweep_alone(tab: Tab):
    tab.open(long_sweep().but(compare=("newreno", "lia")))
    tab.until(lambda: len(compared(tab)) == 2)
    tab.rests()
    tab.until(lambda: "of 600 runs" in said(tab))
    before = tab.status
    tab.write(COMPARED, ["newreno", "lia", "olia"])
    tab.until(lambda: len(compared(tab)) == 3)
    tab.write(COMPARED, ["lia", "olia"])
    tab.until(lambda: compared(tab) == ["lia", "olia"])
    tab.until(lambda: sorted(tab.chart("compare")) == ["window on north"] * 2 + ["window on south"] * 2)
    assert tab.status == before
    swept = said(tab)
    tab.until(lambda: said(tab) != swept)
    tab.click("Stop", within="#sweep")
    tab.until(lambda: re.match(r"Stopped after \d+ of 600 runs\.", said(tab)))
    tab.until(lambda: tab.state.compare == ("lia", "olia"))


def test_a_switch_is_swept(tab: Tab):
    tab.open(short().but(sweep=("flows\tmultipath\tdac", "on, off", "2")))
    tab.until(lambda: "4 of 4 runs" in said(tab))
    option = tab.until(lambda: tab.option("sweep"))
    assert option["xAxis"]["data"] == ["on", "off"]
    # A line between two choices would have no meaning.
    assert [series.get("lineStyle", {}).get("width", 0) for series in option["series"]] == [0, 0, 0, 0]
    assert not tab.shows_button("Stop", within="#sweep")


@pytest.mark.long
def test_another_preset_keeps_the_comparison_and_offers_its_own_settings_to_sweep(tab: Tab):
    tab.open(short().but(compare=("newreno",), sweep=("links\tsouth\trate", "2 Mbit/s", "1")))
    tab.until(lambda: "1 of 1 runs" in said(tab))
    tab.write("Preset", "DSL with LTE")
    state = presets.preset(presets.OWN, "DSL with LTE")
    tab.shows(state)
    tab.until(lambda: {"window on dsl", "window on lte"} == set(tab.chart("compare")))
    tab.until(lambda: tab.state == state.but(compare=("newreno",)))
    tab.write("Setting of the sweep", "links\tlte\trate")
    tab.write("Values of the sweep", "5 Mbit/s, 10 Mbit/s")
    tab.write("Runs of each value", "1")
    tab.click("Sweep")
    tab.until(lambda: "2 of 2 runs" in said(tab))
    tab.until(lambda: tab.state.sweep == ("links\tlte\trate", "5 Mbit/s, 10 Mbit/s", "1"))


def test_a_move_stops_a_sweep_and_says_so(tab: Tab):
    tab.open(long_sweep())
    tab.until(lambda: "of 600 runs" in said(tab))
    tab.write("Flows, rivals", "2")
    tab.shows(changed(long_sweep(), "rivals", "2"))
    tab.until(lambda: "The settings have changed since this sweep." in said(tab))


def test_a_closed_tab_stops_its_sweep(tab: Tab, monkeypatch: pytest.MonkeyPatch):
    stops: list[threading.Event] = []

    def run(scenario: mp.Scenario, seed: int, stop: threading.Event, **further: Any) -> Any:
        stops.append(stop)
        return moves.cancellable(scenario, seed, stop, **further)

    monkeypatch.setattr(studies, "cancellable", run)
    tab.open(long_sweep())
    tab.until(lambda: "of 600 runs" in said(tab) and stops)
    tab.leave()
    tab.until(stops[-1].is_set)


def test_wrong_values_of_a_sweep_are_refused_in_its_card(tab: Tab):
    tab.open(short())
    tab.digest()
    tab.write("Values of the sweep", "2 Mbit/s, fast")
    tab.click("Sweep")
    tab.until(lambda: 'refused: rate: "fast" is no rate' in tab.text(".x-refusal", within="#sweep"))
    tab.write("Values of the sweep", "2 Mbit/s")
    tab.write("Runs of each value", "many")
    tab.click("Sweep")
    refused = "refused: runs each: many is no whole number from 1 to 50"
    tab.until(lambda: refused in tab.text(".x-refusal", within="#sweep"))
    # No sweep has run that a move could make out of date.
    tab.write("Flows, rivals", "2")
    tab.shows(changed(short(), "rivals", "2"))
    tab.rests()
    assert said(tab) == ""


@pytest.mark.long
def test_refused_values_leave_a_running_sweep_alone(tab: Tab):
    tab.open(long_sweep())
    tab.until(lambda: "of 600 runs" in said(tab))
    tab.write("Values of the sweep", "fast")
    tab.click("Sweep")
    tab.until(lambda: 'refused: rate: "fast" is no rate' in tab.text(".x-refusal", within="#sweep"))
    swept = said(tab)
    tab.until(lambda: said(tab) != swept)
    tab.click("Stop", within="#sweep")
    tab.until(lambda: re.match(r"Stopped after \d+ of 600 runs\.", said(tab)))
    tab.write("Values of the sweep", "2 Mbit/s")
    tab.write("Runs of each value", "1")
    tab.click("Sweep")
    tab.until(lambda: said(tab) == "1 of 1 runs")
    assert tab.text(".x-refusal", within="#sweep") == ""


@pytest.fixture
def endless_comparison(monkeypatch: pytest.MonkeyPatch) -> float:
    """Length of a run with lia that ends only when it is stopped if it is compared, seconds."""
    length = 40.0

    def answer(scenario: mp.Scenario, seed: int, stop: threading.Event, *further: Any) -> moves.Answer:
        if moves.duration(scenario) == length and scenario.flows["multipath"].cc == "lia":
            assert stop.wait(PATIENCE)
            raise moves.Cancelled
        return moves.answer(scenario, seed, stop, *further)

    monkeypatch.setattr(studies, "moves", SimpleNamespace(answer=answer))
    return length


@pytest.mark.long
def test_a_stopped_comparison_keeps_what_is_drawn_and_names_what_did_not_run(tab: Tab, endless_comparison: float):
    compare = ("newreno", "lia", "balia")
    tab.open(changed(short().but(compare=compare), "measure", f"{endless_comparison - 1:g} s"))
    tab.until(lambda: compared(tab) == ["newreno"])
    tab.until(lambda: tab.is_visible(".x-bar"))
    tab.click("Stop")
    tab.until(lambda: "Stopped: lia, balia did not run." in tab.text("#compare"))
    assert compared(tab) == ["newreno"]
    assert tab.source("#goals").count("x-light ") == 3
    # The other view shows the same runs.
    tab.write("View of the comparison", True)
    tab.until(lambda: set(tab.chart("compare")) == {"newreno"})
    assert "Stopped: lia, balia did not run." in tab.text("#compare")
    tab.write("Run, measure", "4 s")
    tab.until(lambda: len(compared(tab)) == 3)
    assert "Stopped" not in tab.text("#compare")


@pytest.mark.long
def test_a_choice_after_a_stop_leaves_the_page_able_to_run_again(tab: Tab, endless_shares: float):
    tab.open(changed(short().but(compare=("lia",)), "measure", f"{endless_shares - 1:g} s"))
    tab.digest()
    tab.until(lambda: tab.is_visible(".x-bar"))
    tab.click("Stop")
    tab.until(lambda: "further runs, which were stopped" in tab.text(".x-lights"))
    # Nothing needs to run without the congestion control.
    tab.write(COMPARED, [])
    tab.until(lambda: tab.state.compare == ())
    tab.rests()
    tab.click("Run again")
    tab.until(lambda: "move 2" in tab.status and tab.is_visible(".x-bar"))
    tab.write("Run, measure", "4 s")
    tab.shows(short())
    tab.until(lambda: "further runs, which" not in tab.text(".x-lights"))
