"""How far something is from what it should be: as it stands, and with one thing changed at a time."""

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
    """One row: a sample of distances, one for each replication; negative where something is missed.

    Attributes
    ----------
    label : str
        What was changed.
    sample : array
        The distances.
    holds : bool
        Whether all is as it should be then.
    """

    label: str
    sample: NDArray[np.float64]
    holds: bool


@dataclass(frozen=True)
class Panel:
    """Rows over one axis.

    Attributes
    ----------
    title, unit : str
        What is measured, and in which unit.
    rows : sequence of Distance
        The rows, from top to bottom.
    """

    title: str
    unit: str
    rows: Sequence[Distance]


def distances(panels: Sequence[Panel]) -> Picture:
    """Draw means of distances with 95 % intervals, one row each; filled where all is as it should be.

    Raises
    ------
    UserError
        If there is nothing to draw, or a panel is none.
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
            axes.set_xlabel(f"beyond what it takes, {panel.unit}" if panel.unit else "beyond what it takes")
    return Picture(figure)


def _heights(panel: Panel) -> NDArray[np.float64]:
    """Heights of the rows; a label of two lines or more makes its row taller."""
    lines = [len(wrap(row.label, WIDTH)) for row in panel.rows]
    return np.maximum(1.0, 0.75 * np.array(lines))


WIDTH = 28
"""Characters in a line of a label."""

INCHES = 4.6
"""Width of the figure: its text can be read where a phone shows the whole of it."""
