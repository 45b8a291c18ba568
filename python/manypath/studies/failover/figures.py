"""The figure of the study: when the transfer ends, over the errors that make a path count as failed."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from manypath.figures import PAGE, Curve, Picture, draw_curves, name_curves, styled
from manypath.figures.style import INK
from manypath.papers.evidence import Evidence
from manypath.papers.paper import Figures
from manypath.studies.failover.scenarios import NEVER, WAYS, end

figure = Figures()

RULES = {NEVER: "RFC 9260", 0: "RFC 7829, potentially failed after one error"}
"""When a path is avoided before it counts as failed."""


@figure(
    1,
    "failover",
    caption="End of a transfer of 20 MB whose first path fails after 5 s, over Path.Max.Retrans, for several RTO.Max. "
    "Grey line: the same transfer over paths that work. Top: one path at a time; bottom: both at once (CMT). "
    "Left: RFC 9260; right: with the potentially failed state of RFC 7829.",
    experiments=("failover", "undisturbed"),
)
def ends(results: Evidence) -> Picture:
    """Draw a plot for each way to use paths and each rule."""
    limits = [int(level) for level in results.levels("failover", "rto_max")]
    with styled():
        drawing = Figure(figsize=(PAGE, 0.62 * PAGE), layout="constrained")
        grid = drawing.subplots(len(WAYS), len(RULES), sharex=True, sharey="row")
        for row, (way, concurrent) in zip(grid, WAYS.items(), strict=True):
            for axes, (rule, words) in zip(row, RULES.items(), strict=True):
                _draw(axes, results, limits, concurrent, rule)
                axes.set_title(f"{way}, {words}")
            row[0].set_ylabel("end of the transfer in s")
        for axes in grid[-1]:
            axes.set_xlabel("Path.Max.Retrans")
        name_curves(drawing, [f"RTO.Max {limit} s" for limit in limits], None, None)
    return Picture(drawing)


def _draw(axes: Axes, results: Evidence, limits: list[int], concurrent: bool, rule: int) -> None:
    factors = {"concurrent": concurrent, "potentially_failed": rule}
    retransmissions = results.levels("failover", "retransmissions")
    curves = [
        Curve(
            retransmissions,
            [
                results.of_outcomes(end, "failover", rto_max=limit, retransmissions=int(count), **factors)
                for count in retransmissions
            ],
            series=index,
        )
        for index, limit in enumerate(limits)
    ]
    draw_curves(axes, curves)
    undisturbed = float(results.of_outcomes(end, "undisturbed", concurrent=concurrent).mean())
    axes.axhline(undisturbed, color=INK, linewidth=0.6, alpha=0.5)
    axes.set_ylim(bottom=0.0)
