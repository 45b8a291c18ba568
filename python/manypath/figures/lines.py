"""Curves of means with their 95 % intervals over a sweep, with points from elsewhere laid over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, COLUMN, INK, MARKERS, styled
from manypath.stats import interval

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign import Results


@dataclass(frozen=True)
class Curve:
    """One curve: a sample of replications at each x.

    Attributes
    ----------
    x : sequence of float
        Where it was measured.
    samples : sequence of array
        The replications at each x.
    series : int
        Which colour and marker it has.
    dotted : bool
        Whether it is dotted.
    """

    x: Sequence[float]
    samples: Sequence[NDArray[np.float64]]
    series: int
    dotted: bool = False


@dataclass(frozen=True)
class Mark:
    """A point from elsewhere: a mean and the range of its runs.

    Attributes
    ----------
    x, mean : float
        Where it lies.
    low, high : float
        Smallest and largest run.
    series : int
        The colour and marker of the curve that it compares with.
    """

    x: float
    mean: float
    low: float
    high: float
    series: int


def draw_curves(axes: Axes, curves: Iterable[Curve], marks: Iterable[Mark] = ()) -> None:
    """Draw curves with intervals, and marks as open crosses with their ranges above them."""
    for curve in curves:
        intervals = [interval(sample) for sample in curve.samples]
        axes.errorbar(
            curve.x,
            [each.mean for each in intervals],
            yerr=[0.0 if np.isnan(each.half_width) else each.half_width for each in intervals],
            color=COLOURS[curve.series],
            marker=MARKERS[curve.series],
            markerfacecolor="none" if curve.dotted else COLOURS[curve.series],
            linestyle=(0, (1, 1.2)) if curve.dotted else "-",
            elinewidth=0.8,
        )
    for mark in marks:
        axes.errorbar(
            [mark.x],
            [mark.mean],
            yerr=[[mark.mean - mark.low], [mark.high - mark.mean]],
            color=COLOURS[mark.series],
            marker="x",
            markersize=7,
            markeredgewidth=1.6,
            linestyle="none",
            capsize=0,
            alpha=0.75,
            zorder=4,
        )


def name_curves(figure: Figure, series: Sequence[str], styles: tuple[str, str] | None, marks: str | None) -> None:
    """Put one legend below the plots: a row of colours for the series, and a row of line styles and marks."""
    colours = [
        Line2D([], [], color=COLOURS[n], marker=MARKERS[n], linestyle="-", label=name) for n, name in enumerate(series)
    ]
    shapes: list[Line2D] = []
    if styles:
        shapes.append(Line2D([], [], color=INK, linestyle="-", label=styles[0]))
        shapes.append(Line2D([], [], color=INK, linestyle=(0, (1, 1.2)), label=styles[1]))
    if marks:
        shapes.append(Line2D([], [], color=INK, linestyle="none", marker="x", markersize=6, label=marks))
    # A legend is filled column by column.
    handles = [handle for pair in zip_longest(colours, shapes) for handle in pair if handle is not None]
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=max(len(series), 1))


def lines(
    results: Results,
    x: str,
    y: str = "goodput",
    *,
    color: str = "cc",
    style: str = "flow",
    x_label: str | None = None,
    y_label: str | None = None,
) -> Picture:
    """Draw a campaign's measurement over a factor, with 95 % intervals.

    Parameters
    ----------
    results
        What the campaign found.
    x, y
        The factor along the axis (a number, or a quantity that begins with one) and the measurement.
    color, style
        The columns that choose colour, and solid or dotted line (two values).
    x_label, y_label
        Words for the axes; by default the names.

    Examples
    --------
    >>> lines(results, x="north").save("figure3.svg")  # doctest: +SKIP
    """
    frame = results.flows.assign(_x=[_number(value) for value in results.flows[x]])
    colors, styles = list(dict.fromkeys(frame[color])), list(dict.fromkeys(frame[style]))
    with styled():
        figure = Figure(figsize=(COLUMN, 0.72 * COLUMN), layout="constrained")
        axes = figure.subplots()
        curves = [
            _curve(
                frame.loc[(frame[color] == chosen) & (frame[style] == kind)],
                y,
                colors.index(chosen),
                styles.index(kind),
            )
            for chosen in colors
            for kind in styles
        ]
        draw_curves(axes, curves)
        axes.set_xlabel(x_label or x)
        axes.set_ylabel(y_label or ("payload rate in Mbit/s" if y == "goodput" else y))
        axes.set_ylim(bottom=0.0)
        named = [str(name) for name in colors]
        name_curves(figure, named, (str(styles[0]), str(styles[1])) if len(styles) == 2 else None, None)  # noqa: PLR2004
    return Picture(figure)


def _curve(rows: pd.DataFrame, y: str, series: int, style: int) -> Curve:
    levels = sorted(set(rows["_x"]))
    samples = [rows.loc[rows["_x"] == level, y].to_numpy(float) for level in levels]
    return Curve(levels, samples, series, dotted=style > 0)


def _number(value: object) -> float:
    return float(str(value).split()[0])
