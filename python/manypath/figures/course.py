"""One run over time: a plot of the congestion windows of each flow, and a plot of the goodput of all flows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from manypath.arguments import of_kind, whole
from manypath.errors import UserError
from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, INK, PAGE, styled
from manypath.figures.windows import thinned
from manypath.quantity import SPAN
from manypath.run import Result

if TYPE_CHECKING:
    from manypath.scenario import Scenario


def course(result: Result, *, flows: int = 6) -> Picture:
    """Draw congestion windows and goodput of a run over time.

    Parameters
    ----------
    result
        A run with a series: ``mp.run(..., series="100 ms")``, or ``series="event"``, which has no goodput.
    flows
        Largest number of flows. Those with the largest goodput are drawn.

    Raises
    ------
    UserError
        If the run has no series.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="south")}, warmup="1 s", measure="2 s")
    >>> mp.figures.course(mp.run(scenario, series="100 ms"))  # .save("course.svg") writes it
    Picture(figure=<Figure size 716x320 with 2 Axes>)
    """
    of_kind("result", result, Result, 'what mp.run(..., series="100 ms") returned')
    samples = result.series.get("paths")
    if samples is None:
        raise UserError('course: the run has no series: call mp.run(..., series="100 ms")')
    chosen = set(result.goodput.nlargest(whole("flows", flows, "number of flows", least=1, below=MOST_FLOWS + 1)).index)
    names = [str(name) for name in result.goodput.index if name in chosen]
    paths = list(dict.fromkeys(result.paths.index.get_level_values("path")))
    has_goodput = "goodput" in samples
    count = len(names) + has_goodput
    # Names may contain `$`.
    with styled(), mpl.rc_context({"text.parse_math": False}):
        figure = Figure(figsize=(PAGE, 0.5 + 1.35 * count), layout="constrained")
        figure.set_label(f"Congestion windows and goodput of {', '.join(names)} over time")
        plots = np.atleast_1d(figure.subplots(count, 1, sharex=True))
        for axes, name in zip(plots, names, strict=False):
            _draw_windows(axes, samples[samples["flow"] == name], paths)
            axes.set_title(f"{name}: congestion windows", loc="left")
        if has_goodput:
            _draw_goodput(plots[-1], samples, names)
        if len(names) < len(result.goodput):
            plots[0].set_title(f"{len(names)} of {len(result.goodput)} flows", loc="right")
        plots[-1].set_xlabel("time in s")
        handles = [Line2D([], [], color=_colour(n), label=path) for n, path in enumerate(paths[:MOST_PATHS])]
        figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(len(handles), 6))
    return Picture(figure)


def interval_for(scenario: Scenario) -> str:
    """Return a sampling interval for 1000 samples or more in a run: 1, 2 or 5 times a power of ten, from 100 us on.

    A shorter run has samples at its beginning and its end.
    """
    duration = scenario.warmup + scenario.measure
    wanted = duration / SAMPLES
    power = 10 ** math.floor(math.log10(wanted))
    nanoseconds = max((factor * power for factor in (1, 2, 5) if factor * power <= wanted), default=power)
    return SPAN.show(max(round(nanoseconds), min(SHORTEST, duration)))


def _draw_windows(axes: Axes, samples: pd.DataFrame, paths: list[str]) -> None:
    for number, path in enumerate(paths):
        trace = samples[samples["path"] == path]
        if trace.empty:
            continue
        time, window = thinned(trace["time"].to_numpy(), trace["cwnd"].to_numpy(), POINTS)
        axes.plot(time, window / 1e3, color=_colour(number), linewidth=0.9)
    # The peak of the first slow start may be much larger than all later windows.
    top = 1.15 * float(np.nanpercentile(samples["cwnd"], 99.5)) / 1e3
    axes.set_ylim(0.0, top if top > 0.0 else 1.0)
    axes.set_ylabel("kB")


def _draw_goodput(axes: Axes, samples: pd.DataFrame, names: list[str]) -> None:
    """Draw the goodput of each flow over all paths as a moving average, because single samples are coarse."""
    for number, name in enumerate(names):
        rates = samples[samples["flow"] == name].groupby("time")["goodput"].sum()
        smooth = rates.rolling(max(len(rates) // SMOOTH, 1), center=True, min_periods=1).mean()
        axes.plot(smooth.index, smooth, color=INK, linewidth=0.9, linestyle=STYLES[number % len(STYLES)], label=name)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("Mbit/s")
    axes.set_title("goodput of the flows", loc="left")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(names), borderaxespad=0.0)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


SAMPLES = 1000
"""Smallest number of samples of a run, unless `SHORTEST` limits it."""

SHORTEST = 100_000
"""Shortest sampling interval, nanoseconds."""

POINTS = 1500
"""Largest number of points of a curve."""

STYLES = ("-", (0, (4, 2)), (0, (1, 1.2)), (0, (4, 2, 1, 2)), (0, (8, 2)), (0, (6, 2, 1, 2, 1, 2)))
"""Line styles of the flows. Colours are those of the paths."""

SMOOTH = 60
"""Number of windows of the moving average of goodput in a run."""

MOST_FLOWS = 100
"""Largest number of flows in a figure."""

MOST_PATHS = 24
"""Largest number of paths in the legend."""
