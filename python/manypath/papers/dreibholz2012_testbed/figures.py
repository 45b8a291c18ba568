"""Figures 3(a) and 4(a) of the paper, drawn from our runs, and what the queues make of figure 4."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from manypath.figures import COLUMN, Curve, Picture, draw_curves, name_curves, styled
from manypath.papers.dreibholz2012_testbed.names import CMT, FLOWS, RPV2, SINGLE, TITLES
from manypath.papers.evidence import Evidence, Sample
from manypath.papers.paper import Figures
from manypath.papers.sweeps import Sweep, draw_sweeps

figure = Figures()


@figure(
    3,
    "figure3a",
    caption="Payload rate against the rate of the bottleneck that both paths of the CMT flow cross.",
    experiments=("figure3",),
)
def one_bottleneck(evidence: Evidence) -> Picture:
    """Figure 3(a)."""
    sweep = Sweep("figure3", "rate", "both paths over one bottleneck", "rate of the bottleneck in Mbit/s")
    return draw_sweeps(evidence, [sweep], TITLES, FLOWS)


@figure(
    4,
    "figure4a",
    caption="Payload rate against the rate of the shared southern path; the northern one, 2.5 Mbit/s, is the CMT "
    "flow's own.",
    experiments=("figure4",),
)
def disjoint_paths(evidence: Evidence) -> Picture:
    """Figure 4(a)."""
    sweep = Sweep("figure4", "south", "2.5 Mbit/s in the north", "southern rate in Mbit/s")
    return draw_sweeps(evidence, [sweep], TITLES, FLOWS)


@figure(
    4,
    "figure4-queues",
    caption="Not in the paper: the lead of the CMT flow under CMT/RPv2 with the paper's RED queues, and with FIFO "
    "queues of 100 packets as in [D11]. Below zero the single-path flow is ahead.",
    experiments=("figure4", "figure4-fifo"),
)
def red_or_fifo(evidence: Evidence) -> Picture:
    """Show how the lead of the CMT flow depends on the queues."""
    queues = {"RED": ("figure4", {"cc": RPV2}), "FIFO": ("figure4-fifo", {})}
    with styled():
        drawing = Figure(figsize=(COLUMN, 0.72 * COLUMN), layout="constrained")
        axes = drawing.subplots()
        axes.axhline(0.0, linewidth=0.6, color="black")
        curves: list[Curve] = []
        for series, (experiment, factors) in enumerate(queues.values()):
            levels = evidence.levels(experiment, "south")
            curves.append(Curve(levels, [_lead(evidence, experiment, south, factors) for south in levels], series))
        draw_curves(axes, curves)
        axes.set_title("CMT/RPv2", loc="left")
        axes.set_xlabel("southern rate in Mbit/s")
        axes.set_ylabel("CMT - single-path in Mbit/s")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        name_curves(drawing, list(queues), None, None)
    return Picture(drawing)


def _lead(evidence: Evidence, experiment: str, south: float, factors: dict[str, str]) -> Sample:
    cmt = evidence.goodput(experiment, CMT, south=south, **factors)
    return cmt - evidence.goodput(experiment, SINGLE, south=south, **factors)
