"""Figures 2 to 6 of the paper, drawn from our runs, and the effect of an outage on the approximated maximum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from manypath.figures import PAGE, Picture, printed_handle, styled
from manypath.figures.lines import PRINTED as PRINTED_MARK
from manypath.figures.style import COLOURS, INK
from manypath.papers.evidence import Case, Evidence
from manypath.papers.gonzalez2012_mptcp.names import (
    APPROXIMATED,
    EXACT,
    MPTCP,
    PATHS,
    PRINTED,
    RIVALS,
    SEGMENT,
    SHEETS,
    TITLES,
)
from manypath.papers.gonzalez2012_mptcp.scenarios import SILENCE
from manypath.papers.gonzalez2012_mptcp.seconds import rates, total
from manypath.papers.paper import Figures
from manypath.papers.traces import PathTrace, Trace

figure = Figures()

SHOWN = 85.0
"""Length of the time axis of the paper's figures, s."""

SILENT = (APPROXIMATED, EXACT, PRINTED)
"""The controls that are compared during an outage."""

SUBFLOW, RIVAL = COLOURS[0], COLOURS[1]
"""Colours of the subflow and of the TCP connection on the same link; MPTCP's sum is black, as in the paper."""


@figure(
    2,
    "figure2",
    caption="Congestion windows of both subflows over time, without cross traffic: 10 Mbit/s on A, 5 on B, equal "
    "delays. One run with the approximated and one with the exact maximum, with the same random numbers.",
    experiments=("figure2",),
)
def other_rates(evidence: Evidence) -> Picture:
    """Figure 2, from the first replication."""
    return _windows_alone(evidence, "figure2")


@figure(
    3,
    "figure3",
    caption="Congestion windows of both subflows over time, without cross traffic: 5 Mbit/s each, 50 ms on A, 100 on "
    "B. One run with the approximated and one with the exact maximum, with the same random numbers.",
    experiments=("figure3", "bends"),
)
def other_delays(evidence: Evidence) -> Picture:
    """Figure 3, from the first replication."""
    return _windows_alone(evidence, "figure3")


@figure(
    4,
    "figure4",
    caption="Scenario 1 with TCP on each link, 5 Mbit/s and 50 ms each: throughput at the senders in each second, and "
    "congestion windows. One run.",
    experiments=("figure4",),
)
def scenario_1(evidence: Evidence) -> Picture:
    """Figure 4, from the first replication."""
    return _beside_tcp(evidence, 1)


@figure(
    5,
    "figure5",
    caption="Scenario 2 with TCP on each link, 10 Mbit/s on A and 5 on B, 50 ms each: throughput at the senders in "
    "each second, and congestion windows. One run.",
    experiments=("figure5", "single"),
)
def scenario_2(evidence: Evidence) -> Picture:
    """Figure 5, from the first replication."""
    return _beside_tcp(evidence, 2)


@figure(
    6,
    "figure6",
    caption="Scenario 3 with TCP on each link, 5 Mbit/s each, 50 ms on A and 100 on B: throughput at the senders in "
    "each second, and congestion windows. One run.",
    experiments=("figure6",),
)
def scenario_3(evidence: Evidence) -> Picture:
    """Figure 6, from the first replication."""
    return _beside_tcp(evidence, 3)


@figure(
    5,
    "figure5-silence",
    caption="Not in the paper: scenario 2 with link A down from 30 to 60 s (grey). Throughput of both subflows "
    "in each second, mean of all runs, with the exact and with the approximated maximum. By default a timeout of the "
    "subflow with the maximum updates the maximum; in the paper's printed form (timeouts ignored) it does not.",
    experiments=("silence",),
)
def an_outage(evidence: Evidence) -> Picture:
    """The effect of an outage of the subflow with the maximum."""
    with styled():
        drawing = Figure(figsize=(PAGE, 2.4), layout="constrained")
        row = drawing.subplots(1, len(PATHS), sharex=True)
        for axes, path in zip(row, PATHS, strict=True):
            axes.axvspan(*SILENCE, color=INK, alpha=0.08, linewidth=0)
            for number, cc in enumerate(SILENT):
                traces = evidence.curves(Case.of("silence", cc=cc))
                mean = np.mean([rates(trace, MPTCP, path) for trace in traces], axis=0)
                axes.plot(np.arange(len(mean)) + 0.5, mean, color=COLOURS[number])
            axes.set_title(f"subflow on {path.upper()}", loc="left")
            axes.set_xlabel("time in s")
            axes.set_ylim(bottom=0.0)
        row[0].set_ylabel("throughput in Mbit/s")
        _name(drawing, {TITLES[cc]: COLOURS[number] for number, cc in enumerate(SILENT)})
    return Picture(drawing)


def _windows_alone(evidence: Evidence, experiment: str) -> Picture:
    """Draw the windows of both subflows with the approximated and with the exact maximum."""
    with styled():
        drawing = Figure(figsize=(PAGE, 3.4), layout="constrained")
        rows = drawing.subplots(2, 1, sharex=True, sharey=True)
        for axes, cc in zip(rows, (APPROXIMATED, EXACT), strict=True):
            trace = evidence.curves(Case.of(experiment, cc=cc))[0]
            for number, path in enumerate(PATHS):
                _draw_window(axes, trace.paths[MPTCP, path], COLOURS[number])
            axes.set_title(TITLES[cc], loc="left")
            axes.set_ylabel("window in packets")
        _frame_windows(rows[0], [line for axes in rows for line in axes.lines])
        rows[-1].set_xlabel("time in s")
        _name(drawing, {f"subflow on {path.upper()}": COLOURS[number] for number, path in enumerate(PATHS)})
    return Picture(drawing)


def _beside_tcp(evidence: Evidence, number: int) -> Picture:
    """Draw throughput and windows on each link of a scenario; MPTCP's sum is in both plots, as in the paper."""
    trace = evidence.curves(Case.of(SHEETS[number].experiment, cc=APPROXIMATED))[0]
    with styled():
        drawing = Figure(figsize=(PAGE, 4.2), layout="constrained")
        plots = drawing.subplots(2, len(PATHS), sharex=True, sharey="row")
        for column, path in enumerate(PATHS):
            _draw_throughput(plots[0, column], trace, path)
            _mark_means(plots[0, column], SHEETS[number].throughput, path)
            for flow, colour in ((MPTCP, SUBFLOW), (RIVALS[path], RIVAL)):
                _draw_window(plots[1, column], trace.paths[flow, path], colour)
            sheet = SHEETS[number]
            plots[0, column].set_title(
                f"link {path.upper()}: {sheet.rates[path]:g} Mbit/s, {sheet.delays[path]:g} ms", loc="left"
            )
            plots[1, column].set_xlabel("time in s")
        plots[0, 0].set_ylabel("throughput in Mbit/s")
        plots[1, 0].set_ylabel("window in packets")
        _frame_windows(plots[1, 0], [line for axes in plots[1] for line in axes.lines])
        _name(drawing, {"subflow": SUBFLOW, "TCP": RIVAL, "MPTCP, both subflows": INK}, printed=True)
    return Picture(drawing)


def _draw_throughput(axes: Axes, trace: Trace, path: str) -> None:
    for values, colour in (
        (rates(trace, MPTCP, path), SUBFLOW),
        (rates(trace, RIVALS[path], path), RIVAL),
        (total(trace), INK),
    ):
        axes.plot(np.arange(len(values)) + 0.5, values, color=colour, linewidth=0.9)
    axes.set_ylim(bottom=0.0)


def _mark_means(axes: Axes, means: Mapping[str, float], path: str) -> None:
    """Mark the means of table 1 of the paper at the right edge: MPTCP's, and that of TCP on this link."""
    for flow, colour in ((MPTCP, INK), (RIVALS[path], RIVAL)):
        axes.plot([SHOWN], [means[flow]], color=colour, linestyle="none", **PRINTED_MARK)


def _draw_window(axes: Axes, path: PathTrace, colour: str) -> None:
    shown = path.part(path.time <= SHOWN)
    axes.plot(shown.time, shown.cwnd / SEGMENT, color=colour, linewidth=0.9)


def _frame_windows(axes: Axes, lines: list[Line2D]) -> None:
    """Limit the axis so that a high peak of the first slow start is outside."""
    top = max(float(np.percentile(np.asarray(line.get_ydata()), 98.0)) for line in lines)
    axes.set_ylim(0.0, 1.15 * top if top > 0.0 else 1.0)


def _name(drawing: Figure, colours: dict[str, str], *, printed: bool = False) -> None:
    handles = [Line2D([], [], color=colour, label=name) for name, colour in colours.items()]
    if printed:
        handles.append(printed_handle())
    drawing.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles))
