"""Memory of the explorer and of the browser over a thousand moves (`make test-long`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser, Server, linked
from states import short

MOVES = 1000
"""Number of moves."""

SETTLED = 200
"""Move from which memory must not grow: allocators and caches are filled until then."""

LEAST_KEPT = 100_000
"""Bytes of the smallest thing that a move could leave behind, the option of a chart."""


def kept(server: Server, browser: Browser) -> tuple[int, int]:
    """Return the memory of the server, and that of the scripts of the page after a collection, bytes."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    heap = browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})
    return 1024 * resident, int(heap["usedSize"])


@pytest.mark.long
def test_memory_does_not_grow_over_a_thousand_moves(browser: Browser, server: Server):
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(server.address, short()))
    slider = browser.slider("Link south, rate")
    before = (0, 0)
    for move in range(2, MOVES + 2):
        slider.send_keys(Keys.ARROW_LEFT if move % 8 < 4 else Keys.ARROW_RIGHT)
        browser.until(lambda move=move: f"move {move}: 5 s of network" in browser.status)
        if move == SETTLED:
            before = kept(server, browser)
    after = kept(server, browser)
    allowed = (MOVES - SETTLED) * LEAST_KEPT / 2
    assert after[0] - before[0] < allowed
    assert after[1] - before[1] < allowed
