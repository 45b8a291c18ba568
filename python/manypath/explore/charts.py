"""The charts of a page as documents of Apache ECharts: a run over time, shares, a comparison and a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from manypath.explore.fair import Fair
from manypath.explore.moves import Answer, Mark
from manypath.explore.state import State
from manypath.figures.style import COLOURS
from manypath.stats import interval

Option = dict[str, Any]
"""A chart."""


@dataclass(frozen=True)
class Theme:
    """The colours of text and lines on a light or a dark page."""

    ink: str
    faint: str
    grid: str
    series: tuple[str, ...]

    def colour(self, number: int) -> str:
        """Return the colour of a path, a link or a flow."""
        return self.series[number % len(self.series)]


LIGHT = Theme("#1f2937", "#4b5563", "#e5e7eb", COLOURS)
"""Dark on light."""

DARK = Theme(
    "#f3f4f6",
    "#9ca3af",
    "#374151",
    (
        "#56b4e9",
        "#f28c4a",
        "#3dd6a3",
        "#e5a3cb",
        "#f0b840",
        "#8fd0f5",
        "#cda86f",
        "#b5b5b5",
    ),
)
"""Light on dark; the hues of the palette are the same."""


@dataclass(frozen=True)
class Trace:
    """What is drawn over time, of a run or of an event log.

    Attributes
    ----------
    paths, links : DataFrame
        Samples of paths and of links, as in `Result.series`; columns may be missing.
    marks : list of Mark
        Losses, timeouts and retransmissions.
    end : float
        End of the axis, seconds.
    since : float
        Start of the measurement, seconds.
    """

    paths: pd.DataFrame
    links: pd.DataFrame
    marks: list[Mark]
    end: float
    since: float = 0.0

    @classmethod
    def of(cls, answer: Answer) -> Trace:
        """Return the trace of a run; only links on forward paths have a curve."""
        series = answer.result.series
        crossed = {link for path in answer.scenario.network.paths.values() for link in path.forward}
        links = series["links"]
        warmup = 0.0 if answer.is_partial else answer.scenario.warmup / 1e9
        return cls(series["paths"], links[links["link"].isin(crossed)], answer.marks, answer.whole, warmup)


def course(trace: Trace, theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of each path with its marks and its strip, the queues, and the goodput, over one time axis."""
    rows = _rows(trace)
    chart = _Stack(theme, trace.end, narrow=narrow)
    names = list(dict.fromkeys(trace.paths["flow"]))
    paths = list(dict.fromkeys(trace.paths["path"]))
    for number, path in enumerate(paths[:MOST_PATHS]):
        _windows(chart, trace, path, theme.colour(number), names)
        if path in rows:
            _strip(chart, trace, path, rows[path])
    if len(trace.links):
        chart.grid(110, "queue, packets")
        for number, (link, part) in enumerate(list(trace.links.groupby("link", sort=False))[:MOST_PATHS]):
            chart.line(
                f"queue {link}", part["time"], part["queue"], theme.colour(number), kind=LINES[number % len(LINES)]
            )
    if "goodput" in trace.paths:
        _goodput(chart, trace, paths, names)
    return chart.finished(trace.since)


def shares(state: State, answer: Answer, fair: Fair | None, theme: Theme, *, narrow: bool) -> Option:
    """Return the goodput of each flow, divided by paths, with the fair shares beside it."""
    result = answer.result
    flows = list(result.goodput.index)
    paths = list(dict.fromkeys(result.paths.index.get_level_values("path")))
    bars: list[Option] = [
        {
            "type": "bar",
            "stack": "measured",
            "name": f"on {path}",
            "barMaxWidth": 34,
            "itemStyle": {"color": theme.colour(number), "decal": DECALS[number % len(DECALS)]},
            "data": [_number(result.paths["goodput"].get((flow, path), 0.0)) for flow in flows],
        }
        for number, path in enumerate(paths)
    ]
    if fair is not None:
        points = {"resource pooling": fair.pooling, "fluid equilibrium": fair.fluid}
        if fair.best_path and state.multipath is not None:
            points["best single path"] = {state.multipath: max(fair.best_path.values())}
        for (name, rates), symbol in zip(points.items(), ("diamond", "triangle", "rect"), strict=False):
            data = [[_number(rates[flow]), flow] for flow in flows if flow in rates]
            if data:
                bars.append(
                    {
                        "type": "scatter",
                        "name": name,
                        "symbol": symbol,
                        "symbolSize": 13,
                        "data": data,
                        "z": 5,
                        "itemStyle": {"color": theme.ink},
                    }
                )
    return {
        **_frame(theme),
        "legend": _legend(theme, top=0),
        "tooltip": {"trigger": "axis", ":valueFormatter": RATE},
        "grid": {"left": 8, "right": 24, "top": 56 if narrow else 40, "bottom": 24, "containLabel": True},
        "xAxis": _axis(theme, "Mbit/s", nameLocation="middle", nameGap=22),
        "yAxis": {**_axis(theme), "type": "category", "data": flows, "inverse": True},
        "series": bars,
    }


def comparison(state: State, answers: Mapping[str, Answer], theme: Theme, *, narrow: bool) -> Option:
    """Return the windows of the multipath flow under several congestion controls, one plot each."""
    end = max(answer.whole for answer in answers.values())
    chart = _Stack(theme, end, narrow=narrow, top=36)
    for cc, answer in answers.items():
        samples = answer.result.series["paths"]
        own = samples[samples["flow"] == state.multipath]
        rates = answer.result.paths["goodput"]
        said = ", ".join(f"{path} {rate:.2f}" for path, rate in rates[str(state.multipath)].items())
        rival = f"; {state.rival} {answer.result.goodput[str(state.rival)]:.2f}" if state.rival is not None else ""
        chart.grid(110, f"{cc}: window, kB   ({said}{rival} Mbit/s)")
        for number, (path, part) in enumerate(own.groupby("path", sort=False)):
            chart.line(f"window {path}", part["time"], part["cwnd"] / 1e3, theme.colour(number))
    return chart.finished(0.0)


def sweep(
    values: Sequence[str], flows: Mapping[str, Mapping[str, Sequence[float]]], label: str, theme: Theme
) -> Option:
    """Return the mean goodput of each flow at each value, with 95 % intervals from two runs on."""
    series: list[Option] = []
    for number, (flow, samples) in enumerate(flows.items()):
        means = [_number(np.mean(samples[value])) if samples.get(value) else None for value in values]
        series.append(
            {
                "type": "line",
                "name": flow,
                "data": means,
                "symbolSize": 8,
                "connectNulls": True,
                "symbol": SYMBOLS[number % len(SYMBOLS)],
                "lineStyle": {"type": LINES[number % len(LINES)]},
                "itemStyle": {"color": theme.colour(number)},
                "color": theme.colour(number),
            }
        )
        bars = []
        for at, value in enumerate(values):
            if len(samples.get(value, ())) > 1:
                found = interval(samples[value])
                bars.append([at, _number(found.low), _number(found.high)])
        series.append(
            {
                "type": "custom",
                "name": f"{flow}, 95 % interval",
                ":renderItem": WHISKER,
                "data": bars,
                "itemStyle": {"color": theme.colour(number)},
                "encode": {"x": 0, "y": [1, 2]},
                "tooltip": {"show": False},
                "silent": True,
            }
        )
    return {
        **_frame(theme),
        "tooltip": {"trigger": "axis", ":valueFormatter": RATE},
        "legend": {**_legend(theme, top=0), "data": list(flows)},
        "grid": {"left": 8, "right": 24, "top": 40, "bottom": 24, "containLabel": True},
        "xAxis": {**_axis(theme, label, nameLocation="middle", nameGap=26), "type": "category", "data": list(values)},
        "yAxis": _axis(theme, "Mbit/s"),
        "series": series,
    }


class _Stack:
    """Plots below each other with a common time axis."""

    def __init__(self, theme: Theme, end: float, *, narrow: bool, top: int = 72) -> None:
        self.theme, self._end, self._narrow = theme, end, narrow
        self._grids: list[Option] = []
        self._titles: list[Option] = []
        self._xs: list[Option] = []
        self._ys: list[Option] = []
        self._series: list[Option] = []
        self._top = 44 if narrow else top

    def grid(self, height: int, title: str, *, gap: int = 22, values: bool = True) -> None:
        """Begin a plot."""
        number = len(self._grids)
        self._top += gap
        self._titles.append(
            {
                "text": title,
                "left": 4,
                "top": self._top - 20,
                "textStyle": {"fontSize": 12, "fontWeight": 600, "color": self.theme.ink},
            }
        )
        self._grids.append({"left": 46, "right": 14, "top": self._top, "height": height})
        self._top += height + 6
        self._xs.append(
            {
                **_axis(self.theme),
                "gridIndex": number,
                "min": 0,
                "max": self._end,
                "axisLabel": {"show": False},
                "splitLine": {"show": False},
            }
        )
        self._ys.append({**_axis(self.theme), "gridIndex": number, "splitNumber": 3, "show": values})

    def line(
        self, name: str, time: pd.Series, values: pd.Series, colour: str, kind: Any = "solid", width: float = 1.5
    ) -> None:
        """Add a curve to the last plot."""
        number = len(self._grids) - 1
        self._series.append(
            {
                "type": "line",
                "name": name,
                "data": _points(time, values),
                "showSymbol": False,
                "xAxisIndex": number,
                "yAxisIndex": number,
                "color": colour,
                "lineStyle": {"width": width, "type": kind},
                "animation": False,
            }
        )

    def marks(self, name: str, marks: Sequence[Mark], symbol: str, colour: str, height: float) -> None:
        """Add marks to the last plot, at a height in its units."""
        number = len(self._grids) - 1
        data = [
            {"value": [_number(mark.time), height], "name": f"{mark.time:.3f} s, {mark.flow}: {mark.words}"}
            for mark in marks[:MOST_MARKS]
        ]
        self._series.append(
            {
                "type": "scatter",
                "name": name,
                "data": data,
                "symbol": symbol,
                "symbolSize": 9,
                "xAxisIndex": number,
                "yAxisIndex": number,
                "itemStyle": {"color": colour},
                "animation": False,
                "z": 4,
            }
        )

    def bars(self, name: str, time: np.ndarray, values: np.ndarray, colour: str, decal: Option, stack: str) -> None:
        """Add shares of time from 0 to 1 to the last plot, stacked."""
        number = len(self._grids) - 1
        self._series.append(
            {
                "type": "bar",
                "name": name,
                "stack": stack,
                "barWidth": "170%",
                "xAxisIndex": number,
                "yAxisIndex": number,
                "itemStyle": {"color": colour, "decal": decal},
                "animation": False,
                "data": _points(pd.Series(time), pd.Series(values)),
            }
        )

    def limit(self, most: float) -> None:
        """Limit the vertical axis of the last plot."""
        self._ys[-1] |= {"min": 0, "max": most, "interval": most / 2}

    def _measured_from(self, since: float) -> None:
        """Draw the start of the measurement in every plot, with words in the last one."""
        first = {each["xAxisIndex"]: each for each in reversed(self._series) if each["type"] == "line"}
        for number, each in first.items():
            each["markLine"] = {
                "silent": True,
                "symbol": "none",
                "data": [{"xAxis": since}],
                "animation": False,
                "lineStyle": {"color": self.theme.faint, "type": "dashed"},
                "label": {
                    "show": number == len(self._grids) - 1 and not self._narrow,
                    "formatter": "measured from here",
                    "color": self.theme.faint,
                    "position": "end",
                    "align": "left",
                    "fontSize": 10,
                    "distance": 4,
                },
            }

    def finished(self, since: float) -> Option:
        """Return the chart; its height is at ``height``, in pixels."""
        self._xs[-1] |= {
            "axisLabel": {"show": True, "color": self.theme.faint},
            "name": "time, s",
            "nameLocation": "middle",
            "nameGap": 22,
            "nameTextStyle": {"color": self.theme.faint},
        }
        if since:
            self._measured_from(since)
        legend = list(dict.fromkeys(each["name"] for each in self._series))
        return {
            **_frame(self.theme),
            "height": self._top + 36,
            "title": self._titles,
            "grid": self._grids,
            "xAxis": self._xs,
            "yAxis": self._ys,
            "series": self._series,
            "legend": {
                **_legend(self.theme, top=0),
                "type": "scroll" if self._narrow else "plain",
                "data": legend,
                "itemGap": 12,
                "itemHeight": 10,
            },
            "tooltip": {"trigger": "axis", ":formatter": HOVER, "confine": True},
            "axisPointer": {"link": [{"xAxisIndex": "all"}], "label": {"show": False}},
            "dataZoom": [
                {
                    "type": "inside",
                    "xAxisIndex": list(range(len(self._xs))),
                    "filterMode": "none",
                    "zoomOnMouseWheel": "ctrl",
                    "moveOnMouseMove": False,
                }
            ],
        }


def _windows(chart: _Stack, trace: Trace, path: str, own_colour: str, names: Sequence[str]) -> None:
    """Add the windows of a path: the first flow in the colour of the path, the others in grey."""
    own = trace.paths[trace.paths["path"] == path]
    chart.grid(120, f"{path}: congestion window, kB")
    # The peak of the first slow start may be much larger than all windows of the measurement.
    steady = own["cwnd"][own["time"] >= trace.since]
    steady = steady if steady.notna().any() else own["cwnd"]
    top = 1.3 * float(steady.max()) / 1e3 if steady.notna().any() else 1.0
    for flow, part in own.groupby("flow", sort=False):
        place = names.index(str(flow))
        colour, width = (own_colour, 1.6) if place == 0 else (GREY, 1.1)
        chart.line(f"window of {flow}", part["time"], part["cwnd"] / 1e3, colour, LINES[place % len(LINES)], width)
        threshold = part["ssthresh"].where(part["ssthresh"] / 1e3 <= top) / 1e3
        chart.line(f"ssthresh of {flow}", part["time"], threshold, colour, "dotted", 1.0)
    chart.limit(max(_nice(top), 1.0))
    marks = [mark for mark in trace.marks if mark.path == path]
    for name, symbol, colour, height in MARKS:
        chart.marks(
            MARK_NAMES[name],
            [mark for mark in marks if mark.name in name],
            symbol,
            colour,
            height * max(_nice(top), 1.0),
        )


def _strip(chart: _Stack, trace: Trace, path: str, columns: Sequence[str]) -> None:
    """Add the strip below a path: the share of time during which each limit blocked the first flow."""
    flow = trace.paths["flow"].iloc[0]
    own = trace.paths[(trace.paths["path"] == path) & (trace.paths["flow"] == flow)]
    chart.grid(16, f"{path}: what blocks {flow}", gap=18, values=False)
    groups = np.arange(len(own)) // STEP
    time = own["time"].groupby(groups).mean().to_numpy()
    width = float(own["time"].diff().median())
    for column in columns:
        share = (own[column].groupby(groups).mean() / width).clip(0.0, 1.0).to_numpy()
        words, colour, decal = BLOCKS[column]
        chart.bars(words, time, share, colour, decal, f"strip {path}")
    chart.limit(1.0)


def _rows(trace: Trace) -> dict[str, list[str]]:
    """Return for each path the limits that blocked its first flow at some time; empty where the engine has none."""
    known = [column for column in BLOCKS if column in trace.paths]
    if not known or not len(trace.paths):
        return {}
    flow = trace.paths["flow"].iloc[0]
    own = trace.paths[trace.paths["flow"] == flow]
    found: dict[str, list[str]] = {}
    for path, part in own.groupby("path"):
        if part[known].notna().any(axis=None):
            found[str(path)] = [column for column in known if part[column].sum() > 0.0]
    return found


def _goodput(chart: _Stack, trace: Trace, paths: Sequence[str], names: Sequence[str]) -> None:
    """Add the goodput of each flow, and of the first flow over each path, as a moving average."""
    chart.grid(130, "goodput, Mbit/s")
    samples, theme = trace.paths, chart.theme
    for place, flow in enumerate(names):
        own = samples[samples["flow"] == flow]
        total = own.groupby("time")["goodput"].sum()
        chart.line(
            f"goodput of {flow}",
            pd.Series(total.index),
            _smooth(total),
            INKS[place % len(INKS)] if place else theme.ink,
            LINES[place % len(LINES)],
            1.8,
        )
        if place == 0 and own["path"].nunique() > 1:
            for number, path in enumerate(paths):
                part = own[own["path"] == path]
                if len(part):
                    chart.line(f"on {path}", part["time"], _smooth(part["goodput"]), theme.colour(number), "solid", 1.1)
    again = [mark for mark in trace.marks if mark.name == "recovery:marked_for_retransmit"]
    chart.marks("retransmissions", again, "triangle", COLOURS[3], 0.0)


def _smooth(values: pd.Series) -> pd.Series:
    return values.rolling(max(len(values) // 50, 1), center=True, min_periods=1).mean().reset_index(drop=True)


def _points(time: pd.Series, values: pd.Series) -> list[list[float | None]]:
    pairs = zip(
        np.round(time.to_numpy(dtype=float), 3).tolist(),
        np.round(values.to_numpy(dtype=float), 3).tolist(),
        strict=True,
    )
    return [[at, None if isnan(value) else value] for at, value in pairs]


def _nice(top: float) -> float:
    """Return a round number that is not smaller."""
    power = 10 ** np.floor(np.log10(top)) if top > 0 else 1.0
    return float(next((factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8) if factor * power >= top), 10 * power))


def _number(value: Any) -> float | None:
    return None if isnan(value) else round(float(value), 4)


def _frame(theme: Theme) -> Option:
    return {
        "animation": False,
        "backgroundColor": "transparent",
        "textStyle": {"color": theme.ink, "fontFamily": "inherit"},
        "aria": {"enabled": True},
    }


def _axis(theme: Theme, name: str = "", **more: Any) -> Option:
    return {
        "type": "value",
        "name": name,
        "nameTextStyle": {"color": theme.faint},
        "axisLabel": {"color": theme.faint},
        "axisLine": {"lineStyle": {"color": theme.faint}},
        "splitLine": {"lineStyle": {"color": theme.grid}},
        **more,
    }


def _legend(theme: Theme, **more: Any) -> Option:
    return {
        "textStyle": {"color": theme.ink},
        "inactiveColor": theme.faint,
        "pageTextStyle": {"color": theme.ink},
        "pageIconColor": theme.ink,
        "itemWidth": 18,
        **more,
    }


GREY = "#7d7d7d"
"""Colour of the windows of rivals; visible on light and on dark ground."""

INKS = (GREY, "#e69f00", "#56b4e9", "#8c6d31", "#cc79a7")
"""Colours of the goodput of the second flow and later ones."""

LINES = ("solid", "dashed", [2, 2], [6, 2, 1, 2], [10, 3])
"""Line styles of flows and links."""

SYMBOLS = ("circle", "rect", "triangle", "diamond", "pin")
"""Symbols of flows in a sweep."""

DECALS: tuple[Option, ...] = (
    {"symbol": "none"},
    {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [2, 5], "rotation": 0.8, "color": "rgba(255,255,255,0.45)"},
    {"symbol": "circle", "symbolSize": 0.5, "color": "rgba(255,255,255,0.5)"},
    {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [2, 5], "rotation": -0.8, "color": "rgba(255,255,255,0.45)"},
)
"""Patterns, so that areas differ without colours, too."""

BLOCKS: dict[str, tuple[str, str, Option]] = {
    "blocked_window": ("blocked by the congestion window", "#56b4e9", DECALS[0]),
    "blocked_split_share": ("blocked by its share of a divided buffer", "#e69f00", DECALS[1]),
    "blocked_receive_window": ("blocked by the peer's receive window", "#cc79a7", DECALS[2]),
    "blocked_send_buffer": ("blocked by the send buffer", "#8c6d31", DECALS[3]),
    "blocked_pacing": ("blocked by pacing", "#009e73", DECALS[0]),
    "blocked_path": ("blocked: the path is down or waits", "#d55e00", DECALS[1]),
}
"""Columns of the engine's series that state what blocked a path, in words, with colour and pattern."""

LOST = ("link:packet_lost", "link:packet_dropped", "link:packet_damaged")
CUT = ("recovery:window_cut",)
EXPIRED = ("recovery:loss_timer_expired",)

CROSS = "path://M2,0L5,3L8,0L10,2L7,5L10,8L8,10L5,7L2,10L0,8L3,5L0,2Z"
"""The symbol of losses."""

MARKS = ((LOST, CROSS, GREY, 0.95), (CUT, "diamond", "#e69f00", 0.85), (EXPIRED, "pin", "#d55e00", 0.9))
"""Marks of a path: their events, symbol, colour, and height as a share of the plot."""

MARK_NAMES = {LOST: "losses", CUT: "fast retransmissions", EXPIRED: "timeouts"}
"""Names of marks in the legend."""

MOST_PATHS = 6
"""Largest number of paths that are drawn."""

MOST_MARKS = 400
"""Largest number of marks of one kind in a plot."""

STEP = 4
"""Samples per bar of a strip."""

RATE = "value => value == null ? '' : Number(value).toFixed(2) + ' Mbit/s'"
"""Shows a rate."""

HOVER = """items => {
  if (!items.length) return '';
  const at = items[0].axisValue;
  const near = item => item.seriesType !== 'scatter' || Math.abs(item.value[0] - at) < 0.3;
  const escape = text => String(text).replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[c]);
  const said = items.filter(item => near(item) && item.value[1] != null).map(item => item.marker + ' ' + (
    item.seriesType === 'scatter' ? escape(item.name)
    : escape(item.seriesName) + ': ' + (item.seriesType === 'bar' ? Math.round(100 * item.value[1]) + ' % of the time'
    : Number(item.value[1]).toFixed(1))));
  return '<b>' + Number(at).toFixed(2) + ' s</b><br>' + said.join('<br>');
}"""
"""Shows the values at the pointer, and the reasons of the marks there."""

WHISKER = """(params, api) => {
  const low = api.coord([api.value(0), api.value(1)]), high = api.coord([api.value(0), api.value(2)]);
  const style = {stroke: api.visual('color'), lineWidth: 2};
  const line = (x1, y1, x2, y2) => ({type: 'line', shape: {x1, y1, x2, y2}, style});
  return {type: 'group', children: [line(low[0], low[1], high[0], high[1]),
    line(low[0] - 5, low[1], low[0] + 5, low[1]), line(high[0] - 5, high[1], high[0] + 5, high[1])]};
}"""
"""Draws an interval."""
