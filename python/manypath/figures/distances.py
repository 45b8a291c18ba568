"""Distances of measured quantities from their limits, without a change and with one change at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill, wrap

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from manypath.arguments import of_kind
from manypath.errors import UserError
from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, INK, styled
from manypath.stats import interval


@dataclass(frozen=True)
class Distance:
    """One row: a sample of distances from a limit, one for each replication.

    Attributes
    ----------
    label : str
        Description of the change.
    sample : array
        The distances; positive on the required side.
    holds : bool
        Whether the requirement is fulfilled; the mark is then filled.
    """

    label: str
    sample: NDArray[np.float64]
    holds: bool


@dataclass(frozen=True)
class Panel:
    """Rows with a common axis.

    Attributes
    ----------
    title, unit : str
        The measured quantity and its unit.
    rows : sequence of Distance
        The rows, from top to bottom.
    """

    title: str
    unit: str
    rows: Sequence[Distance]


def distances(panels: Sequence[Panel]) -> Picture:
    """Draw means of distances with 95 % intervals, one in each row. Marks are filled if `holds` is true.

    Raises
    ------
    UserError
        If there are no panels, or an element is not a `Panel`.

    Examples
    --------
    >>> import manypath as mp
    >>> import numpy as np
    >>> rows = [mp.figures.Distance("larger buffers", np.array([0.2, 0.3]), holds=True)]
    >>> mp.figures.distances([mp.figures.Panel("goodput", "Mbit/s", rows)])  # .save("distances.svg") writes it
    Picture(figure=<Figure size 460x75 with 1 Axes>)
    """
    if not of_kind("panels", panels, Sequence, "a list of Panel(...)"):
        raise UserError("panels: there are none to draw: give one or more")
    rows = [_heights(of_kind("panels", panel, Panel, "a list of Panel(...)")) for panel in panels]
    heights = [float(each.sum()) + 1.5 for each in rows]
    with styled():
        figure = Figure(figsize=(INCHES, 0.3 * sum(heights)), layout="constrained")
        plots = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, panel, tall in zip(plots, panels, rows, strict=True):
            places = tall.cumsum() - tall / 2
            axes.axvline(0.0, linewidth=0.8, color=INK)
            for place, row in zip(places, panel.rows, strict=True):
                mean, half = interval(row.sample).mean, interval(row.sample).half_width
                axes.errorbar(
                    [mean],
                    [place],
                    xerr=[0.0 if np.isnan(half) else half],
                    color=COLOURS[0],
                    marker="o",
                    markersize=5,
                    markerfacecolor=COLOURS[0] if row.holds else "none",
                    linestyle="none",
                )
            axes.set_yticks(places, [fill(row.label, WIDTH) for row in panel.rows])
            axes.set_ylim(tall.sum(), 0.0)
            axes.grid(visible=False, axis="y")
            axes.set_title(panel.title, loc="left")
            axes.set_xlabel(f"distance from the limit, {panel.unit}" if panel.unit else "distance from the limit")
    return Picture(figure)


def _heights(panel: Panel) -> NDArray[np.float64]:
    """Return the heights of the rows, which depend on the number of lines of their labels."""
    lines = [len(wrap(row.label, WIDTH)) for row in panel.rows]
    return np.maximum(1.0, 0.75 * np.array(lines))


WIDTH = 28
"""Largest number of characters in a line of a label."""

INCHES = 4.6
"""Width of the figure, inches. Its text is readable if the whole figure is shown on a phone."""
