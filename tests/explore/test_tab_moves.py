"""Moves of a page without a browser: presets, refusals, links, stops and reloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from states import CHOICES, expected, short
from tab import Simulation, Tab

import manypath as mp
from lists import cases
from manypath.explore import moves, presets
from manypath.explore.controls import changed, controls
from manypath.explore.state import State


def number_of(label: str, value: str) -> int:
    """Return the number of the step of a slider that has a value."""
    control = next(each for each in controls(short()) if f"{each.group}, {each.label}" == label)
    return control.steps.index(value)


# The gate has one with equal and one with changing links.
@pytest.mark.parametrize(
    "name", cases(presets.EVERYDAY, long=lambda name: name not in ("One shared bottleneck", "A path that fails"))
)
def test_every_everyday_preset_is_drawn(tab: Tab, name: str):
    state = presets.preset(presets.OWN, name)
    tab.open(state)
    assert tab.digest() == expected(state)
    tab.until(lambda: tab.chart("picture"))


def test_two_moves_at_once_both_count(tab: Tab):
    tab.open(short())
    tab.digest()
    (one, cc, cc_place), (other, path, path_place) = CHOICES[3], CHOICES[-1]
    tab.write_all({one: cc, other: path})
    tab.shows(changed(changed(short(), cc_place, cc), path_place, path))
    tab.rests()
    assert (tab.value(one), tab.value(other)) == (cc, path)


def test_a_preset_is_chosen_from_the_list(tab: Tab):
    tab.open(short())
    tab.write("Preset", "DSL with LTE")
    tab.shows(presets.preset(presets.OWN, "DSL with LTE"))
    heading, figure = presets.headings()[2], "figure 3: cc = cmt-rpv1, north = 0.25 Mbit/s"
    tab.write("Collection of presets", heading)
    tab.until(lambda: figure in tab.options("Preset"))
    tab.write("Preset", figure)
    tab.shows(presets.preset(heading, figure))
    tab.until(lambda: presets.about(heading, figure) in tab.text(".x-side"))


@pytest.mark.long
def test_a_preset_is_chosen_again_after_a_move(tab: Tab):
    state = presets.preset(presets.OWN, "Two equal paths")
    tab.open(short())
    tab.digest()
    for _ in range(2):
        tab.write("Preset", "Two equal paths")
        tab.shows(state)
        tab.write("Link south, rate", "4 Mbit/s")
        tab.shows(changed(state, "links\tsouth\trate", "4 Mbit/s"))
        tab.until(lambda: tab.value("Preset") is None)


def test_a_slider_follows_its_field_after_its_own_moves(tab: Tab):
    label, slider = "Link south, rate", "Link south, rate, slider"
    tab.open(short())
    tab.digest()
    first = tab.value(slider)
    tab.write(slider, number_of(label, "4 Mbit/s"))
    tab.shows(changed(short(), "links\tsouth\trate", "4 Mbit/s"))
    assert tab.value(label) == "4 Mbit/s"
    # The step at the beginning, and a rate between two steps
    for rate, at in (("10 Mbit/s", first), ("5.9 Mbit/s", 7)):
        tab.write(label, rate)
        tab.shows(changed(short(), "links\tsouth\trate", rate))
        tab.until(lambda at=at: tab.value(slider) == at)
    assert tab.value(label) == "5.9 Mbit/s"


def test_a_slider_at_its_place_again_shows_no_refusal(tab: Tab):
    label, slider = "Run, measure", "Run, measure, slider"
    tab.open(short())
    tab.digest()
    tab.write(slider, number_of(label, "1 s"))
    tab.shows(changed(short(), "measure", "1 s"))
    tab.write(slider, number_of(label, "1 s") - 1)
    tab.until(lambda: "measure: 0 s is too short" in tab.refusal(label))
    tab.write(slider, number_of(label, "1 s"))
    tab.until(lambda: tab.value(label) == "1 s" and not tab.refusal(label))


def test_a_refused_value_leaves_the_run_and_the_link(tab: Tab):
    tab.open(short())
    tab.digest()
    before = tab.status, tab.address
    tab.write("Link south, rate", "4")
    tab.until(lambda: 'has no unit: write "4 Mbit/s"' in tab.refusal("Link south, rate"))
    assert (tab.status, tab.address) == before
    tab.write("Link south, rate", "10 Mbit/s")
    tab.until(lambda: not tab.refusal("Link south, rate"))
    tab.write("Flows, rivals", "3")
    tab.shows(changed(short(), "rivals", "3"))
    tab.until(lambda: tab.state == changed(short(), "rivals", "3"))


def test_the_reason_of_a_mark_is_in_the_picture_and_in_a_table(tab: Tab):
    tab.open(short())
    tab.digest()
    tab.until(lambda: tab.chart("picture"))
    said = {series["name"]: json.dumps(series) for series in tab.option("picture")["series"]}
    for series, reason in (
        ("losses", "packet dropped by the queue (the discipline asked the sender to slow down)"),
        ("fast retransmissions", "fast retransmission cut the window"),
        ("retransmissions", "retransmission (fast retransmission)"),
    ):
        assert reason in said[series]
    assert "the discipline asked the sender to slow down" in tab.text(".x-events")


def test_a_damaged_link_is_refused_on_the_page(tab: Tab):
    tab.open("/?s=damaged")
    assert tab.digest() == expected(presets.default())
    tab.until(lambda: any("is no state of the explorer" in note for note in tab.notes))


def test_copies_have_the_state_of_the_page(tab: Tab):
    state = short().but(seed=3)
    tab.open(state)
    tab.digest()
    for kind, part in (("Python", "seed=3"), ("TOML", "--seed 3"), ("command line", "--seed 3")):
        tab.click(f"Copy as {kind}")
        tab.until(lambda kind=kind: f"Copied to the clipboard as {kind}" in tab.dialog())
        assert part in tab.text(".x-code")
    tab.click("Copy as link")
    tab.until(lambda: "Copied to the clipboard as link" in tab.dialog())
    assert State.unpacked(tab.text(".x-code").partition("?s=")[2]) == state


def test_a_scenario_too_large_for_a_link_is_reloaded_with_its_moves_and_says_so(tab: Tab, simulation: Simulation):
    rates = [f"{1000 + at * 7919 % 9973} kbit/s" for at in range(4_200)]
    events = [{"at": f"{1 + at} ms", "rate": rate} for at, rate in enumerate(rates)]
    network = mp.disjoint(a=mp.Link(rate="10 Mbit/s", delay="5 ms", events=events))
    state = State(mp.Scenario(network=network, flows={"f": mp.Sctp(paths=["a"])}, warmup="1 s", measure="5 s"))
    simulation.first = state
    try:
        tab.open()
        digest = tab.digest()
        tab.write("Run, seed", "2")
        tab.until(lambda: "digest" in tab.status and digest not in tab.status)
        moved = tab.digest()
        tab.until(lambda: "kept=" in tab.address)
        tab.open(tab.address)
        assert tab.digest() == moved
        tab.click("Copy as link")
        tab.until(lambda: any("too large for a link" in note for note in tab.notes))
        tab.open("/?kept=unknown")
        assert tab.digest() == digest
        tab.until(lambda: any("no longer has the state" in note for note in tab.notes))
    finally:
        simulation.first = presets.default()


@pytest.fixture
def cancelled(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Durations of the runs that were cancelled, seconds."""
    found: list[float] = []
    answers = moves.answers

    def watched(scenario: mp.Scenario, *further: Any) -> Iterator[moves.Answer]:
        try:
            yield from answers(scenario, *further)
        except moves.Cancelled:
            found.append(moves.duration(scenario))
            raise

    monkeypatch.setattr(moves, "answers", watched)
    return found


def leave(tab: Tab) -> None:
    """Leave the page."""
    tab.leave()


def stop(tab: Tab) -> None:
    """Choose another length of the run."""
    tab.write("Run, measure", "4 s")


@pytest.mark.parametrize("act", [stop, leave])
def test_a_move_and_a_closed_tab_cancel_a_long_run(tab: Tab, act: Callable[[Tab], None], cancelled: list[float]):
    tab.open(changed(short(), "measure", "199999 s"))
    tab.until(lambda: "the first" in tab.status)
    act(tab)
    tab.until(lambda: cancelled == [200_000.0])


def test_further_runs_show_their_progress_and_can_be_stopped(tab: Tab, endless_shares: float):
    tab.open(changed(short(), "measure", f"{endless_shares - 1.0:g} s"))
    digest = tab.digest()
    shares: set[float] = set()

    def is_moving() -> bool:
        shares.add(tab.bar())
        return len(shares - {0.0}) > 2

    tab.until(is_moving)
    tab.click("Stop")
    tab.until(lambda: "further runs, which were stopped" in tab.text(".x-lights"))
    assert digest in tab.status
    tab.until(lambda: not tab.is_visible(".x-bar"))
    # The network and the measured shares need no further run.
    assert "<svg" in tab.source("#network")
    tab.until(lambda: tab.chart("shares") == ["on south", "on north"])
    tab.click("Run again")
    tab.until(lambda: tab.is_visible(".x-bar"))
    tab.write("Run, measure", "4 s")
    tab.shows(short())
    tab.rests()
    assert tab.source("#goals").count("x-light ") == 3


def test_a_stopped_run_stands_beside_no_goals_of_an_earlier_state(tab: Tab):
    tab.open(short().but(compare=("olia",)))
    tab.digest()
    tab.rests()
    assert tab.source("#goals").count("x-light ") == 3
    assert len(tab.rows("#compare")) == 1
    tab.write("Link south, delay", "30 ms")
    tab.write("Run, measure", "20000 s")
    tab.until(lambda: "the first" in tab.status)
    tab.until(lambda: "x-light " not in tab.source("#goals") and not tab.rows("#compare"))
    # The start of the run is shown beside its own network.
    tab.until(lambda: "30 ms" in tab.text("#network"))
    tab.click("Stop")
    tab.until(lambda: "stopped, the start of the run is shown" in tab.status)
    tab.until(lambda: "not stopped" in tab.text(".x-lights"))
    tab.write("Run, measure", "4 s")
    tab.until(lambda: tab.source("#goals").count("x-light ") == 3 and len(tab.rows("#compare")) == 1)


def test_a_reload_restores_a_run_that_goes_on(tab: Tab):
    tab.open(short())
    tab.digest()
    tab.write("Run, measure", "20000 s")
    tab.until(lambda: "the first" in tab.status)
    tab.until(lambda: tab.state == changed(short(), "measure", "20000 s"))
    tab.open(tab.address)
    tab.until(lambda: "the first" in tab.status)
    assert tab.state == changed(short(), "measure", "20000 s")
    tab.write("Run, measure", "4 s")
    tab.shows(short())


def test_two_tabs_do_not_disturb_each_other(tab: Tab, simulation: Simulation):
    tab.open(short())
    first = tab.digest()
    other = Tab(simulation)
    other.open(short().but(seed=9))
    other.write("Run, seed", "10")
    other.shows(short().but(seed=10))
    other.leave()
    assert first in tab.status


def test_the_start_of_a_long_run_gets_the_other_colours_too(tab: Tab):
    tab.open(changed(short(), "measure", "20000 s"))
    tab.until(lambda: "the first" in tab.status)
    tab.click("Stop")
    tab.until(lambda: "stopped" in tab.status)
    before = tab.until(lambda: tab.option("picture"))["textStyle"]["color"]
    tab.click("Switch between light and dark")
    tab.until(lambda: tab.option("picture")["textStyle"]["color"] != before)


def test_a_window_that_becomes_narrow_gets_the_other_layout(tab: Tab):
    tab.open(short())
    tab.digest()
    tab.until(lambda: tab.chart("picture"))
    assert tab.option("picture")["legend"][1]["left"] > 0
    tab.emit("exploreNarrowerThan1000", True)
    # The legend is below the title of its plot.
    tab.until(lambda: tab.option("picture")["legend"][1]["left"] == 0)


@pytest.mark.filterwarnings("ignore:Glyph .* missing from")
def test_names_of_links_in_any_script_are_drawn(tab: Tab):
    link = presets.default().scenario.network.links["south"]
    network = mp.disjoint(線路=link, rätoromanisch=link)
    flows = {"多路": mp.Sctp(paths=["線路", "rätoromanisch"])}
    tab.open(State(mp.Scenario(network=network, flows=flows, warmup="1 s", measure="4 s")))
    tab.digest()
    tab.rests()
    assert "線路" in tab.text("#network")
    tab.until(lambda: "window of 多路 on 線路" in tab.chart("picture"))
