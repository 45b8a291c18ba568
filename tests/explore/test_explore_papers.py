"""Presets of the papers in a browser: each of them is drawn (`make explore-long`)."""

from __future__ import annotations

import pytest
from browser import Browser, expected, linked

from manypath.explore import presets
from manypath.explore.state import State


def shortened(state: State) -> State:
    """Return a state with a run of 2 s after the last start, without changes of links."""
    scenario = state.scenario
    end = 2 + max(flow.start.latest / 1e9 for flow in scenario.flows.values())
    links = {name: link.but(events=()) if link.events else link for name, link in scenario.network.links.items()}
    network = scenario.network.but(links=links)
    return state.but(scenario=scenario.but(network=network, warmup="0 s", measure=f"{end:.3f} s"))


@pytest.mark.explore_long
@pytest.mark.parametrize("heading", presets.headings()[1:])
def test_every_preset_of_a_paper_is_drawn(browser: Browser, address: str, heading: str):
    for name in presets.names(heading):
        state = shortened(presets.preset(heading, name))
        assert browser.open(linked(address, state)) == expected(state), name
        assert browser.until(lambda: browser.chart("picture")), name
        assert browser.errors() == [], name
