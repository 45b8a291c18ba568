"""Curves of means with 95 % intervals over a sweep, with marks for points of other sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from manypath.arguments import text
from manypath.errors import UserError, quoted, remedy
from manypath.figures.axis import Axis
from manypath.figures.picture import Picture
from manypath.figures.style import COLOURS, COLUMN, INK, MARKERS, PAGE, styled
from manypath.frames import with_none_as_text
from manypath.stats import interval

if TYPE_CHECKING:
    from manypath.campaign import Results


@dataclass(frozen=True)
class Curve:
    """One curve: a sample of replications at each x.

    Attributes
    ----------
    x : sequence of float
        Positions on the axis.
    samples : sequence of array
        The replications at each x.
    series : int
        Index of its colour and marker.
    dotted : bool
        Whether it is dotted.
    """

    x: Sequence[float]
    samples: Sequence[NDArray[np.float64]]
    series: int
    dotted: bool = False


@dataclass(frozen=True)
class Mark:
    """A point of another source: a mean with the range of its runs, or a number printed in a paper.

    Attributes
    ----------
    x, mean : float
        Position and value.
    low, high : float
        Minimum and maximum over its runs.
    series : int or None
        Index of the colour of the curve that it is compared with; None for all curves.
    printed : bool
        Whether it is printed in a paper. Then the mark is an open diamond instead of a cross.
    """

    x: float
    mean: float
    low: float
    high: float
    series: int | None
    printed: bool = False


def draw_curves(axes: Axes, curves: Iterable[Curve], marks: Iterable[Mark] = ()) -> None:
    """Draw curves with intervals, and marks over them: crosses with ranges, and open diamonds."""
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
            color=INK if mark.series is None else COLOURS[mark.series],
            linestyle="none",
            capsize=0,
            zorder=4,
            **(PRINTED if mark.printed else CROSS),
        )


def name_curves(
    figure: Figure, series: Sequence[str], styles: tuple[str, str] | None, marks: str | None, *, printed: bool = False
) -> None:
    """Put one legend below the plots: a row of colours for the series, and a row of line styles and marks.

    `marks` is the label of the crosses, None without crosses; `printed` is whether there are diamonds.
    """
    colours = [
        Line2D([], [], color=COLOURS[n], marker=MARKERS[n], linestyle="-", label=name) for n, name in enumerate(series)
    ]
    shapes: list[Line2D] = []
    if styles:
        shapes.append(Line2D([], [], color=INK, linestyle="-", label=styles[0]))
        shapes.append(Line2D([], [], color=INK, linestyle=(0, (1, 1.2)), label=styles[1]))
    if marks:
        shapes.append(Line2D([], [], color=INK, linestyle="none", marker="x", markersize=6, label=marks))
    if printed:
        shapes.append(printed_handle())
    # Matplotlib fills a legend column by column.
    handles = [handle for pair in zip_longest(colours, shapes) for handle in pair if handle is not None]
    figure.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=max(len(series), 1))


def printed_handle() -> Line2D:
    """Return the legend entry of printed numbers."""
    return Line2D([], [], color=INK, linestyle="none", label="printed in the paper", **PRINTED)


PRINTED: dict[str, Any] = {
    "marker": "D",
    "markersize": 9,
    "markeredgewidth": 1.2,
    "markerfacecolor": "none",
    "clip_on": False,
}
"""Style of a printed number. The diamond is large enough to enclose a point at the same position."""

CROSS: dict[str, Any] = {"marker": "x", "markersize": 7, "markeredgewidth": 1.6, "alpha": 0.75}
"""Style of a point of another simulator."""


def lines(
    results: Results | pd.DataFrame,
    x: str,
    y: str = "goodput",
    *,
    color: str | None = "cc",
    style: str | None = "flow",
    columns: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
) -> Picture:
    """Draw a measurement over a factor, with 95 % intervals over the replications that have a number.

    Parameters
    ----------
    results
        The results of a campaign, one of its frames, such as ``results.paths``, or selected rows of a frame.
    x, y
        The factor along the axis and the measurement. Quantities with units are converted to the unit of the largest
        one; texts are placed in the order of the campaign.
    color, style
        The columns that choose the colour, and a solid or dotted line (two values). A column with a single value has no
        effect. The default columns may be missing.
    columns
        The column that has a panel for each of its values, beside each other.
    x_label, y_label
        Labels of the axes; by default the names of the columns.

    Raises
    ------
    UserError
        If a column does not exist, a measurement has no values, a factor lacks a value in some rows, a curve has
        several rows of a replication, or there are more values than colours or line styles.

    Examples
    --------
    >>> import manypath as mp
    >>> wait = mp.Function(lambda rate, seed: {"wait": 1 / rate}, version="1")
    >>> results = mp.Campaign(wait, {"rate": [2, 4]}, replications=2).run(store=None, progress=False)
    >>> mp.figures.lines(results, x="rate", y="wait")  # .save("wait.svg") writes it
    Picture(figure=<Figure size 350x252 with 1 Axes>)
    """
    frame = _rows(results)
    for name, word in {"x": x, "y": y, "color": color, "style": style, "columns": columns}.items():
        if word is not None or name in ("x", "y"):
            text(name, word, "the name of a column")
    for name, word in {"x_label": x_label, "y_label": y_label}.items():
        if word is not None:
            text(name, word, "words for the axis")
    _check_columns(frame, y, [x, y, *(name for name in (color, style) if name not in OPTIONAL), columns])
    places = [name for name in (x, color, style, columns) if name is not None and name in frame.columns]
    frame = with_none_as_text(frame, places)
    _check_levels(frame, places)
    colours, styles = _values(frame, color, len(COLOURS)), _values(frame, style, len(STYLES))
    panels = _values(frame, columns, MOST_PANELS)
    axis = Axis.of(frame[x])
    curves = [
        [
            _curve(_where(part, {color: colour, style: shape}), axis, x, y, colours.index(colour), styles.index(shape))
            for colour in colours
            for shape in styles
        ]
        for part in (_where(frame, {columns: value}) for value in panels)
    ]
    with styled():
        figure = _panels(curves, [f"{columns} = {value}" if value is not None else "" for value in panels], axis)
        figure.axes[0].set_ylabel(y_label or LABELS.get(y, y))
        for axes in figure.axes:
            axes.set_xlabel(x_label or (f"{x} in {axis.unit}" if axis.unit else x))
        if len(colours) > 1 or len(styles) > 1:
            named = [y if colour is None else str(colour) for colour in colours]
            name_curves(figure, named, (str(styles[0]), str(styles[1])) if len(styles) > 1 else None, None)
    return Picture(figure)


def _check_columns(frame: pd.DataFrame, y: str, named: Iterable[str | None]) -> None:
    """Refuse columns that do not exist, and a measurement without numbers."""
    for column in named:
        if column is not None and column not in frame.columns:
            known = remedy(column, [str(name) for name in frame.columns])
            raise UserError(f"lines: {quoted(column)} is no column of these results: {known}")
    if not is_numeric_dtype(frame[y]):
        raise UserError(f'lines: "{y}" has no numbers in these results: give a measurement, such as "goodput"')
    if frame[y].isna().all():
        raise UserError(f"lines: {y} has no values in these results: choose other rows or columns")


def _check_levels(frame: pd.DataFrame, columns: Iterable[str]) -> None:
    """Refuse a column that places or distinguishes rows but has no value in some of them."""
    for column in columns:
        if frame[column].isna().any():
            raise UserError(f"lines: {column} has no value in some rows, which cannot be drawn: select other rows")


def _panels(curves: Sequence[Sequence[Curve]], titles: Sequence[str], axis: Axis) -> Figure:
    """Draw each list of curves in a plot with a title; the plots are beside each other and have the same scales."""
    width = min(COLUMN * len(curves), max(COLUMN, PAGE))
    figure = Figure(figsize=(width, 0.72 * COLUMN), layout="constrained")
    plots = figure.subplots(ncols=len(curves), sharex=True, sharey=True, squeeze=False)[0]
    for axes, drawn, title in zip(plots, curves, titles, strict=True):
        draw_curves(axes, [curve for curve in drawn if curve.x])
        axes.set_title(title)
        if axis.words:
            axes.set_xticks(range(len(axis.words)), axis.words)
    low, high = plots[0].get_ylim()
    plots[0].set_ylim(min(0.0, low), max(0.0, high))
    return figure


def _rows(results: Results | pd.DataFrame) -> pd.DataFrame:
    """Return the frame to draw: `results` itself, or its frame of flows, or its frame of runs if it has no flows."""
    if isinstance(results, pd.DataFrame):
        return results
    if not hasattr(results, "has_flows"):
        raise UserError(
            f"results: {quoted(results)} is not from a campaign: give what Campaign.run returned, or a frame of it"
        )
    results.check_runs("lines")
    return results.flows if results.has_flows else results.runs


def _values(frame: pd.DataFrame, column: str | None, most: int) -> list[Any]:
    """Return the values that choose a colour or style; a single None if there is only one."""
    if column is None or column not in frame.columns:
        return [None]
    values = list(dict.fromkeys(frame[column]))
    if len(values) > most:
        raise UserError(f"lines: {column} has {len(values)} values, but at most {most} can be drawn: select some")
    return values if len(values) > 1 else [None]


def _where(frame: pd.DataFrame, chosen: Mapping[str | None, Any]) -> pd.DataFrame:
    """Return the rows in which each column has the value that chooses a curve."""
    for column, value in chosen.items():
        if value is not None:
            frame = frame[frame[column] == value]
    return frame


def _curve(rows: pd.DataFrame, axis: Axis, x: str, y: str, series: int, style: int) -> Curve:
    """Return the samples at each level, ascending; rows without a number have no place in a mean."""
    by_place = list(rows.groupby(rows[x].map(axis.place)))
    for _, part in by_place:
        if "replication" in part.columns and part["replication"].duplicated().any():
            raise UserError(
                "lines: several rows of a replication are on one curve: select rows, or choose a color column in which "
                "they differ"
            )
    samples = [(place, part[y].dropna().to_numpy(float)) for place, part in by_place]
    drawn = [(float(place), sample) for place, sample in samples if len(sample)]
    return Curve([place for place, _ in drawn], [sample for _, sample in drawn], series, dotted=style > 0)


OPTIONAL = ("cc", "flow")
"""Columns that choose colours and styles if they exist."""

STYLES = ("solid", "dotted")
"""Line styles."""

MOST_PANELS = 6
"""Largest number of plots beside each other; more would be narrower than their titles."""

LABELS = {"goodput": "goodput in Mbit/s", "throughput": "throughput in Mbit/s", "latency_mean": "latency in s"}
"""Labels of measurements. The label of others is the name of the column."""
