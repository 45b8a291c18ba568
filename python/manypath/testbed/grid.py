"""Grids of scenarios that are measured and simulated, cell by cell: one line in `GRIDS` for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manypath.campaign import Results
from manypath.scenario import DropTail, Link, Saturated, Scenario, Sctp, disjoint
from manypath.stats.looks import SIGNIFICANCE
from manypath.testbed.runner import SETTLING
from manypath.testbed.verdict import Verdict, judge


@dataclass(frozen=True)
class Size:
    """How much of a grid is measured.

    Attributes
    ----------
    factors : mapping
        The values of each axis.
    warmup, measure : float
        Seconds.
    runs, most : int
        Measurements of each cell, and of a cell that stays open; each is simulated with the same chance.
    """

    factors: Mapping[str, Sequence[Any]]
    warmup: float
    measure: float
    runs: int
    most: int

    def seconds(self, runs: int, at_once: int) -> float:
        """How long so many runs take."""
        return runs * (self.warmup + self.measure + SETTLING + AROUND) / at_once


@dataclass(frozen=True)
class Grid:
    """Scenarios over some axes.

    Attributes
    ----------
    title : str
        What it is, in one line.
    scenario : callable
        Makes the scenario of a cell, before its times are set; it may take ``udp``, too.
    flow : str
        The flow that is compared.
    full, quick : Size
        All of it, and what takes minutes.
    """

    title: str
    scenario: Callable[..., Scenario]
    flow: str
    full: Size
    quick: Size


@dataclass(frozen=True)
class Cell:
    """One cell: its place on the axes, and what came of it.

    Attributes
    ----------
    factors : mapping
        Its value on each axis.
    goodput : Verdict
        Mbit/s at the receiver, measured and simulated.
    measured, simulated : mapping
        Means of what explains it, for each path: timeouts, fast retransmissions, windows in bytes, round trips in
        seconds.
    again : int
        Measurements that were made again because they were disturbed.
    marks : tuple of str
        Why runs that count are not to be trusted.
    late_share : float
        Largest share of packets of a run that left the emulator late.
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
        """The cell in words."""
        return ", ".join(f"{name} {value}" if name != "way" else str(value) for name, value in self.factors.items())


def cells(flow: str, measured: Results, simulated: Results, level: float = SIGNIFICANCE) -> Iterator[Cell]:
    """Set measured runs beside simulations with the same chance, cell by cell; verdicts are at that level."""
    for factors, ours in measured.by_scenario():
        theirs = simulated.select(**factors)
        marks = tuple(mark for mark in ours.runs["marks"] if mark)
        yield Cell(
            factors=factors,
            goodput=judge(ours.values("goodput", flow=flow), theirs.values("goodput", flow=flow), level, paired=True),
            measured=_paths(ours),
            simulated=_paths(theirs),
            again=int((ours.runs["tries"] - 1).sum()),
            marks=marks,
            late_share=float(ours.runs["late_share"].max()),
        )


def _paths(results: Results) -> dict[str, dict[str, float]]:
    """Return means of the measurements that explain a goodput, for each path; not a number if a stack has none."""
    means = results.paths.groupby("path", sort=False).mean(numeric_only=True).reindex(columns=list(EXPLAINS))
    return {str(path): {name: float(row[name]) for name in EXPLAINS} for path, row in means.iterrows()}


def sctp(way: str, rtt: str, loss: str, udp: bool = False) -> Scenario:
    """One association that always has something to send, over one path or two disjoint ones that are alike.

    Links have 10 Mbit/s and a queue of 100 packets, in both directions, and lose packets at random in both. Buffers
    hold more than both paths and their queues.
    """
    paths, cc = WAYS[way]
    link = Link(rate=RATE, delay=_half(rtt), queue=DropTail(packets=100), loss=loss, overhead="0 B")
    flow = Sctp(
        paths=tuple(paths),
        cc=cc,
        udp_encapsulation=udp,
        send_buffer=BUFFER,
        receive_buffer=BUFFER,
        # What fills a packet of 1500 bytes.
        app=Saturated(message="1444 B" if udp else "1452 B"),
    )
    network = disjoint(**dict.fromkeys(paths, link)).but(access=None)
    return Scenario(network=network, flows={"sctp": flow}, warmup="10 s", measure="30 s")


def _half(rtt: str) -> str:
    """The delay of one direction."""
    number, unit = rtt.split()
    return f"{float(number) / 2:g} {unit}"


WAYS = {
    "one path": (("path1",), "newreno"),
    "two paths newreno": (("path1", "path2"), "newreno"),
    "two paths cmt-rpv2": (("path1", "path2"), "cmt-rpv2"),
}
"""Paths and congestion control by name."""

RATE = "10 Mbit/s"
"""Of every link: the emulator is exact there, and the ends need a small part of a processor."""

BUFFER = "2 MB"
"""Of sender and receiver: twice what two paths with 200 ms and full queues hold."""

AROUND = 2.0
"""Seconds that a run takes beside its flows."""

EXPLAINS = ("goodput", "timeouts", "fast_retransmissions", "cwnd", "srtt")
"""Measurements of paths by which a difference is explained."""

GRIDS = {
    "sctp": Grid(
        "SCTP over one path and two, RTT by loss, beside the simulator",
        sctp,
        "sctp",
        full=Size(
            {"way": list(WAYS), "rtt": ["1 ms", "20 ms", "50 ms", "100 ms", "200 ms"], "loss": ["0 %", "0.1 %", "1 %"]},
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
}
"""By name."""
