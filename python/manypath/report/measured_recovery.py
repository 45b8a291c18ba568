"""Writes the page of the report about the recovery of each stack from a path that goes down and up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from manypath.figures import PAGE as WIDTH
from manypath.figures import Picture, styled
from manypath.figures.style import COLOURS, INK
from manypath.report import measured_pages
from manypath.stats import interval
from manypath.testbed.recovery import BIN, DOWN, END, FASTEST, TITLE, UP, Times, is_over

if TYPE_CHECKING:
    from manypath.settings import Settings
    from manypath.testbed.calibration import Calibration
    from manypath.testbed.recovery import Recovery


def check(name: str, target: Path) -> None:
    """Check that the page and its figures can be written into the folder `target`.

    Raises
    ------
    UserError
        If a file cannot be written, or another program wrote a file of that name.
    """
    measured_pages.check(name, FIGURES, target)


def write(name: str, found: Sequence[Recovery], calibration: Calibration, settings: Settings, target: Path) -> Path:
    """Write the page and its figures into the folder `target`, and return the path of the page."""
    pictures = {"times": draw_times(found), "courses": draw_courses(found)}
    return measured_pages.write(
        name,
        "measured_recovery.html.j2",
        {figure: (picture, FIGURES[figure]) for figure, picture in pictures.items()},
        target,
        title=TITLE.capitalize(),
        found=found,
        mean=mean,
        down=DOWN,
        up=UP,
        end=END,
        figures=[
            (FIGURES[figure], picture.inline(f"{name}-{figure}", title=FIGURES[figure]))
            for figure, picture in pictures.items()
        ],
        calibration=calibration,
        doubts=list(calibration.doubts(FASTEST)),
        settings=settings.line(),
    )


def draw_times(found: Sequence[Recovery]) -> Picture:
    """Draw both times of every run: filled marks are measured, open marks are simulated."""
    with styled():
        figure = Figure(figsize=(WIDTH, 0.4 * WIDTH), layout="constrained")
        row = figure.subplots(1, 2, sharey=True)
        for axes, (time, words) in zip(row, TIMES.items(), strict=True):
            for n, each in enumerate(found):
                for runs, place in ((each.measured, n - 0.15), (each.simulated, n + 0.15)):
                    axes.plot(
                        [getattr(run, time) for run in runs],
                        [place] * len(runs),
                        linestyle="none",
                        marker="o",
                        color=COLOURS[0],
                        markerfacecolor=COLOURS[0] if runs is each.measured else "none",
                    )
            axes.set_xlabel(words)
            axes.set_xlim(left=-0.5)
        row[0].set_yticks(range(len(found)), [each.contestant.title for each in found])
        row[0].invert_yaxis()
        _name(figure, {"linestyle": "none", "marker": "o"}, {"markerfacecolor": "none"})
    return Picture(figure)


def draw_courses(found: Sequence[Recovery]) -> Picture:
    """Draw the goodput over time, one plot for each contestant: the mean of the measured and of the simulated runs."""
    columns = 2
    rows = -(-len(found) // columns)
    with styled():
        figure = Figure(figsize=(WIDTH, 0.28 * WIDTH * rows), layout="constrained")
        plots = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for axes, each in zip(plots.flat, found, strict=False):
            axes.axvspan(DOWN, UP, color=INK, alpha=0.08, linewidth=0)
            _course(axes, each.measured, 0, "-")
            _course(axes, each.simulated, 1, DOTTED)
            axes.set_title(each.contestant.title)
        for axes in plots.flat[len(found) :]:
            axes.set_visible(False)
        for axes in plots[:, 0]:
            axes.set_ylabel("goodput, Mbit/s")
        for axes in plots[-1]:
            axes.set_xlabel("time in s")
        _name(figure, {"linestyle": "-"}, {"linestyle": DOTTED, "color": COLOURS[1]})
    return Picture(figure)


def mean(values: Sequence[float], since: float) -> str:
    """Return the mean of times that began at `since`, with its interval; ``≥`` if one was not over at the end."""
    found = interval(np.array(values))
    sign = "" if all(is_over(value, since) for value in values) else "≥ "
    return f"{sign}{found.mean:.2f}" + ("" if np.isnan(found.half_width) else f" ± {found.half_width:.2f}")


def _course(axes: Axes, runs: Sequence[Times], series: int, style: Any) -> None:
    means = np.mean([run.course for run in runs], axis=0)
    places = BIN * (np.arange(len(means)) + 0.5)
    axes.plot(places, means, color=COLOURS[series], linestyle=style, marker="none")


def _name(figure: Figure, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Put a legend with `measured` and `simulated` below the plots."""
    both = {"color": COLOURS[0], **first}
    lines = [Line2D([], [], label="measured", **both), Line2D([], [], label="simulated", **{**both, **second})]
    figure.legend(handles=lines, loc="outside lower center", ncols=2)


TIMES = {
    "resumed": "from the failure to the end of the silence in s",
    "rejoined": "from the repair until the path carries data in s",
}
"""Axes of the first figure by the fields of `Times`."""

FIGURES = {
    "times": "Time to resume and time to rejoin, each run measured and simulated",
    "courses": "Goodput around the failure of a path, measured and simulated",
}
"""Titles of the figures."""

DOTTED = (0, (1, 1.2))
"""Style of simulated curves."""
