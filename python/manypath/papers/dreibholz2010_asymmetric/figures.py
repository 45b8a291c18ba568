"""Figures 4 to 8 of the paper, drawn from our runs, and a figure of the reasons why the fast path waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from manypath.figures import PAGE, Curve, Mark, Picture, draw_curves, printed_handle, styled
from manypath.figures.style import COLOURS, INK, MARKERS
from manypath.papers.dreibholz2010_asymmetric.inet import CAPACITY, inet_points
from manypath.papers.dreibholz2010_asymmetric.measured import CURVES, SCALING, SWEEPS, measurements
from manypath.papers.dreibholz2010_asymmetric.names import (
    BOTH,
    CMT,
    NONE,
    OFF,
    PLOTTED,
    RECEIVER,
    SACK_PATHS,
    SENDER,
    SPLITS,
    THRESHOLD,
)
from manypath.papers.dreibholz2010_asymmetric.printed import COLLAPSED, PRINTED
from manypath.papers.dreibholz2010_asymmetric.waiting import share
from manypath.papers.evidence import Evidence, Level
from manypath.papers.measured_stacks import draw_by_stack
from manypath.papers.paired import half_width
from manypath.papers.paper import Figures
from manypath.papers.printed import marks_of

figure = Figures()

INET = "INET 4.5.4 (1 seed)"
"""Legend of the points from INET."""

ONE_SIDE = (SENDER, RECEIVER)
"""Splits whose curves coincide with others in two plots of figure 4."""

DOTS = (0, (1, 1.2))
"""The style of dotted lines."""
PLOTS = {
    "figure4-left": "send 250,000, receive 125,000",
    "figure4-middle": "send 250,000, receive 250,000",
    "figure4-right": "send 125,000, receive 250,000",
}
"""The plots of figure 4 by their buffers, bytes."""

SMALL = {"figure4-left": "small receive buffer", "figure4-right": "small send buffer"}
"""The outer plots of figure 4 in words."""

REASONS = {
    "window": "congestion window",
    "split_share": "share of a split buffer",
    "receive_window": "receive buffer",
    "send_buffer": "send buffer",
}
"""Reasons why a path waits."""


@dataclass(frozen=True)
class Plot:
    """One plot of figures 5 to 8.

    Attributes
    ----------
    experiment : str
        The experiment that the plot shows.
    factor : str
        The factor along the horizontal axis.
    axis : str
        Label of this axis.
    scale : float
        Multiplier of the levels on this axis.
    curves : mapping
        The other factors of each curve, by its name in the legend.
    """

    experiment: str
    factor: str
    axis: str
    curves: Mapping[str, Mapping[str, Level]]
    scale: float = 1.0


@figure(
    4,
    "figure4",
    caption="Payload rate of plain CMT over 100 and 10 Mbit/s against the capacity of the drop-tail queues, for each "
    "way to split the buffers. The buffer sizes (bytes) are above the plots. Crosses: INET, where the peer's receive "
    "window wraps around, access links have no delay, and SACKs take the path with the smallest RTT; the comparison "
    "with INET has our rates with these settings.",
    experiments=(*PLOTS, "figure4-inet"),
)
def buffer_splitting(evidence: Evidence) -> Picture:
    """The three plots of figure 4, the left one with INET's points."""
    with styled():
        drawing = Figure(figsize=(PAGE, 2.6), layout="constrained")
        for axes, (experiment, title) in zip(drawing.subplots(1, 3, sharey=True), PLOTS.items(), strict=True):
            levels = evidence.levels(experiment, "capacity")
            curves = [
                Curve(
                    levels,
                    [evidence.goodput(experiment, CMT, split=split, capacity=int(level)) for level in levels],
                    series,
                    dotted=split in ONE_SIDE,
                )
                for series, split in enumerate(SPLITS)
            ]
            # Curves that coincide stay visible: dotted ones lie above solid ones.
            curves.sort(key=lambda curve: curve.dotted)
            marks = [*_marks(), *_collapsed(max(levels))] if experiment == "figure4-left" else []
            draw_curves(axes, curves, marks)
            _name(axes, title, "queue capacity in packets", first=experiment == "figure4-left")
        handles = [_handle(n, f"split: {split}", dotted=split in ONE_SIDE) for n, split in enumerate(SPLITS)]
        handles.append(Line2D([], [], color=INK, linestyle="none", marker="x", markersize=6, label=INET))
        handles.append(printed_handle())
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=3)
    return Picture(drawing)


@figure(
    4,
    "figure4-waiting",
    caption="Reasons why the fast path of figure 4 cannot send. Without splitting and behind long queues, the slow "
    "path has filled the smaller buffer. With both buffers split, the fast path has filled its own share, which is "
    "enough to fill its link. Where the send buffer is the smaller one, the whole send buffer is full then, too.",
    experiments=("figure4-left", "figure4-right"),
)
def waiting(evidence: Evidence) -> Picture:
    """Shares of the fast path's waiting time by reason."""
    with styled():
        drawing = Figure(figsize=(PAGE, 2.3), layout="constrained")
        plots = [(name, split) for name in ("figure4-left", "figure4-right") for split in (NONE, BOTH)]
        frames = drawing.subplots(1, 4, sharey=True)
        frames[0].set_ylabel("part of waiting time in %")
        for axes, (experiment, split) in zip(frames, plots, strict=True):
            _draw_waiting(axes, evidence, experiment, split)
            axes.set_title(f"{SMALL[experiment]}\nsplit: {split}", loc="left")
            axes.set_xlabel("packets")
        handles = [
            Line2D([], [], color=COLOURS[n], linewidth=5, label=words) for n, words in enumerate(REASONS.values())
        ]
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(REASONS))
    return Picture(drawing)


@figure(
    4,
    "figure4-measured",
    caption=f"Not in the paper: the left plot of figure 4 measured by real stacks over emulated links. {SCALING}",
    experiments=("figure4-left",),
)
def buffer_splitting_measured(_: Evidence) -> Picture:
    """The left plot of figure 4, by our stack and by usrsctp."""
    return draw_by_stack(SWEEPS[0], CURVES, measurements())


@figure(
    5,
    "figure5",
    caption="Unordered transfer by plain CMT: payload rate against rate, bit error rate and delay of the second path.",
    experiments=("figure5-rate", "figure5-errors", "figure5-delay"),
)
def unordered_plain(evidence: Evidence) -> Picture:
    """The three plots of figure 5."""
    return _three(evidence, _unordered(5))


@figure(
    5,
    "figure5-timeouts",
    caption="Smart fast retransmission at 100 ms, in the paper's window of 60 s, by the path that SACKs take: payload "
    "rate, timeouts, and spurious fast retransmissions. Timeouts are so rare that the gain is small.",
    experiments=("figure5-timeouts",),
)
def timeouts(evidence: Evidence) -> Picture:
    """Bars with 95 % intervals, without and with smart fast retransmission."""
    counts = {
        "payload rate in Mbit/s": lambda flow: flow["goodput"] / 1e6,
        "timeouts": lambda flow: sum(path["timeouts"] for path in flow["paths"].values()),
        "spurious fast retransmissions": lambda flow: flow["spurious_fast_retransmissions"],
    }
    with styled():
        drawing = Figure(figsize=(PAGE, 2.4), layout="constrained")
        for axes, (words, count) in zip(drawing.subplots(1, len(counts)), counts.items(), strict=True):
            _draw_pairs(axes, evidence, count)
            axes.set_title(words, loc="left")
        handles = [
            Line2D([], [], color=COLOURS[n], linewidth=5, label=f"smart fast RTX {state}")
            for n, state in enumerate(("off", "on"))
        ]
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2)
    return Picture(drawing)


@figure(
    6,
    "figure6",
    caption="As figure 5, under CMT/RP.",
    experiments=(
        *("figure6-rate", "figure6-errors", "figure6-delay"),
        *("figure5-rate", "figure5-errors", "figure5-delay"),
    ),
)
def unordered_pooled(evidence: Evidence) -> Picture:
    """The three plots of figure 6."""
    return _three(evidence, _unordered(6))


@figure(
    7,
    "figure7",
    caption="Ordered transfer by plain CMT: payload rate against rate, bit error rate and delay of the second path.",
    experiments=("figure7-rate", "figure7-errors", "figure7-delay"),
)
def ordered_plain(evidence: Evidence) -> Picture:
    """The three plots of figure 7."""
    return _three(evidence, _ordered(7))


@figure(
    8,
    "figure8",
    caption="As figure 7, under CMT/RP.",
    experiments=(
        *("figure8-rate", "figure8-errors", "figure8-delay"),
        *("figure7-rate", "figure7-errors", "figure7-delay", "figure7-buffers", "figure5-rate"),
    ),
)
def ordered_pooled(evidence: Evidence) -> Picture:
    """The three plots of figure 8."""
    return _three(evidence, _ordered(8))


def _unordered(number: int) -> Sequence[Plot]:
    """Return the plots of figures 5 and 6."""
    nr = {"no NR-SACK": False, "NR-SACK": True}
    return (
        _rate(f"figure{number}-rate", {name: {"nr": on} for name, on in nr.items()}),
        _errors(f"figure{number}-errors", _with("drop reports", "reports", "nr", nr)),
        _delay(f"figure{number}-delay", _with("smart fast RTX", "smart", "nr", nr)),
    )


def _ordered(number: int) -> Sequence[Plot]:
    """Return the plots of figures 7 and 8."""
    psi = {"no rescheduling": OFF, "rescheduling": THRESHOLD}
    return (
        _rate(f"figure{number}-rate", {name: {"rescheduling": each} for name, each in psi.items()}),
        _errors(f"figure{number}-errors", _with("drop reports", "reports", "rescheduling", psi)),
        _delay(f"figure{number}-delay", _with("smart fast RTX", "smart", "rescheduling", psi)),
    )


def _with(words: str, factor: str, other: str, levels: Mapping[str, Level]) -> dict[str, dict[str, Level]]:
    """Return curves for each level of a factor, without and with a mechanism."""
    curves: dict[str, dict[str, Level]] = {name: {other: level, factor: False} for name, level in levels.items()}
    return curves | {f"{name}, {words}": {other: level, factor: True} for name, level in levels.items()}


def _rate(experiment: str, curves: Mapping[str, Mapping[str, Level]]) -> Plot:
    return Plot(experiment, "rate", "rate of path 2 in Mbit/s", curves)


def _errors(experiment: str, curves: Mapping[str, Mapping[str, Level]]) -> Plot:
    return Plot(experiment, "errors", "bit errors of path 2 per million", curves, scale=1e6)


def _delay(experiment: str, curves: Mapping[str, Mapping[str, Level]]) -> Plot:
    return Plot(experiment, "delay", "delay of path 2 in ms", curves)


def _three(evidence: Evidence, plots: Sequence[Plot]) -> Picture:
    """Draw three plots with a legend below each; solid curves have both buffers split, dotted ones none."""
    with styled():
        drawing = Figure(figsize=(PAGE, 3.3), layout="constrained")
        for axes, plot in zip(drawing.subplots(1, 3, sharey=True), plots, strict=True):
            levels = evidence.levels(plot.experiment, plot.factor)
            curves = [
                Curve(
                    [plot.scale * level for level in levels],
                    [
                        evidence.goodput(plot.experiment, CMT, split=split, **others, **{plot.factor: level})
                        for level in levels
                    ],
                    series,
                    dotted=split == NONE,
                )
                for series, others in enumerate(plot.curves.values())
                for split in (BOTH, NONE)
            ]
            draw_curves(axes, curves, marks_of(PRINTED, plot.experiment, plot.factor, "nr", (False, True)))
            _name(axes, "", plot.axis, first=plot is plots[0])
            handles = [_handle(n, name) for n, name in enumerate(plot.curves)]
            axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.22), handletextpad=0.2)
        styles = {"both buffers split": "-", "none split": DOTS}
        handles = [Line2D([], [], color=INK, linestyle=style, label=words) for words, style in styles.items()]
        if any(number.experiment == plot.experiment for plot in plots for number in PRINTED):
            handles.append(printed_handle())
        drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles))
    return Picture(drawing)


def _draw_waiting(axes: Axes, evidence: Evidence, experiment: str, split: str) -> None:
    """Draw one stacked bar of the reasons for each capacity."""
    levels = [int(level) for level in evidence.levels(experiment, "capacity")]
    bottom = [0.0] * len(levels)
    for series, reason in enumerate(REASONS):
        share_of = partial(share, reason=reason)
        shares = [
            100.0 * float(evidence.of_outcomes(share_of, experiment, split=split, capacity=n).mean()) for n in levels
        ]
        axes.bar([str(n) for n in levels], shares, bottom=bottom, color=COLOURS[series], width=0.8)
        bottom = [low + share for low, share in zip(bottom, shares, strict=True)]


def _draw_pairs(axes: Axes, evidence: Evidence, count: Callable[[Mapping[str, Any]], float]) -> None:
    """Draw two bars for each path of SACKs, without and with smart fast retransmission."""
    for series, smart in enumerate((False, True)):
        samples = [
            evidence.of_outcomes(lambda outcome: float(count(outcome["flows"][CMT])), "figure5-timeouts", **levels)
            for levels in ({"smart": smart, "sack_path": path} for path in SACK_PATHS)
        ]
        places = [n + 0.4 * (series - 0.5) for n in range(len(samples))]
        halves = [half_width(sample) for sample in samples]
        axes.bar(places, [sample.mean() for sample in samples], width=0.38, color=COLOURS[series], yerr=halves)
    axes.set_xticks(range(len(SACK_PATHS)), [words.removeprefix("path ") for words in SACK_PATHS.values()])
    axes.set_ylim(bottom=0.0)


def _handle(series: int, name: str, *, dotted: bool = False) -> Line2D:
    """Return the legend entry of a curve."""
    face = "none" if dotted else COLOURS[series]
    style = DOTS if dotted else "-"
    return Line2D(
        [], [], color=COLOURS[series], marker=MARKERS[series], markerfacecolor=face, linestyle=style, label=name
    )


def _marks() -> list[Mark]:
    """Return INET's points with the settings of figure 4 left."""
    return [
        Mark(CAPACITY, theirs.mean, theirs.low, theirs.high, SPLITS.index(str(point.factors["split"])))
        for point in inet_points()
        if (point.factors["by"], point.factors["nr"], point.factors["settings"]) == ("buffered", "promised", PLOTTED)
        for theirs in point.goodput.values()
    ]


def _collapsed(capacity: float) -> list[Mark]:
    """Return the rate that the paper prints behind the longest queue of figure 4 left."""
    return [
        Mark(capacity, COLLAPSED, COLLAPSED, COLLAPSED, SPLITS.index(split), printed=True) for split in (NONE, SENDER)
    ]


def _name(axes: Axes, title: str, words: str, *, first: bool) -> None:
    axes.set_title(title, loc="left")
    axes.set_xlabel(words)
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(left=0.0)
    if first:
        axes.set_ylabel("payload rate in Mbit/s")
