"""Converts a finished matplotlib figure to an interactive plotly chart.

The name of a curve is the entry of the legend with its colour and, if the legend has line styles in ink, the entry with
its line style.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, BboxTransformFrom

from manypath.figures.style import GRID, INK

Json = dict[str, Any]
"""A part of a plotly document."""


def chart(figure: Figure) -> Json:
    """Return a figure as a plotly document with `data` and `layout`.

    It converts lines, error bars, bars, images, spans, lines across a plot and texts. Figures of this package have no
    other elements.
    """
    whole = Bbox.union([axes.get_position() for axes in figure.axes])
    plots = [_Plot(axes, number, _Legend(figure, axes), whole) for number, axes in enumerate(figure.axes, 1)]
    data = [trace for plot in plots for trace in plot.traces()]
    named: set[str] = set()
    for trace in data:
        trace["legendgroup"] = trace.get("name", "")
        trace["showlegend"] = bool(trace["legendgroup"]) and trace["legendgroup"] not in named
        named.add(trace["legendgroup"])
    layout: Json = {
        "template": "none",
        "shapes": [shape for plot in plots for shape in plot.shapes()],
        "annotations": [words for plot in plots for words in plot.words()],
        "font": {"color": INK, "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "barmode": "relative",
        "legend": {"orientation": "h", "yref": "container", "y": 0.0, "yanchor": "bottom"},
        "margin": {"l": 60, "r": 15, "t": 65, "b": 60},
    }
    for plot in plots:
        layout |= plot.frame()
    return {"data": data, "layout": layout}


class _Legend:
    """The labels of colours, and of line styles in ink. A single line style in ink counts as a colour."""

    def __init__(self, figure: Figure, axes: Axes) -> None:
        legends = [axes.get_legend(), *figure.legends]
        handles = [handle for legend in legends if legend for handle in _handles(legend.legend_handles)]
        marks = [handle for handle in handles if _colour(handle) == INK and _mark(handle)]
        styles = [handle for handle in handles if _colour(handle) == INK and not _mark(handle)]
        if len(styles) <= 1:
            styles = []
        self._colours = {_colour(each): str(each.get_label()) for each in handles if each not in (*styles, *marks)}
        self._styles = {_style(each): str(each.get_label()) for each in (*styles, *marks)}

    def name(self, line: Line2D) -> str:
        """Return the name of a curve; empty if the legend does not contain it."""
        words = (self.of_colour(_colour(line)), self._styles.get(_style(line), ""))
        return ", ".join(word for word in words if word)

    def of_colour(self, colour: str) -> str:
        """Return the label of a colour; empty without one."""
        return self._colours.get(colour, "")


@dataclass(frozen=True)
class _Plot:
    """One plot of a figure: `number` is the number of its axes in the chart, `whole` the bounding box of all plots."""

    axes: Axes
    number: int
    legend: _Legend
    whole: Bbox

    @property
    def _suffix(self) -> str:
        return "" if self.number == 1 else str(self.number)

    @property
    def _anchor(self) -> Json:
        return {"xaxis": f"x{self._suffix}", "yaxis": f"y{self._suffix}"}

    def traces(self) -> Iterator[Json]:
        """Iterate over curves, bars and images."""
        grouped: set[int] = set()
        for container in self.axes.containers:
            if isinstance(container, ErrorbarContainer):
                line, caps, bars = container.lines
                grouped |= {id(part) for part in (line, *caps)}
                # Error bars without a line belong to bars and are converted with them.
                if line is not None:
                    yield self._curve(line) | _errors(line, bars)
            elif isinstance(container, BarContainer):
                yield self._bars(container)
        for line in self.axes.lines:
            if id(line) not in grouped and self._across(line) is None:
                yield self._curve(line)
        for image in self.axes.images:
            yield {
                "type": "heatmap",
                "z": np.ma.filled(np.ma.asarray(image.get_array(), dtype=np.float32), np.nan),
                "colorscale": "RdBu",
                "zmin": image.norm.vmin,
                "zmax": image.norm.vmax,
                "showscale": False,
                **self._anchor,
            }

    def shapes(self) -> Iterator[Json]:
        """Iterate over lines across the plot and grey spans."""
        for line in self.axes.lines:
            across = self._across(line)
            if across is not None:
                place = float(np.asarray(line.get_xdata() if across == "x" else line.get_ydata(), dtype=float)[0])
                yield {
                    "type": "line",
                    "line": {"color": _colour(line), "width": 1, "dash": _dash(line)},
                    **self._whole(across, place, place),
                }
        for patch in self.axes.patches:
            if isinstance(patch, Rectangle) and patch.get_data_transform() == self.axes.get_xaxis_transform():
                left = float(patch.get_x())
                yield {
                    "type": "rect",
                    "fillcolor": to_hex(patch.get_facecolor()),
                    "opacity": patch.get_alpha() or 1.0,
                    "line": {"width": 0},
                    **self._whole("x", left, left + float(patch.get_width())),
                }

    def words(self) -> Iterator[Json]:
        """Iterate over the title and the texts in the plot."""
        x, y = self._anchor.values()
        title = self.axes.get_title("left") or self.axes.get_title()
        if title:
            yield {
                "text": title.replace("\n", "<br>"),
                "xref": f"{x} domain",
                "yref": f"{y} domain",
                "x": 0,
                "y": 1,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
            }
        for text in self.axes.texts:
            yield {
                "text": text.get_text(),
                **_place(text, x, y),
                "textangle": -float(text.get_rotation()),
                "showarrow": False,
                "font": {"color": to_hex(text.get_color()), "size": 11},
                "xanchor": text.get_horizontalalignment(),
                "yanchor": _ANCHORS[text.get_verticalalignment()],
            }

    def frame(self) -> Json:
        """Return both axes with position, scale and title."""
        box = self.axes.get_position().transformed(BboxTransformFrom(self.whole))
        x, y = self._anchor.values()
        frames = {}
        for which, other, begin, end in (("x", y, box.x0, box.x1), ("y", x, box.y0, box.y1)):
            axis = self.axes.xaxis if which == "x" else self.axes.yaxis
            low, high = self.axes.get_xlim() if which == "x" else self.axes.get_ylim()
            log = axis.get_scale() == "log"
            frames[f"{which}axis{self._suffix}"] = {
                "domain": [round(min(max(place, 0.0), 1.0), 4) for place in (begin, end)],
                "anchor": other,
                "type": "log" if log else "linear",
                "range": [float(np.log10(low)), float(np.log10(high))] if log else [float(low), float(high)],
                "title": {"text": axis.get_label_text(), "standoff": 8},
                "gridcolor": GRID,
                "linecolor": INK,
                "showgrid": bool(axis.get_gridlines()) and axis.get_gridlines()[0].get_visible(),
                "zeroline": False,
                "showticklabels": bool(axis.get_tick_params().get(_LABELLED[which], True)),
                **_ticks(self.axes, which),
            }
        return frames

    def _curve(self, line: Line2D) -> Json:
        drawn = [word for word, on in (("lines", _is_drawn(line)), ("markers", _is_marked(line))) if on]
        colour = _colour(line)
        symbol = _SYMBOLS.get(str(line.get_marker()), "circle")
        hollow = to_hex(line.get_markerfacecolor(), keep_alpha=True).endswith("00")
        return {
            "type": "scatter",
            "x": np.asarray(line.get_xdata(), dtype=np.float32),
            "y": np.asarray(line.get_ydata(), dtype=np.float32),
            "name": self.legend.name(line),
            "mode": "+".join(drawn) or "lines",
            "line": {"color": colour, "width": 1.5, "dash": _dash(line)},
            "marker": {
                "color": colour,
                "size": 7,
                "symbol": symbol + "-open" * hollow,
                "line": {"color": colour, "width": 1.5},
            },
            "opacity": line.get_alpha() or 1.0,
            **self._anchor,
        }

    def _bars(self, container: BarContainer) -> Json:
        bars = container.patches
        labels = [label.get_text() for label in self.axes.get_xticklabels()]
        trace: Json = {
            "type": "bar",
            "x": [bar.get_x() + bar.get_width() / 2 for bar in bars],
            "y": [bar.get_height() for bar in bars],
            "base": [bar.get_y() for bar in bars],
            "width": [bar.get_width() for bar in bars],
            "name": self.legend.of_colour(to_hex(bars[0].get_facecolor())),
            "marker": {"color": to_hex(bars[0].get_facecolor())},
            "hovertext": labels if len(labels) == len(bars) else None,
            **self._anchor,
        }
        if container.errorbar is not None:
            trace |= _errors(Line2D(trace["x"], np.add(trace["base"], trace["y"])), container.errorbar.lines[2])
        return trace

    def _across(self, line: Line2D) -> str | None:
        """Return the constant coordinate of a line across the whole plot, `x` or `y`; None for other lines."""
        if line.get_transform() == self.axes.get_xaxis_transform():
            return "x"
        return "y" if line.get_transform() == self.axes.get_yaxis_transform() else None

    def _whole(self, which: str, low: float, high: float) -> Json:
        x, y = self._anchor.values()
        if which == "x":
            return {"xref": x, "yref": f"{y} domain", "x0": low, "x1": high, "y0": 0, "y1": 1, "layer": "below"}
        return {"xref": f"{x} domain", "yref": y, "x0": 0, "x1": 1, "y0": low, "y1": high, "layer": "below"}


def _handles(artists: Sequence[Any]) -> Iterator[Line2D]:
    return (artist for artist in artists if isinstance(artist, Line2D))


def _errors(line: Line2D, bars: Sequence[LineCollection]) -> Json:
    """Return the error bars of a curve, from their line segments."""
    errors: Json = {}
    for collection in bars:
        segments = np.array(collection.get_segments(), dtype=float)
        which = 0 if np.ptp(segments[:, :, 0]) and np.ptp(segments[0, :, 0]) else 1
        middle = np.asarray(line.get_xdata() if which == 0 else line.get_ydata(), dtype=float)
        ends = segments[:, :, which]
        errors["error_x" if which == 0 else "error_y"] = {
            "type": "data",
            "array": ends.max(axis=1) - middle,
            "arrayminus": middle - ends.min(axis=1),
            "thickness": 1,
            "width": 3,
        }
    return errors


def _place(text: Text, x: str, y: str) -> Json:
    """Return the position of a text. Coordinates of an annotation may be fractions of the plot."""
    place = text.xy if isinstance(text, Annotation) else text.get_position()
    systems = text.xycoords if isinstance(text, Annotation) else "data"
    in_x, in_y = systems if isinstance(systems, tuple) else (systems, systems)
    return {
        "x": float(place[0]),
        "y": float(place[1]),
        "xref": x if in_x == "data" else f"{x} domain",
        "yref": y if in_y == "data" else f"{y} domain",
    }


def _ticks(axes: Axes, which: str) -> Json:
    """Return the ticks of an axis if they were set explicitly; otherwise plotly chooses them."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axes.get_xlim() if which == "x" else axes.get_ylim())
    by_hand = type(axis.get_major_locator()).__name__ in {"FixedLocator", "StrCategoryLocator"}
    if not by_hand:
        return {}
    places = [float(place) for place in axis.get_ticklocs()]
    words = [label.get_text().replace("\n", "<br>") for label in axis.get_ticklabels()]
    shown = [(place, word) for place, word in zip(places, words, strict=False) if low <= place <= high]
    return {"tickvals": [place for place, _ in shown], "ticktext": [word for _, word in shown]}


def _colour(line: Line2D) -> str:
    return to_hex(line.get_color())


def _dash(line: Line2D) -> str:
    """Return plotly's name of a line style. All broken lines are dotted: matplotlib does not return their pattern."""
    return "solid" if line.get_linestyle() == "-" or not _is_drawn(line) else "dot"


def _style(line: Line2D) -> tuple[str, str]:
    """Return dash style and mark, which distinguish lines of one colour."""
    return _dash(line), _mark(line)


def _is_drawn(line: Line2D) -> bool:
    return str(line.get_linestyle()).lower() not in {"none", "", " "}


def _is_marked(line: Line2D) -> bool:
    return str(line.get_marker()).lower() not in {"none", "", " "}


def _mark(line: Line2D) -> str:
    """Return the marker of points of another simulator and of printed numbers; empty for curves."""
    marker = str(line.get_marker())
    return marker if marker in _MARKS and not _is_drawn(line) else ""


_MARKS = ("x", "D")
"""Markers of points of another simulator, and of numbers printed in a paper."""

_ANCHORS = {
    "top": "top",
    "center": "middle",
    "center_baseline": "middle",
    "baseline": "bottom",
    "bottom": "bottom",
}
"""Plotly's vertical anchors of texts by matplotlib's names."""

_LABELLED = {"x": "labelbottom", "y": "labelleft"}
"""Names of matplotlib's switches of tick labels."""

_SYMBOLS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "X": "x",
    "*": "star",
    "x": "x-thin",
    ".": "circle",
}
"""Plotly's markers by matplotlib's names."""
