"""Figures of chapter 5, drawn from our runs: rates of single flows, ratios, loss-event rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from manypath.figures import COLUMN, PAGE, Curve, Mark, Picture, draw_curves, name_curves, styled
from manypath.figures.style import COLOURS, INK
from manypath.papers.evidence import Case, Evidence, Sample
from manypath.papers.honda2009_bmc.measures import CAPACITY, loss_event_rate, over_flows, rates, ratios
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLES, EQUAL, PAYLOAD, TCP, value, weights_of
from manypath.papers.honda2009_bmc.printed import BUNDLE_OF_MOST, LOSS_EVENTS, MOST_FLOWS, ODD_POINT, ODD_RATIO
from manypath.papers.paper import Figures

figure = Figures()

KINDS = {TCP: "standard TCP flows", AIMD: "weighted flows"}
"""Names of the flows in figures."""


def _flows(number: str, evidence: Evidence) -> Picture:
    """Draw the rate of each flow of the first run, and the means of all runs, normalised to equal shares."""
    experiment = f"figure{number}"
    levels = evidence.levels(experiment, "flows")
    with styled():
        drawing = Figure(figsize=(COLUMN, 0.72 * COLUMN), layout="constrained")
        axes = drawing.subplots()
        for colour, kind in zip(COLOURS, KINDS, strict=False):
            means: list[float] = []
            for flows in levels:
                outcomes = evidence.runs(Case.of(experiment, flows=int(flows))).outcomes
                share = CAPACITY * PAYLOAD / (2.0 * flows)
                single = rates(outcomes[0], kind) / share
                axes.plot([flows] * len(single), single, color=colour, marker=".", linestyle="none", alpha=0.5)
                means.append(float(np.mean([rates(outcome, kind).mean() for outcome in outcomes])) / share)
            axes.plot(levels, means, color=colour, linestyle="-" if kind == AIMD else (0, (4, 2)))
        _count(axes, levels)
        axes.set_ylabel("normalised payload rate")
        axes.set_ylim(bottom=0.0)
        styles = zip(KINDS.values(), COLOURS, ((0, (4, 2)), "-"), strict=False)
        handles = [Line2D([], [], color=colour, linestyle=style, label=name) for name, colour, style in styles]
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2)
    return Picture(drawing)


for _number, _weights in {**EQUAL, **BUNDLES}.items():
    figure(
        _number,
        f"figure{_number}",
        caption=f"Payload rate of each flow over an equal share of the bottleneck: flows of weights {_weights} "
        "and as many TCP flows. Points: flows of one run. Lines: means of all runs.",
        experiments=(f"figure{_number}",),
    )(partial(_flows, _number))


@figure(
    "5.10",
    "figure5.10",
    caption="Mean rate of weighted flows over that of TCP flows. Horizontal lines: the weights.",
    experiments=tuple(f"figure{number}" for number in EQUAL),
)
def ratios_of_equal_weights(evidence: Evidence) -> Picture:
    """Figure 5.10."""
    curves = {weight: ratios(evidence, number) for number, weight in EQUAL.items()}
    return _sweep(curves, "ratio to TCP", [value(weight) for weight in EQUAL.values()])


@figure(
    "5.11",
    "figure5.11",
    caption="Loss events of the weighted flows in per cent of the packets that they sent.",
    experiments=tuple(f"figure{number}" for number in EQUAL),
)
def loss_event_rates(evidence: Evidence) -> Picture:
    """Figure 5.11."""
    curves = {weight: over_flows(evidence, number, loss_event_rate) for number, weight in EQUAL.items()}
    printed = [_printed(flows, rate, None) for flows, ends in LOSS_EVENTS.items() for rate in ends]
    return _sweep(curves, "loss events in % of packets", [], printed)


@figure(
    "5.18",
    "figure5.18",
    caption="Mean rate of flows in sets of two and four weights with sum 1, over that of TCP flows. Horizontal lines: "
    "1/2 and 1/4, at which a set gets as much as one TCP flow.",
    experiments=tuple(f"figure{number}" for number in BUNDLES),
)
def ratios_of_sets(evidence: Evidence) -> Picture:
    """Figure 5.18."""
    curves = {bundle: ratios(evidence, number) for number, bundle in BUNDLES.items()}
    parts = {bundle: 1.0 / len(weights_of(bundle)) for bundle in BUNDLES.values()}
    printed = [_printed(MOST_FLOWS, BUNDLE_OF_MOST * part, None) for part in sorted(set(parts.values()))]
    bundle, flows = ODD_POINT
    printed.append(_printed(flows, ODD_RATIO * parts[bundle], list(curves).index(bundle)))
    return _sweep(curves, "ratio to TCP", sorted(set(parts.values())), printed)


def _printed(flows: float, value: float, series: int | None) -> Mark:
    """Return the mark of a number that the thesis prints, for one curve or for all curves."""
    return Mark(flows, value, value, value, series, printed=True)


def _sweep(
    curves: Mapping[str, Mapping[float, Sample]], words: str, ideals: list[float], printed: Sequence[Mark] = ()
) -> Picture:
    """Draw one curve for each set of weights over the number of flows, and the numbers that the thesis prints."""
    with styled():
        drawing = Figure(figsize=(0.62 * PAGE, 3.2), layout="constrained")
        axes = drawing.subplots()
        for ideal in ideals:
            axes.axhline(ideal, linewidth=0.6, linestyle=(0, (4, 2)), color=INK)
        for series, curve in enumerate(curves.values()):
            draw_curves(axes, [Curve(list(curve), list(curve.values()), series)])
        draw_curves(axes, (), printed)
        _count(axes, sorted({level for curve in curves.values() for level in curve}))
        axes.set_ylabel(words)
        axes.set_ylim(bottom=0.0)
        name_curves(drawing, list(curves), None, None, printed=bool(printed))
        drawing.legends[0].set_ncols(4)
    return Picture(drawing)


def _count(axes: Axes, levels: list[float]) -> None:
    """Label the logarithmic axis of the number of flows."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(levels))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("number of flows of each kind")
