"""Comparisons and sweeps of the page in a browser."""

from __future__ import annotations

import re

import pytest
from browser import Browser, linked
from states import long_sweep, short

from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State

COMPARED = ("newreno", "coupled")


def restored(browser: Browser) -> State:
    """Return the state in the address of the browser."""
    return State.unpacked(browser.js("return location.search").removeprefix("?s="))


def test_congestion_controls_are_compared_side_by_side_and_overlaid(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=COMPARED)))
    browser.until(lambda: len(browser.chart("compare")) == 4)
    assert set(browser.chart("compare")) == {"window on south", "window on north"}
    assert browser.count("#compare tbody tr") == 2
    browser.click("Overlaid")
    # A plot for each path, and the goodput of both flows.
    browser.until(lambda: browser.chart("compare") == [*COMPARED] * 4)
    browser.until(lambda: restored(browser).is_overlaid)
    browser.open(browser.driver.current_url)
    browser.until(lambda: len(browser.chart("compare")) == 8)


@pytest.mark.long
def test_a_congestion_control_is_added_to_the_comparison(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",))))
    browser.until(lambda: len(browser.chart("compare")) == 2)
    browser.choose("Congestion controls to compare", "olia")
    browser.until(lambda: len(browser.chart("compare")) == 4)
    browser.until(lambda: restored(browser).compare == ("newreno", "olia"))


@pytest.mark.long
def test_another_choice_runs_only_what_is_new_and_leaves_a_sweep_alone(browser: Browser, address: str):
    browser.open(linked(address, long_sweep().but(compare=("newreno", "lia"))))
    browser.until(lambda: browser.count("#compare tbody tr") == 2)
    browser.rests()
    browser.until(lambda: "of 600 runs" in browser.text("#sweep"))
    before = browser.status
    browser.choose("Congestion controls to compare", "olia")
    browser.until(lambda: browser.count("#compare tbody tr") == 3)
    browser.choose("Congestion controls to compare", "newreno")
    browser.until(lambda: rows(browser) == ["lia", "olia"])
    browser.until(lambda: sorted(browser.chart("compare")) == ["window on north"] * 2 + ["window on south"] * 2)
    assert browser.status == before
    swept = browser.text("#sweep .x-note")
    browser.until(lambda: browser.text("#sweep .x-note") != swept)
    browser.click("Stop", lambda: re.match(r"Stopped after \d+ of 600 runs\.", browser.text("#sweep .x-note")))
    assert restored(browser).compare == ("lia", "olia")


def rows(browser: Browser) -> list[str]:
    """Return the congestion controls in the table of the comparison."""
    return browser.js("return [...document.querySelectorAll('#compare tbody th')].map(each => each.textContent)")


def test_a_sweep_draws_intervals_and_a_link_repeats_it(browser: Browser, address: str):
    state = short().but(sweep=("links\tsouth\trate", "2 Mbit/s, 8 Mbit/s", "3"))
    browser.open(linked(address, state))
    browser.until(lambda: "6 of 6 runs" in browser.text("#sweep"))
    # Mean and interval of a flow have one entry in the legend.
    curves = ["multipath", "multipath", "rival", "rival"]
    browser.until(lambda: browser.chart("sweep") == curves)
    assert restored(browser).sweep == state.sweep


@pytest.mark.long
def test_a_switch_is_swept(browser: Browser, address: str):
    state = short().but(sweep=("flows\tmultipath\tdac", "on, off", "2"))
    browser.open(linked(address, state))
    browser.until(lambda: "4 of 4 runs" in browser.text("#sweep"))
    script = """const box = document.querySelector('#sweep .nicegui-echart');
        return getElement(Number(box.id.slice(1))).chart?.getOption().xAxis[0].data"""
    browser.until(lambda: browser.js(script) == ["on", "off"])
    # A line between two choices would have no meaning.
    widths = script.replace("xAxis[0].data", "series.map(each => each.lineStyle?.width ?? 0)")
    browser.until(lambda: browser.js(widths) == [0, 0, 0, 0])
    stop = "return [...document.querySelectorAll('#sweep button')].filter(each => each.getClientRects().length).length"
    assert browser.js(stop) == 1


@pytest.mark.long
def test_another_preset_keeps_the_comparison_and_offers_its_own_settings_to_sweep(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",), sweep=("links\tsouth\trate", "2 Mbit/s", "1"))))
    browser.until(lambda: "1 of 1 runs" in browser.text("#sweep"))
    browser.choose("Preset", "DSL with LTE")
    state = presets.preset(presets.OWN, "DSL with LTE")
    browser.shows(state)
    browser.until(lambda: {"window on dsl", "window on lte"} == set(browser.chart("compare")))
    assert restored(browser) == state.but(compare=("newreno",))
    browser.choose("Setting of the sweep", "Link lte: rate")
    browser.write("Values of the sweep", "5 Mbit/s, 10 Mbit/s")
    browser.write("Runs of each value", "1")
    browser.click("Sweep", lambda: "2 of 2 runs" in browser.text("#sweep"))
    assert restored(browser).sweep == ("links\tlte\trate", "5 Mbit/s, 10 Mbit/s", "1")


@pytest.mark.long
def test_a_move_stops_a_sweep_and_says_so(browser: Browser, address: str):
    state = short().but(sweep=("links\tsouth\trate", "2 Mbit/s, 8 Mbit/s", "50"))
    browser.open(linked(address, state))
    browser.until(lambda: "of 100 runs" in browser.text("#sweep"))
    browser.write("Flows, rivals", "2")
    browser.shows(changed(short(), "rivals", "2"))
    browser.until(lambda: "The settings have changed since this sweep." in browser.text("#sweep"))


@pytest.mark.long
def test_wrong_values_of_a_sweep_are_refused_in_its_card(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.write("Values of the sweep", "2 Mbit/s, fast")
    browser.click("Sweep")
    browser.until(lambda: 'refused: rate: "fast" is no rate' in browser.text("#sweep"))
    browser.write("Values of the sweep", "2 Mbit/s")
    browser.write("Runs of each value", "many")
    browser.click("Sweep")
    browser.until(lambda: "refused: runs each: many is no whole number from 1 to 50" in browser.text("#sweep"))
    # No sweep has run that a move could make out of date.
    browser.write("Flows, rivals", "2")
    browser.shows(changed(short(), "rivals", "2"))
    browser.rests()
    assert browser.text("#sweep [role=status]") == ""


@pytest.mark.long
def test_refused_values_leave_a_running_sweep_alone(browser: Browser, address: str):
    browser.open(linked(address, long_sweep()))
    browser.until(lambda: "of 600 runs" in browser.text("#sweep"))
    browser.write("Values of the sweep", "fast")
    browser.click("Sweep", lambda: 'refused: rate: "fast" is no rate' in browser.text("#sweep [role=alert]"))
    swept = browser.text("#sweep [role=status]")
    browser.until(lambda: browser.text("#sweep [role=status]") != swept)
    browser.click("Stop", lambda: re.match(r"Stopped after \d+ of 600 runs\.", browser.text("#sweep [role=status]")))
    browser.write("Values of the sweep", "2 Mbit/s")
    browser.write("Runs of each value", "1")
    browser.click("Sweep", lambda: browser.text("#sweep [role=status]") == "1 of 1 runs")
    assert browser.text("#sweep [role=alert]") == ""


@pytest.mark.long
def test_a_stopped_comparison_keeps_what_is_drawn_and_names_what_did_not_run(browser: Browser, address: str):
    state = changed(short().but(compare=("newreno", "lia", "balia")), "measure", "2999 s")
    browser.driver.get(linked(address, state))
    browser.until(lambda: browser.count("#compare tbody tr") == 1)
    browser.click("Stop")
    browser.until(lambda: "Stopped: lia, balia did not run." in browser.text("#compare"))
    assert browser.count("#compare tbody tr") == 1
    assert browser.count(".x-light") == 3
    # The other view shows the same runs.
    browser.click("Overlaid", lambda: set(browser.chart("compare")) == {"newreno"})
    assert "Stopped: lia, balia did not run." in browser.text("#compare")
    browser.write("Run, measure", "4 s")
    browser.until(lambda: browser.count("#compare tbody tr") == 3)
    assert "Stopped" not in browser.text("#compare")


@pytest.mark.long
def test_a_choice_after_a_stop_leaves_the_page_able_to_run_again(browser: Browser, address: str):
    browser.driver.get(linked(address, changed(short().but(compare=("lia",)), "measure", "3999 s")))
    browser.digest()
    browser.click("Stop", lambda: "further runs, which were stopped" in browser.text(".x-lights"))
    # Nothing needs to run without the congestion control.
    browser.choose("Congestion controls to compare", "lia")
    browser.until(lambda: restored(browser).compare == ())
    browser.rests()
    browser.click("Run again", lambda: "further runs, which" not in browser.text(".x-lights"))
    browser.write("Run, measure", "4 s")
    browser.shows(short())
