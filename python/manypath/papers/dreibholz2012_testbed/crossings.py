"""Where the curves of figure 4(a) cross: as the paper has it, as it came out, and with another reading of the setup."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.dreibholz2012_testbed.names import CMT, MPTCP, PLAIN, RPV1, RPV2, SINGLE
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.paired import estimate
from manypath.papers.paper import Table
from manypath.papers.predicates import crossing

Curve = tuple[str, str]
"""A congestion control, and the flow that is looked at beside it or under it."""

PLACES: tuple[tuple[str, str, Curve, Curve], ...] = (
    ("CMT/RPv2: the single-path flow overtakes", "about 4", (RPV2, CMT), (RPV2, SINGLE)),
    ("MPTCP-like: the single-path flow overtakes", "above 6", (MPTCP, CMT), (MPTCP, SINGLE)),
    ("CMT/RPv1: the CMT flow leaves the lower bound", "7 at most", (RPV1, CMT), (PLAIN, SINGLE)),
    ("CMT/RPv1: the single-path flow leaves the upper bound", "7 at most", (PLAIN, CMT), (RPV1, SINGLE)),
)
"""The southern rate in the paper's words, and the two curves. Below that rate the first curve is above the second."""


def _rows(evidence: Evidence) -> list[tuple[str, ...]]:
    if not evidence.levels("figure4", "south"):
        return []
    return [
        (words, paper, _place(evidence, "figure4", first, second), _place(evidence, "figure4-rival", first, second))
        for words, paper, first, second in PLACES
    ]


def _place(evidence: Evidence, experiment: str, first: Curve, second: Curve) -> str:
    """Say where two curves cross, with an interval from leaving out one replication at a time (jackknife)."""
    above, below = (evidence.sweep(experiment, "south", flow, cc=cc) for cc, flow in (first, second))
    gaps = {south: above[south] - below[south] for south in above}
    whole = _crossing(gaps, np.mean)
    if whole is None:
        return "not crossed" if gaps else "not run"
    runs = min(len(gap) for gap in gaps.values())
    if runs == 1:
        return f"{whole:.2f}"
    parts = [_crossing(gaps, lambda gap, run=run: np.delete(gap, run).mean()) for run in range(runs)]
    found = np.array([part for part in parts if part is not None])
    return f"{whole:.2f}" if len(found) < runs else estimate(runs * whole - (runs - 1) * found)


def _crossing(gaps: dict[float, Sample], mean: Callable[[Sample], float]) -> float | None:
    return crossing([(south, float(mean(gap))) for south, gap in gaps.items()])


CROSSINGS = Table(
    name="Crossings of figure 4(a)",
    caption="Southern rates at which curves cross, with 95 % intervals. The last column has one thing changed: each "
    "packet of the single-path flow is acknowledged, not every second one.",
    head=("curves", "paper, Mbit/s", "here", "rival acknowledged for each packet"),
    rows=_rows,
)
