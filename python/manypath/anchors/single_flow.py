"""Anchors: the square-root formula and its constant, for one flow under given losses."""

from __future__ import annotations

import math

from manypath.anchors.anchor import Anchor, GivenLosses, Measure

RTT = 0.1
"""Round-trip time, seconds; the constants do not depend on it."""

BERNOULLI = {1e-4: 1.3134, 1e-3: 1.3194, 1e-2: 1.3416}
"""x RTT sqrt(p) of AIMD(1, 1/2) with at most one halving per RTT, by loss: Monte Carlo, 95 % half-width 0.2 %."""


def _periodic(loss: float) -> Anchor:
    run = GivenLosses("newreno", (loss,), (RTT,), packets=2_000_000, periodic=True)
    return Anchor(
        id=f"single/periodic/{loss:g}",
        says=f"packets/s of one flow that loses every {1 / loss:,.0f}th packet, RTT of 100 ms",
        source="sqrt(3/2) / (RTT sqrt(p)), Mathis et al. 1997",
        expected=math.sqrt(1.5) / (RTT * math.sqrt(loss)),
        within=0.02,
        measure=Measure((run,), 1, lambda rates: rates[0][0]),
    )


def _bernoulli(loss: float, constant: float) -> Anchor:
    run = GivenLosses("newreno", (loss,), (RTT,), packets=PACKETS[loss])
    return Anchor(
        id=f"single/bernoulli/{loss:g}",
        says=f"x RTT sqrt(p) of one flow under independent losses, p = {loss:g}",
        source="Monte Carlo of AIMD(1, 1/2); 1.3098 as p goes to 0 (Ott, Kemperman, Mathis)",
        expected=constant,
        within=0.02,
        measure=Measure((run,), 8, lambda rates: rates[0][0] * RTT * math.sqrt(loss)),
    )


PACKETS = {1e-4: 30_000_000, 1e-3: 6_000_000, 1e-2: 1_000_000}
"""Packets of a run by loss probability, for some thousand losses."""

ANCHORS = (
    *(_periodic(loss) for loss in (1e-2, 1e-3, 1e-4)),
    *(_bernoulli(loss, constant) for loss, constant in BERNOULLI.items()),
)
"""Anchors of a single flow."""
