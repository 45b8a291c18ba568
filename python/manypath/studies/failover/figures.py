"""The figures of the study: the end of the transfer over Path.Max.Retrans, and over the buffer size."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from manypath.figures import COLUMN, PAGE, Curve, Picture, draw_curves, name_curves, styled
from manypath.figures.style import INK
from manypath.papers.evidence import Evidence
from manypath.papers.paper import Figures
from manypath.studies.failover.scenarios import NEVER, WAYS, end, end_at_best

figure = Figures()

RULES = {NEVER: "RFC 9260", 0: "RFC 7829"}
"""Rules by which a path is avoided: after failure detection, or after its first error."""

SECONDS = (10, 20, 40, 80)
"""Ticks of the time axis, s."""


@figure(
    1,
    "failover",
    caption="End of a transfer of 20 MB, whose first path fails after 5 s, over Path.Max.Retrans and for several "
    "RTO.Max. With RFC 7829 (potentially failed after one error) it depends on neither, so only one curve is shown. "
    "Grey line: a sender that detects the failure immediately.",
    experiments=("failover", "undisturbed"),
)
def ends(results: Evidence) -> Picture:
    """One plot for standard SCTP and one for CMT."""
    limits = [int(level) for level in results.levels("failover", "rto_max")]
    with styled():
        drawing = Figure(figsize=(PAGE, 0.4 * PAGE), layout="constrained")
        row = drawing.subplots(1, len(WAYS), sharey=True)
        for axes, (way, concurrent) in zip(row, WAYS.items(), strict=True):
            _draw_ends(axes, results, limits, concurrent)
            axes.set_title(way)
            axes.set_xlabel("Path.Max.Retrans")
        row[0].set_ylabel("end of the transfer in s")
        name_curves(drawing, [f"RTO.Max {limit} s" for limit in limits], (RULES[NEVER], RULES[0]), None)
    return Picture(drawing)


def _draw_ends(axes: Axes, results: Evidence, limits: list[int], concurrent: bool) -> None:
    counts = results.levels("failover", "retransmissions")

    def curve(series: int, rule: int) -> Curve:
        samples = [
            results.of_outcomes(
                end,
                "failover",
                concurrent=concurrent,
                rto_max=limits[series],
                retransmissions=int(count),
                potentially_failed=rule,
            )
            for count in counts
        ]
        return Curve(counts, samples, series, dotted=rule != NEVER)

    draw_curves(axes, [*(curve(series, NEVER) for series in range(len(limits))), curve(len(limits) - 1, 0)])
    _mark_best(axes, results, concurrent)
    axes.set_xticks(counts)


@figure(
    2,
    "buffers",
    caption="End of the same transfer over both paths at once, over the size of the buffers at both ends, with "
    "Path.Max.Retrans of 5 and RTO.Max of 60 s. Grey line: a sender that detects the failure immediately.",
    experiments=("buffers", "failover", "undisturbed"),
)
def ends_over_buffers(results: Evidence) -> Picture:
    """One curve for each order of delivery and each rule."""
    sizes = results.levels("buffers", "buffer")
    with styled():
        drawing = Figure(figsize=(COLUMN, 0.72 * COLUMN), layout="constrained")
        axes = drawing.subplots()
        curves = [
            Curve(
                [size / 1e6 for size in sizes],
                [
                    results.of_outcomes(end, "buffers", buffer=int(size), ordered=ordered, potentially_failed=rule)
                    for size in sizes
                ],
                series,
                dotted=rule != NEVER,
            )
            for rule in RULES
            for series, ordered in enumerate((True, False))
        ]
        draw_curves(axes, curves)
        _mark_best(axes, results, concurrent=True)
        axes.set_xscale("log")
        _label(axes, "x", [size / 1e6 for size in sizes])
        axes.set_xlabel("send and receive buffer in MB")
        axes.set_ylabel("end of the transfer in s")
        name_curves(drawing, ["ordered", "unordered"], (RULES[NEVER], RULES[0]), None)
    return Picture(drawing)


def _mark_best(axes: Axes, results: Evidence, concurrent: bool) -> None:
    axes.axhline(float(end_at_best(results, concurrent).mean()), color=INK, linewidth=0.6, alpha=0.5)
    axes.set_yscale("log")
    axes.set_ylim(SECONDS[0], 1.1 * SECONDS[-1])
    _label(axes, "y", SECONDS)


def _label(axes: Axes, which: str, places: Sequence[float]) -> None:
    """Put ticks only at these places of a logarithmic axis, with plain numbers."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_minor_locator(NullLocator())
    axis.set_ticks(list(places), [f"{place:g}" for place in places])
