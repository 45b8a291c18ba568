"""Plots with a common time axis, below each other or in two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import ArrayLike

from manypath.explore.charts.scripts import HOVER
from manypath.explore.charts.theme import Option, Theme, number, points, shortened
from manypath.explore.moves import Mark


class Stack:
    """A chart of several plots. Curves, marks and bars belong to the last plot that was begun.

    A plot may have a legend in the line of its title. Everything else is in the legend of the chart, above the plots.
    """

    def __init__(self, theme: Theme, end: float, *, narrow: bool, columns: int = 1) -> None:
        self.theme, self._end, self._narrow = theme, end, narrow
        self._columns = columns
        self._grids: list[Option] = []
        self._titles: list[Option] = []
        self._xs: list[Option] = []
        self._ys: list[Option] = []
        self._series: list[Option] = []
        self._units: list[str] = []
        self._legends: list[Option] = [self._legend(top=0, left="center")]
        self._own: Option = self._legends[0]
        """The legend of the last plot."""
        self._top = self._bottom = TOP

    def grid(
        self, height: int, title: str, unit: str = "", *, gap: int = 22, values: bool = True, legend: bool = False
    ) -> None:
        """Begin a plot, with a legend of its own or without one. Names in its title should be shortened."""
        place = len(self._grids)
        column = place % self._columns
        below = ROW if legend and self._narrow else 0
        if column == 0:
            self._top = self._bottom + gap + below
        words = f"{title}, {unit}" if unit else title
        text = {"fontSize": 12, "fontWeight": 600, "color": self.theme.ink}
        sides = SIDES[self._columns][column]
        self._titles.append({"text": words, "left": sides["title"], "top": self._top - 20 - below, "textStyle": text})
        self._grids.append({"left": sides["left"], "right": sides["right"], "top": self._top, "height": height})
        self._bottom = self._top + height + 6
        self._own = self._legends[0]
        if legend:
            left = 0 if self._narrow else BESIDE + _width(words)
            self._own = self._legend(top=self._top - 20, left=left, right=0)
            self._legends.append(self._own)
        self._units.append(unit)
        self._xs.append(
            {
                **self.theme.axis(),
                "gridIndex": place,
                "min": 0,
                "max": self._end,
                "axisLabel": {"show": False},
                "splitLine": {"show": False},
            }
        )
        self._ys.append({**self.theme.axis(), "gridIndex": place, "splitNumber": 3, "show": values})

    def line(
        self,
        name: str,
        time: ArrayLike,
        values: ArrayLike,
        colour: str,
        kind: Any = "solid",
        width: float = 1.5,
        *,
        label: str = "",
        said: str = "",
    ) -> None:
        """Add a curve. Curves with the same name are shown and hidden together.

        `label` is the name in the legend, and `said` the name at the pointer, if they differ.
        """
        series = {
            "type": "line",
            "name": name,
            "data": points(time, values),
            "showSymbol": False,
            "color": colour,
            "lineStyle": {"width": width, "type": kind},
        }
        # Without the circle on lines, which the plots do not have.
        self._add(series, self._own, {"itemStyle": {"opacity": 0}}, label=label, said=said)

    def marks(self, name: str, marks: Sequence[Mark], symbol: str, colour: str, height: float) -> None:
        """Add marks, at a height in units of the plot. Of too many, every second, third or later one is drawn."""
        drawn = range(0, len(marks), -(-len(marks) // MOST_MARKS) or 1)
        texts = [(mark.time, f"{mark.time:.3f} s, {mark.place}: {mark.words}") for mark in (marks[at] for at in drawn)]
        self.symbols(name, texts, symbol, colour, height)

    def symbols(self, name: str, texts: Sequence[tuple[float, str]], symbol: str, colour: str, height: float) -> None:
        """Add symbols with a time, and with a text at the pointer, at a height in units of the plot."""
        series = {
            "type": "scatter",
            "name": name,
            "data": [{"value": [number(time), height], "name": text} for time, text in texts],
            "symbol": symbol,
            "symbolSize": 9,
            # The script of the page describes them beside the curves, also where the pointer hits one.
            "silent": True,
            "tooltip": {"trigger": "item"},
            "itemStyle": {"color": colour},
            "z": 4,
        }
        self._add(series, self._legends[0])

    def bars(
        self,
        name: str,
        time: ArrayLike,
        values: ArrayLike,
        colour: str,
        decal: Option,
        stack: str,
        *,
        label: str = "",
        said: str = "",
    ) -> None:
        """Add shares of time from 0 to 1, stacked; `label` and `said` as for curves."""
        shares = np.asarray(values, dtype=float)
        series = {
            "type": "bar",
            "name": name,
            "stack": stack,
            "barWidth": "170%",
            # The border closes the gaps between bars that do not end at a pixel.
            "itemStyle": {"color": colour, "decal": decal, "borderColor": colour, "borderWidth": 1},
            # A bar without height would have a border.
            "data": points(time, np.where(shares > 0.0, shares, np.nan)),
        }
        self._add(series, self._own, label=label, said=said)

    def limit(self, most: float) -> None:
        """Limit the vertical axis of the last plot."""
        self._ys[-1] |= {"min": 0, "max": most, "interval": most / 2}

    def finished(self, since: float) -> Option:
        """Return the chart; its height is at ``height``, in pixels. `since` is the start of the measurement."""
        for axis in self._xs[-self._columns :]:
            axis |= {
                "axisLabel": {"show": True, "color": self.theme.faint},
                "name": f"time, s{'; measured from the dashed line on' if since else ''}",
                "nameLocation": "middle",
                "nameGap": 22,
                "nameTextStyle": {"color": self.theme.faint},
            }
        self._measured_from(since)
        self._arrange_the_first_legend()
        return {
            **self.theme.frame(),
            "height": self._bottom + 36,
            "title": self._titles,
            "grid": self._grids,
            "xAxis": self._xs,
            "yAxis": self._ys,
            "series": self._series,
            "legend": self._legends,
            "tooltip": {
                "trigger": "axis",
                ":formatter": HOVER,
                "confine": True,
                "extraCssText": "font-size: 12px; line-height: 1.35; white-space: normal; max-width: 94vw",
            },
            "axisPointer": {"link": [{"xAxisIndex": "all"}], "label": {"show": False}},
            "dataZoom": [
                {
                    "type": "inside",
                    "xAxisIndex": list(range(len(self._xs))),
                    "filterMode": "none",
                    "zoomOnMouseWheel": "ctrl",
                    "moveOnMouseWheel": "shift",
                    "moveOnMouseMove": False,
                    # ECharts would stop touches that scroll the page.
                    "preventDefaultMouseMove": False,
                }
            ],
        }

    def _add(
        self, series: Option, legend: Option, entry: Option | None = None, *, label: str = "", said: str = ""
    ) -> None:
        """Add a series to the last plot, and its name to a legend, unless it has no data."""
        place, name = len(self._grids) - 1, series["name"]
        of_plot = {"xAxisIndex": place, "yAxisIndex": place, "animation": False, "unit": self._units[-1]}
        self._series.append({**series, **of_plot, "said": said or name})
        if series["data"] and name not in legend["labels"]:
            legend["labels"][name] = shortened(label or name)
            legend["data"].append({"name": name, **(entry or {})})

    def _legend(self, **place: Any) -> Option:
        """Return an empty legend. The script of the page shows the labels instead of the names."""
        return self.theme.legend(data=[], labels={}, type="scroll", itemGap=10, itemHeight=10, padding=[2, 5], **place)

    def _arrange_the_first_legend(self) -> None:
        """Give the legend above the plots one row or two. One that needs more scrolls."""
        legend, lines = self._legends[0], {each["name"] for each in self._series if each["type"] == "line"}
        if not lines & set(legend["labels"]):
            legend["itemWidth"] = legend["itemHeight"]
        width = sum(ENTRY + legend["itemWidth"] + _width(label) for label in legend["labels"].values())
        row = NARROW_ROW if self._narrow else WIDE_ROW
        if width <= 2 * row:
            legend["type"] = "plain"
            if width > row:
                for part in (*self._titles, *self._grids, *self._legends[1:]):
                    part["top"] += ROW
                self._bottom += ROW

    def _measured_from(self, since: float) -> None:
        """Draw the start of the measurement in every plot; nothing at 0.

        It has a series of its own, because a line of a hidden curve is hidden, too.
        """
        line = {
            "silent": True,
            "symbol": "none",
            "data": [{"xAxis": since}],
            "animation": False,
            "lineStyle": {"color": self.theme.faint, "type": "dashed"},
            "label": {"show": False},
        }
        for place in range(len(self._grids) if since else 0):
            of_plot = {"xAxisIndex": place, "yAxisIndex": place, "animation": False}
            self._series.append({"type": "line", "name": MEASURED, "data": [], "markLine": line, **of_plot})


def _width(text: str) -> int:
    """Return the approximate width of a text, pixels."""
    return round(sum(WIDE if east_asian_width(letter) in "WF" else LETTER for letter in text))


SIDES: dict[int, list[Option]] = {
    1: [{"title": 4, "left": 46, "right": 14}],
    2: [{"title": 4, "left": 46, "right": "51%"}, {"title": "50.5%", "left": "55%", "right": 14}],
}
"""Horizontal places of titles and plots, by the number of columns."""

TOP = 26
"""Height of the legend above the plots, pixels."""

ROW = 20
"""Height of the legend of a plot below its title, pixels."""

BESIDE, LETTER, WIDE = 16, 6.0, 12.0
"""Left margin of the legend beside a title, and the width of a letter, also of one of East Asian scripts, pixels."""

ENTRY, NARROW_ROW, WIDE_ROW = 15, 330, 680
"""Width of an entry of a legend without its symbol and its text, and of a row in small windows, pixels."""

MEASURED = "start of the measurement"
"""Name of the series of its dashed line."""

MOST_MARKS = 400
"""Largest number of marks of one kind in a plot."""
