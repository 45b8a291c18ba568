"""The scenarios of this paper: a CMT flow on two paths, a single-path flow on the southern one, RED in the routers."""

from __future__ import annotations

from manypath.papers.dreibholz import INET, PLAIN, RPV2
from manypath.papers.dreibholz2012_testbed.names import CMT, NORTH, SINGLE
from manypath.papers.experiment import Experiments
from manypath.papers.switch import single_path_flows
from manypath.scenario import (
    DropTail,
    Link,
    Network,
    Red,
    Saturated,
    Scenario,
    Sctp,
    Sizes,
    bottleneck,
    disjoint,
)

experiment = Experiments()

RED = Red(weight=0.002, min=30, max=90, max_p=0.1, packets=100)
"""The routers' queues ([D12] section III); weight and hard limit are from the authors' experiment configuration."""

ACCESS = Link(rate="1 Gbit/s", delay="0.1 ms", queue=DropTail(packets=100))
"""The link between a host and its router: all other queues are FIFO of 100 packets ([D12] section III)."""

MESSAGES = Saturated(message=Sizes(min="1452 B", max="1452 B"))
"""One message fills one packet ([D12] section III)."""

QUEUES = {"RED": RED, "FIFO": DropTail(packets=100)}
"""The queues of this paper, and those of [D11]."""

APPLICATIONS = {"1452 bytes": MESSAGES, "500 to 1452 bytes": Saturated()}
"""The messages of this paper, and those of [D11]."""

RIVAL_ACKNOWLEDGED = single_path_flows(sack_every=1)
"""A SACK for every packet of the single-path flow: a setting that the paper leaves open."""


@experiment("figure3", figure=3)
def one_bottleneck(cc: str, rate: float) -> Scenario:
    """Both paths of the CMT flow cross the link of the single-path flow ([D12] figures 1 and 3)."""
    return _over_bottleneck(cc, core(rate))


@experiment("figure3-paths", figure=3)
def more_paths_through_the_bottleneck(paths: int) -> Scenario:
    """A plain CMT flow with this number of paths through 9 Mbit/s ([D12] section II-B.1)."""
    return _over_bottleneck(PLAIN, core(9.0), paths=paths)


@experiment("figure3-far", figure=3, window=("20 s", "300 s"))
def a_distant_bottleneck(cc: str) -> Scenario:
    """9 Mbit/s with ten times the delay, so that a window of one packet carries less ([D12] section IV-A).

    Always in the paper's own window: at round-trip times of a quarter of a second, shorter windows have too few
    round trips.
    """
    return _over_bottleneck(cc, core(9.0).but(delay="100 ms"))


@experiment("figure3-blocking", figure=3)
def bottleneck_with_path_blocking(cc: str) -> Scenario:
    """9 Mbit/s with RP path blocking ([D12] section IV-A, outlook)."""
    return _over_bottleneck(cc, core(9.0), path_blocking="rto")


@experiment("figure4", figure=4)
def disjoint_paths(cc: str, south: float) -> Scenario:
    """Both flows share the southern path; only the CMT flow uses the northern one ([D12] figures 2 and 4)."""
    return _over_disjoint(cc, south=core(south), north=core(NORTH))


@experiment("figure4-similar", figure=4)
def similar_paths(cc: str) -> Scenario:
    """Figure 4 with equal rates of both paths ([D12] section II-B.2)."""
    return disjoint_paths(cc, NORTH)


@experiment("figure4-without-north", figure=4)
def without_the_northern_path(south: float) -> Scenario:
    """Both flows use only the southern path, with standard SCTP ([D12] section IV-B)."""
    flows = {name: _single("south", "5 MB") for name in (CMT, SINGLE)}
    return Scenario(network=_with_access(disjoint(south=core(south))), flows=flows)


@experiment("figure4-rival", figure=4)
def a_sack_for_every_single_path_packet(cc: str, south: float) -> Scenario:
    """Figure 4 with a SACK for every packet of the single-path flow, instead of every second."""
    return RIVAL_ACKNOWLEDGED(disjoint_paths(cc, south))


@experiment("figure4-queues", figure=4)
def queues_and_messages(queue: str, messages: str, south: float) -> Scenario:
    """CMT/RPv2 on disjoint paths with the queues and messages of this paper or of [D11]."""
    plain = _over_disjoint(RPV2, south=core(south), north=core(NORTH))
    links = {name: link.but(queue=QUEUES[queue]) for name, link in plain.network.links.items()}
    flows = {name: flow.but(app=APPLICATIONS[messages]) for name, flow in plain.flows.items()}
    return plain.but(network=plain.network.but(links=links), flows=flows)


def core(rate: float) -> Link:
    """Return the link between two core routers with a rate in Mbit/s ([D12] section III)."""
    return Link(rate=f"{rate:g} Mbit/s", delay="10 ms", queue=RED)


def _over_bottleneck(cc: str, link: Link, paths: int = 2, **settings: object) -> Scenario:
    """Return a CMT flow on all paths through one link, and a single-path flow; buffers of 1 MB."""
    network = _with_access(bottleneck(link, paths=paths))
    first, *_ = network.paths
    flows = {CMT: _multipath(network, cc, "1 MB", **settings), SINGLE: _single(first, "1 MB")}
    return Scenario(network=network, flows=flows)


def _over_disjoint(cc: str, south: Link, north: Link) -> Scenario:
    """Return a CMT flow on two disjoint paths, and a single-path flow on the southern one; buffers of 5 MB."""
    network = _with_access(disjoint(south=south, north=north))
    flows = {CMT: _multipath(network, cc, "5 MB"), SINGLE: _single("south", "5 MB")}
    return Scenario(network=network, flows=flows)


def _with_access(network: Network) -> Network:
    return network.but(access=ACCESS)


def _multipath(network: Network, cc: str, buffers: str, **settings: object) -> Sctp:
    """Return the CMT flow: the defaults of `Sctp` are the authors' configuration, the rest is the paper's."""
    sizes = {"send_buffer": buffers, "receive_buffer": buffers}
    return Sctp(paths=tuple(network.paths), cc=cc, app=MESSAGES, **sizes, **INET).but(**settings)


def _single(path: str, buffers: str) -> Sctp:
    return Sctp.standard(path, app=MESSAGES, send_buffer=buffers, receive_buffer=buffers, **INET)
