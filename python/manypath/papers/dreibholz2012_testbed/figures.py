"""Figures 3 and 4 of the paper, simulated and measured, and figure 4 with other queues."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from manypath.figures import PAGE, Curve, Picture, draw_curves, name_curves, styled
from manypath.figures.style import COLOURS, INK
from manypath.papers.dreibholz import TITLES
from manypath.papers.dreibholz2012_testbed.measured import SWEEPS, by_stack
from manypath.papers.dreibholz2012_testbed.names import CMT, FLOWS, SINGLE
from manypath.papers.dreibholz2012_testbed.printed import CROSSED
from manypath.papers.dreibholz2012_testbed.scenarios import APPLICATIONS, QUEUES
from manypath.papers.evidence import Evidence
from manypath.papers.paper import Figures
from manypath.papers.sweeps import draw_sweeps

figure = Figures()


@figure(
    3,
    "figure3a",
    caption="Payload rate against the rate of the bottleneck that both paths of the CMT flow cross.",
    experiments=("figure3",),
)
def one_bottleneck(evidence: Evidence) -> Picture:
    """Figure 3(a)."""
    return draw_sweeps(evidence, SWEEPS[:1], TITLES, FLOWS)


@figure(
    3,
    "figure3b",
    caption="Measured: payload rate against the rate of the bottleneck, over emulated links.",
    experiments=("figure3",),
)
def one_bottleneck_measured(_: Evidence) -> Picture:
    """Figure 3(b), by our stack and by usrsctp."""
    return by_stack(SWEEPS[0])


@figure(
    4,
    "figure4a",
    caption="Payload rate against the rate of the shared southern path. Only the CMT flow uses the northern path of "
    "2.5 Mbit/s. Vertical lines: in the paper the single-path flow overtakes at 4 Mbit/s under CMT/RPv2 and at "
    "6 Mbit/s under MPTCP-like control; under CMT/RPv1 both flows violate the bounds of plain CMT from 7 Mbit/s.",
    experiments=("figure4",),
)
def disjoint_paths(evidence: Evidence) -> Picture:
    """Figure 4(a)."""
    picture = draw_sweeps(evidence, SWEEPS[1:], TITLES, FLOWS)
    with styled():
        for cc, south in CROSSED.items():
            _point_at(picture.figure.axes[0], south, TITLES[cc], COLOURS[list(TITLES).index(cc)])
    return picture


@figure(
    4,
    "figure4b",
    caption="Measured: payload rate against the rate of the shared southern path, over emulated links.",
    experiments=("figure4",),
)
def disjoint_paths_measured(_: Evidence) -> Picture:
    """Figure 4(b), by our stack and by usrsctp."""
    return by_stack(SWEEPS[1])


@figure(
    4,
    "figure4-queues",
    caption="Not in the paper: the lead of the CMT flow under CMT/RPv2 with the queues and messages of this paper and "
    "of [D11]. Below zero the single-path flow is ahead. With equal messages, FIFO queues cause phase effects.",
    experiments=("figure4-queues",),
)
def red_or_fifo(evidence: Evidence) -> Picture:
    """The lead of the CMT flow with each combination of queues and messages."""
    with styled():
        drawing = Figure(figsize=(0.62 * PAGE, 2.9), layout="constrained")
        axes = drawing.subplots()
        axes.axhline(0.0, linewidth=0.6, color=INK)
        draw_curves(axes, [_lead(evidence, queue, messages) for queue in QUEUES for messages in APPLICATIONS])
        axes.set_title("2.5 Mbit/s in the north, CMT/RPv2", loc="left")
        axes.set_xlabel("southern rate in Mbit/s")
        axes.set_ylabel("CMT flow's lead in Mbit/s")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        first, second = APPLICATIONS
        name_curves(drawing, list(QUEUES), (f"messages of {first}", f"messages of {second}"), None)
    return Picture(drawing)


def _point_at(axes: Axes, x: float, words: str, colour: str) -> None:
    """Draw a vertical line with a label at its upper end."""
    axes.axvline(x, linewidth=0.8, linestyle=(0, (4, 2)), color=colour, zorder=1)
    axes.annotate(
        words,
        (x, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-2, -2),
        textcoords="offset points",
        ha="right",
        va="top",
        rotation="vertical",
        fontsize="x-small",
        color=colour,
    )


def _lead(evidence: Evidence, queue: str, messages: str) -> Curve:
    """Return the curve of the CMT flow's lead over the single-path flow at each southern rate."""
    levels = evidence.levels("figure4-queues", "south")
    rates = {
        flow: evidence.sweep("figure4-queues", "south", flow, queue=queue, messages=messages) for flow in (CMT, SINGLE)
    }
    leads = [rates[CMT][south] - rates[SINGLE][south] for south in levels]
    return Curve(levels, leads, list(QUEUES).index(queue), dotted=messages != next(iter(APPLICATIONS)))
