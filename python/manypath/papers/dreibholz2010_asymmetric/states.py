"""The two states of figure 4 left without a split receive buffer, and what switches them."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.measured import SLOWED, measurements
from manypath.papers.dreibholz2010_asymmetric.names import CMT, NONE, OVERRUNS
from manypath.papers.evidence import Case, Evidence, goodput_in
from manypath.papers.measured_stacks import STACKS
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable

EARLY, LATE = "figure4-early", "figure4-late"
"""The experiments before and after the first default heartbeat."""

PATHS_OF_SACKS = {"last-data": "that of the last packet", "smallest-srtt": "that with the smallest round-trip time"}


def _rows(results: Evidence) -> list[tuple[str, ...]]:
    cases = [dict(case.factors) for case in results.cases() if case.experiment == EARLY]
    simulated = [
        (
            PATHS_OF_SACKS[str(levels["sack_path"])],
            OVERRUNS[str(levels["overrun"])],
            str(levels["heartbeats"]),
            *(estimate(results.goodput(plot, CMT, **levels)) for plot in (EARLY, LATE)),
            "",
        )
        for levels in cases
    ]
    return simulated + (_measured() if simulated else [])


def _measured() -> list[tuple[str, ...]]:
    """Return the rates of real stacks in the same scenario, as rates of the paper."""
    case = Case.of("figure4-left", split=NONE, capacity=100)
    return [
        (f"measured: {STACKS[run.stack]}", "", "", "", "", estimate(SLOWED * goodput_in(run.outcomes, CMT)))
        for run in measurements()
        if run.case == case
    ]


TWO_STATES = PaperTable(
    name="Figure 4 left at 100 packets without splitting: two states",
    caption="Payload rate in Mbit/s with 95 % intervals, from 5 to 25 s and from 40 to 79 s. The first heartbeat of the"
    " default interval is sent after 30 s. A row whose two rates differ changes its state within the paper's window. "
    f"The paper prints 20 Mbit/s. Measured rows are {SLOWED} times the rates of real stacks over emulated links, over "
    "their whole window.",
    head=("path of a SACK", "full peer window", "interval of heartbeats", "5 to 25 s", "40 to 79 s", "whole window"),
    rows=_rows,
)
