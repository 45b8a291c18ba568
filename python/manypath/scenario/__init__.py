"""What is simulated: links, queues, losses, flows and networks as frozen values that become one document."""

from manypath.scenario.flows import Cbr, OnOff, Rto, Saturated, Sctp, Transfer
from manypath.scenario.links import Event, Link
from manypath.scenario.losses import Bernoulli, BitError, GilbertElliott, NoLoss
from manypath.scenario.networks import Network, Path, bottleneck, disjoint
from manypath.scenario.queues import CoDel, DropTail, FqCoDel, Pie, Red
from manypath.scenario.ranges import Sizes, Start
from manypath.scenario.scenario import Scenario

__all__ = [
    "Bernoulli",
    "BitError",
    "Cbr",
    "CoDel",
    "DropTail",
    "Event",
    "FqCoDel",
    "GilbertElliott",
    "Link",
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
    "Transfer",
    "bottleneck",
    "disjoint",
]
