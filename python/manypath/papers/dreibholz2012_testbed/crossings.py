"""The crossings of the curves of figure 4(a): in the paper, here, and with a SACK for every single-path packet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable
from manypath.papers.predicates import crossing

Curve = tuple[str, str]
"""A congestion control, and one of the flows under it."""

PLACES: tuple[tuple[str, str, Curve, Curve], ...] = (
    ("CMT/RPv2: the single-path flow overtakes", "about 4", (RPV2, CMT), (RPV2, SINGLE)),
    ("MPTCP-like: the single-path flow overtakes", "above 6", (MPTCP, CMT), (MPTCP, SINGLE)),
    ("CMT/RPv1: the CMT flow falls below the lower bound", "7 at most", (RPV1, CMT), (PLAIN, SINGLE)),
    ("CMT/RPv1: the single-path flow exceeds the upper bound", "7 at most", (PLAIN, CMT), (RPV1, SINGLE)),
)
"""The crossing, the paper's southern rate, and two curves; at lower rates the first is above the second."""


def _rows(evidence: Evidence) -> list[tuple[str, ...]]:
    if not evidence.levels("figure4", "south"):
        return []
    return [
        (words, paper, _place(evidence, "figure4", first, second), _place(evidence, "figure4-rival", first, second))
        for words, paper, first, second in PLACES
    ]


def _place(evidence: Evidence, experiment: str, first: Curve, second: Curve) -> str:
    """Return the crossing of two curves in words, with a jackknife interval over the replications."""
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


CROSSINGS = PaperTable(
    name="Crossings of figure 4(a)",
    caption="Southern rates at which curves cross, with 95 % intervals. In the last column the receiver of the "
    "single-path flow sends a SACK for each packet, not for every second one.",
    head=("curves", "paper, Mbit/s", "here", "SACK for each single-path packet"),
    rows=_rows,
)
