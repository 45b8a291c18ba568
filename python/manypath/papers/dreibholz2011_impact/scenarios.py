"""The scenarios of this paper: a CMT flow on all paths, single-path flows on the first path."""

from __future__ import annotations

from manypath.papers.dreibholz import INET, PLAIN, RPV2
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE
from manypath.papers.experiment import Experiments
from manypath.scenario import DropTail, Link, Network, Scenario, Sctp, Tcp, bottleneck, disjoint

experiment = Experiments()

LINK = Link(rate="10 Mbit/s", delay="1 ms", queue=DropTail(packets=100))
"""One core link ([D11] section V)."""

WHOLE = ("20 s", "300 s")
"""The window of the paper, also with quick precision: curves in a shorter one are other curves."""


@experiment("figure2-left", figure=2)
def all_paths_disjoint(cc: str, paths: int) -> Scenario:
    """Each path has a link of its own; the single-path flow shares the first ([D11] figure 2 left)."""
    return _against_one(disjoint(**{f"path{number}": LINK for number in range(1, paths + 1)}), cc)


@experiment("figure2-right", figure=2)
def all_paths_through_one_bottleneck(cc: str, paths: int) -> Scenario:
    """All paths of both flows cross one link ([D11] figure 2 right)."""
    return _against_one(bottleneck(LINK, paths=paths), cc)


@experiment("beside-tcp", figure=2, window=("20 s", "300 s"))
def beside_a_tcp_flow() -> Scenario:
    """Plain CMT over two disjoint paths, and a TCP flow on the first ([D11] section III-A)."""
    network = disjoint(path1=LINK, path2=LINK)
    paths = tuple(network.paths)
    return Scenario(network=network, flows={CMT: _multipath(paths, PLAIN), SINGLE: Tcp(path=paths[0], cc=PLAIN)})


@experiment("figure3", figure=3)
def varying_northern_rate(cc: str, north: float) -> Scenario:
    """Only the CMT flow uses the northern path; both flows share 5 Mbit/s in the south ([D11] figure 3)."""
    return _against_one(_south_and_north(5.0, north), cc)


@experiment("figure3-windows", figure=3, window=WHOLE, series="10 ms")
def windows_beside_a_slow_northern_path(cc: str) -> Scenario:
    """The slowest northern path of figure 3, with window curves ([D11] section VI-B.1)."""
    return _against_one(_south_and_north(5.0, 0.25), cc)


@experiment("figure4-left", figure=4)
def varying_southern_rate(cc: str, south: float) -> Scenario:
    """The rate of the shared southern path varies; 5 Mbit/s in the north ([D11] figure 4 left)."""
    return _against_one(_south_and_north(south, 5.0), cc)


@experiment("figure4-right", figure=4)
def varying_number_of_rivals(cc: str, rivals: int) -> Scenario:
    """One CMT flow and `rivals` single-path flows share 20 Mbit/s in the south ([D11] figure 4 right)."""
    names = [SINGLE, *(f"{SINGLE}-{number}" for number in range(2, rivals + 1))]
    flows = {CMT: _multipath(("south", "north"), cc), **{name: _single("south") for name in names}}
    return Scenario(network=_south_and_north(20.0, 5.0), flows=flows)


@experiment("figure5", figure=5, window=("0 s", "75 s"), series="10 ms")
def windows_over_time(cc: str) -> Scenario:
    """Windows of the CMT flow from its start, 10 Mbit/s in the south and 5 in the north ([D11] figure 5)."""
    return _against_one(_south_and_north(10.0, 5.0), cc)


@experiment("worked-example", window=WHOLE, series="10 ms")
def two_paths_of_its_own() -> Scenario:
    """A single CMT/RPv2 flow on paths of 10 and 2 Mbit/s ([D11] section III-B.2)."""
    network = disjoint(fast=LINK, slow=LINK.but(rate="2 Mbit/s"))
    return Scenario(network=network, flows={CMT: _multipath(("fast", "slow"), RPV2)})


def _south_and_north(south: float, north: float) -> Network:
    """Return two disjoint paths with rates in Mbit/s; the southern one is primary and shared."""
    return disjoint(south=LINK.but(rate=f"{south:g} Mbit/s"), north=LINK.but(rate=f"{north:g} Mbit/s"))


def _against_one(network: Network, cc: str) -> Scenario:
    """Return a CMT flow on all paths and one single-path flow on the first."""
    paths = tuple(network.paths)
    flows = {CMT: _multipath(paths, cc), SINGLE: _single(paths[0])}
    return Scenario(network=network, flows=flows)


def _multipath(paths: tuple[str, ...], cc: str) -> Sctp:
    """Return the CMT flow: the other defaults of `Sctp` are the authors' configuration."""
    return Sctp(paths=paths, cc=cc, **INET)


def _single(path: str) -> Sctp:
    return Sctp.standard(path, **INET)
