"""The colours of charts on light and dark pages, and the parts that all charts have: frame, axes and legend."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manypath.figures.style import COLOURS

Option = dict[str, Any]
"""A chart, or a part of one, as a document of Apache ECharts."""


@dataclass(frozen=True)
class Theme:
    """The colours of text, of hidden entries of legends, of lines and of series on a light or a dark page."""

    ink: str
    faint: str
    hidden: str
    grid: str
    series: tuple[str, ...]

    def colour(self, number: int) -> str:
        """Return the colour of a path, a link or a flow."""
        return self.series[number % len(self.series)]

    def frame(self) -> Option:
        """Return what every chart has."""
        return {
            "animation": False,
            "backgroundColor": "transparent",
            "textStyle": {"color": self.ink, "fontFamily": "inherit"},
            "aria": {"enabled": True},
        }

    def axis(self, name: str = "", **more: Any) -> Option:
        """Return an axis of values."""
        return {
            "type": "value",
            "name": name,
            "nameTextStyle": {"color": self.faint},
            "axisLabel": {"color": self.faint},
            "axisLine": {"lineStyle": {"color": self.faint}},
            "splitLine": {"lineStyle": {"color": self.grid}},
            **more,
        }

    def legend(self, **more: Any) -> Option:
        """Return a legend above the plots."""
        return {
            "top": 0,
            "textStyle": {"color": self.ink},
            "inactiveColor": self.hidden,
            "inactiveBorderColor": self.hidden,
            "pageTextStyle": {"color": self.ink},
            "pageIconColor": self.ink,
            "itemWidth": 18,
            **more,
        }


LIGHT = Theme("#1f2937", "#4b5563", "#b4bac4", "#e5e7eb", COLOURS)
"""Dark on light."""

DARK = Theme(
    "#f3f4f6",
    "#9ca3af",
    "#5b6573",
    "#374151",
    ("#56b4e9", "#f28c4a", "#3dd6a3", "#e5a3cb", "#f0b840", "#8fd0f5", "#cda86f", "#989898"),
)
"""Light on dark; the hues of the palette are the same."""


def points(time: ArrayLike, values: ArrayLike) -> list[list[float | None]]:
    """Return the points of a curve, to a millisecond; unknown values are gaps."""
    times, known = (np.round(np.asarray(column, dtype=float), 3).tolist() for column in (time, values))
    return [[at, None if isnan(value) else value] for at, value in zip(times, known, strict=True)]


def number(value: Any) -> float | None:
    """Return a number of a chart; None for an unknown one."""
    return None if isnan(value) else round(float(value), 4)


def shortened(name: str, most: int = 36) -> str:
    """Return a name with at most some letters, for titles, legends and axes. Many names differ at the end only."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"


def nice(top: float) -> float:
    """Return a round number that is not smaller."""
    power = 10 ** np.floor(np.log10(top)) if top > 0 else 1.0
    return float(next((factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8) if factor * power >= top), 10 * power))


def smooth(values: ArrayLike) -> NDArray[np.float64]:
    """Return the moving average over a part of the run, `SMOOTHED`; over fewer values at its ends."""
    known = np.asarray(values, dtype=float)
    width = max(len(known) // SMOOTHED, 1)
    places = np.arange(len(known)) + (width - 1) // 2 + 1
    sums = np.concatenate([[0.0], np.cumsum(known)])
    ends, starts = np.minimum(places, len(known)), np.maximum(places - width, 0)
    return (sums[ends] - sums[starts]) / (ends - starts)


def averaged(name: str, seconds: float) -> str:
    """Return the title of a plot of moving averages over a run of some seconds."""
    return f"{name}, mean of {seconds / SMOOTHED:.3g} s"


SMOOTHED = 50
"""Number of parts of a run. A moving average covers one part."""

GREY = "#7d7d7d"
"""Colour of the windows of rivals; visible on light and on dark ground."""

LINES = ("solid", "dashed", [8, 2, 2, 2], [14, 3], [8, 2, 2, 2, 2, 2])
"""Line styles of flows, links and congestion controls. Thresholds are dotted."""

SYMBOLS = ("circle", "rect", "triangle", "diamond", "pin")
"""Symbols of flows in a sweep."""

DECALS: tuple[Option, ...] = (
    {"symbol": "none"},
    {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [2, 5], "rotation": 0.8, "color": "rgba(255,255,255,0.45)"},
    {"symbol": "circle", "symbolSize": 0.5, "color": "rgba(255,255,255,0.5)"},
    {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [2, 5], "rotation": -0.8, "color": "rgba(255,255,255,0.45)"},
)
"""Patterns, so that areas differ without colours, too."""
