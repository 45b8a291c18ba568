"""A made-up paper with a flow whose window grows linearly for half of the measured window: two regimes."""

from small_paper import precision

import manypath as mp
from manypath.papers.claim import Claims
from manypath.papers.experiment import Experiments
from manypath.papers.paper import Paper
from manypath.papers.predicates import above, near

NAME = "growing"

experiment = Experiments()
claim = Claims()

WINDOW = ("0 s", "8 s")


def _scenario(threshold, *events):
    """Return a TCP flow over a path with a bandwidth-delay product of about 90 packets."""
    link = mp.Link(rate="10 Mbit/s", delay="50 ms", queue=mp.DropTail(packets=100), events=events)
    flow = mp.Tcp(path="only", start=("0 s", "50 ms"), initial_threshold=threshold, receive_buffer="140 kB")
    return mp.Scenario(network=mp.disjoint(only=link), flows={"tcp": flow})


@experiment("grows", figure=1, window=WINDOW)
def _grows(threshold):
    return _scenario(threshold)


@experiment("course", figure=1, window=WINDOW, series="100 ms")
def _course(threshold):
    return _scenario(threshold)


@experiment("cut", figure=1, window=WINDOW)
def _cut(threshold):
    """The link loses its packets for half of the window."""
    return _scenario(threshold, mp.Event(at="4 s", loss=1.0))


@claim("C-997-1", place="1", says="A flow sends more than 1 Mbit/s.", kind="number", figure=1)
def _sends(results):
    return above(results.goodput("grows", "tcp", threshold=10), 1.0, what="rate")


@claim("C-997-2", place="2", says="A flow sends 5.1 Mbit/s.", kind="number", figure=1)
def _has_its_mean(results):
    return near(results.goodput("grows", "tcp", threshold=10), 5.1, within=0.5, what="rate")


@claim("C-997-3", place="3", says="The window grows.", kind="qualitative", figure=1)
def _rises(results):
    last = results.of_traces(lambda trace: trace.paths["tcp", "only"].cwnd[-1], "course", threshold=10)
    return above(last, 50_000.0, what="last window")


@claim("C-997-4", place="4", says="A flow without a threshold fills its link.", kind="number", figure=1)
def _fills(results):
    return above(results.goodput("grows", "tcp", threshold=1000), 8.0, what="rate")


@claim("C-997-5", place="5", says="A flow over a link that fails has half of its rate.", kind="number", figure=1)
def _fails(results):
    return near(results.goodput("cut", "tcp", threshold=1000), 4.4, within=0.5, what="rate")


GRIDS = {"grows": {"threshold": (10, 1000)}, "course": {"threshold": (10,)}, "cut": {"threshold": (1000,)}}

PAPER = Paper(
    name=NAME,
    tag="X97",
    title="A growing flow",
    citation="Made up: A growing flow.",
    summary="It is made up.",
    setup=(),
    quick=precision("quick", 3, "1 s", grids=GRIDS),
    full=precision("full", 4, "1 s", grids=GRIDS),
    mutated=precision("mutated", 2, "1 s", grids=GRIDS),
    experiments=experiment,
    figures=(),
    claims=tuple(claim.all()),
)
