"""Grids of scenarios that are measured and simulated cell by cell. `GRIDS` has all grids."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manypath.arguments import number, of_kind, positive, text
from manypath.campaign import Results
from manypath.errors import UserError, quoted
from manypath.scenario import DropTail, Link, Saturated, Scenario, Sctp, disjoint
from manypath.stats.looks import SIGNIFICANCE
from manypath.testbed.runner import AROUND, SETTLING
from manypath.testbed.stacks import runs_of
from manypath.testbed.verdict import Verdict, judge


@dataclass(frozen=True)
class Size:
    """The factor levels, durations and numbers of runs of a grid.

    Attributes
    ----------
    factors : mapping
        The values of each axis.
    warmup, measure : float
        Transient and measured window of each run, in seconds.
    runs, most : int
        First number of measurements of each cell, and largest number for a cell whose verdict stays open. Each
        measurement is paired with a simulation of the same seed.
    """

    factors: Mapping[str, Sequence[Any]]
    warmup: float
    measure: float
    runs: int
    most: int

    def __post_init__(self) -> None:
        """Refuse wrong fields."""
        of_kind("factors", self.factors, Mapping, "the values of each axis by its name")
        if number("warmup", self.warmup) < 0 or not math.isfinite(self.warmup):
            raise UserError(f"warmup: {quoted(self.warmup)} is no transient in seconds: give 0 or more")
        positive("measure", self.measure)
        runs_of("runs", self.runs)
        runs_of("most", self.most)

    def seconds(self, runs: int, at_once: int) -> float:
        """Return the duration of this number of runs in seconds."""
        return runs * (self.warmup + self.measure + SETTLING + AROUND) / at_once


@dataclass(frozen=True)
class Grid:
    """A full factorial design of scenarios.

    Attributes
    ----------
    title : str
        Description of the grid in one line.
    scenario : callable
        Returns the scenario for the factors of a cell and ``udp``. Its transient and window are replaced.
    flow : str
        The flow whose goodput is compared.
    full, quick : Size
        The whole grid, and a part that takes minutes.
    """

    title: str
    scenario: Callable[..., Scenario]
    flow: str
    full: Size
    quick: Size

    def __post_init__(self) -> None:
        """Refuse wrong fields."""
        text("title", self.title, "a description in one line")
        if not callable(self.scenario):
            raise UserError(f"scenario: {quoted(self.scenario)} cannot be called: give a function of the factors")
        text("flow", self.flow, "the name of a flow")
        of_kind("full", self.full, Size, "a size")
        of_kind("quick", self.quick, Size, "a size")


@dataclass(frozen=True)
class GridCell:
    """One cell of a grid: its factors and its results.

    Attributes
    ----------
    factors : mapping
        The value of the cell on each axis.
    goodput : Verdict
        Goodput at the receiver in Mbit/s, measured and simulated.
    measured, simulated : mapping
        Means over the runs for each path: goodput, timeouts, fast retransmissions, congestion window in bytes, smoothed
        round-trip time in seconds.
    again : int
        Number of measurements that were repeated because they were disturbed.
    marks : tuple of str
        The marks of each marked run: reasons not to trust it.
    late_share : float
        Largest share of late packets in a run of this cell.
    """

    factors: Mapping[str, Any]
    goodput: Verdict
    measured: Mapping[str, Mapping[str, float]]
    simulated: Mapping[str, Mapping[str, float]]
    again: int
    marks: tuple[str, ...]
    late_share: float

    @property
    def name(self) -> str:
        """Description of the cell, such as ``one path, rtt 20 ms, loss 1 %``."""
        return ", ".join(f"{name} {value}" if name != "way" else str(value) for name, value in self.factors.items())


def cells(flow: str, measured: Results, simulated: Results, level: float = SIGNIFICANCE) -> Iterator[GridCell]:
    """Yield the cells of a grid.

    Parameters
    ----------
    flow
        The flow whose goodput is compared.
    measured, simulated
        The runs; the n-th runs of both have the same seed.
    level
        Level of each of the two one-sided tests, as a share of 1.
    """
    for factors, ours in measured.by_scenario():
        theirs = simulated.select(**factors)
        marks = tuple(mark for mark in ours.runs["marks"] if mark)
        yield GridCell(
            factors=factors,
            goodput=judge(ours.values("goodput", flow=flow), theirs.values("goodput", flow=flow), level, paired=True),
            measured=_paths(ours),
            simulated=_paths(theirs),
            again=int((ours.runs["tries"] - 1).sum()),
            marks=marks,
            late_share=float(ours.runs["late_share"].max()),
        )


def _paths(results: Results) -> dict[str, dict[str, float]]:
    """Return the means of the measurements in `EXPLAINS` for each path; NaN if a stack does not report them."""
    means = results.paths.groupby("path", sort=False).mean(numeric_only=True).reindex(columns=list(EXPLAINS))
    return {str(path): {name: float(row[name]) for name in EXPLAINS} for path, row in means.iterrows()}


def sctp(way: str, rtt: str, loss: str, udp: bool = False) -> Scenario:
    """Return one saturated association over one path, or over two disjoint paths with equal links.

    Links have 10 Mbit/s, a queue of 100 packets and random losses in both directions. Each buffer is larger than the
    capacity of both paths with full queues.
    """
    paths, _ = WAYS[way]
    return _association(way, dict.fromkeys(paths, _link(RATE, rtt, loss)), udp)


def unequal_sctp(way: str, paths: str, loss: str, udp: bool = False) -> Scenario:
    """Return one saturated association over two disjoint paths whose delays differ, and in some cells their rates.

    A slow path gets most of its round-trip times from SACKs that return on the other path, so that a stack with another
    rule of samples has another goodput. Queues, losses and buffers are those of `sctp`.
    """
    links = zip(WAYS[way][0], UNEQUAL[paths], strict=True)
    return _association(way, {name: _link(rate, rtt, loss) for name, (rate, rtt) in links}, udp)


def _link(rate: str, rtt: str, loss: str) -> Link:
    return Link(rate=rate, delay=_half(rtt), queue=DropTail(packets=100), loss=loss, overhead="0 B")


def _association(way: str, links: Mapping[str, Link], udp: bool) -> Scenario:
    flow = Sctp(
        paths=tuple(links),
        cc=WAYS[way][1],
        udp_encapsulation=udp,
        send_buffer=BUFFER,
        receive_buffer=BUFFER,
        # The chunk of one message fills a packet of 1500 bytes.
        app=Saturated(message="1444 B" if udp else "1452 B"),
    )
    return Scenario(network=disjoint(**links).but(access=None), flows={"sctp": flow}, warmup="10 s", measure="30 s")


def _half(rtt: str) -> str:
    """Return half of a round-trip time, the delay of one direction."""
    number, unit = rtt.split()
    return f"{float(number) / 2:g} {unit}"


WAYS = {
    "one path": (("path1",), "newreno"),
    "two paths newreno": (("path1", "path2"), "newreno"),
    "two paths cmt-rpv2": (("path1", "path2"), "cmt-rpv2"),
}
"""Paths and congestion control by name."""

RATE = "10 Mbit/s"
"""Rate of links. The emulator is accurate at this rate, and both ends need a small part of a processor."""

UNEQUAL = {
    "20+60 ms": ((RATE, "20 ms"), (RATE, "60 ms")),
    "20+200 ms": ((RATE, "20 ms"), (RATE, "200 ms")),
    "10+5 Mbit/s, 20+60 ms": ((RATE, "20 ms"), ("5 Mbit/s", "60 ms")),
}
"""Rates and round-trip times of two unequal paths by name."""

BUFFER = "2 MB"
"""Send buffer and receive buffer: twice the capacity of two paths with an RTT of 200 ms and full queues."""

LOSSES = ["0 %", "0.1 %", "1 %"]
"""Probabilities of random losses."""

EXPLAINS = ("goodput", "timeouts", "fast_retransmissions", "cwnd", "srtt")
"""Measurements of paths that may explain a difference of goodput."""

GRIDS = {
    "sctp": Grid(
        "SCTP over one path and two, RTT by loss, beside the simulator",
        sctp,
        "sctp",
        full=Size(
            {"way": list(WAYS), "rtt": ["1 ms", "20 ms", "50 ms", "100 ms", "200 ms"], "loss": LOSSES},
            warmup=20,
            measure=60,
            runs=4,
            most=32,
        ),
        quick=Size(
            {"way": list(WAYS), "rtt": ["20 ms", "100 ms"], "loss": ["0 %", "1 %"]},
            warmup=8,
            measure=20,
            runs=4,
            most=16,
        ),
    ),
    "sctp-unequal": Grid(
        "SCTP over two paths with unequal delays, beside the simulator",
        unequal_sctp,
        "sctp",
        full=Size(
            {
                "way": [way for way, (paths, _) in WAYS.items() if len(paths) > 1],
                "paths": list(UNEQUAL),
                "loss": LOSSES,
            },
            warmup=20,
            measure=60,
            runs=4,
            most=32,
        ),
        quick=Size(
            {"way": ["two paths cmt-rpv2"], "paths": list(UNEQUAL), "loss": ["0 %", "0.1 %"]},
            warmup=8,
            measure=20,
            runs=4,
            most=16,
        ),
    ),
}
"""Grids by name."""

FASTEST = 10.0
"""Rate of the links of grids in Mbit/s, at which a calibration must be good."""
