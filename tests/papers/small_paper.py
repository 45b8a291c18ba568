"""A made-up paper with runs of one second: two figures, two claims, a mutation, an open setting and curves."""

import manypath as mp
from manypath.figures import Distance, Panel, distances
from manypath.papers.claim import Claims
from manypath.papers.experiment import Experiments, Precision
from manypath.papers.paper import Figures, Paper, Sensitivity
from manypath.papers.predicates import above, near
from manypath.papers.switch import Mutation, by_name, every_flow

NAME = "small"

experiment = Experiments()
figure = Figures()
claim = Claims()


def _scenario(north: float) -> mp.Scenario:
    link = mp.Link(rate="2 Mbit/s", delay="1 ms", queue=mp.DropTail(packets=20))
    return mp.Scenario(
        network=mp.disjoint(south=link, north=link.but(rate=f"{north} Mbit/s")),
        flows={
            "cmt": mp.Sctp(paths=["south", "north"], cc="newreno", start=("0 s", "50 ms")),
            "single": mp.Sctp(paths=["south"], start=("0 s", "50 ms")),
        },
        warmup="100 ms",
        measure="400 ms",
    )


@experiment("short", figure=1)
def _short(north):
    return _scenario(north)


@experiment("fixed", figure=2, window=("100 ms", "500 ms"), series="50 ms")
def _fixed(north):
    return _scenario(north)


@figure(1, "figure1", caption="Goodput over the northern rate.", experiments=("short",))
def _draw_short(results):
    return _drawn(results, "short")


@figure(2, "figure2", caption="Goodput.", experiments=("fixed",))
def _draw_fixed(results):
    return _drawn(results, "fixed")


def _drawn(results, name):
    rates = results.sweep(name, "north", "cmt")
    return distances([Panel(name, "Mbit/s", [Distance(f"{north}", rate, True) for north, rate in rates.items()])])


@claim(
    "C-999-1", place="1", says="CMT has more than the single flow.", kind="ordering", figure=1, suspects=("one-sack",)
)
def _more(results):
    return above(results.goodput("short", "cmt", north=2.0), results.goodput("short", "single", north=2.0))


@claim(
    "C-999-2", place="2", says="The single flow has half of its link.", kind="number", figure=2, suspects=("one-sack",)
)
def _half(results):
    return near(results.goodput("fixed", "single", north=2.0), 1.0, within=0.1)


GRIDS = {"short": {"north": (1.0, 2.0)}, "fixed": {"north": (2.0,)}}


def precision(name: str, runs: int, measure: str, most: int = 0, grids=GRIDS) -> Precision:
    """Return a precision. The grid is the same at each precision, and `fixed` has a fixed measured time."""
    return Precision(
        name=name,
        replications=runs,
        most=most,
        trials=2,
        curves=2,
        warmup="100 ms",
        measure=measure,
        grids=grids,
    )


ONE_SACK = Mutation("one-sack", "a SACK for every packet", every_flow(sack_every=1))

PAPER = Paper(
    name=NAME,
    tag="X99",
    title="A small paper",
    citation="Made up: A small paper.",
    summary="It is made up.",
    setup=(),
    quick=precision("quick", 3, "300 ms"),
    full=precision("full", 5, "600 ms", most=10),
    mutated=precision("mutated", 2, "300 ms"),
    experiments=experiment,
    figures=tuple(figure.all()),
    claims=tuple(claim.all()),
    switches=by_name([ONE_SACK]),
    mutations=(ONE_SACK,),
    sensitivity=Sensitivity((ONE_SACK,), points=(("short", {"north": 2.0}),), quick=("one-sack",)),
)
