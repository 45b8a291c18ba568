"""Presets of the papers in a browser: each of them is drawn (`make test-long`)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import Browser, linked
from states import expected

import manypath as mp
from manypath.explore import presets


@pytest.mark.long
@pytest.mark.parametrize("heading", presets.headings()[1:])
def test_every_preset_of_a_paper_is_drawn(
    browser: Browser, address: str, heading: str, shortened: Callable[[mp.Scenario], mp.Scenario]
):
    for name in presets.names(heading):
        state = presets.preset(heading, name)
        state = state.but(scenario=shortened(state.scenario))
        assert browser.open(linked(address, state)) == expected(state), name
        assert browser.until(lambda: browser.chart("picture")), name
        assert browser.errors() == [], name
