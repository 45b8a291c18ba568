"""Figures 2 to 5 of the paper, drawn from our runs, with INET's points and printed numbers."""

from __future__ import annotations

from manypath.figures import Mark, Picture, windows
from manypath.papers.dreibholz import ALL, TITLES
from manypath.papers.dreibholz2011_impact.inet import inet_points
from manypath.papers.dreibholz2011_impact.measured import CURVES, SWEEP, measurements
from manypath.papers.dreibholz2011_impact.names import CMT, FLOWS
from manypath.papers.dreibholz2011_impact.printed import PEAKS, PEAKS_OF, PRINTED
from manypath.papers.evidence import Case, Evidence
from manypath.papers.measured_stacks import draw_by_stack
from manypath.papers.paper import Figures
from manypath.papers.printed import marks_of
from manypath.papers.sweeps import SweepPlot, draw_sweeps

figure = Figures()

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
    caption="Payload rate against the rate of the northern path, which only the CMT flow uses; both share 5 Mbit/s.",
    experiments=("figure3",),
)
def northern_rate(evidence: Evidence) -> Picture:
    """Figure 3."""
    return _sweeps(evidence, {SWEEP.experiment: (SWEEP.factor, SWEEP.title, SWEEP.words)})


@figure(
    3,
    "figure3-measured",
    caption="Not in the paper: figure 3 measured by real stacks at five northern rates, over emulated links.",
    experiments=("figure3",),
)
def northern_rate_measured(_: Evidence) -> Picture:
    """Figure 3, by our stack and by usrsctp."""
    return draw_by_stack(SWEEP, CURVES, measurements())


@figure(
    4,
    "figure4",
    caption="Payload rate against the rate of the shared southern path, with 5 Mbit/s in the north (left); "
    "against the number of single-path flows on 20 Mbit/s (right; the first flow is shown).",
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
    "congestion control; 10 Mbit/s shared in the south, 5 Mbit/s in the north. The peak of the first slow start is "
    "above the frame. Diamonds at the right edge: the largest windows that the paper prints.",
    experiments=("figure5",),
)
def windows_over_time(evidence: Evidence) -> Picture:
    """Figure 5, from the first replication."""
    runs = {}
    for cc in ALL:
        trace = evidence.curves(Case.of("figure5", cc=cc))[0]
        runs[TITLES[cc]] = {path: trace.paths[CMT, path] for path in ("south", "north")}
    return windows(runs, paths=("south", "north"), printed={TITLES[PEAKS_OF]: PEAKS})


def _sweeps(evidence: Evidence, plots: dict[str, tuple[str, str, str]]) -> Picture:
    """Draw experiments side by side, each with its factor, its title and its axis label."""
    sweeps = [
        SweepPlot(experiment, factor, title, words, _marks(experiment, factor))
        for experiment, (factor, title, words) in plots.items()
    ]
    return draw_sweeps(evidence, sweeps, TITLES, FLOWS, INET)


def _marks(experiment: str, factor: str) -> list[Mark]:
    """Return INET's points and the paper's printed numbers for an experiment."""
    marks = marks_of(PRINTED, experiment, factor, "cc", ALL)
    for point in inet_points():
        if point.experiment == experiment:
            x, series = float(point.factors[factor]), ALL.index(str(point.factors["cc"]))
            marks += [Mark(x, theirs.mean, theirs.low, theirs.high, series) for theirs in point.goodput.values()]
    return marks
