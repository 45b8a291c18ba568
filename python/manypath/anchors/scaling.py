"""What must not matter, or matter in proportion: the order of paths, the unit of time, the weight of a flow."""

from __future__ import annotations

from manypath.anchors.anchor import Anchor, GivenLosses, Measure

LOSSES = (0.001, 0.004)
"""Probability of a loss on each of two paths."""

RTTS = (0.1, 0.05)
"""Round-trip times of two paths, seconds."""

PACKETS = 8_000_000
"""Packets that count in each run."""

COUPLED = ("lia", "olia", "balia", "coupled", "cmt-rpv2")
"""Algorithms whose paths depend on each other."""

WEIGHTS = (0.25, 0.5, 0.8)
"""Weights D of AIMD(D^2, 1/2)."""


def _equal_to_coupled() -> Anchor:
    runs = [GivenLosses(cc, LOSSES, (0.1, 0.1), PACKETS) for cc in ("cmt-rpv2", "coupled")]
    return Anchor(
        id="scaling/rpv2-is-coupled",
        says="CMT/RPv2 over the fully coupled algorithm, packets/s, losses of 0.1% and 0.4%, equal round trips",
        source="[D11] section III-B.2 with equal round-trip times: both halve the total, both add one per total window",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 8, lambda rates: sum(rates[0]) / sum(rates[1])),
    )


def _order(cc: str) -> Anchor:
    runs = [GivenLosses(cc, losses, rtts, PACKETS) for losses, rtts in ((LOSSES, RTTS), (LOSSES[::-1], RTTS[::-1]))]
    return Anchor(
        id=f"scaling/order/{cc}",
        says=f"{cc}: packets/s of the first path over those of the same path when it is the second",
        source="paths have no order",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 8, lambda rates: rates[0][0] / rates[1][1]),
    )


def _time(cc: str) -> Anchor:
    # Instants are whole nanoseconds: rounding changes which path sends first, so the two runs meet different losses.
    runs = [GivenLosses(cc, LOSSES, tuple(k * rtt for rtt in RTTS), PACKETS // 2) for k in (1, 3)]
    return Anchor(
        id=f"scaling/time/{cc}",
        says=f"{cc}: packets/s with three times the round-trip times, times three, over those without",
        source="windows know no unit of time",
        expected=1.0,
        within=0.02,
        measure=Measure(runs, 4, lambda rates: 3 * sum(rates[1]) / sum(rates[0])),
    )


def _weight(weight: float) -> Anchor:
    runs = [GivenLosses(cc, (0.0005,), (0.1,), PACKETS) for cc in (f"weighted-aimd:weight={weight:g}", "newreno")]
    return Anchor(
        id=f"scaling/weight/{weight:g}",
        says=f"weighted AIMD with D = {weight:g} over TCP, packets/s, at an equal loss of 0.05%",
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
"""Ratios that theory knows exactly."""
