"""Figures 3(b) and 4(b) as real stacks measured them, beside simulations with the same seeds."""

from __future__ import annotations

from functools import cache

import numpy as np

from manypath.papers import kept
from manypath.papers.dreibholz import TITLES
from manypath.papers.dreibholz2012_testbed.names import FLOWS
from manypath.papers.evidence import Case, Evidence, goodput_in
from manypath.papers.measured import Measurement, evidence, of_stack, parse, simulation
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable
from manypath.papers.sweeps import Controls, SweepPlot

STACKS = {"manypath": "our stack", "usrsctp": "usrsctp"}
"""The stacks, with their names in tables and figures."""

TESTBED = "usrsctp"
"""The stack that decides the claims: the paper's testbed ran FreeBSD, and usrsctp is FreeBSD's stack."""

SWEEPS = (
    SweepPlot("figure3", "rate", "both paths over one bottleneck", "rate of the bottleneck in Mbit/s"),
    SweepPlot("figure4", "south", "2.5 Mbit/s in the north", "southern rate in Mbit/s"),
)
"""Figures 3 and 4."""

CURVES = Controls(TITLES, FLOWS)
"""Their curves."""


@cache
def measurements() -> tuple[Measurement, ...]:
    """Return the measured runs in the file beside this one; none if there is no file."""
    file = kept.file_of("dreibholz2012_testbed", "measured.json")
    return tuple(parse(file.read_text("utf-8"))) if file.exists() else ()


def measured(stack: str = TESTBED) -> Evidence:
    """Return the measured runs of a stack."""
    return evidence(of_stack(measurements(), stack))


def simulated(stack: str = TESTBED) -> Evidence:
    """Return the simulations with the seeds of the measured runs of a stack."""
    return simulation(of_stack(measurements(), stack))


def _rows(_: Evidence) -> list[tuple[str, ...]]:
    by_case: dict[Case, dict[str, Measurement]] = {}
    for each in measurements():
        by_case.setdefault(each.case, {})[each.stack] = each
    return [
        (str(case), words, _simulated(found, flow), *(_measured(found.get(stack), flow) for stack in STACKS))
        for case, found in by_case.items()
        for flow, words in FLOWS.items()
    ]


def _simulated(found: dict[str, Measurement], flow: str) -> str:
    """Return the mean of the simulations that any stack has."""
    longest = max((each.simulated for each in found.values()), key=len)
    return estimate(goodput_in(longest, flow)) if longest else "–"


def _measured(measurement: Measurement | None, flow: str) -> str:
    """Return the mean of the measured runs, and its ratio to the simulated mean."""
    if measurement is None:
        return "–"
    runs, simulations = goodput_in(measurement.outcomes, flow), goodput_in(measurement.simulated, flow)
    marked = f", {measurement.marked} marked" if measurement.marked else ""
    return f"{estimate(runs)} ({np.mean(runs) / np.mean(simulations):.3f}{marked})"


BESIDE_THE_STACKS = PaperTable(
    name="Figures 3(b) and 4(b) measured: simulation, our stack, usrsctp",
    caption="Goodput in Mbit/s with 95 % intervals; in parentheses the ratio to the simulated mean. The stacks ran the "
    "scenarios over emulated links. Simulations have the seeds of the measured runs. Marked runs were disturbed.",
    head=("case", "flow", "simulated", *STACKS.values()),
    rows=_rows,
)
