"""Anchors: shares of a bottleneck between flows of different kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manypath.anchors.anchor import Anchor, Measure
from manypath.scenario import Link, Mptcp, Red, Saturated, Scenario, Sctp, Tcp, bottleneck

QUEUE = Red(weight=0.002, min=25, max=75, max_p=0.1, gentle=True, packets=300)
"""Gentle RED: all packets have about the same drop probability."""

LINK = Link(rate="20 Mbit/s", delay="20 ms", queue=QUEUE, overhead=0)
"""The bottleneck; the round-trip time is 40 ms without queueing."""

BUFFERS = {"send_buffer": "4 MB", "receive_buffer": "4 MB"}
"""Buffers that never limit the window."""

TCP: dict[str, Any] = {"ack_every": 1, "mss": "1460 B", "app": Saturated(message="1460 B"), **BUFFERS}
"""Settings of all TCP flows."""

RIVAL = Tcp(path="path1", **TCP)
"""The competing TCP flow."""


def _share(outcomes: Sequence[Any]) -> float:
    """Return the share of the flow in the goodput of flow and rival."""
    flows = outcomes[0]["flows"]
    return flows["flow"]["goodput"] / sum(flow["goodput"] for flow in flows.values())


def _anchor(name: str, says: str, source: str, expected: float, flow: Mptcp | Tcp | Sctp) -> Anchor:
    paths = max(len(flow.paths), 1)
    run = Scenario(
        network=bottleneck(LINK, paths=paths), flows={"flow": flow, "rival": RIVAL}, warmup="50 s", measure="450 s"
    )
    measure = Measure((run,), 8, _share)
    return Anchor(id=f"sharing/{name}", says=says, source=source, expected=expected, within=0.15, measure=measure)


def _uncoupled(subflows: int) -> Anchor:
    return _anchor(
        f"uncoupled/{subflows}",
        f"share of {subflows} uncoupled subflows beside one TCP flow",
        "each subflow counts as one flow: N / (N + 1)",
        subflows / (subflows + 1),
        Mptcp(paths=[f"path{number}" for number in range(1, subflows + 1)], cc="newreno", **_without_options()),
    )


def _coupled(cc: str) -> Anchor:
    return _anchor(
        f"coupled/{cc}",
        f"share of two subflows coupled by {cc} beside one TCP flow",
        "a coupled connection is one flow: 1/2",
        0.5,
        Mptcp(paths=["path1", "path2"], cc=cc, **_without_options()),
    )


def _weighted(weight: float) -> Anchor:
    return _anchor(
        f"weighted/{weight:g}",
        f"share of a weighted AIMD flow with D = {weight:g} beside one TCP flow",
        "[H09] section 3.1: D to 1, which is D / (D + 1)",
        weight / (weight + 1),
        Tcp(path="path1", cc=f"weighted-aimd:weight={weight:g}", **TCP),
    )


def _sctp() -> Anchor:
    flow = Sctp.standard("path1", profile="rfc9260", sack_every=1, app=Saturated(message="1452 B"), **BUFFERS)
    return _anchor(
        "sctp",
        "share of standard SCTP on a single path beside one TCP flow",
        "RFC 9260 section 7: congestion control as aggressive as TCP",
        0.5,
        flow,
    )


def _without_options() -> dict[str, Any]:
    """Return settings of the multipath flows, with segments as large as the rival's."""
    return {**TCP, "option_bytes": 0}


ANCHORS = (
    *(_uncoupled(subflows) for subflows in (1, 2, 4)),
    *(_coupled(cc) for cc in ("lia", "olia", "balia", "coupled", "cmt-rpv2", "ewtcp")),
    *(_weighted(weight) for weight in (0.5, 0.8)),
    _sctp(),
)
"""Anchors of shares of a bottleneck."""
