"""Anchors: rates of the coupled algorithms (`table`), measured with the algorithms alone under given losses."""

from __future__ import annotations

from manypath.anchors.anchor import Anchor, GivenLosses, Measure
from manypath.anchors.table import RTT, Entry, entries


def _anchor(entry: Entry) -> Anchor:
    packets = 2_000_000 if entry.scenario == "1%+1%" else 8_000_000
    run = GivenLosses(entry.cc, entry.losses, (RTT, RTT), packets)
    says = f"packets/s of {entry.cc} under losses of {entry.scenario}, round trips of 100 ms, {entry.where}"
    return entry.anchor("losses", says, 0.02, Measure((run,), 8, lambda rates: entry.take(rates[0])))


ANCHORS = tuple(_anchor(entry) for entry in entries())
"""Anchors of the algorithms alone, within 2 %."""
