"""Experiments of papers that real stacks run. `PAPER_GRIDS` has one entry for each paper."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from manypath.papers.dreibholz import ALL
from manypath.papers.dreibholz2010_asymmetric import measured as measured10
from manypath.papers.dreibholz2010_asymmetric import names as d10
from manypath.papers.dreibholz2010_asymmetric.paper import PAPER as D10
from manypath.papers.dreibholz2011_impact import measured as measured11
from manypath.papers.dreibholz2011_impact.paper import PAPER as D11
from manypath.papers.dreibholz2012_testbed import measured as measured12
from manypath.papers.dreibholz2012_testbed.paper import PAPER as D12
from manypath.papers.evidence import Case
from manypath.papers.experiment import Grid
from manypath.papers.gonzalez2012_mptcp import names as g12
from manypath.papers.gonzalez2012_mptcp.paper import PAPER as G12
from manypath.papers.measured import KERNEL
from manypath.papers.measured_stacks import STACKS
from manypath.papers.paper import Paper
from manypath.papers.sweeps import Controls, SweepPlot
from manypath.scenario import Link, Scenario
from manypath.testbed.comparisons import as_real
from manypath.testbed.runner import AROUND, SETTLING


@dataclass(frozen=True)
class PaperSize:
    """The amount of measurements.

    Attributes
    ----------
    grids : mapping
        For each experiment of the paper, the levels of its factors.
    warmup, measure : float
        Transient and measured window of each run, in seconds.
    runs : int
        Runs of each case by each stack.
    """

    grids: Mapping[str, Grid]
    warmup: float
    measure: float
    runs: int

    def cases(self) -> Iterator[Case]:
        """Yield all cases, experiment by experiment."""
        for experiment, grid in self.grids.items():
            for levels in product(*grid.values()):
                yield Case.of(experiment, **dict(zip(grid, levels, strict=True)))

    def under(self, controls: Container[object]) -> Iterator[Case]:
        """Yield the cases of some congestion controls. Cases without this factor are left out."""
        return (case for case in self.cases() if dict(case.factors).get(CONTROL) in controls)

    @property
    def controls(self) -> tuple[str, ...]:
        """The congestion controls of all cases; none if they are not a factor."""
        return tuple(dict.fromkeys(str(each) for grid in self.grids.values() for each in grid.get(CONTROL, ())))

    def seconds(self, runs: int, at_once: int) -> float:
        """Return the duration of this number of runs in seconds."""
        return runs * (self.warmup + self.measure + SETTLING + AROUND) / at_once


@dataclass(frozen=True)
class PaperGrid:
    """Experiments of a paper, measured with several stacks and simulated with the same seeds.

    Attributes
    ----------
    paper : Paper
        The paper.
    title : str
        Description of the experiments in one line.
    stacks : mapping
        The stacks by the names of `manypath measure --stack`, with their names in tables.
    sweeps : tuple of SweepPlot
        The plots of the page. Each has a panel for the simulations and a panel for each stack.
    curves : Controls
        The curves of each plot. The goodput of their flows is compared.
    quick, full : PaperSize
        A part that takes minutes, and the whole grid, which takes many hours.
    fastest : float
        Largest rate of a bottleneck in Mbit/s; the calibration must support it.
    adapted : callable
        Converts a scenario of the paper to the scenario that is measured and simulated.
    at_once : int
        Default number of concurrent measurements; two processors carry them.
    """

    paper: Paper
    title: str
    stacks: Mapping[str, str]
    sweeps: tuple[SweepPlot, ...]
    curves: Controls
    quick: PaperSize
    full: PaperSize
    fastest: float
    adapted: Callable[[Scenario], Scenario] = lambda scenario: scenario
    at_once: int = 8

    @property
    def flows(self) -> tuple[str, ...]:
        """The flows whose goodput is compared."""
        return tuple(self.curves.flows)

    def scenario(self, case: Case, size: PaperSize) -> Scenario:
        """Return the scenario of a case with the transient and the window of `size`."""
        plain = self.adapted(self.paper.experiments.scenario(case, self.paper.full))
        return plain.but(warmup=f"{size.warmup:g} s", measure=f"{size.measure:g} s")


def _sheets(*controls: str) -> dict[str, Grid]:
    """Return the scenarios of [G12] with a TCP connection beside each subflow."""
    return {sheet.experiment: {"cc": controls} for sheet in g12.SHEETS.values()}


def _slowed(scenario: Scenario) -> Scenario:
    """Return a scenario of [D10] with rates divided by 10 and delays multiplied by 10.

    Bandwidth-delay products stay the same. The emulator is not accurate at the paper's 100 Mbit/s. The timers of SCTP
    keep their values. Buffer splitting counts outstanding bytes, because usrsctp counts these. SACKs take the path with
    the smallest round-trip time, as in the published measurements.
    """
    network = scenario.network
    flows = {name: flow.but(split_by="outstanding", sack_path="smallest-srtt") for name, flow in scenario.flows.items()}
    links = {name: _slower(link) for name, link in network.links.items()}
    access = _slower(network.access) if network.access else None
    return scenario.but(network=network.but(links=links, access=access), flows=flows)


def _slower(link: Link) -> Link:
    return link.but(rate=f"{link.rate / measured10.SLOWED:.0f} bit/s", delay=f"{link.delay * measured10.SLOWED} ns")


CONTROL = "cc"
"""The factor that is the congestion control."""

CAPACITIES = (5, 10, 20, 50, 75, 100, 150, 200, 300)
"""Queue capacities of [D10]'s figure 4 in packets."""

RATES = tuple(float(rate) for rate in range(1, 11))
"""Rates of [D12]'s axes in Mbit/s."""

NORTH = (0.5, 2.0, 5.0, 7.5, 10.0)
"""Northern rates of [D11]'s figure 3 in Mbit/s, from slower than the southern path to faster."""

PAPER_GRIDS = {
    "dreibholz2012": PaperGrid(
        D12,
        "[D12] figures 3(b) and 4(b): a CMT flow beside a single-path flow",
        STACKS,
        measured12.SWEEPS,
        measured12.CURVES,
        quick=PaperSize(
            {
                "figure3": {"cc": ALL, "rate": (3.0, 9.0)},
                "figure4": {"cc": ALL, "south": (2.0, 4.0, 6.0, 10.0)},
            },
            warmup=10,
            measure=30,
            runs=3,
        ),
        full=PaperSize(
            {
                "figure3": {"cc": ALL, "rate": RATES},
                "figure4": {"cc": ALL, "south": RATES},
                "figure4-without-north": {"south": RATES},
            },
            warmup=20,
            measure=300,
            runs=20,
        ),
        fastest=10.0,
    ),
    "dreibholz2011": PaperGrid(
        D11,
        "[D11] figure 3: a CMT flow beside a single-path flow, five northern rates",
        STACKS,
        (measured11.SWEEP,),
        measured11.CURVES,
        quick=PaperSize({"figure3": {"cc": ALL, "north": NORTH}}, warmup=10, measure=30, runs=4),
        full=PaperSize({"figure3": {"cc": ALL, "north": NORTH}}, warmup=20, measure=300, runs=20),
        fastest=10.0,
    ),
    "dreibholz2010": PaperGrid(
        D10,
        "[D10] figure 4 and figure 5 over the delay, slowed down by a factor of 10",
        STACKS,
        measured10.SWEEPS,
        measured10.CURVES,
        quick=PaperSize(
            {"figure4-left": {"split": d10.SPLITS, "capacity": (20, 100, 300)}}, warmup=20, measure=60, runs=4
        ),
        full=PaperSize(
            {
                **{name: {"split": d10.SPLITS, "capacity": CAPACITIES} for name in measured10.SIDES},
                "figure5-delay": {
                    "split": (d10.NONE, d10.BOTH),
                    "nr": (True,),
                    "smart": (False,),
                    "delay": (1.0, 20.0, 50.0, 100.0),
                },
            },
            warmup=190,
            measure=600,
            runs=20,
        ),
        fastest=10.0,
        adapted=_slowed,
    ),
    "gonzalez2012": PaperGrid(
        G12,
        "[G12] table 1: an MPTCP connection beside a TCP connection on each path",
        {KERNEL: "kernel"},
        (),
        Controls(g12.TITLES, g12.FLOWS),
        quick=PaperSize(_sheets(g12.APPROXIMATED), warmup=0, measure=85, runs=4),
        full=PaperSize(_sheets(g12.APPROXIMATED, g12.EXACT), warmup=0, measure=85, runs=30),
        fastest=max(rate for sheet in g12.SHEETS.values() for rate in sheet.rates.values()),
        adapted=as_real,
        # Every run has two links at full rate.
        at_once=6,
    ),
}
"""Papers by the names of `manypath measure`."""
