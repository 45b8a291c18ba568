"""Scenarios: links, queues, losses, flows and networks as immutable models, written as one document for the engine."""

from manypath.scenario.applications import Cbr, OnOff, Saturated, Transfer
from manypath.scenario.flows import Flow
from manypath.scenario.links import Event, Link
from manypath.scenario.losses import Bernoulli, BitError, GilbertElliott, NoLoss
from manypath.scenario.networks import Network, Path, bottleneck, disjoint, dumbbell, topology
from manypath.scenario.queues import CoDel, DropTail, FqCoDel, Pie, Red
from manypath.scenario.ranges import Sizes, Start
from manypath.scenario.scenario import Scenario
from manypath.scenario.sctp import Rto, Sctp
from manypath.scenario.tcp import Mptcp, Tcp, TcpRto

__all__ = [
    "Bernoulli",
    "BitError",
    "Cbr",
    "CoDel",
    "DropTail",
    "Event",
    "Flow",
    "FqCoDel",
    "GilbertElliott",
    "Link",
    "Mptcp",
    "Network",
    "NoLoss",
    "OnOff",
    "Path",
    "Pie",
    "Red",
    "Rto",
    "Saturated",
    "Scenario",
    "Sctp",
    "Sizes",
    "Start",
    "Tcp",
    "TcpRto",
    "Transfer",
    "bottleneck",
    "disjoint",
    "dumbbell",
    "topology",
]
