"""Congestion windows and slow-start thresholds over time, with a plot for each run and a colour for each path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from manypath.arguments import of_kind, texts, whole
from manypath.errors import UserError, quoted, remedy
from manypath.figures.lines import PRINTED, printed_handle
from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, INK, PAGE, styled


class Windows(Protocol):
    """Samples of one path, at equal intervals."""

    @property
    def time(self) -> np.ndarray:
        """Time since the start of the run, seconds."""
        ...

    @property
    def cwnd(self) -> np.ndarray:
        """Congestion window, bytes."""
        ...

    @property
    def ssthresh(self) -> np.ndarray:
        """Slow-start threshold, bytes."""
        ...


def windows(
    runs: Mapping[str, Mapping[str, Windows]],
    *,
    paths: Sequence[str],
    points: int = 1500,
    printed: Mapping[str, Mapping[str, float]] | None = None,
) -> Picture:
    """Draw the windows of several runs in stacked plots. The peak of the first slow start may be outside the plot.

    Parameters
    ----------
    runs
        Samples of each path, by title of the plot and name of the path.
    paths
        The paths to draw, in the order of their colours.
    points
        Largest number of points of a curve. Extremes are kept.
    printed
        Windows printed in a paper, by title and path, kB. They are marked at the right edge.

    Raises
    ------
    UserError
        If there are no runs or no paths, or a run lacks a path.
    """
    whole("points", points, "number of points", least=2)
    paths = texts("paths", paths, "names of paths")
    if not of_kind("runs", runs, Mapping, "for each title the samples of its paths") or not paths:
        raise UserError("runs: there is nothing to draw: give at least one run and one path")
    for title, traces in runs.items():
        for path in paths:
            if path not in of_kind("runs", traces, Mapping, "for each title the samples of its paths"):
                raise UserError(f"paths: {quoted(path)} is no path of {title}: {remedy(path, traces)}")
    top = 1.15 * max(float(np.percentile(trace.cwnd, 99.5)) for traces in runs.values() for trace in traces.values())
    with styled():
        figure = Figure(figsize=(PAGE, 1.45 * len(runs)), layout="constrained")
        plots = np.atleast_1d(figure.subplots(len(runs), 1, sharex=True, sharey=True))
        for axes, (title, traces) in zip(plots, runs.items(), strict=True):
            for number, path in enumerate(paths):
                trace = traces[path]
                time, window = thinned(trace.time, trace.cwnd, points)
                axes.plot(time, window / 1e3, color=COLOURS[number], linewidth=0.9)
                threshold = np.where(trace.ssthresh > top, np.nan, trace.ssthresh)
                axes.plot(trace.time, threshold / 1e3, color=COLOURS[number], linewidth=0.7, linestyle=(0, (1, 1.2)))
            for path, window in (printed or {}).get(title, {}).items():
                colour = COLOURS[paths.index(path)]
                axes.plot(
                    [INSIDE], [window], color=colour, linestyle="none", transform=axes.get_yaxis_transform(), **PRINTED
                )
            axes.set_title(title, loc="left")
            axes.set_ylabel("kB")
        plots[0].set_ylim(0.0, top / 1e3 if top > 0.0 else 1.0)
        plots[-1].set_xlabel("time in s")
        handles = [Line2D([], [], color=COLOURS[n], label=path) for n, path in enumerate(paths)]
        handles.append(Line2D([], [], color=INK, label="congestion window"))
        handles.append(Line2D([], [], color=INK, linestyle=(0, (1, 1.2)), label="slow-start threshold"))
        if printed:
            handles.append(printed_handle())
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(handles))
    return Picture(figure)


INSIDE = 0.985
"""Position of printed numbers, as a fraction of the width, so that their marks are inside the right edge."""


def thinned(time: np.ndarray, values: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Return fewer samples: the minimum and the maximum of each step, in the order of time."""
    step = max(1, 2 * len(time) // points)
    if step == 1:
        return time, values
    kept: list[int] = []
    for begin in range(0, len(values), step):
        part = values[begin : begin + step]
        kept.extend(sorted({begin + int(part.argmin()), begin + int(part.argmax())}))
    return time[kept], values[kept]
