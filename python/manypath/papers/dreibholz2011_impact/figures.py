"""Figures 2 to 5 of the paper, drawn from our runs; INET's points are laid over them."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from manypath.figures import PAGE, Curve, Mark, Picture, draw_curves, name_curves, styled, windows
from manypath.papers.dreibholz2011_impact.inet import inet_points
from manypath.papers.dreibholz2011_impact.names import ALL, CMT, SINGLE, TITLES
from manypath.papers.evidence import Case, Evidence
from manypath.papers.paper import Figures

figure = Figures()

FLOWS = ("CMT flow", "single-path flow")
INET = "INET 4.5.4, repaired (3 seeds)"


@figure(
    2,
    "figure2",
    caption="Payload rate against the number of paths: every path disjoint, the first one shared (left); "
    "all paths over one bottleneck of 10 Mbit/s (right).",
    experiments=("figure2-left", "figure2-right"),
)
def similar_paths(evidence: Evidence) -> Picture:
    """Both sides of figure 2."""
    sides = {"figure2-left": "disjoint paths", "figure2-right": "one bottleneck"}
    return _sweeps(evidence, {name: ("paths", title, "number of paths") for name, title in sides.items()})


@figure(
    3,
    "figure3",
    caption="Payload rate against the rate of the northern path, which is the CMT flow's own; 5 Mbit/s are shared.",
    experiments=("figure3",),
)
def northern_rate(evidence: Evidence) -> Picture:
    """Figure 3."""
    return _sweeps(evidence, {"figure3": ("north", "5 Mbit/s shared in the south", "northern rate in Mbit/s")})


@figure(
    4,
    "figure4",
    caption="Payload rate against the rate of the shared southern path, with 5 Mbit/s in the north (left); "
    "against the number of single-path flows on 20 Mbit/s, of which the first is shown (right).",
    experiments=("figure4-left", "figure4-right"),
)
def southern_rate_and_rivals(evidence: Evidence) -> Picture:
    """Both sides of figure 4."""
    return _sweeps(
        evidence,
        {
            "figure4-left": ("south", "5 Mbit/s in the north", "southern rate in Mbit/s"),
            "figure4-right": ("rivals", "20 Mbit/s in the south", "number of single-path flows"),
        },
    )


@figure(
    5,
    "figure5",
    caption="Congestion windows and slow-start thresholds of the CMT flow over the first 75 s, one run for each "
    "congestion control; 10 Mbit/s shared in the south, 5 Mbit/s in the north. The first slow start, into an empty "
    "queue, peaks above the frame.",
    experiments=("figure5",),
)
def windows_over_time(evidence: Evidence) -> Picture:
    """Figure 5, of the first replication."""
    runs = {}
    for cc in ALL:
        trace = evidence.runs(Case.of("figure5", cc=cc)).traces[0]
        runs[TITLES[cc]] = {path: trace.paths[CMT, path] for path in ("south", "north")}
    return windows(runs, paths=("south", "north"))


def _sweeps(evidence: Evidence, plots: dict[str, tuple[str, str, str]]) -> Picture:
    """Draw experiments side by side: for each its factor, its title and the words of its axis."""
    with styled():
        drawing = Figure(figsize=(PAGE if len(plots) > 1 else 0.62 * PAGE, 2.9), layout="constrained")
        axes = drawing.subplots(1, len(plots), squeeze=False)[0]
        marked = False
        for each, (experiment, (factor, title, words)) in zip(axes, plots.items(), strict=True):
            marks = _marks(experiment, factor)
            marked = marked or bool(marks)
            draw_curves(each, _curves(evidence, experiment, factor), marks)
            _name(each, title, words)
        name_curves(drawing, [TITLES[cc] for cc in ALL], FLOWS, INET if marked else None)
    return Picture(drawing)


def _curves(evidence: Evidence, experiment: str, factor: str) -> list[Curve]:
    """Return the curves of both flows under each control."""
    levels = evidence.levels(experiment, factor)
    return [
        Curve(
            levels,
            [evidence.goodput(experiment, flow, **{"cc": cc, factor: level}) for level in levels],
            series,
            dotted=flow == SINGLE,
        )
        for series, cc in enumerate(ALL)
        for flow in (CMT, SINGLE)
    ]


def _marks(experiment: str, factor: str) -> list[Mark]:
    """Return INET's points for an experiment."""
    marks: list[Mark] = []
    for point in inet_points():
        if point.experiment == experiment:
            x, series = float(point.factors[factor]), ALL.index(str(point.factors["cc"]))
            marks += [Mark(x, theirs.mean, theirs.low, theirs.high, series) for theirs in point.goodput.values()]
    return marks


def _name(axes: Axes, title: str, words: str) -> None:
    axes.set_title(title, loc="left")
    axes.set_xlabel(words)
    axes.set_ylabel("payload rate in Mbit/s")
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10], integer=True))
