"""Plots with a common time axis, below each other or in two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manypath.explore.charts.scripts import HOVER
from manypath.explore.charts.theme import Option, Theme, number, points
from manypath.explore.moves import Mark


class Stack:
    """A chart of several plots. Curves, marks and bars belong to the last plot that was begun."""

    def __init__(self, theme: Theme, end: float, *, narrow: bool, top: int = 72, columns: int = 1) -> None:
        self.theme, self._end, self._narrow = theme, end, narrow
        self._columns = columns
        self._grids: list[Option] = []
        self._titles: list[Option] = []
        self._xs: list[Option] = []
        self._ys: list[Option] = []
        self._series: list[Option] = []
        self._top = 44 if narrow else top
        self._rows = max(top // ROW_HEIGHT, 1)
        self._bottom = self._top

    def grid(self, height: int, title: str, *, gap: int = 22, values: bool = True) -> None:
        """Begin a plot."""
        place = len(self._grids)
        column = place % self._columns
        if column == 0:
            self._top = self._bottom + gap
        text = {"fontSize": 12, "fontWeight": 600, "color": self.theme.ink}
        sides = SIDES[self._columns][column]
        self._titles.append({"text": title, "left": sides["title"], "top": self._top - 20, "textStyle": text})
        self._grids.append({"left": sides["left"], "right": sides["right"], "top": self._top, "height": height})
        self._bottom = self._top + height + 6
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
        self, name: str, time: ArrayLike, values: ArrayLike, colour: str, kind: Any = "solid", width: float = 1.5
    ) -> None:
        """Add a curve."""
        self._add(
            {
                "type": "line",
                "name": name,
                "data": points(time, values),
                "showSymbol": False,
                "color": colour,
                "lineStyle": {"width": width, "type": kind},
            }
        )

    def marks(self, name: str, marks: Sequence[Mark], symbol: str, colour: str, height: float) -> None:
        """Add marks, at a height in units of the plot. Of too many, every second, third or later one is drawn."""
        drawn = range(0, len(marks), -(-len(marks) // MOST_MARKS) or 1)
        data = [
            {"value": [number(mark.time), height], "name": f"{mark.time:.3f} s, {mark.place}: {mark.words}"}
            for mark in (marks[place] for place in drawn)
        ]
        self._add(
            {
                "type": "scatter",
                "name": name,
                "data": data,
                "symbol": symbol,
                "symbolSize": 9,
                # The script of the page describes them beside the curves, also where the pointer hits one.
                "silent": True,
                "tooltip": {"trigger": "item"},
                "itemStyle": {"color": colour},
                "z": 4,
            }
        )

    def bars(self, name: str, time: ArrayLike, values: ArrayLike, colour: str, decal: Option, stack: str) -> None:
        """Add shares of time from 0 to 1, stacked."""
        shares = np.asarray(values, dtype=float)
        self._add(
            {
                "type": "bar",
                "name": name,
                "stack": stack,
                "barWidth": "170%",
                # The border closes the gaps between bars that do not end at a pixel.
                "itemStyle": {"color": colour, "decal": decal, "borderColor": colour, "borderWidth": 1},
                # A bar without height would have a border.
                "data": points(time, np.where(shares > 0.0, shares, np.nan)),
            }
        )

    def limit(self, most: float) -> None:
        """Limit the vertical axis of the last plot."""
        self._ys[-1] |= {"min": 0, "max": most, "interval": most / 2}

    def finished(self, since: float) -> Option:
        """Return the chart; its height is at ``height``, in pixels. `since` is the start of the measurement."""
        for axis in self._xs[-self._columns :]:
            axis |= {
                "axisLabel": {"show": True, "color": self.theme.faint},
                "name": "time, s",
                "nameLocation": "middle",
                "nameGap": 22,
                "nameTextStyle": {"color": self.theme.faint},
            }
        self._measured_from(since)
        names = list(dict.fromkeys(each["name"] for each in self._series))
        return {
            **self.theme.frame(),
            "height": self._bottom + 36,
            "title": self._titles,
            "grid": self._grids,
            "xAxis": self._xs,
            "yAxis": self._ys,
            "series": self._series,
            "legend": self.theme.legend(
                type="scroll" if self._narrow or self._is_crowded(names) else "plain",
                data=list({each["name"]: _entry(each) for each in self._series}.values()),
                itemGap=12,
                itemHeight=10,
            ),
            "tooltip": {"trigger": "axis", ":formatter": HOVER, "confine": True},
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

    def _add(self, series: Option) -> None:
        place = len(self._grids) - 1
        self._series.append({**series, "xAxisIndex": place, "yAxisIndex": place, "animation": False})

    def _is_crowded(self, names: Sequence[str]) -> bool:
        """Whether the legend would need more rows than there are above the first plot."""
        return sum(ENTRY + LETTER * len(name) for name in names) > ROW * self._rows

    def _measured_from(self, since: float) -> None:
        """Draw the start of the measurement in every plot, with words in the last one; nothing at 0.

        A line without data is no omission: the browser merges options, and would keep the line of an earlier run.
        """
        first = {each["xAxisIndex"]: each for each in reversed(self._series) if each["type"] == "line"}
        for place, each in first.items():
            each["markLine"] = {
                "silent": True,
                "symbol": "none",
                "data": [{"xAxis": since}] if since else [],
                "animation": False,
                "lineStyle": {"color": self.theme.faint, "type": "dashed"},
                "label": {
                    "show": place == len(self._grids) - 1 and not self._narrow,
                    "formatter": "measured from here",
                    "color": self.theme.faint,
                    "position": "end",
                    "align": "left",
                    "fontSize": 10,
                    "distance": 4,
                    # Beside the title of the plot, if the line is under it.
                    "padding": [0, 0, 0, TITLE if since < 0.06 * self._end else 0],
                },
            }


def _entry(series: Option) -> Option:
    """Return the entry of a series in the legend, without the circle on lines, which the plots do not have."""
    return {"name": series["name"], **({"itemStyle": {"opacity": 0}} if series["type"] == "line" else {})}


SIDES: dict[int, list[Option]] = {
    1: [{"title": 4, "left": 46, "right": 14}],
    2: [{"title": 4, "left": 46, "right": "51%"}, {"title": "50.5%", "left": "55%", "right": 14}],
}
"""Horizontal places of titles and plots, by the number of columns."""

TITLE = 48
"""Width of the part of the title *goodput, Mbit/s* that is right of the axis, pixels."""

ENTRY, LETTER, ROW, ROW_HEIGHT = 42, 6, 680, 22
"""Width of an entry of the legend without its text, of a letter, and of a row in a small window; height of a row;
pixels."""

MOST_MARKS = 400
"""Largest number of marks of one kind in a plot."""
