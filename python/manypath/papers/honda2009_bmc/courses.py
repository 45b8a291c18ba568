"""Figures of chapters 1 to 4, drawn from our runs: shares, sawtooths, and weights over time."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from manypath.figures import PAGE, Curve, Picture, draw_curves, name_curves, styled
from manypath.figures.style import COLOURS, INK
from manypath.papers.evidence import Evidence, Level, Sample
from manypath.papers.honda2009_bmc.figures import figure
from manypath.papers.honda2009_bmc.measures import course, curves, over_mean_tcp, steps
from manypath.papers.honda2009_bmc.names import AIMD, BUNDLE, PACKET, PAYLOAD, value, weights_of
from manypath.papers.honda2009_bmc.proportion import EIGHT, PRIVATE, SHARED, TEN

BEGINNING = 20.0
"""Length of the transient that figures of sawtooths leave out, s."""


@figure(
    "1.2",
    "figure1.2",
    caption="Rate of a bundle of uncoupled subflows at a bottleneck over the rate of one competing TCP flow. Diagonal: "
    "the number of subflows.",
    experiments=("figure1.2",),
)
def shares(evidence: Evidence) -> Picture:
    """Figure 1.2, from runs."""
    subflows, rivals = (evidence.levels("figure1.2", factor) for factor in ("subflows", "rivals"))
    with styled():
        drawing = Figure(figsize=(0.5 * PAGE, 2.6), layout="constrained")
        axes = drawing.subplots()
        axes.plot([0.0, max(subflows)], [0.0, max(subflows)], linewidth=0.6, color=INK)
        for series, tcp in enumerate(rivals):
            samples = [over_mean_tcp(evidence, "figure1.2", BUNDLE, subflows=int(n), rivals=int(tcp)) for n in subflows]
            draw_curves(axes, [Curve(subflows, samples, series)])
        axes.set_xlabel("subflows")
        axes.set_ylabel("bundle over one TCP flow")
        axes.set_ylim(bottom=0.0)
        name_curves(drawing, [f"{tcp:g} TCP flows" for tcp in rivals], None, None)
    return Picture(drawing)


@figure(
    "2.1",
    "figure2.1",
    caption="Windows of weighted flows, each alone behind a short queue: growth by D² packets per round-trip time, "
    "halved on losses. One run each.",
    experiments=("figure2.1",),
)
def sawtooths(evidence: Evidence) -> Picture:
    """Figure 2.1, from runs."""
    shown = ("1", "1/2", "1/3")
    with styled():
        drawing = Figure(figsize=(PAGE, 2.2), layout="constrained")
        axes = drawing.subplots()
        for colour, each in zip(COLOURS, shown, strict=False):
            path = curves(evidence, "figure2.1", weight=each)[0].paths[AIMD, "alone"]
            part = path.part((path.time >= BEGINNING) & (path.time < BEGINNING + 30.0))
            axes.plot(part.time, part.cwnd / PACKET, color=colour, linewidth=0.8, label=f"D = {each}")
        axes.set_xlabel("time in s")
        axes.set_ylabel("window in packets")
        axes.set_ylim(bottom=0.0)
        drawing.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(shown))
    return Picture(drawing)


@figure(
    "3.2",
    "figure3.2",
    caption="The proportion manager in the network of figures 3.1 and 3.2, from equal weights: weight of the subflow "
    "on 4 Mbit/s over time (thin: runs, thick: mean). Horizontal line: 1/4, the thesis's optimised weight.",
    experiments=("figure3.1", "figure3.1-managed"),
)
def towards_the_limit(evidence: Evidence) -> Picture:
    """Figures 3.1 and 3.2 as a running scenario."""
    gains = evidence.levels("figure3.1-managed", "gain")
    with styled():
        drawing = Figure(figsize=(PAGE, 2.2), layout="constrained")
        row = drawing.subplots(1, len(gains), sharey=True, squeeze=False)[0]
        for axes, gain in zip(row, gains, strict=True):
            _course(axes, evidence, "figure3.1-managed", "path1", 0.25, f"K = {gain:g}", gain=gain)
        row[0].set_ylabel("weight")
    return Picture(drawing)


@figure(
    "3.3",
    "figure3.3",
    caption="Steps of the manager: decrease of a weight, for every change in all runs. Lines: (D - D²)·K.",
    experiments=("figure3.1-managed",),
)
def sizes_of_steps(evidence: Evidence) -> Picture:
    """Figure 3.3, from runs."""
    gains = evidence.levels("figure3.1-managed", "gain")
    before = np.linspace(0.0, 1.0, 101)
    with styled():
        drawing = Figure(figsize=(0.5 * PAGE, 2.6), layout="constrained")
        axes = drawing.subplots()
        for colour, gain in zip(COLOURS, gains, strict=False):
            axes.plot(before, (before - before**2) * gain, color=colour, linewidth=0.8, label=f"K = {gain:g}")
            found = [step for trace in curves(evidence, "figure3.1-managed", gain=gain) for step in steps(trace)]
            axes.plot([d for d, _ in found], [step for _, step in found], color=colour, marker="o", linestyle="none")
        axes.set_xlabel("weight before")
        axes.set_ylabel("decrease")
        drawing.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(gains))
    return Picture(drawing)


@figure(
    "4.1",
    "figure4.1-managed",
    caption="The proportion manager in the network of figure 4.1, from 9/10 on the slower link: this weight over time "
    "(thin: runs, thick: mean). Horizontal line: 1/3, where T_wr is equal.",
    experiments=("figure4.1", "figure4.1-managed", "figure4.1-first"),
)
def towards_pooling(evidence: Evidence) -> Picture:
    """Figure 4.1 as a running scenario, for several J and K."""
    intervals, gains = (evidence.levels("figure4.1-managed", factor) for factor in ("interval", "gain"))
    with styled():
        drawing = Figure(figsize=(PAGE, 1.7 * len(gains)), layout="constrained")
        grid = drawing.subplots(len(gains), len(intervals), sharex=True, sharey=True, squeeze=False)
        for row, gain in zip(grid, gains, strict=True):
            for axes, interval in zip(row, intervals, strict=True):
                title = f"J = {interval:g} s, K = {gain:g}"
                _course(axes, evidence, "figure4.1-managed", EIGHT, 1 / 3, title, interval=interval, gain=gain)
                axes.set_xlabel("time in s" if gain == gains[-1] else "")
            row[0].set_ylabel("weight")
    return Picture(drawing)


@figure(
    "4.1",
    "figure4.1-weights",
    caption="Rates with fixed weights. Left: links of 8 and 10 Mbit/s with a TCP flow each; right: 4 Mbit/s without "
    "other flows and 10 Mbit/s with a TCP flow. Curves: the model of competing flows. Vertical lines: equal T_wr "
    "(dashed) and the largest sum (dotted) in the model.",
    experiments=("figure4.1-weights", "private", "private-controls"),
)
def rates_with_fixed_weights(evidence: Evidence) -> Picture:
    """A comparison of the weights with equal T_wr and with the largest sum of rates."""
    with styled():
        drawing = Figure(figsize=(PAGE, 2.7), layout="constrained")
        left, right = drawing.subplots(1, 2)
        _scan(left, evidence, "figure4.1-weights", (EIGHT, TEN), (8.0, 10.0), (1.0, 1.0))
        _scan(right, evidence, "private", (PRIVATE, SHARED), (4.0, 10.0), (0.0, 1.0))
        left.set_title("two shared links", loc="left")
        right.set_title("one unshared link, one shared", loc="left")
        left.set_ylabel("payload rate in Mbit/s")
        name_curves(drawing, ["sum of both flows", "T over D, first path", "T over D, second path"], None, None)
    return Picture(drawing)


def _course(
    axes: Axes, evidence: Evidence, experiment: str, path: str, ideal: float, title: str, **factors: Level
) -> None:
    """Draw a weight over time in all runs of a case, and its mean."""
    runs = [course(trace, path) for trace in curves(evidence, experiment, **factors)]
    for time, weights in runs:
        axes.plot(time, weights, color=COLOURS[0], linewidth=0.5, alpha=0.5)
    axes.plot(runs[0][0], np.nanmean([weights for _, weights in runs], axis=0), color=COLOURS[0])
    axes.axhline(ideal, linewidth=0.6, linestyle=(0, (4, 2)), color=INK)
    axes.set_ylim(0.0, 1.0)
    axes.set_title(title, loc="left")


def _scan(
    axes: Axes,
    evidence: Evidence,
    experiment: str,
    paths: tuple[str, str],
    capacities: tuple[float, float],
    rivals: tuple[float, float],
) -> None:
    """Draw the sum of the rates of two weighted flows, and each rate over its weight, from runs and from the model."""
    cases = sorted((str(c["weights"]) for c in evidence.cases() if c.experiment == experiment), key=_first)
    x = [_first(each) for each in cases]
    rate = {path: [evidence.goodput(experiment, f"{AIMD}-{path}", weights=each) for each in cases] for path in paths}
    line = np.linspace(0.01, 0.99, 197)
    model = [
        PAYLOAD * capacity / (rival + each)
        for capacity, rival, each in zip(capacities, rivals, (line, 1.0 - line), strict=True)
    ]
    sums = model[0] * line + model[1] * (1.0 - line)
    worth = [
        [sample / (part if index == 0 else 1.0 - part) for sample, part in zip(rate[path], x, strict=True)]
        for index, path in enumerate(paths)
    ]
    total: list[Sample] = [first + second for first, second in zip(rate[paths[0]], rate[paths[1]], strict=True)]
    for series, (samples, values) in enumerate(zip((total, *worth), (sums, *model), strict=True)):
        axes.plot(line, values, color=COLOURS[series], linewidth=0.6)
        draw_curves(axes, [Curve(x, samples, series, dotted=True)])
    axes.axvline(_nearest(line, model[0] - model[1]), linewidth=0.8, linestyle=(0, (4, 2)), color=INK)
    axes.axvline(float(line[np.argmax(sums)]), linewidth=0.8, linestyle=(0, (1, 1.2)), color=INK)
    axes.set_ylim(0.0, 14.0)
    axes.set_xlabel("weight on the first path")


def _first(weights: str) -> float:
    return value(weights_of(weights)[0])


def _nearest(line: NDArray[np.float64], gap: NDArray[np.float64]) -> float:
    """Return the place at which a gap is closest to zero."""
    return float(line[np.argmin(np.abs(gap))])
