"""Figures 3(b) and 4(b) as real stacks measured them, beside simulations with the same seeds."""

from __future__ import annotations

from manypath.figures import Picture
from manypath.papers.dreibholz import TITLES
from manypath.papers.dreibholz2012_testbed.names import FLOWS
from manypath.papers.evidence import Evidence
from manypath.papers.measured import Measurement, evidence, of_stack, published, simulation
from manypath.papers.measured_stacks import beside_the_stacks, draw_by_stack
from manypath.papers.sweeps import Controls, SweepPlot

TESTBED = "usrsctp"
"""The stack that decides the claims: the paper's testbed ran FreeBSD, and usrsctp is FreeBSD's stack."""

SWEEPS = (
    SweepPlot("figure3", "rate", "both paths over one bottleneck", "rate of the bottleneck in Mbit/s"),
    SweepPlot("figure4", "south", "2.5 Mbit/s in the north", "southern rate in Mbit/s"),
)
"""Figures 3 and 4."""

CURVES = Controls(TITLES, FLOWS)
"""Their curves."""


def measurements() -> tuple[Measurement, ...]:
    """Return the published runs."""
    return published("dreibholz2012_testbed")


def measured(stack: str = TESTBED) -> Evidence:
    """Return the measured runs of a stack."""
    return evidence(of_stack(measurements(), stack))


def simulated(stack: str = TESTBED) -> Evidence:
    """Return the simulations with the seeds of the measured runs of a stack."""
    return simulation(of_stack(measurements(), stack))


def by_stack(sweep: SweepPlot) -> Picture:
    """Draw a plot for each stack."""
    return draw_by_stack(sweep, CURVES, measurements())


BESIDE_THE_STACKS = beside_the_stacks(
    "Figures 3(b) and 4(b) measured: simulation, our stack, usrsctp", FLOWS, measurements
)
