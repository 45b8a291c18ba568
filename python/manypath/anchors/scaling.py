"""Anchors: invariance to the order of paths, and proportionality to the time scale and to the weight of a flow."""

from __future__ import annotations

from manypath.anchors.anchor import Anchor, GivenLosses, Measure

LOSSES = (0.001, 0.004)
"""Probability of a loss on each of two paths."""

RTTS = (0.1, 0.05)
"""Round-trip times of two paths, seconds."""

PACKETS = 8_000_000
"""Packets that are counted in each run."""

COUPLED = ("lia", "olia", "balia", "coupled", "cmt-rpv2")
"""Algorithms with coupled paths."""

WEIGHTS = (0.25, 0.5, 0.8)
"""Weights D of AIMD(D^2, 1/2)."""


def _equal_to_coupled() -> Anchor:
    runs = [GivenLosses(cc, LOSSES, (0.1, 0.1), PACKETS) for cc in ("cmt-rpv2", "coupled")]
    return Anchor(
        id="scaling/rpv2-is-coupled",
        says="rate of CMT/RPv2 over rate of the fully coupled algorithm, losses of 0.1% and 0.4%, equal RTTs",
        source="[D11] section III-B.2 with equal RTTs: both halve the total and add one packet per total window",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 8, lambda rates: sum(rates[0]) / sum(rates[1])),
    )


def _order(cc: str) -> Anchor:
    runs = [GivenLosses(cc, losses, rtts, PACKETS) for losses, rtts in ((LOSSES, RTTS), (LOSSES[::-1], RTTS[::-1]))]
    return Anchor(
        id=f"scaling/order/{cc}",
        says=f"{cc}: rate of a path as the first path over its rate as the second path",
        source="the order of paths does not matter",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 8, lambda rates: rates[0][0] / rates[1][1]),
    )


def _time(cc: str) -> Anchor:
    # Times are whole nanoseconds: rounding changes which path sends first, so the two runs have different losses.
    runs = [GivenLosses(cc, LOSSES, tuple(k * rtt for rtt in RTTS), PACKETS // 2) for k in (1, 3)]
    return Anchor(
        id=f"scaling/time/{cc}",
        says=f"{cc}: three times the rate with tripled RTTs over the rate with the original RTTs",
        source="windows do not depend on the unit of time",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 4, lambda rates: 3 * sum(rates[1]) / sum(rates[0])),
    )


def _weight(weight: float) -> Anchor:
    runs = [GivenLosses(cc, (0.0005,), (0.1,), PACKETS) for cc in (f"weighted-aimd:weight={weight:g}", "newreno")]
    return Anchor(
        id=f"scaling/weight/{weight:g}",
        says=f"rate of weighted AIMD with D = {weight:g} over rate of TCP, both with losses of 0.05%",
        source="[H09] eq. 3.2 with a = D^2, b = 1/2",
        expected=weight,
        within=0.02,
        measure=Measure(runs, 8, lambda rates: rates[0][0] / rates[1][0]),
    )


ANCHORS = (
    _equal_to_coupled(),
    *(_order(cc) for cc in COUPLED),
    *(_time(cc) for cc in COUPLED),
    *(_weight(weight) for weight in WEIGHTS),
)
"""Anchors with exact ratios."""
