"""Anchors: utilisation of a link by one TCP flow, by the size of a drop-tail buffer."""

from __future__ import annotations

from manypath.anchors.anchor import Anchor, Measure
from manypath.scenario import DropTail, Link, Saturated, Scenario, Tcp, disjoint

PACKET = 1040
"""Size of a data packet, bytes: 40 of headers and 1000 of payload."""

PIPE = 200
"""Bandwidth-delay product without queueing, packets."""

UTILISATIONS = {0.0: 0.750, 0.1: 0.818, 0.25: 0.893, 0.5: 0.964, 1.0: 1.000}
"""Utilisation by a window that oscillates between W/2 and W, by buffer size in bandwidth-delay products."""


def _scenario(buffer: float) -> Scenario:
    delay = 0.05
    rate = round(PIPE * PACKET * 8 / (2 * delay))
    # The queue has at least one place, because a flow sends two packets at once when its window grows.
    queue = DropTail(packets=max(1, round(buffer * PIPE)))
    link = Link(rate=f"{rate} bit/s", delay=f"{delay * 1000:g} ms", queue=queue, overhead=0)
    back = Link(rate="1 Gbit/s", delay=f"{delay * 1000:g} ms", queue=DropTail(packets=10_000), overhead=0)
    network = disjoint(path=link)
    flow = Tcp(
        path="path", mss="1 kB", ack_every=1, send_buffer="4 MB", receive_buffer="4 MB", app=Saturated(message="1 kB")
    )
    return Scenario(
        network=network.but(links={"path": link, "path/back": back}),
        flows={"flow": flow},
        warmup="100 s",
        measure="1000 s",
    )


def _anchor(buffer: float, expected: float) -> Anchor:
    return Anchor(
        id=f"buffer/{buffer:g}",
        says=f"utilisation of a link by one TCP flow, with a drop-tail buffer of {buffer:g} bandwidth-delay products",
        source="mean rate of a window that oscillates between W/2 and W, limited by the link's rate",
        expected=expected,
        within=0.03,
        measure=Measure((_scenario(buffer),), 4, lambda outcomes: outcomes[0]["links"]["path"]["utilisation"]),
    )


ANCHORS = tuple(_anchor(buffer, expected) for buffer, expected in UTILISATIONS.items())
"""Anchors of utilisation by buffer size."""
