"""Anchors: rates of the coupled algorithms (`table`), measured with Multipath TCP over links with random losses."""

from __future__ import annotations

from typing import Any

from manypath.anchors.anchor import Anchor, Measure
from manypath.anchors.table import RTT, Entry, entries
from manypath.scenario import Bernoulli, DropTail, Link, Mptcp, Saturated, Scenario, disjoint

MSS = 1000
"""Payload of a segment, bytes."""

SECONDS = 400
"""Measured time of a run, seconds."""


def scenario(cc: str, losses: tuple[float, float]) -> Scenario:
    """Return a scenario with a connection over two fast links, where only losses limit the rate."""
    first, second = (
        Link(
            rate="1 Gbit/s",
            delay=f"{RTT / 2 * 1000:g} ms",
            queue=DropTail(packets=10_000),
            loss=Bernoulli(p=loss),
            overhead=0,
        )
        for loss in losses
    )
    flow = Mptcp(
        paths=("first", "second"),
        cc=cc,
        mss=f"{MSS} B",
        option_bytes=0,
        ack_every=1,
        send_buffer="16 MB",
        receive_buffer="16 MB",
        app=Saturated(message=f"{MSS} B"),
    )
    return Scenario(
        # In the formulas only data is lost.
        network=disjoint(first=first, second=second).with_clean_way_back(),
        flows={"flow": flow},
        warmup="40 s",
        measure=f"{SECONDS} s",
    )


def _rates(outcome: dict[str, Any]) -> list[float]:
    return [path["data_packets"] / SECONDS for path in outcome["flows"]["flow"]["paths"].values()]


def _anchor(entry: Entry) -> Anchor:
    run = scenario(entry.cc, entry.losses)
    says = f"packets/s of Multipath TCP with {entry.cc} under losses of {entry.scenario}, {entry.where}"
    return entry.anchor("protocol", says, 0.15, Measure((run,), 8, lambda outcomes: entry.take(_rates(outcomes[0]))))


ANCHORS = tuple(_anchor(entry) for entry in entries())
"""Anchors of the full protocol, within 15 %."""
