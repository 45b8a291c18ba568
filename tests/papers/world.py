"""Made-up results that agree with every claim of [D11]. Tests alter parts of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2011_impact.names import CMT, PAYLOAD, SINGLE, UNIT
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.traces import PathTrace, Trace

Rates = dict[str, float]
"""Goodput in Mbit/s: `south` and `north` of the CMT flow, and each single-path flow."""


def evidence(cases: Iterable[Case], runs: int = 10, treat: Callable[[Case, Rates], Rates] | None = None) -> Evidence:
    """Return the made-up evidence; `treat` may change the rates of a case."""
    return Evidence({case: _runs(case, runs, treat) for case in cases})


def _runs(case: Case, runs: int, treat: Callable[[Case, Rates], Rates] | None) -> Runs:
    rates = rates_of(case)
    if treat is not None:
        rates = treat(case, rates)
    noise = np.random.default_rng(zlib.crc32(str(case).encode()))
    outcomes = [
        _outcome(case, {k: v * (1 + 0.01 * noise.standard_normal()) for k, v in rates.items()}) for _ in range(runs)
    ]
    series = case.experiment in {"figure3-windows", "figure5", "worked-example"}
    return Runs(outcomes, [_trace(case)] * runs if series else [])


def rates_of(case: Case) -> Rates:
    """Return the rates of a case that follow from the paper's text."""
    levels: dict[str, Any] = dict(case.factors)
    models: dict[str, Callable[..., Rates]] = {
        "figure2-left": _disjoint,
        "figure2-right": _bottleneck,
        "beside-tcp": lambda: {"south": 4.7, "north": 9.48, SINGLE: 4.7},
        "figure3": partial(_dissimilar, south=5.0),
        "figure3-windows": partial(_dissimilar, south=5.0, north=0.25),
        "figure4-left": partial(_dissimilar, north=5.0),
        "figure4-right": _crowd,
        "figure5": partial(_dissimilar, south=10.0, north=5.0),
        "worked-example": lambda: {"south": 9.4, "north": 1.8, SINGLE: 0.0},
    }
    return models[case.experiment](**levels)


def _disjoint(cc: str, paths: int) -> Rates:
    single = {PLAIN: 4.74, RPV1: 8.4, RPV2: 8.3, MPTCP: 8.0}[cc] if paths > 1 else 4.74
    return {"south": 9.48 - single, "north": 9.48 * (paths - 1), SINGLE: single}


def _bottleneck(cc: str, paths: int) -> Rates:
    if cc == PLAIN:
        single = 9.48 / (paths + 1)
    else:
        lead = 0.005 * (paths - 1) + 0.015 * max(0, paths - 4)
        single = 4.74 * (1.0 - lead / 2.0)
    return {"south": 9.48 - single, "north": 0.0, SINGLE: single}


def _dissimilar(cc: str, south: float, north: float) -> Rates:
    """Return the paper's rates: half under plain congestion control, equal totals under RPv2, too little under RPv1."""
    s, n = PAYLOAD * south, PAYLOAD * north
    equal = max(0.5 * (s - n), 0.05 * s)
    taken = {
        PLAIN: 0.5 * s,
        RPV2: min(equal, 0.46 * s),
        RPV1: min(0.6 * equal, 0.18 * s) if north <= 4.0 or south >= 7.5 else 0.5 * equal,
        MPTCP: 0.44 * s if south != 10.0 else 4.26,
    }[cc]
    if cc == MPTCP and north >= south:
        taken = equal + 0.1 * s
    if cc == MPTCP and north < south:
        taken = max(taken, min(equal * 1.12, 0.48 * s))
    return {"south": taken, "north": n, SINGLE: s - taken}


def _crowd(cc: str, rivals: int) -> Rates:
    s, n = PAYLOAD * 20.0, PAYLOAD * 5.0
    part = s / (rivals + 1)
    equal = max((s + n) / (rivals + 1) - n, 0.5 * part)
    south = {PLAIN: part + 0.2, RPV1: 0.8 * equal, RPV2: equal, MPTCP: 0.6 * part + 0.5 * equal}[cc]
    if rivals == 8:
        south = {PLAIN: 2.4, RPV1: 1.2, RPV2: 1.26, MPTCP: 2.2}[cc]
    names = [SINGLE, *(f"{SINGLE}-{number}" for number in range(2, rivals + 1))]
    return {"south": south, "north": n, **dict.fromkeys(names, (s - south) / rivals)}


def _outcome(case: Case, rates: Rates) -> dict[str, Any]:
    """Return the rates in the form of an outcome of the engine."""
    numbered = case.experiment.startswith(("figure2", "beside"))
    first, rest = ("path1", "path2") if numbered else ("south", "north")
    lost = {first: 100.0 * (1.0 + rates["south"] / max(rates[SINGLE], 1e-9)), rest: 100.0}
    paths = {
        name: {"goodput": rates[side] * 1e6, "lost_packets": lost[name], "data_packets": 10_000, **IN_FLIGHT}
        for name, side in ((first, "south"), (rest, "north"))
    }
    flows: dict[str, Any] = {CMT: {"goodput": (rates["south"] + rates["north"]) * 1e6, "paths": paths}}
    for name, rate in rates.items():
        if name.startswith(SINGLE):
            flows[name] = {"goodput": rate * 1e6, "paths": {first: {"goodput": rate * 1e6}}}
    return {"flows": flows}


IN_FLIGHT = {"cwnd": 30_000.0, "outstanding": 29_000.0, "srtt": 0.053}
"""Mean window and data in flight of a path, bytes, and its smoothed round-trip time, s.

A lead of two segments in this time is that of 8 paths over one bottleneck.
"""


def _trace(case: Case) -> Trace:
    """Return sawtooth windows as the paper describes them."""
    cc = str(dict(case.factors).get("cc", RPV2))
    if case.experiment == "worked-example":
        return _curves({"fast": (0.6, 100.0, UNIT, 10.0), "slow": (1.0, 2.5, 0.2 * UNIT, 2.0)})
    if case.experiment == "figure3-windows":
        return _curves({"north": (0.5, 90_000 / UNIT, UNIT, 0.25), "south": (1.0, 12.0, 0.08 * UNIT, 0.4)})
    south = {PLAIN: (0.5, 40.0, UNIT), RPV1: (1.0, 19.0, 0.1 * UNIT), RPV2: (1.0, 24.0, 0.5 * UNIT)}
    peak = south.get(cc, (0.5, 30.0, 0.6 * UNIT))
    return _curves({"north": (0.5, 70_000 / UNIT, UNIT, 5.0), "south": (*peak, 4.0)})


def _curves(paths: dict[str, tuple[float, float, float, float]]) -> Trace:
    """Return sawtooth curves from (depth of a cut, peak in segments, bytes per window, Mbit/s) of each path."""
    time = np.arange(0.0, 75.0, 0.01)
    traces: dict[tuple[str, str], PathTrace] = {}
    queues: dict[str, np.ndarray] = {}
    for name, (depth, peak, slope, rate) in paths.items():
        cwnd, ssthresh, queue = _sawtooth(len(time), depth, peak * UNIT, slope, rate * 1e6)
        goodput = np.full(len(time), rate * 1e6)
        traces[CMT, name] = PathTrace(time, cwnd, ssthresh, goodput, 7.0 * cwnd / goodput, goodput)
        queues[name] = queue
    return Trace(traces, queues)


def _sawtooth(
    samples: int, depth: float, peak: float, slope: float, rate: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a window that grows by `slope` bytes per delivered window and is cut by `depth` at the peak."""
    cwnd, ssthresh, queue = np.empty(samples), np.empty(samples), np.zeros(samples)
    now, threshold = peak, 500_000.0
    for index in range(samples):
        if now >= peak or (slope < UNIT and index % 3000 == 2999):
            queue[max(0, index - 5) : index] = 100
            if index:
                now = threshold = max(now * (1.0 - depth), UNIT)
        cwnd[index], ssthresh[index] = now, threshold
        now = min(now + slope * rate * 0.01 / 8.0 / now, peak)
    return cwnd, ssthresh, queue
