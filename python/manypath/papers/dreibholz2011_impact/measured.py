"""Figure 3 as real stacks measured it, beside simulations with the same seeds."""

from __future__ import annotations

from manypath.papers.dreibholz import TITLES
from manypath.papers.dreibholz2011_impact.names import FLOWS
from manypath.papers.measured import Measurement, published
from manypath.papers.measured_stacks import beside_the_stacks
from manypath.papers.sweeps import Controls, SweepPlot

SWEEP = SweepPlot("figure3", "north", "5 Mbit/s shared in the south", "northern rate in Mbit/s")
"""Figure 3."""

CURVES = Controls(TITLES, FLOWS)
"""Its curves."""


def measurements() -> tuple[Measurement, ...]:
    """Return the published runs."""
    return published("dreibholz2011_impact")


BESIDE_THE_STACKS = beside_the_stacks("Figure 3 measured: simulation, our stack, usrsctp", FLOWS, measurements)
