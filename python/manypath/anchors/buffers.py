"""One TCP flow through a drop-tail queue: how much of the link it uses, by the size of the buffer."""

from __future__ import annotations

from manypath.anchors.anchor import Anchor, Measure
from manypath.scenario import DropTail, Link, Saturated, Scenario, Tcp, disjoint

PACKET = 1040
"""Bytes of a data packet: 1000 of payload behind 40 of headers."""

PIPE = 200
"""Packets that fill the link for one round-trip time without queueing: the bandwidth-delay product."""

UTILISATIONS = {0.0: 0.750, 0.1: 0.818, 0.25: 0.893, 0.5: 0.964, 1.0: 1.000}
"""Buffer as part of the bandwidth-delay product, and what a window that swings between half and whole uses."""


def _scenario(buffer: float) -> Scenario:
    delay = 0.05
    rate = round(PIPE * PACKET * 8 / (2 * delay))
    # The queue proper has one place at least: a flow whose window grows sends two packets at once.
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
        says=f"part of a link that one TCP flow uses, with a drop-tail buffer of {buffer:g} bandwidth-delay products",
        source="mean of a window that swings between half and whole, cut off at the link's rate",
        expected=expected,
        within=0.03,
        measure=Measure((_scenario(buffer),), 4, lambda outcomes: outcomes[0]["links"]["path"]["utilisation"]),
    )


ANCHORS = tuple(_anchor(buffer, expected) for buffer, expected in UTILISATIONS.items())
"""Utilisation against buffer."""
