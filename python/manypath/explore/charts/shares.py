"""The chart of goodput against fair shares."""

from __future__ import annotations

from manypath.explore.charts.scripts import RATE
from manypath.explore.charts.theme import DECALS, Option, Theme, number, shortened
from manypath.explore.fair import Fair
from manypath.explore.moves import Answer
from manypath.explore.state import State


def shares(state: State, answer: Answer, fair: Fair | None, theme: Theme) -> Option:
    """Return the goodput of each flow, divided by paths, with the fair shares beside it."""
    result = answer.result
    flows = list(result.goodput.index)[:MOST_FLOWS]
    paths = list(dict.fromkeys(result.paths.index.get_level_values("path")))
    bars: list[Option] = [
        {
            "type": "bar",
            "stack": "measured",
            "name": f"on {path}",
            "barMaxWidth": 34,
            "itemStyle": {"color": theme.colour(place), "decal": DECALS[place % len(DECALS)]},
            "data": [number(result.paths["goodput"].get((flow, path), 0.0)) for flow in flows],
        }
        for place, path in enumerate(paths)
    ]
    series = [*bars, *(_fair_marks(state, fair, flows, theme) if fair is not None else ())]
    # Two rows of a narrow legend have about this many letters.
    is_long = sum(len(each["name"]) + MARGIN for each in series) > LETTERS
    return {
        **theme.frame(),
        "height": 110 + 42 * len(flows),
        "legend": theme.legend(
            labels={each["name"]: shortened(each["name"]) for each in series}, type="scroll" if is_long else "plain"
        ),
        "tooltip": {"trigger": "axis", ":valueFormatter": RATE, "confine": True},
        "grid": {"left": 8, "right": 24, "top": 56, "bottom": 24, "containLabel": True},
        "xAxis": theme.axis("Mbit/s", nameLocation="middle", nameGap=22),
        "yAxis": {
            **theme.axis(),
            "type": "category",
            "data": [shortened(flow, 20) for flow in flows],
            "inverse": True,
        },
        "series": series,
    }


def _fair_marks(state: State, fair: Fair, flows: list[str], theme: Theme) -> list[Option]:
    """Return the marks of the fair shares, one series for each notion of fairness."""
    rates = {"resource pooling": fair.pooling, "fluid equilibrium": fair.fluid}
    if fair.best_path and state.multipath is not None:
        rates["best single path"] = {state.multipath: max(fair.best_path.values())}
    marks: list[Option] = []
    for (name, of_flow), symbol in zip(rates.items(), ("diamond", "triangle", "rect"), strict=False):
        data = [[number(of_flow[flow]), at] for at, flow in enumerate(flows) if flow in of_flow]
        if data:
            marks.append(
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
    return marks


LETTERS, MARGIN = 110, 6
"""Letters of two rows of a narrow legend, with those that each symbol and its margin take."""

MOST_FLOWS = 24
"""Largest number of flows that are drawn."""
