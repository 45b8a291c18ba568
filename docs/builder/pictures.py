"""Figures of runs of each congestion control over the same two paths, made when the site is built."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import PurePosixPath

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import manypath as mp
from manypath.figures.style import COLOURS, INK, PAGE, styled

FOLDER = "explanation/algorithms/"
"""The folder of the algorithms' pages. The name of a page is that of its algorithm."""

OVER_SCTP = ("newreno", "cmt-rpv1", "cmt-rpv2", "mptcp-like")
"""Algorithms for CMT-SCTP. The others run in Multipath TCP."""

SEED = 1

SHOWN = (20.0, 60.0)
"""The drawn part of a run, s."""

NORTH, SOUTH, RIVAL = COLOURS[:3]


def draw(pages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each figure in the site, and the figure as SVG."""
    for page in sorted(pages):
        name = _algorithm(page)
        if name:
            yield f"{FOLDER}{name}.svg", _picture(name, _run(name))


def section(page: str) -> str:
    """Return the results of an algorithm's run as text and figure for its page, or an empty string for other pages."""
    name = _algorithm(page)
    if not name:
        return ""
    flows, parts = _run(name).goodput, _run(name).paths["goodput"]
    protocol = "SCTP" if name in OVER_SCTP else "TCP"
    return f"""
## At work

A flow under `{name}` has two paths of 10 Mbit/s; a round trip takes 20 ms where the queues are empty, and they hold
50 packets. On the southern path it meets a flow of single-path {protocol}.

![Windows of both paths and of the rival over 40 seconds, and what each path got]({name}.svg)

Between second 20 and second 120 the northern path carried {parts["flow", "north"]:.1f} Mbit/s. On the southern path
the flow got {parts["flow", "south"]:.1f} Mbit/s and its rival {flows["rival"]:.1f} Mbit/s.
"""


def scenario(name: str) -> mp.Scenario:
    """Return the scenario of an algorithm: path north without, and path south with a competing flow."""
    link = mp.Link(rate="10 Mbit/s", delay="10 ms", queue=mp.DropTail(packets=50))
    if name in OVER_SCTP:
        flow, rival = mp.Sctp(paths=("north", "south"), cc=name), mp.Sctp.standard("south")
    else:
        flow, rival = mp.Mptcp(paths=("north", "south"), cc=name), mp.Tcp(path="south")
    network = mp.disjoint(north=link, south=link)
    return mp.Scenario(network=network, flows={"flow": flow, "rival": rival}, warmup="20 s", measure="100 s")


@cache
def _run(name: str) -> mp.Result:
    return mp.run(scenario(name), seed=SEED, series="50 ms")


def _algorithm(page: str) -> str:
    path = PurePosixPath(page)
    return path.stem if page.startswith(FOLDER) and path.suffix == ".md" else ""


def _picture(name: str, result: mp.Result) -> str:
    """Return the figure as SVG: windows over time on the left, goodput on the right."""
    with styled():
        figure = Figure(figsize=(PAGE, 2.3), layout="constrained")
        windows, rates = figure.subplots(1, 2, width_ratios=(3, 1))
        samples = result.series["paths"]
        for path, colour in (("north", NORTH), ("south", SOUTH)):
            _draw_window(windows, samples[(samples["flow"] == "flow") & (samples["path"] == path)], colour)
        _draw_window(windows, samples[samples["flow"] == "rival"], RIVAL)
        windows.set_xlim(*SHOWN)
        windows.set_ylim(bottom=0.0)
        windows.set_xlabel("time in s")
        windows.set_ylabel("window in kB")
        windows.set_title(name, loc="left")
        parts = result.paths["goodput"]
        bars = [parts["flow", "north"], parts["flow", "south"], result.goodput["rival"]]
        rates.bar(["north", "south", "rival"], bars, color=[NORTH, SOUTH, RIVAL], width=0.6)
        rates.axhline(5.0, color=INK, linewidth=0.7, linestyle=(0, (4, 2)))
        rates.set_ylim(0.0, 10.0)
        rates.set_ylabel("payload rate in Mbit/s")
        rates.set_title("dashed: half a link", loc="left")
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", metadata={"Date": None})
    return drawing.getvalue()


def _draw_window(axes: Axes, samples: pd.DataFrame, colour: str) -> None:
    shown = samples[samples["time"].between(*SHOWN)]
    width, alpha, order = (0.7, 0.6, 1.5) if colour == RIVAL else (1.0, 1.0, 2.0)
    axes.plot(shown["time"], shown["cwnd"] / 1e3, color=colour, linewidth=width, alpha=alpha, zorder=order)
