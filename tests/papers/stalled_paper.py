"""A made-up paper whose quick window ends before a change of regime: a link loses every packet for some time."""

from small_paper import precision

import manypath as mp
from manypath.papers.claim import Claims
from manypath.papers.experiment import Experiments
from manypath.papers.paper import Paper
from manypath.papers.predicates import near

NAME = "stalled"

experiment = Experiments()
claim = Claims()


def _scenario(rate, *events):
    """Return a TCP flow alone on a link."""
    link = mp.Link(rate=f"{rate:g} Mbit/s", delay="1 ms", queue=mp.DropTail(packets=20), events=events)
    return mp.Scenario(network=mp.disjoint(only=link), flows={"tcp": mp.Tcp(path="only", start=("0 s", "20 ms"))})


@experiment("stalls", figure=1)
def _stalls(rate):
    # Events must be in the run of quick precision, too.
    return _scenario(rate, mp.Event(at="60 ms", loss=1.0), mp.Event(at="550 ms", loss=0.02))


@experiment("runs", figure=1)
def _runs(rate):
    return _scenario(rate)


@claim("C-998-1", place="1", says="A flow without losses fills its link.", kind="number", figure=1)
def _fills(results):
    return near(results.goodput("runs", "tcp", rate=2.0), 1.9, within=0.2, what="runs")


@claim("C-998-2", place="2", says="A flow behind an outage has nothing.", kind="number", figure=1)
def _has_nothing(results):
    return near(results.goodput("stalls", "tcp", rate=2.0), 0.0, within=0.2, what="stalls")


GRIDS = {"stalls": {"rate": (2.0,)}, "runs": {"rate": (2.0, 8.0)}}

PAPER = Paper(
    name=NAME,
    tag="X98",
    title="A stalled flow",
    citation="Made up: A stalled flow.",
    summary="It is made up.",
    setup=(),
    quick=precision("quick", 3, "600 ms", grids=GRIDS),
    full=precision("full", 3, "4 s", grids=GRIDS),
    mutated=precision("mutated", 2, "600 ms", grids=GRIDS),
    experiments=experiment,
    figures=(),
    claims=tuple(claim.all()),
)
