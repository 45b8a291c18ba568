"""Made-up results that agree with every claim of [G12]. Tests alter parts of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.gonzalez2012_mptcp.names import (
    COUPLED,
    HALVES,
    MPTCP,
    PATHS,
    RENO,
    RIVALS,
    SEGMENT,
    SHEETS,
    TCP_A,
    TCP_B,
)
from manypath.papers.traces import PathTrace, Trace

Place = tuple[str, str]
"""A flow and one of its paths."""

Rates = dict[Place, float]
"""Throughput on the wire, Mbit/s."""

STEP = 0.05
"""Interval of the samples, s."""

SUBFLOWS = {1: (1.79, 1.75), 2: (3.98, 1.75), 3: (1.55, 1.79)}
"""Throughput of MPTCP on each path in each scenario, Mbit/s. The sums are those of the paper."""

PARTS = {RENO: 0.5, HALVES: 1.0 / 3.0}
"""The share of each link of an uncoupled subflow: as much as a TCP, or half of it."""

ALONE = {"figure2": 2, "figure3": 3, "bends": 3}
"""The scenario number of each experiment without competing TCP."""

NUMBERS = {**{sheet.experiment: number for number, sheet in SHEETS.items()}, "rise": 2, "silence": 2}
"""The scenario number of each experiment with competing TCP."""


def evidence(
    cases: Iterable[Case],
    runs: int = 8,
    treat: Callable[[Case, Rates], Rates] | None = None,
    bend: Callable[[Case, Trace], Trace] | None = None,
) -> Evidence:
    """Return the made-up evidence; `treat` may change the rates of a case, and `bend` its curves."""
    return Evidence({case: _runs(case, runs, treat, bend) for case in cases})


def rates_of(case: Case) -> Rates:
    """Return the rates of a case that follow from the paper's text."""
    levels: dict[str, Any] = dict(case.factors)
    if case.experiment == "single":
        sheet, path = SHEETS[levels["scenario"]], levels["path"]
        return {(MPTCP, path): sheet.rates[path] / 2.0, (RIVALS[path], path): sheet.rates[path] / 2.0}
    if case.experiment in ALONE:
        sheet = SHEETS[ALONE[case.experiment]]
        return {(MPTCP, path): sheet.rates[path] for path in PATHS}
    number = levels["scenario"] if case.experiment == "signalling" else NUMBERS[case.experiment]
    first, second = SUBFLOWS[number]
    tcp = SHEETS[number].throughput
    if levels.get("cc") == COUPLED:
        worse = 0.1 if number == 2 else 5.0 / 3.0
        whole = SHEETS[number].total / 3.0
        rates = SHEETS[number].rates
        return {
            (MPTCP, "a"): whole - worse,
            (MPTCP, "b"): worse,
            (TCP_A, "a"): rates["a"] - whole + worse,
            (TCP_B, "b"): rates["b"] - worse,
        }
    if levels.get("cc") in PARTS:
        part, rates = PARTS[levels["cc"]], SHEETS[number].rates
        own = {(MPTCP, path): part * rates[path] for path in PATHS}
        return {**own, **{(RIVALS[path], path): (1.0 - part) * rates[path] for path in PATHS}}
    return {(MPTCP, "a"): first, (MPTCP, "b"): second, (TCP_A, "a"): tcp[TCP_A], (TCP_B, "b"): tcp[TCP_B]}


def _runs(
    case: Case,
    runs: int,
    treat: Callable[[Case, Rates], Rates] | None,
    bend: Callable[[Case, Trace], Trace] | None,
) -> Runs:
    rates = rates_of(case) if treat is None else treat(case, rates_of(case))
    noise = np.random.default_rng(zlib.crc32(str(case).encode()))
    outcomes = [_outcome({k: v * (1 + 0.004 * noise.standard_normal()) for k, v in rates.items()}) for _ in range(runs)]
    if case.experiment in ("single", "signalling"):
        return Runs(outcomes)
    alone = ALONE.get(case.experiment)
    trace = _beside(case, rates) if alone is None else _alone(alone, str(case["cc"]))
    return Runs(outcomes, [trace if bend is None else bend(case, trace)] * runs)


def _outcome(rates: Rates) -> dict[str, Any]:
    """Return the rates in the form of an outcome of the engine."""
    flows: dict[str, Any] = {}
    for (flow, path), rate in rates.items():
        entry = flows.setdefault(flow, {"throughput": 0.0, "goodput": 0.0, "paths": {}})
        entry["throughput"] += rate * 1e6
        entry["goodput"] += rate * 1e6 * SEGMENT / 1500.0
        entry["paths"][path] = {"throughput": rate * 1e6}
    return {"flows": flows}


@cache
def _alone(number: int, cc: str) -> Trace:
    """Return windows that grow by the formula over full links, and are cut when the buffers overflow.

    The round-trip time on A follows its window, as behind a queue that never empties. On B it is constant, so that
    the rate falls with a cut. In both cases the formula gives more after a cut.
    """
    sheet = SHEETS[number]
    packets = {path: sheet.rates[path] * 1e6 / 8.0 / 1500.0 for path in PATHS}
    # In scenario 3 the periods would have the ratio 1 to 2, so that cuts coincide.
    full = {"a": 2.0 * sheet.buffer("a"), "b": 2.0 * sheet.buffer("b") * (0.87 if number == 3 else 1.0)}
    time = np.arange(0.0, 600.0, STEP)
    cwnd, ssthresh, srtt = ({path: np.empty(len(time)) for path in PATHS} for _ in range(3))
    now, threshold = {"a": full["a"], "b": 0.8 * full["b"]}, dict.fromkeys(PATHS, 1e9)
    for index in range(len(time)):
        rtt = {"a": now["a"] / packets["a"], "b": 3.0 * sheet.delays["b"] / 1e3}
        best = max(now[path] / rtt[path] ** 2 for path in PATHS)
        increase = best / sum(now[path] / rtt[path] for path in PATHS) ** 2
        for path in PATHS:
            cwnd[path][index], ssthresh[path][index] = now[path] * SEGMENT, threshold[path] * SEGMENT
            srtt[path][index] = rtt[path]
            now[path] += STEP / rtt[path] if cc == RENO else increase * packets[path] * STEP
            if now[path] >= full[path]:
                now[path] = threshold[path] = full[path] / 2.0
    curves: dict[Place, PathTrace] = {}
    for path in PATHS:
        wire = np.full(len(time), sheet.rates[path] * 1e6)
        payload = wire * SEGMENT / 1500.0
        curves[MPTCP, path] = PathTrace(time, cwnd[path], ssthresh[path], payload, srtt[path], wire)
    return Trace(curves, {})


def _beside(case: Case, rates: Rates) -> Trace:
    """Return subflows that alternately exceed TCP's rate. With full coupling nearly all traffic moves every 10 s."""
    sheet = SHEETS[NUMBERS[case.experiment]]
    time = np.arange(0.0, 85.0 + STEP / 2.0, STEP)
    moment = (time - 5.0) % 20.0
    own: dict[str, np.ndarray] = {}
    for turn, path in enumerate(PATHS):
        mean = rates[MPTCP, path]
        if case["cc"] == COUPLED:
            whole = rates[MPTCP, "a"] + rates[MPTCP, "b"]
            own[path] = np.where((moment < 10.0) == (path == "a"), 0.97, 0.03) * whole
        else:
            ahead, behind = moment // 3.0 == turn, moment // 3.0 == 1 - turn
            own[path] = np.where(ahead, 0.72 * sheet.rates[path], np.where(behind, 0.7 * mean, mean))
        if case.experiment == "rise" and path == "b":
            gain = 0.1 if case["cc"] == COUPLED else 2.0
            own[path] = np.where(time > 45.0, mean + gain * np.minimum((time - 45.0) / 10.0, 1.0), mean)
    curves: dict[Place, PathTrace] = {}
    for path in PATHS:
        other = np.maximum(1.02 * sheet.rates[path] - own[path], 0.0)
        for flow, values in ((MPTCP, own[path]), (RIVALS[path], other)):
            window = np.full(len(time), 40.0 * SEGMENT)
            curves[flow, path] = PathTrace(time, window, window, values * 1e6, np.full(len(time), 0.15), values * 1e6)
    return Trace(curves, {})
