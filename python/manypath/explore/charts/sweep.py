"""The chart of a sweep: means with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manypath.explore.charts.scripts import RATE, WHISKER
from manypath.explore.charts.theme import LINES, SYMBOLS, Option, Theme, number
from manypath.stats import interval


@dataclass(frozen=True)
class Swept:
    """The setting of a sweep.

    Attributes
    ----------
    label : str
        Its name.
    is_amount : bool
        Whether its values are amounts, between which a curve makes sense.
    values : tuple of str
        Its values.
    """

    label: str
    is_amount: bool
    values: tuple[str, ...]


def sweep(swept: Swept, flows: Mapping[str, Mapping[str, Sequence[float]]], theme: Theme) -> Option:
    """Return the mean goodput of each flow at each value, with 95 % intervals from two runs on."""
    values = swept.values
    series: list[Option] = []
    for place, (flow, samples) in enumerate(flows.items()):
        colour = theme.colour(place)
        means = [number(np.mean(samples[value])) if samples.get(value) else None for value in values]
        series.append(
            {
                "type": "line",
                "name": flow,
                "data": means,
                "symbolSize": 8,
                "connectNulls": True,
                "symbol": SYMBOLS[place % len(SYMBOLS)],
                "lineStyle": {"type": LINES[place % len(LINES)], "width": 2 if swept.is_amount else 0},
                "itemStyle": {"color": colour},
                "color": colour,
            }
        )
        series.append(_intervals(values, flow, samples, colour))
    return {
        **theme.frame(),
        "height": 320,
        "tooltip": {"trigger": "axis", ":valueFormatter": RATE, "confine": True},
        "legend": theme.legend(data=list(flows)),
        "grid": {"left": 8, "right": 24, "top": 40, "bottom": 24, "containLabel": True},
        "xAxis": {
            **theme.axis(swept.label, nameLocation="middle", nameGap=26),
            "type": "category",
            "data": list(values),
        },
        # An interval of small rates may begin below zero.
        "yAxis": theme.axis("Mbit/s", min=0),
        "series": series,
    }


def _intervals(values: Sequence[str], flow: str, samples: Mapping[str, Sequence[float]], colour: str) -> Option:
    """Return the intervals of a flow as bars from low to high."""
    bars = []
    for at, value in enumerate(values):
        if len(samples.get(value, ())) > 1:
            found = interval(samples[value])
            bars.append([at, number(found.low), number(found.high)])
    return {
        "type": "custom",
        # The legend shows and hides the interval with the mean.
        "name": flow,
        ":renderItem": WHISKER,
        "data": bars,
        "itemStyle": {"color": colour},
        "encode": {"x": 0, "y": [1, 2]},
        "tooltip": {"show": False},
        "silent": True,
        "clip": True,
    }
