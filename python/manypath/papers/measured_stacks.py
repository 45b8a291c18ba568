"""A paper's experiments as our stack and usrsctp measured them over emulated links: table and figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from manypath.figures import Picture
from manypath.papers.evidence import Case, Evidence, goodput_in
from manypath.papers.measured import Measurement, evidence, of_stack
from manypath.papers.paired import estimate
from manypath.papers.paper import PaperTable
from manypath.papers.sweeps import Controls, SweepPlot, draw_beside

STACKS = {"manypath": "our stack", "usrsctp": "usrsctp"}
"""The stacks, with their names in tables and figures."""

NONE = "–"
"""Text of a table cell without a run."""


def beside_the_stacks(
    name: str, flows: Mapping[str, str], measurements: Callable[[], Iterable[Measurement]], scaling: str = ""
) -> PaperTable:
    """Return the table of a paper's measured goodput.

    Parameters
    ----------
    name
        Heading of the table.
    flows
        Names of flows, with their names in the table.
    measurements
        Function that returns the measured runs.
    scaling
        A sentence about scenarios that are not measured at the paper's own rates.
    """

    def rows(_: Evidence) -> list[tuple[str, ...]]:
        by_case: dict[Case, dict[str, Measurement]] = {}
        for each in measurements():
            by_case.setdefault(each.case, {})[each.stack] = each
        return [
            (str(case), words, _simulated(found, flow), *(_measured(found.get(stack), flow) for stack in STACKS))
            for case, found in by_case.items()
            for flow, words in flows.items()
        ]

    return PaperTable(
        name=name,
        caption="Goodput in Mbit/s with 95 % intervals; in parentheses the ratio to the simulated mean. The stacks ran "
        "the scenarios over emulated links. Simulations have the seeds of the measured runs. Marked runs were "
        f"disturbed. {scaling}".rstrip(),
        head=("case", "flow", "simulated", *STACKS.values()),
        rows=rows,
    )


def draw_by_stack(sweep: SweepPlot, curves: Controls, measurements: Iterable[Measurement]) -> Picture:
    """Draw a plot for each stack."""
    runs = list(measurements)
    panels = [(replace(sweep, title=words), evidence(of_stack(runs, stack))) for stack, words in STACKS.items()]
    return draw_beside(panels, curves)


def _simulated(found: Mapping[str, Measurement], flow: str) -> str:
    """Return the mean of the simulations; of stacks with different numbers of runs, the one with most runs."""
    longest = max((each.simulated for each in found.values()), key=len)
    return estimate(goodput_in(longest, flow)) if longest else NONE


def _measured(measurement: Measurement | None, flow: str) -> str:
    """Return the mean of the measured runs, and its ratio to the simulated mean."""
    if measurement is None:
        return NONE
    runs, simulations = goodput_in(measurement.outcomes, flow), goodput_in(measurement.simulated, flow)
    marked = f", {measurement.marked} marked" if measurement.marked else ""
    return f"{estimate(runs)} ({np.mean(runs) / np.mean(simulations):.3f}{marked})"
